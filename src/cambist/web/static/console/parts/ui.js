/** The pieces that several views of the console are made of. */

import { h } from "../../lib/dom.js";
import { age, localTime, number } from "../../lib/format.js";

/** @typedef {"good" | "warn" | "bad" | "quiet"} Kind */

/** A word in a pill. The word carries the meaning, the colour only repeats it. */
export function badge(text, kind = "quiet") {
  return h("span", { class: `badge ${kind}` }, text);
}

/** The heading of a view, with a sentence and what can be done. The heading takes the focus after a change of view. */
export function heading(title, lead, ...actions) {
  return h(
    "header",
    { class: "view-head" },
    h("div", {}, h("h1", { tabindex: "-1" }, title), lead ? h("p", { class: "lead" }, lead) : null),
    actions.length ? h("div", { class: "actions" }, ...actions) : null,
  );
}

/** @param {{class?: string, title?: string, level?: 2 | 3, actions?: Node[]}} props */
export function card(props, ...children) {
  const head = props.title
    ? h("div", { class: "card-head" }, h(`h${props.level ?? 2}`, {}, props.title), ...(props.actions ?? []))
    : null;
  return h("section", { class: `card ${props.class ?? ""}`.trim() }, head, ...children);
}

/**
 * A table that scrolls within itself where it is wider than the screen.
 *
 * @param {{caption: string, columns: {label: string, class?: string}[], rows: (Node | null)[], empty?: string}} table
 */
export function table({ caption, columns, rows, empty }) {
  if (!rows.length && empty) return emptyState(empty);
  const head = columns.map(({ label, class: name }) => h("th", { scope: "col", class: name ?? null }, label));
  return h(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)),
  );
}

/** A row of a table; `cells` are nodes or text, numbers are aligned by the class `num`. */
export function row(key, ...cells) {
  return h("tr", { "data-key": key }, ...cells);
}

export function cell(content, className) {
  return h("td", { class: className ?? null }, content);
}

export function emptyState(text, ...more) {
  return h("div", { class: "empty" }, h("p", {}, text), ...more);
}

/** A number with its digits grouped; a dash for none. */
export function count(value) {
  return value === null || value === undefined ? "–" : number(String(value));
}

/** How long ago a time was; its title says the moment. "never" for none. */
export function ago(iso, none = "never") {
  if (!iso) return none;
  const moment = localTime(iso);
  moment.title = `${moment.textContent}; ${moment.title}`;
  moment.textContent = `${age((Date.now() - Date.parse(iso)) / 1000)} ago`;
  return moment;
}

/** A time as a `<time>` element; a dash for none. */
export function time(iso) {
  return iso ? localTime(iso) : "–";
}

let labels = 0;

/** A labelled field. Its hint and its error are read with it. */
export function field(label, input, hint) {
  labels += 1;
  const id = `field-${labels}`;
  input.id = id;
  input.classList.add(input.tagName === "SELECT" ? "select" : "input");
  const note = hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null;
  if (note) input.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: id }, label), input, note);
}

/** A `<select>` over words, or over pairs of value and label. */
export function select(options, chosen, props = {}) {
  const entries = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const made = h("select", props, ...entries.map(([value, label]) => h("option", { value }, label)));
  made.value = chosen;
  return made;
}

/** Text while something is loading; its place is reserved so that nothing moves when it arrives. */
export function loading(text = "Loading …") {
  return h("p", { class: "loading", role: "status" }, text);
}

/** A share of a whole as a bar. The sentence beside it says the same in words. */
export function share(part, whole, kind = "") {
  const filled = h("span", { class: `share-filled ${kind}`.trim() });
  filled.style.inlineSize = `${whole > 0 ? Math.min(100, (100 * part) / whole) : 0}%`;
  return h("span", { class: "share", "aria-hidden": "true" }, filled);
}

/** An error as a sentence that is announced. */
export function errorNote(error) {
  return h("p", { class: "notice bad", role: "alert" }, error.message);
}

/** Previous and next page of a list. */
export function pager(page, pages, go) {
  if (pages <= 1) return null;
  const step = (label, to, possible) =>
    h("button", { type: "button", class: "button quiet", disabled: !possible, onclick: () => go(to) }, label);
  return h(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    step("Previous", page - 1, page > 1),
    h("span", {}, `Page ${page} of ${pages}`),
    step("Next", page + 1, page < pages),
  );
}
