/** What a chart shows, as the parameters of its link. No DOM. */

import { addMonths, dayNumber, isoDay } from "../../lib/chart/days.js";

/** @typedef {{from: string, to: string}} Pair */
/** @typedef {{pairs: Pair[], start: number, end: number, log: boolean, percent: boolean, events: boolean}} State */

/** The first day that the service may know a rate of. */
export const FIRST_DAY = 0;
/** How many lines a chart has at most. */
export const MOST_PAIRS = 6;
/** So many pairs are asked for without asking the visitor first. */
export const ASKED_FREELY = 3;

/** The presets and their months; 0 is everything. @type {[string, number][]} */
export const PRESETS = [["1M", 1], ["1Y", 12], ["5Y", 60], ["All", 0]];

/** Return the name of a pair. @param {Pair} pair */
export function nameOf({ from, to }) {
  return `${from}/${to}`;
}

/** Return the pairs in a text such as "EUR/USD,XAUCHF"; what is no pair is left out. @param {string} text @returns {Pair[]} */
export function parsePairs(text) {
  const found = [...text.toUpperCase().matchAll(/([A-Z]{3})\/?([A-Z]{3})/g)].map(([, from, to]) => ({ from, to }));
  const names = found.map(nameOf);
  return found.filter((pair, index) => pair.from !== pair.to && names.indexOf(names[index]) === index).slice(0, MOST_PAIRS);
}

/** Return what a link asks for. @param {URLSearchParams} params @param {number} today @returns {State} */
export function readState(params, today) {
  const asked = params.get("pairs") || `${params.get("from") || ""}${params.get("to") || ""}`;
  const pairs = parsePairs(asked);
  const end = Math.min(readDay(params.get("end")) ?? today, today);
  const start = readDay(params.get("start")) ?? addMonths(end, -12);
  return {
    pairs: pairs.length ? pairs : [{ from: "EUR", to: "USD" }],
    start: Math.max(Math.min(start, end - 1), FIRST_DAY),
    end,
    log: params.get("log") === "1",
    percent: params.has("percent") ? params.get("percent") === "1" : pairs.length > 1,
    events: params.get("events") !== "0",
  };
}

/** Return the parameters of a link that shows the same. @param {State} state */
export function writeState({ pairs, start, end, log, percent, events }) {
  const params = new URLSearchParams({ pairs: pairs.map(nameOf).join(","), start: isoDay(Math.ceil(start)), end: isoDay(end) });
  if (log) params.set("log", "1");
  if (percent !== pairs.length > 1) params.set("percent", percent ? "1" : "0");
  if (!events) params.set("events", "0");
  return params;
}

/** Return the number of a day, `null` if the text is none. @param {string | null} text */
export function readDay(text) {
  if (!text || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const day = dayNumber(text);
  return Number.isFinite(day) && isoDay(day) === text ? day : null;
}
