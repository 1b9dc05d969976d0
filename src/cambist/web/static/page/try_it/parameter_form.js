/** The form of one endpoint. What its fields mean stands beside it, where operation_text.js writes it. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { visible } from "./form_model.js";

/** @typedef {import("./form_model.js").Field} Field */

export class ParameterForm {
  /**
   * @param {import("./form_model.js").Operation} operation
   * @param {Object<string, string>} values
   * @param {{onchange: () => void, onsubmit: () => void}} handlers
   */
  constructor({ fields, body }, values, { onchange, onsubmit }) {
    this.controls = new Map(fields.map((field) => [field.name, controlOf(field, values[field.name])]));
    this.sent = body && h("textarea", { class: "input try-body", id: "try-body", rows: 12, spellcheck: "false", dir: "ltr" }, body.example);
    const submit = (event) => {
      event.preventDefault();
      onsubmit();
    };
    this.element = h("form", { class: "card stack", novalidate: true, autocomplete: "off", oninput: onchange, onsubmit: submit },
      fields.length > 0 && h("div", { class: "try-fields" }, fields.map((field) => this.row(field))),
      body && h("div", { class: "field" }, h("label", { for: "try-body" }, t`Body`, " ", h("code", {}, body.type)), this.sent),
      !fields.length && !body && h("p", { class: "muted" }, t`This endpoint has no parameters.`),
      h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t`Send`),
        h("span", { class: "small muted" }, t`It is counted like any other call of the API.`)));
  }

  /** The values by name; a checkbox that is not checked is empty. @returns {Object<string, string>} */
  get values() {
    const valueOf = (control) => (control.type === "checkbox" ? (control.checked ? "true" : "") : control.value);
    return Object.fromEntries([...this.controls].map(([name, control]) => [name, valueOf(control)]));
  }

  /** What is posted; undefined for what is not. @returns {string|undefined} */
  get body() {
    return this.sent?.value;
  }

  /** @param {Field} field */
  row(field) {
    const control = this.controls.get(field.name);
    const name = [h("code", {}, field.name), " ", field.required && h("span", { class: "try-required" }, t`required`)];
    if (field.type === "flag") return h("div", { class: "field" }, h("label", { class: "checkbox" }, control, h("span", {}, name)));
    return h("div", { class: "field" }, h("label", { for: control.id }, name), control);
  }
}

/** @param {Field} field @param {string} value */
function controlOf(field, value) {
  const shared = { id: `try-${field.name}`, name: field.name, "aria-describedby": `about-${field.name}`, "aria-required": field.required && "true" };
  if (field.type === "choice") return choiceOf(field, value, shared);
  if (field.type === "flag") return h("input", { ...shared, type: "checkbox", checked: ["true", "1", "yes", "y"].includes(value) });
  const placeholder = field.standard ? t`${field.standard} if left out` : field.hint && t`such as ${field.hint}`;
  // A text field even for numbers: all digits are sent as they were typed, and the service judges them.
  return h("input", {
    ...shared, class: "input", type: field.type === "date" ? "date" : "text", spellcheck: "false",
    inputmode: field.type === "number" && "decimal", placeholder, value,
  });
}

function choiceOf({ required, standard, choices }, value, shared) {
  const select = h("select", { ...shared, class: "select" },
    !required && h("option", { value: "" }, standard ? t`${standard} (left out)` : t`left out`),
    choices.map((each) => h("option", { value: each }, visible(each))));
  select.value = choices.includes(value) ? value : select.options[0].value;
  return select;
}
