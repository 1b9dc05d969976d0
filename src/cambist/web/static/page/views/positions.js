/** Positions: what amounts of currencies, metals and coins are worth together, now or on a day. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { listForm } from "../lists/list_form.js";

export const title = t`Positions`;

const ROWS = "asset,amount,cost,name\nUSD,1200,1050,cash\nXAU,2,,coins\nBTC,0.05,,\n";
const COLUMNS = t`The first line names the columns: asset, amount, and if you like cost (what was paid for all of it, in the currency of the answer) or bought (the day, as 2024-02-29), and name.`;

/** Show the view; the terms may be in the link. The positions are sent to the service, and kept nowhere. */
export function show(root, params, shell) {
  checkNames(params, ["currency", "date", "since"]);
  const given = (name, usual = "") => params.get(name) ?? usual;
  replace(root, h("div", { class: "stack wide" },
    h("h1", {}, title),
    h("p", { class: "lead" }, t`What you hold, in one currency. Each asset costs one call; nothing is stored.`),
    listForm({
      path: "/value", title, rows: ROWS, columns: COLUMNS, button: t`Value them`, file: "positions",
      terms: [
        { name: "currency", label: t`Currency`, value: given("currency", "EUR") },
        { name: "date", label: t`Day (none: now)`, type: "date", value: given("date") },
        { name: "since", label: t`Compared with`, type: "date", value: given("since"), hint: t`Empty: with no other day` },
      ],
      shown,
    }, shell)));
}

function shown({ currency, positions, totals }) {
  const rows = positions.map((each) => [
    each.name ?? each.asset, each.asset, each.amount, each.worth, each.rate, each.gain, each.change,
    each.error ?? each.fixed_on ?? each.updated,
  ]);
  rows.push([t`Together`, "", undefined, totals.worth, undefined, totals.gain, totals.change, ""]);
  return {
    head: [t`Name`, t`Asset`, t`Amount`, t`Worth in ${currency}`, t`Rate`, t`Gain`, t`Change`, t`Rate of`], rows, when: 7,
    notes: totals.missing ? [h("p", { class: "notice warn" }, totals.missing === 1
      ? t`1 of the positions has no rate, and is not in the sums.` : t`${totals.missing} of the positions have no rate, and are not in the sums.`)] : [],
  };
}
