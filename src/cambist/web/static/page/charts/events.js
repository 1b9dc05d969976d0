/** The events of currencies that a chart marks. No DOM. */

import { dayNumber } from "../../lib/chart/days.js";

/**
 * Return the events of the currencies in some pairs, in order. The same event of two currencies is one.
 * @param {{day: string, code: string, kind: string, text: string, law: string}[]} events @param {import("./state.js").Pair[]} pairs
 * @returns {(import("../../lib/chart/layout.js").ChartEvent & {day: string, text: string, law: string})[]}
 */
export function eventsOf(events, pairs) {
  const codes = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const found = new Map();
  for (const event of events) {
    if (!codes.has(event.code)) continue;
    const { day, kind, text, law } = event;
    found.set(`${day} ${text}`, { x: dayNumber(day), kind, label: labelOf(event), detail: `${day}: ${text} (${law})`, day, text, law });
  }
  return [...found.values()].sort((a, b) => a.x - b.x);
}

function labelOf({ kind, code, text }) {
  if (kind === "peg-begun") return `${code} peg begins`;
  if (kind === "peg-ended") return `${code} peg ends`;
  if (kind === "euro") return `${code} becomes the euro`;
  return kind === "redenomination" ? text.replace(" became ", " → ") : text;
}
