/** Exact decimal numbers as texts: a float64 would lose digits. No DOM. */

const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/;

/**
 * @typedef {{digits: bigint, scale: number}} Decimal `digits` times ten to the power of minus `scale`
 */

/**
 * Parse a decimal number. Returns null if it is none.
 * @param {string} text such as "-12.50" or "1.5e-7"
 * @returns {Decimal|null}
 */
export function parseDecimal(text) {
  const found = DECIMAL.exec(text.trim());
  if (!found || !(found[2] || found[3])) return null;
  const [, sign, whole, fraction = "", exponent = "0"] = found;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > 1000) return null;
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * Multiply two numbers, and round the product half up.
 * @param {string} one
 * @param {string} other
 * @param {number} places decimals of the result
 * @returns {string}
 */
export function multiply(one, other, places) {
  const [a, b] = [needed(one), needed(other)];
  return ratio(a.digits * b.digits, 10n ** BigInt(a.scale + b.scale), places);
}

/** Divide one number by another, and round half up to so many `places`. */
export function divide(one, other, places) {
  const [a, b] = [needed(one), needed(other)];
  return ratio(a.digits * 10n ** BigInt(b.scale), b.digits * 10n ** BigInt(a.scale), places);
}

/** Append zeros until a number has so many decimals; its other digits stay. */
export function padded(text, places) {
  const [whole, fraction = ""] = text.split(".");
  return places > 0 && !/e/i.test(text) ? `${whole}.${fraction.padEnd(places, "0")}` : text;
}

function needed(text) {
  const found = parseDecimal(text);
  if (!found) throw new RangeError(`${text} is not a decimal number`);
  return found;
}

/** Write a ratio of integers above zero with so many decimals, rounded half up. */
function ratio(numerator, denominator, places) {
  const scaled = (2n * numerator * 10n ** BigInt(places) + denominator) / (2n * denominator);
  const digits = scaled.toString().padStart(places + 1, "0");
  return places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
}
