/** What the reference says about one endpoint: parameters, body, answer and errors. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { copyButton } from "./copy_button.js";
import { visible } from "./form_model.js";
import { inlineCode, paragraph } from "./markdown.js";
import { errorsOf, fieldsOf, resolved, typeText } from "./schema_model.js";

/**
 * @param {import("./form_model.js").Operation} operation
 * @param {any} document the OpenAPI document
 * @param {() => void} jump goes to the form, which is far away on a narrow screen
 * @returns {HTMLElement[]}
 */
export function operationText(operation, document, jump) {
  return [head(operation, jump), parameters(operation, document), question(operation, document), answer(operation, document), errors(operation, document)];
}

function head({ path, method, summary, description, cost }, jump) {
  const buttons = h("div", { class: "row" },
    h("button", { class: "button small try-copy try-jump", type: "button", onclick: jump }, t`Try it`), copyButton(t`Copy link`, () => location.href));
  return h("section", { class: "stack" },
    h("div", { class: "row apart" },
      h("h2", { id: "try-path", class: "try-path", tabindex: "-1" }, h("span", { class: "badge" }, method), h("code", {}, path)), buttons),
    paragraph(`${summary}.`, "try-summary"),
    description.map((each) => paragraph(each, "muted")),
    h("p", { class: "try-cost" }, h("span", { class: "badge" }, t`Cost`), " ", h("bdi", { lang: "en" }, inlineCode(cost))));
}

function section(title, ...content) {
  return h("section", { class: "stack" }, h("h3", {}, title), content);
}

function parameters({ fields }, document) {
  return fields.length > 0 && section(t`Parameters`, h("ul", { class: "try-params" }, fields.map((field) => {
    const { name, description, required, schema } = field;
    return h("li", { id: `about-${name}` }, nameRow(name, typeText(schema, document), required), paragraph(description), facts(field));
  })));
}

function nameRow(name, type, required) {
  return h("p", { class: "try-name" }, h("code", {}, name), " ", h("code", { class: "small muted" }, type), " ",
    required && h("span", { class: "try-required small" }, t`required`));
}

/** What a description may not say: what is allowed, the default, and an example. */
function facts({ minimum, maximum, standard, hint, choices, schema }) {
  const said = [
    standard && t`Default: ${h("code", {}, standard)}`,
    choices.length > 0 && t`Allowed: ${codes(choices.map(visible))}`,
    minimum !== undefined && maximum !== undefined && t`From ${minimum} to ${maximum}.`,
    !choices.length && schema.pattern && t`Pattern: ${h("code", {}, schema.pattern)}`,
    hint && t`Example: ${h("code", {}, hint)}`,
  ].filter(Boolean);
  return said.length > 0 && h("ul", { class: "try-facts small muted" }, said.map((each) => h("li", {}, each)));
}

function codes(names) {
  return h("span", {}, names.map((each, place) => [place > 0 && ", ", h("code", {}, each)]));
}

function question({ body }, document) {
  if (!body) return null;
  return section(t`Body`,
    h("p", { class: "small muted" }, t`Media types: ${codes(body.types)}`), schemaFields(body.schema, document));
}

function answer({ responses }, document) {
  const { content, headers = {} } = responses[200];
  const [[, { schema, example }]] = Object.entries(content);
  const { description } = resolved(schema, document);
  const fields = schemaFields(schema, document);
  return section(t`Answer`,
    description && description.split("\n\n").map((each) => paragraph(each, "muted")),
    example !== undefined && exampleOf(example),
    h("div", { class: "try-details" }, fields && h("details", { open: example === undefined }, h("summary", {}, t`Fields of the answer`), fields),
      h("details", {}, h("summary", {}, t`Headers of the answer`), h("ul", { class: "try-params" },
        Object.entries(headers).map(([name, header]) => h("li", {}, nameRow(name, typeText(header.schema, document), false), paragraph(header.description)))))),
    h("p", { class: "small muted" }, t`Media types: ${codes(Object.keys(content))}`));
}

function exampleOf(example) {
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return h("pre", { class: "try-code", tabindex: "0", role: "region", "aria-label": t`An example of the answer` }, h("code", {}, text));
}

function schemaFields(schema, document) {
  const fields = fieldsOf(schema, document);
  return fields.length > 0 && h("ul", { class: "try-params" }, fields.map(({ name, type, required, description }) =>
    h("li", {}, nameRow(name, type, required), description && description.split("\n\n").map((each) => paragraph(each)))));
}

function errors(operation, document) {
  const errorText = errorsOf(operation, document).map(({ status, text, cases }) =>
    h("details", {}, h("summary", {}, h("span", { class: "badge" }, status), " ", h("bdi", { lang: "en" }, inlineCode(text))),
      h("ul", { class: "try-params" }, cases.map(({ code, summary, error }) =>
        h("li", {}, h("p", { class: "try-name" }, h("code", {}, code)), paragraph(summary), paragraph(error, "small muted"))))));
  return section(t`Errors`, h("div", { class: "try-details" }, errorText));
}
