/** Positions: what amounts of currencies, metals and coins are worth together, now or on a day. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { listForm } from "../lists/list_form.js";

export const title = "Positions";

const ROWS = "asset,amount,cost,name\nUSD,1200,1050,cash\nXAU,2,,coins\nBTC,0.05,,\n";
const COLUMNS = "The first line names the columns: asset, amount, and if you like cost (what was paid for all of it, in the currency of the answer) or bought (the day, as 2024-02-29), and name.";

/** Show the view; the terms may be in the link. The positions are sent to the service, and kept nowhere. */
export function show(root, params, shell) {
  checkNames(params, ["currency", "date", "since"]);
  const given = (name, usual = "") => params.get(name) ?? usual;
  replace(root, h("div", { class: "stack wide" },
    h("h1", {}, title),
    h("p", { class: "lead" }, "What you hold, in one currency. Each asset costs one call; nothing is stored."),
    listForm({
      path: "/value", title: "Positions", rows: ROWS, columns: COLUMNS, button: "Value them", file: "positions",
      terms: [
        { name: "currency", label: "Currency", value: given("currency", "EUR") },
        { name: "date", label: "Day (none: now)", type: "date", value: given("date") },
        { name: "since", label: "Compared with", type: "date", value: given("since"), hint: "Empty: with no other day" },
      ],
      shown,
    }, shell)));
}

function shown({ currency, positions, totals }) {
  const rows = positions.map((each) => [
    each.name ?? each.asset, each.asset, each.amount, each.worth, each.rate, each.gain, each.change,
    each.error ?? each.fixed_on ?? each.updated,
  ]);
  rows.push(["Together", "", undefined, totals.worth, undefined, totals.gain, totals.change, ""]);
  return {
    head: ["Name", "Asset", "Amount", `Worth in ${currency}`, "Rate", "Gain", "Change", "Of"], rows,
    notes: totals.missing ? [h("p", { class: "notice warn" }, `${totals.missing} of the positions have no rate, and are not in the sums.`)] : [],
  };
}
