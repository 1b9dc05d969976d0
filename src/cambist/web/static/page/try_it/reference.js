/** The reference of the API: the list of endpoints, what each is, and a form with the request as programs and the answer. */

import { address, ApiError, get, send } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { checkNames, refuse } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { AnswerPanel } from "./answer_panel.js";
import { EndpointList } from "./endpoint_list.js";
import { initialValues, operationsOf, requestParams, wrongValue } from "./form_model.js";
import { introduction } from "./introduction.js";
import { operationText } from "./operation_text.js";
import { ParameterForm } from "./parameter_form.js";
import { ProgramTabs } from "./program_tabs.js";

/**
 * What the reference is made of: the OpenAPI document, its operations, and what the service says of itself.
 * @returns {Promise<{document: any, operations: import("./form_model.js").Operation[], config: any}>}
 */
export async function loadReference() {
  const [document, config] = await Promise.all([get("/openapi.json"), get("/docs/config.json")]);
  return { document, operations: operationsOf(document), config };
}

export class Reference {
  /**
   * @param {HTMLElement} root
   * @param {Awaited<ReturnType<typeof loadReference>>} loaded
   * @param {Object} host where it is shown
   * @param {(path: string, params?: [string, string][]) => string} host.hrefOf
   * @param {(path: string, params: [string, string][], isNew: boolean) => void} host.setAddress `isNew`: another endpoint was chosen
   * @param {(text: string) => void} host.setTitle
   * @param {HTMLElement|false} host.aside what stands above the form, if anything
   */
  constructor(root, { document, operations, config }, host) {
    Object.assign(this, { spec: document, operations, config, host, call: null });
    this.programs = new ProgramTabs();
    this.answer = new AnswerPanel();
    this.list = new EndpointList(operations, host.hrefOf, (path) => this.open(path));
    this.text = h("div", { class: "stack wide try-text" });
    this.panel = h("div", { class: "stack wide try-panel" });
    this.element = h("div", { class: "try" }, this.list.element, this.text, this.panel);
    root.append(this.element);
  }

  /** Show what was chosen in the list. */
  open(path) {
    this.choose(path, new URLSearchParams(), true);
    scrollTo(0, 0);
    this.text.querySelector("#try-path").focus({ preventScroll: true });
  }

  /**
   * Show an endpoint with the values that are given, or with its examples; "/" is the introduction. Errors: LinkError.
   * @param {string} path @param {URLSearchParams} given @param {boolean} [isNew]
   */
  choose(path, given, isNew = false) {
    const operation = this.operations.find((each) => each.path === path);
    if (!operation && path !== "/") refuse("endpoint", path, t`is no endpoint`);
    check(operation?.fields ?? [], given);
    this.call?.abort();
    this.operation = operation;
    this.list.mark(path);
    this.element.classList.toggle("whole", !operation);
    if (operation) this.showOperation(given, isNew);
    else {
      replace(this.panel);
      replace(this.text, introduction(this.spec, this.operations, this.config.dialects, (each, ...text) => this.list.link(each, text)));
      this.host.setAddress("/", [], isNew);
    }
    this.host.setTitle(path);
  }

  showOperation(given, isNew) {
    this.form = new ParameterForm(this.operation, initialValues(this.operation, given), {
      onchange: () => this.changed(false), onsubmit: () => this.submit(),
    });
    this.answer.clear();
    replace(this.text, operationText(this.operation, this.spec, () => this.jump()));
    replace(this.panel, this.host.aside, this.form.element, this.programs.element, this.answer.element);
    this.changed(isNew);
  }

  /** Go to the form, and to its first field. */
  jump() {
    this.form.element.scrollIntoView();
    this.form.element.querySelector("input, select, textarea, button").focus({ preventScroll: true });
  }

  get params() {
    return requestParams(this.operation, this.form.values);
  }

  /** Write the programs and the address anew. What is posted is in no address. */
  changed(isNew) {
    const { params, operation: { path, body } } = this;
    this.host.setAddress(path, params, isNew);
    this.programs.show({ url: address(path).href, params, body: this.form.body, type: body?.type });
  }

  async submit() {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    this.answer.wait();
    const posted = this.operation.body ? { body: this.form.body, type: this.operation.body.type, accept: "*/*" } : {};
    try {
      const response = await send(this.operation.path, new URLSearchParams(this.params), { signal: call.signal, ...posted });
      const text = await response.text();
      if (call !== this.call) return;
      this.answer.show(response, text);
      this.answer.element.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (call.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.answer.fail(error.message);
    }
  }

  stop() {
    this.call?.abort();
  }
}

/** Refuse a link to a form that cannot have what the link says. Errors: LinkError. */
function check(fields, given) {
  checkNames(given, fields.map(({ name }) => name));
  const wrong = fields.find((field) => wrongValue(field, given.get(field.name)));
  if (wrong) refuse(wrong.name, given.get(wrong.name), wrongValue(wrong, given.get(wrong.name)));
}
