/** Moving a view: pan, zoom, and staying within the days there are. No DOM. */

/** @typedef {{from: number, to: number}} Stretch */

/** The shortest stretch that a chart zooms to, in days. */
export const SHORTEST = 6;

/**
 * Return the stretch moved and shortened so that it lies within `limits`.
 * @template {Stretch} T @param {T} view @param {Stretch} limits @param {number} [shortest] @returns {T}
 */
export function keepWithin(view, limits, shortest = SHORTEST) {
  const all = limits.to - limits.from;
  const length = Math.min(Math.max(view.to - view.from, Math.min(shortest, all)), all);
  const middle = (view.from + view.to) / 2;
  const hasLength = length === view.to - view.from;
  const wanted = hasLength ? view.from : middle - length / 2;
  const from = Math.min(Math.max(wanted, limits.from), limits.to - length);
  return { ...view, from, to: from + length };
}

/**
 * Return the view moved by a part of its length: 0.5 shows later days, by half of the plot.
 * @template {Stretch} T @param {T} view @param {number} part @param {Stretch} limits @returns {T}
 */
export function pan(view, part, limits) {
  const distance = (view.to - view.from) * part;
  return keepWithin({ ...view, from: view.from + distance, to: view.to + distance }, limits);
}

/**
 * Return the view with `factor` times its length (below 1 shows less), with the day at the place `at` (0 left, 1 right) kept there.
 * @template {Stretch} T @param {T} view @param {number} factor @param {number} at @param {Stretch} limits @param {number} [shortest]
 * @returns {T}
 */
export function zoom(view, factor, at, limits, shortest = SHORTEST) {
  const length = view.to - view.from;
  const wanted = Math.min(Math.max(length * factor, Math.min(shortest, limits.to - limits.from)), limits.to - limits.from);
  const day = view.from + length * at;
  return keepWithin({ ...view, from: day - wanted * at, to: day + wanted * (1 - at) }, limits, shortest);
}
