/** The values at one day: what the crosshair shows. No DOM. */

import { nearest } from "./columns.js";
import { baseValue, change } from "./layout.js";

/**
 * Return the visible day nearest to `x` on which any line has a value, and each line's value on that very day.
 * A line without a value on the day has index -1. `null` if no day is visible.
 * @param {import("./layout.js").Data} data @param {import("./layout.js").View} view @param {number} x
 */
export function readout(data, view, x) {
  let found = null;
  for (const line of data.series) {
    const index = nearestVisible(line.xs, view, x);
    if (index >= 0 && (found === null || Math.abs(line.xs[index] - x) < Math.abs(found - x))) found = line.xs[index];
  }
  return found === null ? null : { x: found, values: data.series.map((line) => valueAt(line, view, found)) };
}

/**
 * Return the next day after (or, with -1, before) `x` on which any line has a value; `x` itself if there is none in view.
 * @param {import("./layout.js").Data} data @param {import("./layout.js").View} view @param {number} x @param {1 | -1} direction
 * @param {number} [count] how many days of the first line that has them
 */
export function step(data, view, x, direction, count = 1) {
  let next = null;
  for (const line of data.series) {
    const here = nearest(line.xs, x);
    if (here < 0) continue;
    // The nearest point may already lie beyond `x`, where another line has no value.
    const isBeyond = (line.xs[here] - x) * direction > 0;
    const index = here + direction * (isBeyond ? count - 1 : count);
    const at = line.xs[Math.min(Math.max(index, 0), line.xs.length - 1)];
    const isAhead = (at - x) * direction > 0 && at >= view.from && at <= view.to;
    if (isAhead && (next === null || (at - next) * direction < 0)) next = at;
  }
  return next ?? x;
}

function nearestVisible(xs, view, x) {
  const index = nearest(xs, Math.min(Math.max(x, view.from), view.to));
  if (index < 0) return -1;
  for (const one of [index, index + 1, index - 1]) {
    if (one >= 0 && one < xs.length && xs[one] >= view.from && xs[one] <= view.to) return one;
  }
  return -1;
}

function valueAt(line, view, x) {
  const index = nearest(line.xs, x);
  if (index < 0 || line.xs[index] !== x) return { index: -1, value: NaN, change: NaN };
  const base = baseValue(line, view);
  const value = line.values[index];
  return { index, value, change: base === null ? NaN : change(value, base) };
}
