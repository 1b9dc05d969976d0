/** The verdict behind a daily rate: its mark, how many agree, and the fixings of all sources in a table. */

import { h } from "../../lib/dom.js";
import { dayInWords } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
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
    rows.length > 0 && h("details", {}, h("summary", {}, t`What each source says of ${verdict.pair}`), table(verdict, rows)));
}

function table({ pair, date }, rows) {
  const caption = t`Fixings of ${pair} on ${dayInWords(date)}`;
  const head = [t`Source`, t`Rate`, t`Weight`, t`Distance`, t`Found`];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "table" },
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, head.map((text, place) => h("th", { scope: "col", class: place >= 1 && place <= 3 ? "num" : null }, text)))),
      h("tbody", {}, rows.map((row) => h("tr", { class: row.isHeld ? "muted" : null },
        h("th", { scope: "row" }, row.source),
        h("td", { class: "num" }, row.rate), h("td", { class: "num" }, row.weight), h("td", { class: "num" }, row.distance),
        h("td", {}, row.found))))));
}
