/** Each endpoint with a form, the request as programs, the answer, and what it costs. */

import { address, ApiError, send } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { checkNames, refuse } from "../../lib/link.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { AnswerPanel } from "../try_it/answer_panel.js";
import { copyButton } from "../try_it/copy_button.js";
import { groupsOf, initialValues, operationsOf, requestParams, wrongValue } from "../try_it/form_model.js";
import { ParameterForm } from "../try_it/parameter_form.js";
import { ProgramTabs } from "../try_it/program_tabs.js";
import { inlineCode } from "../try_it/inline_code.js";

export const title = t`Try it`;

let loading = null;

export async function show(root, params, shell) {
  loading ??= shell.get("/openapi.json").then(operationsOf);
  loading.catch(() => { loading = null; });
  const operations = await loading;
  checkLink(operations, params);
  const view = new TryIt(root, operations, shell);
  view.choose(params.get("endpoint"), params);
  return () => view.stop();
}

/** Refuse a link to a form that cannot have what the link says. Errors: LinkError. */
function checkLink(operations, params) {
  const path = params.get("endpoint");
  const operation = operations.find((each) => each.path === path) ?? operations[0];
  if (path && operation.path !== path) refuse("endpoint", path, t`is no endpoint`);
  checkNames(params, ["endpoint", ...operation.fields.map(({ name }) => name)]);
  const wrong = operation.fields.find((field) => wrongValue(field, params.get(field.name)));
  if (wrong) refuse(wrong.name, params.get(wrong.name), wrongValue(wrong, params.get(wrong.name)));
}

class TryIt {
  constructor(root, operations, shell) {
    this.operations = operations;
    this.shell = shell;
    this.call = null;
    this.programs = new ProgramTabs();
    this.answer = new AnswerPanel();
    this.main = h("div", { class: "stack wide try-main" });
    this.links = new Map(operations.map(({ path }) => [path, this.link(path)]));
    this.select = this.chooser();
    replace(root, h("h1", { tabindex: "-1", class: "try-title" }, title), h("div", { class: "try" }, this.list(), this.main));
  }

  /** The list of endpoints beside the form, on wide screens. */
  list() {
    const group = ([tag, operations]) => [
      h("h2", { class: "try-tag" }, tag), h("ul", {}, operations.map(({ path }) => h("li", {}, this.links.get(path))))];
    return h("div", { class: "try-list" },
      h("nav", { "aria-label": t`Endpoints` }, groupsOf(this.operations).map(group)),
      h("div", { class: "field" }, h("label", { for: "try-endpoint" }, t`Endpoint`), this.select));
  }

  link(path) {
    const choose = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.choose(path, new URLSearchParams());
    };
    return h("a", { href: routeOf("try", { endpoint: path }), onclick: choose }, h("bdi", { dir: "ltr" }, path));
  }

  /** The same list as a select, on narrow screens. */
  chooser() {
    const option = ({ path }) => h("option", { value: path }, path);
    const groups = groupsOf(this.operations).map(([tag, operations]) => h("optgroup", { label: tag }, operations.map(option)));
    return h("select", { class: "select", id: "try-endpoint", dir: "ltr", onchange: () => this.choose(this.select.value, new URLSearchParams()) }, groups);
  }

  /** Show an endpoint with the values that are given, or with its examples. */
  choose(path, given) {
    this.operation = this.operations.find((each) => each.path === path) ?? this.operations[0];
    this.call?.abort();
    for (const [each, link] of this.links) link.toggleAttribute("aria-current", each === this.operation.path);
    this.links.get(this.operation.path).setAttribute("aria-current", "page");
    this.select.value = this.operation.path;
    this.form = new ParameterForm(this.operation, initialValues(this.operation, given), {
      onchange: () => this.changed(), onsubmit: () => this.submit(),
    });
    this.answer.clear();
    this.shell.setTitle(t`Try ${this.operation.path}`);
    replace(this.main, this.head(), this.form.element,
      h("div", { class: "try-results" }, this.programs.element, this.answer.element));
    this.changed();
  }

  head() {
    const { path, summary, description, cost } = this.operation;
    const link = copyButton(t`Copy link`, () => location.href);
    return h("section", { class: "stack", "aria-labelledby": "try-path" },
      h("div", { class: "row apart" },
        h("h2", { id: "try-path", class: "try-path" }, h("span", { class: "badge" }, "GET"), h("code", {}, path)), link),
      h("p", { class: "try-summary" }, summary, "."),
      description.split("\n\n").map((each) => h("p", { class: "muted" }, inlineCode(each))),
      h("p", { class: "try-cost" }, h("span", { class: "badge" }, t`Cost`), " ", inlineCode(cost)));
  }

  get params() {
    return requestParams(this.operation, this.form.values);
  }

  /** Write the programs and the address anew. */
  changed() {
    const { params, operation } = this;
    this.shell.setParams(new URLSearchParams([["endpoint", operation.path], ...params]));
    this.programs.show({ url: address(operation.path).href, params });
  }

  async submit() {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    this.answer.wait();
    try {
      const response = await send(this.operation.path, new URLSearchParams(this.params), { signal: call.signal });
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
