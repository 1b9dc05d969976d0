/** What the converter shows beside its answer when it is wanted: other currencies, a mark-up, and the last 30 days. */

import { sparkline } from "../../lib/chart/sparkline.js";
import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { locale, t } from "../../lib/texts.js";
import { readTyped, typedAs } from "../../lib/typed_number.js";

const ROUNDINGS = { "": t`As its coins`, up: t`Up to its coins`, "charm:0.99": t`To end in .99` };
const MINUTES = { "": t`On a change`, 1: t`Each minute`, 10: t`Every 10 minutes` };

export class More {
  /** @param {any} shell @param {Object<string, string>} values @param {() => void} onchange */
  constructor(shell, values, onchange) {
    this.shell = shell;
    this.onchange = onchange;
    this.trend = values.trend ? "1" : "";
    this.also = input("also", values.also ?? "", onchange, t`such as GBP, JPY, CHF`);
    this.markup = input("markup", typedAs((values.markup ?? "").replace(/%$/, ""), locale), onchange, "0");
    this.rounding = select("rounding", ROUNDINGS, values.rounding, onchange);
    this.every = select("every", MINUTES, values.every, onchange);
    this.prices = h("div", { class: "stack", role: "status" });
    this.form = h("div", {},
      h("div", { class: "more-fields" },
        field("also", t`Also in`, this.also), field("markup", t`Mark-up in %`, this.markup),
        field("rounding", t`Rounded`, this.rounding), field("every", t`Refreshed`, this.every)),
      h("p", { class: "small muted" }, t`An answer costs one call, each price with a mark-up or in another currency one more, and so does each refresh.`),
      this.prices);
    this.button = h("button", { class: "button plain", type: "button", onclick: () => { this.trend = "1"; onchange(); } }, t`Show its last 30 days (one call)`);
    this.days = h("div", { class: "trend" });
    this.element = h("section", { class: "card stack", "aria-label": t`More about this answer` }, this.days, this.form);
  }

  /** What is chosen, as it is in the address. */
  get chosen() {
    const also = this.also.value.toUpperCase().split(/[\s,;]+/).filter(Boolean).join(",");
    const markup = this.markup.value.trim() && `${readTyped(this.markup.value.replace("%", ""), locale)?.plain ?? this.markup.value}%`;
    return { also, markup: markup === "0%" ? "" : markup, rounding: this.rounding.value, every: this.every.value, trend: this.trend };
  }

  /** After how many milliseconds an answer of now is asked for again; 0 for never. */
  get pause() {
    return Number(this.every.value) * 60_000;
  }

  /** Show what is wanted beside an answer. @param {any} wanted @param {(path: string, params: any) => Promise<any>} ask */
  async show(wanted, ask) {
    await Promise.all([this.showPrices(wanted, ask), this.showDays(wanted, ask)]);
  }

  async showPrices({ amount, from, to, date, isWeighed }, ask) {
    const { also, markup, rounding } = this.chosen;
    const targets = [...new Set([...(markup || rounding ? [to] : []), ...also.split(",")])].filter(Boolean);
    if (!targets.length) { replace(this.prices); return; }
    if (isWeighed) { replace(this.prices, h("p", { class: "muted" }, t`Of a metal in its own unit alone.`)); return; }
    try {
      const answer = await ask("/price-list", { from, to: targets.join(","), amount, date, markup, rounding });
      replace(this.prices, h("table", { class: "table more-prices" },
        h("caption", {}, markup ? t`${number(amount)} ${from} with ${markup} added` : t`${number(amount)} ${from}`),
        h("tbody", {}, Object.entries(answer.prices).map(([code, { price }]) => h("tr", {}, h("th", { scope: "row" }, code), h("td", { class: "num" }, number(price)))))));
    } catch (error) {
      if (error.name === "AbortError") throw error;
      replace(this.prices, h("p", { class: "error" }, error.message));
    }
  }

  async showDays({ from, to, unit, purity }, ask) {
    const isPair = from !== to && to.length === 3;
    if (!this.trend || !isPair) { this.shown = ""; replace(this.days, isPair && this.button); return; }
    if (this.shown === `${from}/${to}`) return;
    try {
      const { results } = await ask("/time-series", { from, to });
      const days = Object.entries(results[to]);
      const [first, last] = [days[0][1], days.at(-1)[1]];
      const change = ((Number(last) / Number(first) - 1) * 100).toFixed(2);
      this.shown = `${from}/${to}`;
      replace(this.days, h("a", { href: routeOf("charts", { pairs: `${from}/${to}`, unit, purity }) },
        sparkline(days.map(([, rate]) => Number(rate)), { width: 220, height: 44 }),
        h("span", {}, t`30 days: ${change < 0 ? "" : "+"}${number(change)} %`)));
    } catch (error) {
      if (error.name === "AbortError") throw error;
      replace(this.days, h("p", { class: "muted" }, error.message));
    }
  }
}

function input(id, value, onchange, placeholder) {
  return h("input", { class: "input", id, value, autocomplete: "off", spellcheck: "false", maxlength: "400", placeholder, onchange });
}

function select(id, options, value = "", onchange) {
  const made = h("select", { class: "select", id, onchange }, Object.entries(options).sort().map(([name, text]) => h("option", { value: name }, text)));
  made.value = value;
  return made;
}

function field(id, label, control) {
  return h("div", { class: "field" }, h("label", { for: id }, label), control);
}
