/** Metals for a shop: a board of what it pays and asks by weight and purity, and the value of pieces. */

import { h, replace } from "../../lib/dom.js";
import { localTime, number } from "../../lib/format.js";
import { LinkError, checkNames, refuse } from "../../lib/link.js";
import { post } from "../../lib/posting.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { listForm } from "../lists/list_form.js";

export const title = t`Metals`;

/** How often the board asks again, in milliseconds: each time costs a call for each metal. */
const EVERY = 60_000;
const USUAL = "XAU:999,XAU:750,XAU:585,XAU:333,XAG:925,XPT:950";
const MOST = 24;
const PIECES = "name,metal,weight,unit,purity,count,deduct\nrings,XAU,4.2,gram,750,3,0.2\ncutlery,XAG,820,gram,800,1,0\n";
const COLUMNS = t`The first line names the columns: metal, weight, and if you like name, unit, purity, count, deduct (stones and waste), margin and making (for the work on one piece).`;

/**
 * Show the view. The link has currency, unit, buy and sell (percent below and above the price), and items; and for the
 * pieces their currency and the margin.
 */
export async function show(root, params, shell) {
  checkNames(params, ["currency", "unit", "buy", "sell", "items", "value_currency", "margin"]);
  const tables = await shell.reference();
  const wanted = read(params, tables);
  const board = new ShopWindow(wanted, Object.fromEntries(params), tables, shell);
  replace(root, h("div", { class: "stack wide" }, h("h1", {}, title), board.element,
    h("h2", {}, t`Value pieces`),
    listForm({
      path: "/metals/value", title: t`Pieces`, rows: PIECES, columns: COLUMNS, button: t`Value them`, file: "pieces",
      terms: [
        { name: "currency", label: t`Currency`, value: params.get("value_currency") ?? wanted.currency },
        { name: "margin", label: t`Margin`, value: params.get("margin") ?? "0%", hint: t`What the shop keeps: it pays less and asks more` },
      ],
      kept: ({ currency, margin: kept }) => Object.assign(board.params, { value_currency: currency, margin: kept }),
      shown,
    }, shell)));
  board.start();
  return () => board.stop();
}

/** Return what a link asks for. Errors: LinkError. */
function read(params, tables) {
  const [currency, unit] = [(params.get("currency") || "EUR").toUpperCase(), params.get("unit") || "gram"];
  if (!tables.units.some(({ handle }) => handle === unit)) refuse("unit", unit, t`is no unit of mass`);
  const margins = Object.fromEntries(["buy", "sell"].map((name) => [name, margin(name, params.get(name) ?? "0")]));
  const items = (params.get("items") || USUAL).split(",").map((item) => item.trim()).filter(Boolean).map((item) => {
    const [metal, purity = ""] = item.toUpperCase().split(":");
    if (!tables.metals.some(({ code }) => code === metal)) refuse("items", item, t`names no metal: it takes such as XAU:750`);
    return { metal, purity };
  });
  if (!items.length || items.length > MOST) throw new LinkError(t`This link names ${items.length} items; a board has from 1 to ${MOST}.`);
  return { currency, unit, ...margins, items };
}

function margin(name, text) {
  const percent = Number(text.replace("%", ""));
  if (!(percent >= 0 && percent < 100)) refuse(name, text, t`is no percentage from 0 to below 100`);
  return percent;
}

