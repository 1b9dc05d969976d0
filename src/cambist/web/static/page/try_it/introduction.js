/** The first page of the reference: how to ask, all endpoints, and the interfaces of other services that are on. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { groupsOf } from "./form_model.js";
import { markdown, paragraph } from "./markdown.js";

/**
 * @param {any} document the OpenAPI document
 * @param {import("./form_model.js").Operation[]} operations
 * @param {any[]} dialects
 * @param {(path: string, ...text: any[]) => HTMLElement} linkTo
 * @returns {HTMLElement[]}
 */
export function introduction(document, operations, dialects, linkTo) {
  const about = Object.fromEntries((document.tags ?? []).map(({ name, description }) => [name, description]));
  return [
    h("h2", { id: "try-path", tabindex: "-1" }, t`Introduction`),
    h("section", { class: "stack" }, markdown(document.info.description)),
    h("section", { class: "stack wide" }, h("h2", {}, t`All endpoints`),
      groupsOf(operations).map(([tag, each]) => group(tag, about[tag], each, linkTo))),
    dialects.length > 0 && h("section", { class: "stack" },
      h("h2", {}, t`Interfaces of other services`),
      h("p", { class: "muted" }, t`This service also answers as these services do, at their paths and in their shapes.`),
      h("div", { class: "try-details" }, dialects.map(dialect))),
  ];
}

function group(tag, about, operations, linkTo) {
  return h("div", { class: "stack" }, h("h3", {}, tag), about && paragraph(about, "muted"),
    h("dl", { class: "try-all" }, operations.map(({ path, method, summary }) => [
      h("dt", {}, linkTo(path, h("code", {}, path)), method === "POST" && h("small", { class: "muted" }, " POST")),
      h("dd", {}, h("bdi", { lang: "en" }, summary))])));
}

function dialect({ title, guide, paths, key_parameters, key_headers }) {
  const places = [...key_parameters, ...key_headers].map((each) => [" ", h("code", {}, each)]);
  return h("details", {}, h("summary", {}, title),
    h("div", { class: "stack" },
      h("p", { class: "small muted" }, t`Its guide is ${h("code", {}, guide)} in the documentation.`),
      places.length > 0 && h("p", { class: "small muted" }, t`The key may also be sent as ${h("span", {}, places)}.`),
      h("ul", { class: "try-params" }, paths.map(({ path, parameters }) => h("li", {},
        h("p", { class: "try-name" }, h("code", {}, path)),
        parameters.length > 0 && h("p", { class: "small muted" }, parameters.map((each, place) => [place > 0 && ", ", h("code", {}, each)])))))));
}
