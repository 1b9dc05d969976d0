/** Numbers, times and ages as people read them. */

import { h } from "./dom.js";
import { locale } from "./texts.js";

const whole = new Intl.NumberFormat(locale);
/** The sign before decimals in the visitor's language. */
export const DECIMAL_SIGN = whole.formatToParts(1.5).find(({ type }) => type === "decimal").value;
const digits = new Intl.NumberFormat(locale, { useGrouping: false });

/**
 * Write a decimal number as the visitor's language does, with all its digits.
 * @param {string|number} text such as "-1234567.8900"
 * @returns {string} such as "-1,234,567.8900"
 */
export function number(text) {
  const found = /^([-+−]?)(\d+)(?:\.(\d+))?(.*)$/s.exec(String(text));
  if (!found) return String(text);
  const [, sign, before, after, rest] = found;
  return sign + whole.format(BigInt(before)) + (after ? DECIMAL_SIGN + after.replace(/\d/g, (digit) => digits.format(digit)) : "") + rest;
}

/**
 * Write a sentence of the service for people: it puts what it names in brackets, for programs and logs.
 * @param {string} sentence such as "No rate of [XAU] is known"
 */
export function plainSentence(sentence) {
  return sentence.replace(/\[([^[\]]*)\]/g, "$1");
}

/**
 * Write an age in the largest unit that tells it well.
 * @param {number} seconds
 * @returns {string} such as "8 seconds", "5 minutes", "23 days"
 */
export function age(seconds) {
  const steps = [[60, 1, "second"], [3600, 60, "minute"], [172800, 3600, "hour"], [Infinity, 86400, "day"]];
  const value = Math.max(0, Math.floor(seconds));
  const [, size, unit] = steps.find(([below]) => value < below);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.floor(value / size));
}

/**
 * Read a time of the API, in any of the forms that an account may choose; without an offset it is UTC.
 * @param {string|number|Date} value "2026-10-30T15:00:00Z", "2026-10-30 15:00:00", or milliseconds since 1970
 * @returns {Date}
 */
export function moment(value) {
  if (value instanceof Date) return value;
  const text = String(value);
  if (/^\d+$/.test(text)) return new Date(Number(text));
  return new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text);
}

/**
 * Make an element with a moment in the visitor's own time; its title says the moment in UTC.
 * @param {string|number|Date} value as of `moment`
 * @returns {HTMLTimeElement}
 */
export function localTime(value) {
  const date = moment(value);
  if (Number.isNaN(date.getTime())) return h("span", {}, String(value));
  const iso = date.toISOString();
  const day = date.toLocaleDateString(locale, { day: "numeric", month: "short", year: "numeric" });
  const clock = date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return h("time", { datetime: iso, title: `${iso.slice(0, 19).replace("T", " ")} UTC` }, `${day}, ${clock}`);
}

/**
 * Write a day in words, independently of the visitor's time zone.
 * @param {string} day as YYYY-MM-DD
 * @param {boolean} [withYear]
 * @returns {string} such as "30 October 2026"
 */
export function dayInWords(day, withYear = true) {
  const options = { day: "numeric", month: "long", timeZone: "UTC", ...(withYear ? { year: "numeric" } : {}) };
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, options);
}
