/** The table of the sources that publish a currency or metal. */

import { h } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { stateBadge } from "./behind.js";

/** The column with numbers. */
const PAIRS = 4;

/**
 * Make the table.
 * @param {import("./coverage_rows.js").Published[]} sources
 * @param {string} caption
 */
export function publishersTable(sources, caption) {
  const head = [t`Source`, t`State`, t`Since`, t`Until`, t`Pairs`, t`Today`];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "table publishers" },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, head.map((text, place) => h("th", { scope: "col", class: place === PAIRS ? "num" : null }, text)))),
      h("tbody", {}, sources.map((source) => h("tr", { dataset: { source: source.key } },
        h("th", { scope: "row" }, h("a", { href: routeOf("sources", { source: source.key }) }, source.name)),
        h("td", {}, source.state ? stateBadge(source.state) : "–"),
        h("td", { class: "day" }, source.first ?? "–"),
        h("td", { class: "day" }, source.last ?? "–"),
        h("td", { class: "num" }, source.pairs ? number(source.pairs) : "–"),
        h("td", {}, role(source)))))));
}

/** Say what a source does for the rate of now. @param {import("./coverage_rows.js").Published} source */
export function role({ votes, current, compiled }) {
  if (votes) return t`behind the rate of now`;
  if (current && compiled) return t`compiles the rates of others`;
  return current ? t`publishes it` : t`history only`;
}
