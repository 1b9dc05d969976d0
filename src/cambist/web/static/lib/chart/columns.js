/**
 * Lines with at most four points for each pixel column: the first, the least, the most and the last. Nothing that
 * a longer line would show is lost. No DOM.
 */

/** @typedef {{from: number, to: number, start: number, end: number}} Gap `from`, `to`: the days around it; pixels. */

/** Return the first index whose x is at least `x`. @param {ArrayLike<number>} xs @param {number} x */
export function lowerBound(xs, x) {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the index of the point nearest to `x`, -1 if there is none. @param {ArrayLike<number>} xs @param {number} x */
export function nearest(xs, x) {
  const index = lowerBound(xs, x);
  if (index === xs.length) return xs.length - 1;
  return index > 0 && x - xs[index - 1] < xs[index] - x ? index - 1 : index;
}

/**
 * Return runs of points without a gap between them, as [first, past the last] indices.
 * @param {ArrayLike<number>} xs @param {number} first @param {number} past @param {number} step
 * @returns {[number, number][]}
 */
export function runs(xs, first, past, step) {
  /** @type {[number, number][]} */
  const found = [];
  let start = first;
  for (let index = first + 1; index <= past; index += 1) {
    if (index === past || xs[index] - xs[index - 1] > step * 1.5) {
      found.push([start, index]);
      start = index;
    }
  }
  return past > first ? found : [];
}

/**
 * Return the indices of the points of a run to draw: all, or by pixel column its first, least, most and last.
 * @param {ArrayLike<number>} values @param {number} first @param {number} past @param {(index: number) => number} columnOf
 * @returns {number[]}
 */
export function decimate(values, first, past, columnOf) {
  if (past - first < 3) return Array.from({ length: past - first }, (_, index) => first + index);
  const kept = [];
  let start = first;
  let column = columnOf(first);
  for (let index = first + 1; index <= past; index += 1) {
    const next = index === past ? NaN : columnOf(index);
    if (next === column) continue;
    keepOfColumn(values, start, index, kept);
    [start, column] = [index, next];
  }
  return kept;
}

function keepOfColumn(values, start, past, kept) {
  let [least, most] = [start, start];
  for (let index = start + 1; index < past; index += 1) {
    if (values[index] < values[least]) least = index;
    if (values[index] > values[most]) most = index;
  }
  let before = -1;
  for (const index of [start, Math.min(least, most), Math.max(least, most), past - 1]) {
    if (index !== before) kept.push(index);
    before = index;
  }
}
