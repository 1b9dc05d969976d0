/** A report: the rates of a period with their means, publishers and terms, to print and to file, and its receipt. */

import { address } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { dayInWords, localTime, number } from "../../lib/format.js";
import { checkNames } from "../../lib/link.js";
import { postText } from "../../lib/posting.js";
import { t } from "../../lib/texts.js";
import { readReceipt } from "../lists/receipt.js";

export const title = t`Report`;

const NAMES = ["from", "to", "start", "end", "by", "source", "booking", "draft"];
const PERIODS = [["week", t`Weeks`], ["month", t`Months`], ["quarter", t`Quarters`], ["year", t`Years`]];
/** The rules of authorities that are means, with the length of their periods. */
const MEANS = { "month-mean": "month", "year-mean": "year", "mean-of-month-ends": "year" };

/** Show the view. A link that has a period shows its report at once, unless it is the draft of one: a report costs calls. */
export function show(root, params, shell) {
  checkNames(params, NAMES);
  const view = new Report(params, shell);
  replace(root, view.element);
  if (params.get("start") && !params.get("draft")) view.make();
}

class Report {
  constructor(params, shell) {
    this.shell = shell;
    const lastMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 0)).toISOString().slice(0, 10);
    const usual = { from: "EUR", to: "USD,GBP", start: `${lastMonth.slice(0, 8)}01`, end: lastMonth, by: "month" };
    const input = (name, type = "text") => h("input", { class: "input", id: `report-${name}`, type, value: params.get(name) ?? usual[name] ?? "", autocomplete: "off", spellcheck: "false" });
    const by = h("select", { class: "select", id: "report-by" }, PERIODS.map(([value, words]) => h("option", { value }, words)));
    by.value = params.get("by") ?? usual.by;
    this.inputs = { from: input("from"), to: input("to"), start: input("start", "date"), end: input("end", "date"), by, source: input("source"), booking: input("booking") };
    const labels = { from: t`From`, to: t`To`, start: t`First day`, end: t`Last day`, by: t`Means of`, source: t`Publisher`, booking: t`Rule of an authority` };
    const hints = { to: t`Codes with commas`, source: t`Such as ecb; empty: all agreed`, booking: t`Such as de-vat` };
    this.error = h("p", { class: "error", role: "alert" });
    this.paper = h("article", { class: "stack wide", "aria-live": "polite" });
    const keep = () => shell.setParams({ ...this.wanted, draft: "1" });
    const form = h("form", { class: "card stack report-form", oninput: keep, onsubmit: (event) => { event.preventDefault(); this.make(); } },
      h("div", { class: "list-terms" }, Object.entries(this.inputs).map(([name, element]) => h("div", { class: "field" },
        h("label", { for: element.id }, labels[name]), element, hints[name] && h("p", { class: "small muted" }, hints[name])))),
      this.error, h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t`Make the report`),
        h("a", { href: "#/spreadsheets" }, t`Formulas for spreadsheets`)));
    this.element = h("div", { class: "stack wide" }, h("h1", { class: "visually-hidden" }, title), form, this.paper);
  }

  get wanted() {
    return Object.fromEntries(Object.entries(this.inputs).map(([name, { value }]) => [name, value.trim()]));
  }

  async make() {
    const { wanted } = this;
    replace(this.error);
    replace(this.paper, h("p", { class: "muted" }, "…"));
    try {
      const made = await ask(wanted, this.shell);
      this.shell.setParams(wanted);
      this.shell.setTitle(titleOf(made.answer));
      replace(this.paper, paper(wanted, made, this.shell.config));
    } catch (error) {
      replace(this.paper);
      replace(this.error, error.message);
      if (error.status === 401) this.shell.fail(error);
    }
  }
}

/** Ask for all of it: the receipt contains the rates by day, so that these cost their calls once. */
async function ask({ from, to, start, end, by, source, booking }, shell) {
  const params = new URLSearchParams(Object.entries({ from, to, start, end, verbose: "true", source, booking }).filter(([, value]) => value));
  const target = `/time-series?${params.toString().replaceAll("%2C", ",")}`;
  const receipt = await postText("/receipts", { get: target });
  const { claims, answer } = readReceipt(receipt);
  const rule = MEANS[answer.rule] ? { by: MEANS[answer.rule], booking } : { by, source: answer.source };
  const [averages, { sources }] = await Promise.all([
    shell.getExact("/averages", { from, to, start, end, ...rule }), shell.get("/sources"),
  ]);
  const keys = answer.source ? [answer.source] : await publishers({ from, to, end }, shell);
  return { receipt, claims, answer, target, averages, origins: keys.filter((key) => sources[key]).map((key) => ({ key, ...sources[key] })) };
}

/** Return the publishers behind the rates of the last day. */
async function publishers({ from, to, end }, shell) {
  const explained = await Promise.all(to.split(",").map((code) => shell.get("/explain", { from, to: code.trim(), date: end })));
  return [...new Set(explained.flatMap(({ legs }) => legs.flatMap(({ sources = [] }) => sources)))].sort();
}

