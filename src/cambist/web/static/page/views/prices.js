/** Price lists: articles in many currencies, marked up and rounded as shops do it. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { listForm } from "../lists/list_form.js";

export const title = t`Price list`;

const ROWS = "sku,price,cost\nA-1,12.50,8\nA-2,99,\n";
const COLUMNS = t`The first line names the columns: sku, price, and if you like cost, and last.USD for the last price in a currency.`;
const ROUNDINGS = [
  ["currency", t`Minor units (0.01)`], ["cash", t`Coins that there are`], ["up", t`Up to the next minor unit`],
  ["charm:0.99", t`Up to .99`], ["charm:0.95", t`Up to .95`], ["step:0.05", t`Steps of 0.05`], ["step:1", t`Whole numbers`],
];

/** Show the view; the terms may be in the link. */
export function show(root, params, shell) {
  checkNames(params, ["from", "to", "markup", "rounding", "keep_within", "max_change", "date"]);
  const given = (name, usual) => params.get(name) ?? usual;
  replace(root, h("div", { class: "stack wide" },
    h("h1", {}, title),
    h("p", { class: "lead" }, t`Articles in many currencies, marked up and rounded. Each currency costs one call, however many articles there are.`),
    listForm({
      path: "/price-list/bulk", title: t`Articles`, rows: ROWS, columns: COLUMNS, button: t`Price them`, file: "price-list",
      terms: [
        { name: "from", label: t`Your currency`, value: given("from", "EUR") },
        { name: "to", label: t`Currencies`, value: given("to", "USD,GBP,CHF"), hint: t`Codes with commas` },
        { name: "markup", label: t`Mark-up`, value: given("markup", "0%") },
        { name: "rounding", label: t`Rounding`, value: given("rounding", "currency"), options: withOwn(ROUNDINGS, params.get("rounding")) },
        { name: "keep_within", label: t`Keep the last price within`, value: given("keep_within", "0%") },
        { name: "max_change", label: t`Change by at most`, value: given("max_change", ""), hint: t`Empty: by any` },
        { name: "date", label: t`Day (none: now)`, type: "date", value: given("date", "") },
      ],
      shown,
    }, shell)));
}

/** A rounding that only the link has is offered too: the service says if there is none of the kind. */
function withOwn(options, own) {
  return !own || options.some(([key]) => key === own) ? options : [...options, [own, own]];
}

function shown({ articles, rates, below_cost: below }) {
  const rows = articles.flatMap(({ sku, prices }) => Object.entries(prices).map(([code, each]) => [
    sku, code, each.price, each.amount, each.markup, each.rounding, rates[code].rate, remarks(each),
  ]));
  return {
    head: [t`Article`, t`Currency`, t`Price`, t`At the rate`, t`Mark-up`, t`Rounding`, t`Rate`, t`Remarks`], rows,
    notes: below ? [h("p", { class: "notice warn" }, below === 1 ? t`1 price is below its cost.` : t`${below} prices are below their cost.`)] : [],
  };
}

function remarks({ kept, limited, below_cost: below }) {
  return [kept && t`kept`, limited && t`limited`, below && t`below cost`].filter(Boolean).join(", ");
}
