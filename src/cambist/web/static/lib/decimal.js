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
 * Multiply numbers, divide by others, and round the result half up, a negative one as the positive one.
 * @param {string[]} numerators
 * @param {string[]} denominators numbers above zero
 * @param {number} places decimals of the result
 * @returns {string}
 */
export function quotient(numerators, denominators, places) {
  const [over, under] = [product(numerators), product(denominators)];
  return ratio(over.digits * 10n ** BigInt(under.scale), under.digits * 10n ** BigInt(over.scale), places);
}

/** Write a number without an exponent, with its own decimals; an empty text if it is no number. @param {string} text */
export function plain(text) {
  const found = parseDecimal(text);
  return found ? written(found.digits, found.scale) : "";
}

/** Append zeros until a number has so many decimals; its other digits stay. */
export function padded(text, places) {
  const [whole, fraction = ""] = text.split(".");
  return places > 0 && !/e/i.test(text) ? `${whole}.${fraction.padEnd(places, "0")}` : text;
}

function product(texts) {
  const all = texts.map(needed);
  return { digits: all.reduce((found, { digits }) => found * digits, 1n), scale: all.reduce((sum, { scale }) => sum + scale, 0) };
}

function needed(text) {
  const found = parseDecimal(text);
  if (!found) throw new RangeError(`${text} is not a decimal number`);
  return found;
}

function ratio(numerator, denominator, places) {
  const size = numerator < 0n ? -numerator : numerator;
  const scaled = (2n * size * 10n ** BigInt(places) + denominator) / (2n * denominator);
  return written(numerator < 0n ? -scaled : scaled, places);
}

function written(whole, places) {
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, "0");
  const sign = whole < 0n ? "-" : "";
  return places ? `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}` : sign + digits;
}
