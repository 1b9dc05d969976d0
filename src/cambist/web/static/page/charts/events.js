/** The events of currencies that a chart marks. No DOM. */

import { dayNumber, longDay } from "../../lib/chart/days.js";

/** How many days around its first one a currency is new. */
const NEW = 400;

/**
 * Return the events of the currencies in some pairs, in order. The same event of two currencies is one. That a currency
 * became an older one, such as the dollar, is no event of the older one.
 * @param {{events: {day: string, code: string, kind: string, label: string, text: string, law: string, old?: string, made?: string}[],
 *   currencies: {code: string, first_day: string | null}[]}} tables
 * @param {import("./state.js").Pair[]} pairs
 * @returns {(import("../../lib/chart/layout.js").ChartEvent & {text: string, law: string})[]}
 */
export function eventsOf({ events, currencies }, pairs) {
  const codes = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const begins = new Map(currencies.filter(({ code }) => codes.has(code)).map((one) => [one.code, one.first_day]));
  const found = new Map();
  for (const event of events) {
    if (!codes.has(event.code) || joinsOlder(event, begins.get(event.code))) continue;
    const { day, kind, label, text, law } = event;
    const x = dayNumber(day);
    found.set(`${day} ${text}`, { x, kind, label, detail: `${longDay(x)}: ${text} (${law})`, text, law });
  }
  return [...found.values()].sort((a, b) => a.x - b.x);
}

function joinsOlder({ kind, code, day, old, made }, begin) {
  const isNewCode = made === code && old !== code;
  return kind === "redenomination" && isNewCode && Boolean(begin) && Math.abs(dayNumber(day) - dayNumber(begin)) > NEW;
}
