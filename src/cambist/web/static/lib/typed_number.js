/** Numbers as people type and paste them, in the digits and with the separators of their language. No DOM. */

import { plain } from "./decimal.js";

const SPACES = /[\s\u00a0\u202f\u2009'’_]/g;
/** The first digit of scripts whose ten digits follow each other: Arabic, Persian, Devanagari, Bengali, Thai, full width. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
/** Groups of three digits, or as in India of two before the last three. */
const GROUPED = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/;

/**
 * Return a number as it is written in an address, and whether its one separator could have been meant otherwise.
 * @param {string} text such as "1.234,50", "1 234" or "١٢٣"
 * @param {string} locale decides what "1.234" is, which is a thousand for some, and little more than one for others
 * @returns {{plain: string, isUnsure: boolean}|null} null if it is no number
 */
export function readTyped(text, locale) {
  const found = /^([-+−]?)([\d.,]+)((?:e[-+]?\d+)?)$/i.exec(westernDigits(text).replace(SPACES, ""));
  if (!found || !/\d/.test(found[2])) return null;
  const [, sign, number, exponent] = found;
  const read = withoutGroups(number, locale);
  if (!read) return null;
  const written = plain(`${sign === "−" ? "-" : sign}${read.digits}${exponent}`);
  return written ? { plain: written, isUnsure: read.isUnsure } : null;
}

/** Write a plain number with the decimal sign of a language, so that it is read as the same number there. */
export function typedAs(plain, locale) {
  return plain.replace(".", decimalSign(locale));
}

/** Return the decimal sign of a language: "." or ",". @param {string} locale */
export function decimalSign(locale) {
  const part = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === "decimal");
  return part?.value === "," || part?.value === "٫" ? "," : ".";
}

function westernDigits(text) {
  return text.trim().replace(/\p{Nd}/gu, (digit) => {
    const zero = ZEROS.find((first) => digit.codePointAt(0) >= first && digit.codePointAt(0) < first + 10);
    return zero === undefined ? digit : String(digit.codePointAt(0) - zero);
  }).replace(/٫/g, ",").replace(/٬/g, ".").replace(/[．]/g, ".").replace(/[，、]/g, ",");
}

function withoutGroups(number, locale) {
  const last = Math.max(number.lastIndexOf("."), number.lastIndexOf(","));
  if (last < 0) return { digits: number, isUnsure: false };
  const [sign, other] = number[last] === "." ? [".", ","] : [",", "."];
  const [whole, fraction] = [number.slice(0, last), number.slice(last + 1)];
  if (whole.includes(other)) return !whole.includes(sign) && GROUPED.test(whole) ? read(whole, fraction) : null;
  if (whole.includes(sign)) return GROUPED.test(number) ? read(number, "") : null;
  // One separator alone: before three digits it may part thousands.
  if (!/^[1-9]\d{0,2}$/.test(whole) || fraction.length !== 3) return read(whole, fraction);
  const isDecimal = decimalSign(locale) === sign;
  return { ...(isDecimal ? read(whole, fraction) : read(number, "")), isUnsure: true };
}

function read(whole, fraction) {
  const digits = whole.replace(/[.,]/g, "") || "0";
  return { digits: fraction ? `${digits}.${fraction}` : digits, isUnsure: false };
}
