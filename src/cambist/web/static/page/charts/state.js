/** What a chart shows, as the parameters of its link. No DOM. */

import { addMonths, dayNumber, isoDay } from "../../lib/chart/days.js";
import { t } from "../../lib/texts.js";
import { checkNames, refuse, spelledCode } from "../../lib/link.js";

/** @typedef {{from: string, to: string}} Pair */
/** @typedef {{pairs: Pair[], start: number, end: number, log: boolean, percent: boolean, events: boolean, weight?: any}} State */

/** The first day that the service may know a rate of. */
export const FIRST_DAY = 0;
/** How many lines a chart has at most. */
export const MOST_PAIRS = 6;
/** So many pairs are asked for without asking the visitor first. */
export const ASKED_FREELY = 3;

/** The presets and their months; 0 is everything. @type {[string, number][]} */
export const PRESETS = [[t`1M`, 1], [t`1Y`, 12], [t`5Y`, 60], [t`All`, 0]];

/** Return the name of a pair. @param {Pair} pair */
export function nameOf({ from, to }) {
  return `${from}/${to}`;
}

/** Return the pairs in a text such as "EUR/USD,XAUCHF", each once. Errors: LinkError. @param {string} text @returns {Pair[]} */
export function parsePairs(text) {
  const found = text.split(",").map((each) => each.trim()).filter(Boolean).map((each) => parsePair(each, text));
  const names = found.map(nameOf);
  const pairs = found.filter((_, index) => names.indexOf(names[index]) === index);
  if (pairs.length > MOST_PAIRS) refuse("pairs", text, t`has ${pairs.length} pairs: a chart has at most ${MOST_PAIRS}`);
  return pairs;
}

function parsePair(each, text) {
  const found = /^(\w{2,12}?)\/?([A-Za-z]{3})$/.exec(each);
  if (!found) return refuse("pairs", text, t`has “${each}”, which is no pair: a pair is written as EUR/USD`);
  const [from, to] = [spelledCode(found[1]), spelledCode(found[2])];
  return from === to ? refuse("pairs", text, t`has the pair ${nameOf({ from, to })}: both sides are the same`) : { from, to };
}

/** Return what a link asks for. Errors: LinkError. @param {URLSearchParams} params @param {number} today @returns {State} */
export function readState(params, today) {
  checkNames(params, ["pairs", "from", "to", "start", "end", "log", "percent", "events", "unit", "purity"]);
  const [from, to] = [params.get("from") || "", params.get("to") || ""];
  const pairs = parsePairs(params.get("pairs") || (from || to ? `${from}/${to}` : "EUR/USD"));
  const end = Math.min(dayIn(params, "end", today) ?? today, today);
  const start = dayIn(params, "start", today) ?? addMonths(end, -12);
  if (start > end) refuse("start", params.get("start"), t`is after the last day`);
  return {
    pairs,
    start: Math.max(Math.min(start, end - 1), FIRST_DAY),
    end,
    log: flagIn(params, "log") ?? false,
    percent: flagIn(params, "percent") ?? pairs.length > 1,
    events: flagIn(params, "events") ?? true,
    weight: { unit: params.get("unit") ?? "", purity: params.get("purity") ?? "" },
  };
}

/** The client's tomorrow is today, as at the API. */
function dayIn(params, name, today) {
  const text = params.get(name);
  if (!text) return null;
  const day = readDay(text);
  if (day === null) refuse(name, text, t`is no day: a day is written as 2024-02-29`);
  if (day < FIRST_DAY) refuse(name, text, t`is before 1970: there is no older history`);
  if (day > today + 1) refuse(name, text, t`is in the future`);
  return day;
}

function flagIn(params, name) {
  const text = params.get(name);
  if (!text) return null;
  if (text !== "0" && text !== "1") refuse(name, text, t`can be 0 or 1`);
  return text === "1";
}

/** Return the parameters of a link that shows the same. @param {State} state */
export function writeState({ pairs, start, end, log, percent, events, weight }) {
  const params = new URLSearchParams({ pairs: pairs.map(nameOf).join(","), start: isoDay(Math.ceil(start)), end: isoDay(end) });
  if (log) params.set("log", "1");
  if (percent !== pairs.length > 1) params.set("percent", percent ? "1" : "0");
  if (!events) params.set("events", "0");
  for (const [name, value] of Object.entries(weight ?? {})) if (value) params.set(name, value);
  return params;
}

/** Return the number of a day, `null` if the text is none. @param {string | null} text */
export function readDay(text) {
  if (!text || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const day = dayNumber(text);
  return Number.isFinite(day) && isoDay(day) === text ? day : null;
}