class ShopWindow {
  /** `params` are those of the address, with the ones of the pieces. */
  constructor(wanted, params, tables, shell) {
    Object.assign(this, { wanted, params, tables, shell, timer: 0 });
    this.error = h("p", { class: "error", role: "alert" });
    this.time = h("p", { class: "small muted" });
    this.body = h("tbody");
    const full = h("button", { class: "button quiet small", type: "button", hidden: !document.fullscreenEnabled, onclick: () => this.fill() }, t`Full screen`);
    const { name, english } = tables.units.find(({ handle }) => handle === wanted.unit);
    const unit = name === english ? name.toLowerCase() : name;
    this.table = h("div", { class: "card shop-window stack" },
      h("div", { class: "scroll" }, h("table", { class: "table" },
        h("caption", {}, t`${wanted.currency} for one ${unit}`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t`Metal`), h("th", { class: "num", scope: "col" }, t`We buy`), h("th", { class: "num", scope: "col" }, t`We sell`))),
        this.body)), this.time, this.error);
    this.element = h("div", { class: "stack" }, this.table, this.terms(), h("div", { class: "row" }, full,
      h("p", { class: "small muted" }, t`Asked again every minute: each metal costs a call, two if its price is crossed.`)));
  }

  terms() {
    const { wanted, tables } = this;
    const input = (name, value) => h("input", { class: "input", id: `window-${name}`, value, autocomplete: "off", spellcheck: "false" });
    const fields = {
      currency: input("currency", wanted.currency), buy: input("buy", `${wanted.buy}`), sell: input("sell", `${wanted.sell}`),
      items: input("items", wanted.items.map(({ metal, purity }) => (purity ? `${metal}:${purity}` : metal)).join(",")),
    };
    const unit = h("select", { class: "select", id: "window-unit" }, tables.units.map(({ handle, name }) => h("option", { value: handle }, name)));
    unit.value = wanted.unit;
    const labels = { currency: t`Currency`, unit: t`Unit`, buy: t`Percent below`, sell: t`Percent above`, items: t`Metals and purities` };
    const go = (event) => {
      event.preventDefault();
      const typed = Object.entries({ ...fields, unit }).map(([name, { value }]) => [name, value.trim()]);
      location.hash = routeOf("metals", { ...this.params, ...Object.fromEntries(typed) });
    };
    return h("form", { class: "stack", onsubmit: go }, h("div", { class: "list-terms" },
      Object.entries({ ...fields, unit }).map(([name, element]) => h("div", { class: "field" }, h("label", { for: element.id }, labels[name]), element))),
    h("div", { class: "row" }, h("button", { class: "button quiet", type: "submit" }, t`Show these`)));
  }

  start() {
    replace(this.body, this.wanted.items.map((item) => this.row(item, {}))); // as high as with prices
    replace(this.time, "…");
    this.refresh();
    this.timer = setInterval(() => { if (!document.hidden) this.refresh(); }, EVERY);
  }

  stop() {
    clearInterval(this.timer);
  }

  async fill() {
    await this.table.requestFullscreen().catch((error) => replace(this.error, error.message));
  }

  /** Ask for one unit of each item: what the shop pays, and what it asks. */
  async refresh() {
    const { currency, unit, buy, sell, items } = this.wanted;
    const pieces = items.map(({ metal, purity }) => ({ metal, weight: 1, unit, ...(purity ? { purity } : {}) }));
    try {
      const found = await post("/metals/value", { currency, pieces });
      replace(this.body, found.pieces.map((piece, place) => this.row(items[place], piece, buy, sell)));
      const oldest = found.pieces.map(({ updated }) => updated).sort()[0];
      const sources = [...new Set(found.pieces.map(({ source }) => source))].join("; ");
      replace(this.time, t`Prices of ${localTime(oldest)}, from ${sources}`);
      replace(this.error);
    } catch (error) {
      replace(this.error, error.message);
      if (error.status === 401) this.shell.fail(error);
    }
  }

  row({ metal, purity }, { melt_bid: bid, melt_ask: ask }, buy, sell) {
    const name = this.tables.metals.find(({ code }) => code === metal).name;
    const known = (this.tables.purities[metal] ?? []).find(({ code }) => code === purity)?.name;
    const places = this.tables.currencies.find(({ code }) => code === this.wanted.currency)?.minor_units ?? 2;
    const price = (value, percent) => value === undefined ? "…" : number((value * (1 + percent / 100)).toFixed(places));
    return h("tr", {}, h("th", { scope: "row" }, name, purity && ` ${purity}`, known && [" ", h("span", { class: "muted small" }, known)]),
      h("td", { class: "num" }, price(bid, -buy)), h("td", { class: "num" }, price(ask, sell)));
  }
}

function shown({ currency, pieces, totals, fine_grams: fine }) {
  const rows = pieces.map((each) => [each.name ?? each.metal, each.metal, each.fine_grams, each.melt_bid, each.melt_ask, each.buy, each.sell, each.source]);
  rows.push([t`Together`, "", undefined, totals.melt_bid, totals.melt_ask, totals.buy, totals.sell, ""]);
  return {
    head: [t`Name`, t`Metal`, t`Fine grams`, t`Melt at bid, ${currency}`, t`Melt at ask`, t`You buy at`, t`You sell at`, t`Source`], rows,
    notes: [h("p", { class: "small muted" }, t`Fine metal in all: ${Object.entries(fine).map(([code, grams]) => t`${number(grams)} g of ${code}`).join(", ")}`)],
  };
}
