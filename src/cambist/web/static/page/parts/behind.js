/** What the views of sources, coverage and currencies share. */

import { h } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { stateOf } from "./source_states.js";

const TABS = [["sources", t`Sources`], ["coverage", t`Coverage`], ["currency", t`Currencies`]];

/**
 * Make the heading of a view and the tabs to its neighbours.
 * @param {string} name the view that is shown
 * @param {string} heading
 * @param {...any} lead what stands below the heading
 */
export function heading(name, heading, ...lead) {
  return h("header", { class: "stack" },
    h("nav", { class: "tabs", "aria-label": t`What stands behind` },
      TABS.map(([view, title]) =>
        h("a", { class: "tab", href: routeOf(view), "aria-current": view === name ? "page" : null }, title))),
    h("h1", {}, heading), lead.length > 0 && h("p", { class: "muted" }, lead));
}

/** Make the badge of a state: a word, never a colour alone. @param {string} state */
export function stateBadge(state) {
  const { word, tone, means } = stateOf(state);
  return h("span", { class: `badge ${tone}`, title: means, dataset: { state } }, word);
}

/**
 * Make a field that filters while one types.
 * @param {{label: string, placeholder: string, value: string, oninput: (text: string) => void}} options
 */
export function searchField({ label, placeholder, value, oninput }) {
  const input = h("input", {
    class: "input", type: "search", value, placeholder, autocomplete: "off", spellcheck: "false",
    oninput: () => oninput(input.value),
  });
  return h("label", { class: "field" }, h("span", { class: "label" }, label), input);
}

/**
 * Make a row of buttons, one of which is pressed.
 * @param {{label: string, options: {value: string, text: string, count?: number}[], value: string,
 *   onchange: (value: string) => void}} options
 */
export function choice({ label, options, value, onchange }) {
  const buttons = options.map((option) => h("button", {
    class: "choice", type: "button", "aria-pressed": String(option.value === value), dataset: { value: option.value },
    onclick: () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.value === option.value));
      onchange(option.value);
    },
  }, option.text, option.count !== undefined && h("span", { class: "count" }, number(option.count))));
  return h("div", { class: "choices", role: "group", "aria-label": label }, buttons);
}

/** Make a link to another site, which learns nothing of this page. @param {string} href @param {...any} children */
export function outside(href, ...children) {
  return h("a", { href, rel: "noopener noreferrer", target: "_blank" }, children);
}

/** Make a list of terms and what they are; pairs without a description are left out. @param {[string, any][]} pairs */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h("dl", { class: "facts" }, shown.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
}
