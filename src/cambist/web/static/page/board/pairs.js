/** The pairs of a board: parsed from an address, written into it, and checked. No DOM. */

import { refuse, spelledCode } from "../../lib/link.js";

export const DEFAULT_PAIRS = ["EUR/USD", "GBP/USD", "USD/JPY", "USD/CHF", "XAU/USD", "XAG/USD", "BTC/USD", "ETH/USD"];

/** More rows than this are no board any more, and few plans allow them. */
export const MOST_PAIRS = 40;

const PAIR = /^[A-Z0-9]{1,12}\/[A-Z0-9]{1,12}$/;

/**
 * Parse a list of pairs. Errors: LinkError for what cannot be a pair, and for too many.
 * @param {string|null} text such as "EUR/USD,XAUUSD"; null (none was given) means the default list, "none" an empty one
 * @returns {string[]} such as ["EUR/USD", "XAU/USD"], without duplicates
 */
export function parsePairs(text) {
  if (text === null || text === "none") return text ? [] : [...DEFAULT_PAIRS];
  const items = text.split(",").map((each) => each.trim()).filter(Boolean);
  const pairs = [...new Set(items.map(withSlash))];
  const odd = pairs.find((each) => !PAIR.test(each));
  if (odd) refuse("pairs", text, `has “${odd}”, which is no pair of the stream: a pair is written as EUR/USD`);
  return pairs.length > MOST_PAIRS ? refuse("pairs", text, `has ${pairs.length} pairs: a board has at most ${MOST_PAIRS}`) : pairs;
}

/** Six letters without a slash are two codes of three. */
function withSlash(name) {
  const codes = /^[A-Za-z]{6}$/.test(name) ? [name.slice(0, 3), name.slice(3)] : name.split("/");
  return codes.map(spelledCode).join("/");
}

/** Return how the stream names a pair. @param {string} pair such as "BTC/USD" */
export function symbolOf(pair) {
  return pair.replace("/", "");
}

/**
 * Return why a pair cannot be added to a list; an empty text if it can.
 * @param {string[]} pairs
 * @param {string} base
 * @param {string} quote
 */
export function whyNot(pairs, base, quote) {
  if (!base || !quote) return "Choose two assets first.";
  if (base === quote) return "Choose two different assets.";
  if (pairs.includes(`${base}/${quote}`)) return `${base}/${quote} is on the board already.`;
  return pairs.length >= MOST_PAIRS ? `A board has at most ${MOST_PAIRS} pairs. Remove one first.` : "";
}
