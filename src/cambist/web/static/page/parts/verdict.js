/** The verdict behind a daily rate: its mark, how many agree, and the fixings of all sources in a table. */

import { h } from "../../lib/dom.js";
import { markOf, verdictRows, verdictSentences } from "./verdict_words.js";

/** Return the elements of the verdicts that the legs of a rate have; none if no leg is a daily rate. */
export function verdictsOf(legs) {
  return legs.filter((leg) => leg.verdict).map((leg) => verdictOf(leg.verdict));
}

function verdictOf(verdict) {
  const { text, tone } = markOf(verdict);
  const [first, ...others] = verdictSentences(verdict);
  const rows = verdictRows(verdict);
  return h("div", { class: "verdict stack" },
    h("p", { class: "row" }, h("span", {}, verdict.pair), h("span", { class: `badge ${tone}` }, text), h("span", {}, first)),
    others.map((each) => h("p", { class: "small" }, each)),
    rows.length > 0 && h("details", {}, h("summary", {}, `What each source says of ${verdict.pair}`), table(verdict, rows)));
}

function table({ pair, date }, rows) {
  const caption = `Fixings of ${pair} of ${date}`;
  const head = ["Source", "Rate", "Weight", "Distance", "Found"];
  const isNumber = (text) => ["Rate", "Weight", "Distance"].includes(text);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "table" },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col", class: isNumber(text) ? "num" : null }, text)))),
      h("tbody", {}, rows.map((row) => h("tr", { class: row.isHeld ? "muted" : null },
        h("th", { scope: "row" }, row.source),
        h("td", { class: "num" }, row.rate), h("td", { class: "num" }, row.weight), h("td", { class: "num" }, row.distance),
        h("td", {}, row.found))))));
}
