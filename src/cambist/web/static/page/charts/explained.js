/** The sources of the values, in words. */

import { h, replace } from "../../lib/dom.js";
import { dayInWords, number } from "../../lib/format.js";
import { isoDay } from "../../lib/chart/days.js";
import { carried } from "../convert/sentence.js";
import { verdictsOf } from "../parts/verdict.js";

/** Return an element that says where values come from, and asks `/explain` about a day when told to. */
export function provenance(shell, chosen, signal) {
  const answer = h("div", { class: "stack", "aria-live": "polite" });
  const button = h("button", { class: "button quiet", type: "button", onclick: () => ask(shell, chosen(), answer, signal) }, "Explain the last day shown");
  return h("section", { class: "stack", "aria-label": "Where the values come from" },
    h("h2", {}, "Where the values come from"),
    h("p", { class: "muted" }, "Daily midpoints of ", h("code", {}, "/time-series"),
      ": what central banks and other sources published for the day, crossed through the US dollar. A weekend or holiday has the value of the day before, which is dashed; a break in the line is a time without any value."),
    h("div", { class: "row" }, button, h("span", { class: "muted small" }, "1 call for each pair")),
    answer);
}

async function ask(shell, pairs, answer, signal) {
  replace(answer, h("p", { class: "muted" }, "Asking…"));
  const told = await Promise.all(pairs.map((pair) => explain(shell, pair, signal)));
  if (!signal.aborted) replace(answer, told);
}

async function explain(shell, { from, to, day }, signal) {
  const date = isoDay(day);
  const title = h("h3", {}, `${from}/${to}, ${dayInWords(date)}`);
  try {
    const { legs } = await shell.getExact("/explain", { from, to, date }, { signal });
    return h("div", {}, title, h("ul", {}, legs.map((leg) => h("li", {}, sentence(leg)))), verdictsOf(legs));
  } catch (error) {
    return h("div", {}, title, h("p", { class: "muted" }, error.message));
  }
}

/** Return a leg of an answer as a sentence. */
function sentence(leg) {
  const parts = [`1 ${leg.base} = ${number(leg.rate)} ${leg.quote}`];
  if (leg.law) parts.push(`by law: ${leg.law}`);
  if (leg.sources?.length) parts.push(`from ${leg.sources.join(", ")}`);
  if (leg.fixed_on) parts.push(`fixed on ${dayInWords(leg.fixed_on)}${carried(leg)}`);
  return `${parts.join("; ")}.`;
}
