/** The line of a sparkline. No DOM. */

/**
 * Return the path of points in a box; a null is a gap. A point is a value, or [x, value].
 * @param {(number | null | [number, number | null])[]} points @param {number} width @param {number} height
 * @param {number} [margin] @returns {{d: string, last: {x: number, y: number} | null}}
 */
export function sparklinePath(points, width, height, margin = 2) {
  const pairs = points.map((point, index) => (Array.isArray(point) ? point : [index, point]));
  const known = pairs.filter(([, value]) => value !== null && Number.isFinite(value));
  if (known.length === 0) return { d: "", last: null };
  const place = placer(pairs, known, width, height, margin);
  let [d, isOpen, last] = ["", false, null];
  for (const [x, value] of pairs) {
    if (value === null || !Number.isFinite(value)) {
      isOpen = false;
      continue;
    }
    last = place(x, value);
    // A point alone gets a line of no length: its round ends show it.
    d += isOpen ? `L${last.x} ${last.y}` : `M${last.x} ${last.y}h0`;
    isOpen = true;
  }
  return { d, last };
}

function placer(pairs, known, width, height, margin) {
  const [left, right] = [pairs[0][0], pairs[pairs.length - 1][0]];
  let [least, most] = [Infinity, -Infinity];
  for (const [, value] of known) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const across = right > left ? (width - 2 * margin) / (right - left) : 0;
  const up = most > least ? (height - 2 * margin) / (most - least) : 0;
  const round = (number) => Math.round(number * 10) / 10;
  return (x, value) => ({
    x: round(margin + (x - left) * across),
    y: up === 0 ? round(height / 2) : round(height - margin - (value - least) * up),
  });
}
