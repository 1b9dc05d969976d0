/** The events of currencies that a chart marks. No DOM. */

import { dayNumber } from "../../lib/chart/days.js";
import { number } from "../../lib/format.js";

/** How many days around its first one a currency is new. */
const NEW = 400;

/**
 * Return the events of the currencies in some pairs, in order. The same event of two currencies is one. That a currency
 * became an older one, such as the dollar, is no event of the older one.
 * @param {{events: {day: string, code: string, kind: string, text: string, law: string}[], currencies: {code: string, first_day: string | null}[]}} tables
 * @param {import("./state.js").Pair[]} pairs
 * @returns {(import("../../lib/chart/layout.js").ChartEvent & {day: string, text: string, law: string})[]}
 */
export function eventsOf({ events, currencies }, pairs) {
  const codes = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const begins = new Map(currencies.filter(({ code }) => codes.has(code)).map((one) => [one.code, one.first_day]));
  const found = new Map();
  for (const event of events) {
    if (!codes.has(event.code) || joinsOlder(event, begins.get(event.code))) continue;
    const { day, kind, law } = event;
    const text = event.text.replace(/\d{4,}/g, number);
    found.set(`${day} ${text}`, { x: dayNumber(day), kind, label: labelOf({ ...event, text }), detail: `${day}: ${text} (${law})`, day, text, law });
  }
  return [...found.values()].sort((a, b) => a.x - b.x);
}

function joinsOlder({ kind, code, day, text }, begin) {
  const isNewCode = text.endsWith(`became 1 ${code}`) && !text.includes(` ${code} became`);
  return kind === "redenomination" && isNewCode && Boolean(begin) && Math.abs(dayNumber(day) - dayNumber(begin)) > NEW;
}

function labelOf({ kind, code, text }) {
  if (kind === "peg-begun") return `${code} peg begins`;
  if (kind === "peg-ended") return `${code} peg ends`;
  if (kind === "euro") return `${code} becomes the euro`;
  return kind === "redenomination" ? text.replace(" became ", " → ") : text;
}
