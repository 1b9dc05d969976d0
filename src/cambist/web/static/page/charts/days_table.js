/** The days that are shown and their values as they were sent: for the table and the CSV. No DOM. */

import { lowerBound } from "../../lib/chart/columns.js";
import { isoDay } from "../../lib/chart/days.js";

/** @typedef {{name: string, xs: Int32Array, values: Float64Array, texts: string[], carried?: Uint8Array}} ExactLine `carried`: 1 for a day that has the fixing of an earlier one */

/** Return the visible days on which any line has a value, ascending. @param {ExactLine[]} lines @param {{from: number, to: number}} view */
export function visibleDays(lines, view) {
  const parts = lines.map(({ xs }) => xs.subarray(lowerBound(xs, view.from), lowerBound(xs, Math.floor(view.to) + 1)));
  if (parts.length === 1) return parts[0];
  return Int32Array.from(new Set(parts.flatMap((part) => [...part]))).sort();
}

/** Return the index of a day in a line, -1 if it has none. @param {ExactLine} line @param {number} day */
export function indexOn({ xs }, day) {
  const index = lowerBound(xs, day);
  return xs[index] === day ? index : -1;
}

/** Return the visible days as CSV, oldest first. @param {ExactLine[]} lines @param {{from: number, to: number}} view */
export function csvOf(lines, view) {
  const head = ["date", ...lines.map((line) => line.name)].join(",");
  const rows = Array.from(visibleDays(lines, view), (day) => [isoDay(day), ...lines.map((line) => line.texts[indexOn(line, day)] ?? "")].join(","));
  return `${[head, ...rows].join("\r\n")}\r\n`;
}
