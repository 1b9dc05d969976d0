/** A list that is priced: its rows as CSV, typed or from a file, the terms beside it, and the answer as a table. */

import { h, replace } from "../../lib/dom.js";
import { toCsv } from "./csv.js";
import { dayInWords, localTime, number } from "../../lib/format.js";
import { postFile } from "../../lib/posting.js";
import { t } from "../../lib/texts.js";

/** As much as the service takes. */
const MOST_BYTES = 1024 * 1024;

/**
 * @typedef {{name: string, label: string, value?: string, hint?: string, type?: string, options?: [string, string][]}} Term
 */

/**
 * Make the form and the place of its answer. Nothing is sent before the button is pressed: it costs calls.
 * @param {{path: string, title: string, rows: string, columns: string, terms: Term[], button: string,
 *   shown: (answer: any) => {head: string[], rows: any[][], notes: any[], when?: number}, file: string,
 *   kept?: (terms: Object<string, string>) => Object<string, string>}} list `when` is a column of days and times; `kept` are
 *   the parameters of the address, if they are not the terms
 * @param {any} shell
 * @returns {HTMLElement}
 */
export function listForm(list, shell) {
  const id = (name) => `${list.file}-${name}`;
  const text = h("textarea", { class: "input list-rows", id: id("rows"), rows: "8", spellcheck: "false", "aria-describedby": id("columns") });
  text.value = list.rows;
  const inputs = Object.fromEntries(list.terms.map((term) => [term.name, inputOf(term, id(term.name))]));
  const error = h("p", { class: "error", role: "alert" });
  const result = h("section", { class: "stack", "aria-live": "polite" });
  const chosen = h("input", { type: "file", accept: ".csv,.txt,.tsv,.xlsx", class: "visually-hidden", id: id("file"), onchange: open });
  const termsNow = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()]));
  const keep = () => shell.setParams(list.kept ? list.kept(termsNow()) : termsNow());
  let workbook = null;

  async function open() {
    const [file] = chosen.files;
    if (!file) return;
    if (file.size > MOST_BYTES) { replace(error, t`This file has more than a megabyte: split it.`); return; }
    replace(error);
    workbook = file.name.endsWith(".xlsx") ? file : null;
    text.disabled = workbook !== null;
    text.value = workbook ? t`The rows of ${file.name}` : await file.text();
  }

  async function submit(event) {
    event.preventDefault();
    replace(error);
    replace(result, h("p", { class: "muted" }, "…"));
    try {
      const answer = await postFile(list.path, termsNow(), workbook ?? text.value);
      replace(result, table(list, list.shown(answer)));
    } catch (failure) {
      replace(result);
      replace(error, failure.message);
      if (failure.status === 401) shell.fail(failure);
    }
  }

  return h("div", { class: "stack wide" },
    h("form", { class: "card stack", onsubmit: submit },
      h("div", { class: "field" }, h("label", { for: id("rows") }, list.title), text,
        h("p", { class: "small muted", id: id("columns") }, list.columns)),
      h("div", { class: "row" }, chosen, h("label", { class: "button quiet small", for: id("file") }, t`Open a file`),
        h("button", { class: "button plain small", type: "button", onclick: () => { workbook = null; text.disabled = false; text.value = list.rows; chosen.value = ""; } }, t`Start again`)),
      h("div", { class: "list-terms", oninput: keep }, list.terms.map((term) => h("div", { class: "field" },
        h("label", { for: id(term.name) }, term.label), inputs[term.name], term.hint && h("p", { class: "small muted" }, term.hint)))),
      error, h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, list.button))),
    result);
}

function inputOf({ value = "", type = "text", options }, id) {
  if (!options) return h("input", { class: "input", id, type, value, autocomplete: "off", spellcheck: "false" });
  const select = h("select", { class: "select", id }, options.map(([key, words]) => h("option", { value: key }, words)));
  select.value = value;
  return select;
}

function table(list, { head, rows, notes, when = -1 }) {
  const isNumber = head.map((_, place) => rows.some((row) => typeof row[place] === "number"));
  const kind = (place) => (isNumber[place] ? "num" : null);
  return [
    notes,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": list.title }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, head.map((name, place) => h("th", { scope: "col", class: kind(place) }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, place) => h(place ? "td" : "th", { class: kind(place), scope: place ? null : "row" }, cell(value, place === when)))))))),
    h("div", { class: "row" }, h("button", { class: "button quiet small", type: "button", onclick: () => save(list.file, [head, ...rows]) }, t`Save as CSV`)),
  ];
}

function cell(value, isTime) {
  if (typeof value === "number") return number(value);
  if (!isTime || !/^\d{4}-\d\d-\d\d/.test(value)) return value ?? "";
  return value.length === 10 ? dayInWords(value) : localTime(value);
}

function save(name, rows) {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: "text/csv" }));
  h("a", { href: url, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