function titleOf(answer) {
  return t`${answer.base} in ${Object.keys(answer.results).join(", ")}`;
}

/** Return the address that asks for the same, where an edition can be named. */
function again(target, { edition }, { source, booking }) {
  return address("/").href.replace(/\/$/, "") + target + (edition && !source && !booking ? `&as_of=${edition}` : "");
}

function paper(wanted, { receipt, claims, answer, target, averages, origins }, config) {
  const codes = Object.keys(answer.results);
  return [
    h("div", {}, h("h2", {}, titleOf(answer)),
      h("p", { class: "muted" }, t`${dayInWords(answer.start)} to ${dayInWords(answer.end)}, made ${localTime(new Date())} by ${location.host}`)),
    config.environment === "sandbox" && h("p", { class: "notice warn" }, t`Sandbox: all rates are simulated.`),
    answer.booking && h("p", {}, t`${answer.booking.purpose} (${answer.booking.country}), by ${answer.booking.law}.`),
    h("div", { class: "row report-actions" },
      h("button", { class: "button", type: "button", onclick: () => print() }, t`Print`),
      h("button", { class: "button quiet", type: "button", onclick: () => save(`report-${answer.base}-${answer.start}.jws`, receipt) }, t`Save the receipt`)),
    h("section", { class: "stack" }, h("h3", {}, t`Means`), means(averages)),
    h("section", { class: "stack" }, h("h3", {}, t`By day`),
      h("p", { class: "small muted" }, t`How much one ${answer.base} was worth. “Fixing of” is the day whose publication counts.`), days(answer, codes)),
    h("section", { class: "stack" }, h("h3", {}, t`Publishers and their terms`), terms(origins)),
    h("section", { class: "stack" }, h("h3", {}, t`How it was computed`),
      h("p", {}, answer.source ? t`Each rate is the publisher's own, or crossed within its table.` : t`Each rate is made from the fixings of the day that stood against those of the other publishers.`),
      h("p", {}, t`A mean is that of the days used, with the same weight each. Rates have ten significant digits.`)),
    h("section", { class: "stack" }, h("h3", {}, t`Receipt`),
      h("p", {}, t`The service has signed the rates by day: ${h("code", {}, "cambist verify report.jws")} checks the saved receipt with the keys at ${
        h("code", {}, address("/.well-known/jwks.json").href)}.`),
      h("p", { class: "small figure" }, t`Edition ${h("code", {}, claims.edition ?? "")}. Ask the same again: ${h("code", {}, again(target, claims, answer))}`)),
  ];
}

function means({ results }) {
  const head = [t`First day`, t`Last day`, t`Currency`, t`Mean`, t`High`, t`Low`, t`Last`, t`Days`, t`Missing`];
  const rows = Object.entries(results).flatMap(([code, periods]) => periods.map((each) => [each.start, each.end, code, each.mean, each.high, each.low, each.close, each.days, each.missing]));
  return table(head, rows, 3);
}

function days(answer, codes) {
  const isOne = Object.values(answer.fixed_on ?? {}).some((value) => typeof value === "string");
  const other = (code, day) => (isOne ? answer.fixed_on : answer.fixed_on?.[code])?.[day];
  const all = [...new Set(codes.flatMap((code) => Object.keys(answer.results[code])))].sort();
  const rows = all.map((day) => {
    const fixed = [...new Set(codes.filter((code) => answer.results[code][day]).map((code) => other(code, day) ?? day))];
    return [day, ...codes.map((code) => answer.results[code][day] ?? ""), fixed.length === 1 ? fixed[0] : codes.map((code) => `${code} ${other(code, day) ?? day}`).join(", ")];
  });
  return h("div", { class: "report-days", tabindex: "0", role: "region", "aria-label": t`Rates by day` }, table([t`Day`, ...codes, t`Fixing of`], rows, 1, codes.length));
}

function terms(origins) {
  if (!origins.length) return h("p", { class: "muted" }, t`Laws alone decide these rates.`);
  return table([t`Publisher`, t`Licence`, t`Terms`], origins.map(({ key, name, licence, terms: its, home }) => [`${name} (${key})`, licence, its || home]), 9);
}

/** Make a table whose columns from one on, so many, are numbers. */
function table(head, rows, first, count = 9) {
  const isNumber = (place) => place >= first && place < first + count;
  const kind = (value, place) => (isNumber(place) ? "num" : /^\d{4}-\d\d-\d\d$/.test(value) ? "day" : null);
  return h("div", { class: "scroll" }, h("table", { class: "table" },
    h("thead", {}, h("tr", {}, head.map((name, place) => h("th", { scope: "col", class: kind(name, place) }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, place) => h(place ? "td" : "th", { class: kind(value, place), scope: place ? null : "row" }, isNumber(place) ? number(value ?? "") : value ?? "")))))));
}

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jose" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
