/** The lines of a board, which are pairs and headings between them: read from an address, checked, and put in order. No DOM. */

import { LinkError, spelledCode } from "../../lib/link.js";
import { t } from "../../lib/texts.js";

export const DEFAULT_LINES = ["EUR/USD", "GBP/USD", "USD/JPY", "USD/CHF", "XAU/USD", "XAG/USD", "BTC/USD", "ETH/USD"];

/** More lines than this are no board any more, and few plans allow so many pairs. */
export const MOST_LINES = 40;

/** The longest heading. */
export const LONGEST_HEADING = 40;

const PAIR = /^[A-Z0-9]{1,12}\/[A-Z0-9]{1,12}$/;

/**
 * Parse the lines of a board. Errors: LinkError for what cannot be a line, and for too many.
 * @param {string|null} text such as "*Currencies,EUR/USD,*Metals,XAUUSD"; null (none was given) means the default list,
 *   "none" an empty one
 * @returns {string[]} such as ["*Currencies", "EUR/USD", "*Metals", "XAU/USD"], without duplicates
 */
export function parseLines(text) {
  if (text === null || text === "none") return text ? [] : [...DEFAULT_LINES];
  const lines = [...new Set(text.split(",").map((each) => each.trim()).filter(Boolean).map(spelled))];
  const odd = lines.find((each) => !(isHeading(each) ? each.length > 1 && each.length <= LONGEST_HEADING + 1 : PAIR.test(each)));
  if (odd && isHeading(odd)) throw new LinkError(t`This link has the heading “${odd.slice(1)}”. A heading has from 1 to ${LONGEST_HEADING} characters.`);
  if (odd) throw new LinkError(t`This link has “${odd}”, which is no pair of the stream: a pair is written as EUR/USD, and a heading as *Metals.`);
  if (lines.length > MOST_LINES) throw new LinkError(t`This link has ${lines.length} lines. A board has at most ${MOST_LINES}.`);
  return lines;
}

/** Six letters without a slash are two codes of three. */
function spelled(line) {
  if (isHeading(line)) return `*${line.slice(1).trim()}`;
  const codes = /^[A-Za-z]{6}$/.test(line) ? [line.slice(0, 3), line.slice(3)] : line.split("/");
  return codes.map(spelledCode).join("/");
}

/** Return whether a line is a heading, such as "*Metals". @param {string} line */
export function isHeading(line) {
  return line.startsWith("*");
}

/** Return how the stream names a pair. @param {string} pair such as "BTC/USD" */
export function symbolOf(pair) {
  return pair.replace("/", "");
}

/**
 * Return why a pair cannot be added to the lines; an empty text if it can.
 * @param {string[]} lines
 * @param {string} base
 * @param {string} quote
 */
export function whyNot(lines, base, quote) {
  if (!base || !quote) return t`Choose two assets first.`;
  if (base === quote) return t`Choose two different assets.`;
  const pair = `${base}/${quote}`;
  if (lines.includes(pair)) return t`${pair} is on the board already.`;
  return whyFull(lines);
}

/**
 * Return why there cannot be a heading of a name; an empty text if there can.
 * @param {string[]} lines the other lines
 * @param {string} name
 */
export function whyNoHeading(lines, name) {
  if (!name) return t`Write a heading first.`;
  if (name.includes(",")) return t`A heading has no comma.`;
  if (lines.includes(`*${name}`)) return t`${name} is on the board already.`;
  return whyFull(lines);
}

function whyFull(lines) {
  return lines.length >= MOST_LINES ? t`A board has at most ${MOST_LINES} lines. Remove one first.` : "";
}

/**
 * Return the lines in the order in which they are shown: headings keep their places, pairs are sorted between them.
 * @param {string[]} lines in the order made by hand
 * @param {"hand"|"name"|"change"} order "change": the greatest rise first, and pairs without a change last
 * @param {(pair: string) => number|null} changeOf
 */
export function inOrder(lines, order, changeOf) {
  if (order === "hand") return lines;
  const key = (pair) => changeOf(pair) ?? -Infinity;
  const before = order === "name" ? (one, other) => one.localeCompare(other) : (one, other) => key(other) - key(one) || 0;
  const groups = [[]];
  for (const line of lines) {
    if (isHeading(line)) groups.push([], []);
    groups.at(isHeading(line) ? -2 : -1).push(line);
  }
  return groups.flatMap((group) => group.sort(before));
}

/**
 * Move a line to the place of another one.
 * @param {string[]} lines
 * @param {string} line
 * @param {number} place out of range: the lines stay as they are
 */
export function moved(lines, line, place) {
  if (place < 0 || place >= lines.length) return lines;
  const others = lines.filter((each) => each !== line);
  return [...others.slice(0, place), line, ...others.slice(place)];
}
