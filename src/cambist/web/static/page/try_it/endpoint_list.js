/** The list of all endpoints by tag, with a search. On a narrow screen a button opens it. */

import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { found, groupsOf } from "./form_model.js";

export class EndpointList {
  /**
   * @param {import("./form_model.js").Operation[]} operations
   * @param {(path: string) => string} hrefOf
   * @param {(path: string) => void} onchoose
   */
  constructor(operations, hrefOf, onchoose) {
    Object.assign(this, { operations, hrefOf, onchoose });
    this.links = new Map([["/", this.link("/", t`Introduction`)],
      ...operations.map(({ path, method }) => [path, this.link(path, endpointName(path, method))])]);
    this.groups = groupsOf(operations).map(([tag, each]) => ({ paths: each.map(({ path }) => path), element: this.group(tag, each) }));
    this.search = h("input", { class: "input", id: "try-search", type: "search", autocomplete: "off", spellcheck: "false", placeholder: t`Search`, "aria-label": t`Search the endpoints`, oninput: () => this.filter() });
    this.none = h("p", { class: "small muted", role: "status" });
    this.button = h("button", { class: "button quiet try-open", type: "button", "aria-expanded": "false", "aria-controls": "try-list", onclick: () => this.open(this.button.getAttribute("aria-expanded") === "false") });
    this.element = h("div", { class: "try-side" }, this.button, h("div", { class: "try-list stack", id: "try-list" }, this.search, this.none,
      h("nav", { "aria-label": t`Endpoints` }, h("ul", {}, h("li", {}, this.links.get("/"))), this.groups.map(({ element }) => element))));
  }

  group(tag, operations) {
    return h("div", {}, h("h2", { class: "try-tag" }, tag), h("ul", {}, operations.map(({ path }) => h("li", {}, this.links.get(path)))));
  }

  /** Return a link that shows an endpoint at once. @param {string} path @param {...any} text */
  link(path, ...text) {
    const choose = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.open(false);
      this.onchoose(path);
    };
    return h("a", { href: this.hrefOf(path), onclick: choose }, text);
  }

  /** Mark an endpoint as the one that is shown. @param {string} path */
  mark(path) {
    for (const link of this.links.values()) link.removeAttribute("aria-current");
    this.links.get(path).setAttribute("aria-current", "page");
    replace(this.button, path === "/" ? t`Endpoints` : h("bdi", { dir: "ltr" }, path));
  }

  open(isOpen) {
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.search.focus();
  }

  filter() {
    const paths = new Set(found(this.operations, this.search.value).map(({ path }) => path));
    for (const [path, link] of this.links) link.parentElement.hidden = path !== "/" && !paths.has(path);
    for (const { paths: own, element } of this.groups) element.hidden = !own.some((path) => paths.has(path));
    replace(this.none, paths.size === 0 && t`No endpoint has these words.`);
  }
}

function endpointName(path, method) {
  return [h("bdi", { dir: "ltr" }, path), method === "POST" && h("small", {}, " POST")];
}
