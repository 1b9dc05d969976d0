/** The sentence that says where a rate comes from, made from an answer of `/explain`. No DOM. */

import { age, dayInWords } from "../../lib/format.js";

const DAY = 86400;
const REASONS = { weekend: "the weekend", holiday: "a holiday", missing: "its source left it out that day", late: "the next one was late", held: "newer fixings that are held", ended: "the series ended" };

/**
 * @typedef {{base: string, quote: string, rate: string, made: string, sources?: string[], law?: string,
 *   as_of?: string, because?: string, fixed_on?: string, carried_days?: number}} Leg a leg of `/explain`
 */

/**
 * Return the sentences about a rate, one for each way in which its legs came about.
 * @param {Leg[]} legs
 * @param {Object<string, {name: string, pace: string}>} sources those of `/sources`, by key
 * @param {Date} now
 * @returns {string[]} such as ["ECB fixing of 30 October, 23 days old"]
 */
export function sentencesOf(legs, sources, now) {
  if (!legs.length) return ["Nothing is converted: both sides are the same"];
  const said = new Map();
  for (const leg of legs) {
    const text = sentenceOf(leg, sources, now);
    const pair = `${leg.base}/${leg.quote}`;
    said.set(text, [...(said.get(text) ?? []), pair]);
  }
  if (said.size === 1) return [...said.keys()];
  return [...said].map(([text, pairs]) => `${pairs.join(" and ")}: ${text}`);
}

function sentenceOf(leg, sources, now) {
  if (leg.law) return `${leg.rate} ${leg.quote} for 1 ${leg.base} by law (${leg.law})`;
  const names = (leg.sources ?? []).map((key) => shortName(key, sources));
  const isFixing = (leg.sources ?? []).some((key) => ["daily", "monthly"].includes(sources[key]?.pace));
  if (leg.fixed_on) return `${listed(names)}${isFixing ? " fixing" : ","} of ${dayInWords(leg.fixed_on)}${carried(leg)}`;
  const seconds = Math.max(0, (now.getTime() - new Date(leg.as_of).getTime()) / 1000);
  const old = seconds < 2 ? "this very moment" : `${age(seconds)} old`;
  if (isFixing) return `${listed(names)} fixing of ${fixingDay(leg.as_of, now)}, ${seconds < DAY ? "of today" : old}`;
  const closed = leg.because === "closed" ? "; the market is closed now" : "";
  return `${listed(names)}, ${old}${closed}`;
}

/** Say why the fixing of a past day is an earlier one; empty if it is not. */
export function carried({ carried_days: days, because }) {
  return Number(days) > 0 ? `, ${days} ${Number(days) === 1 ? "day" : "days"} before, because of ${REASONS[because] ?? because}` : "";
}

function fixingDay(moment, now) {
  const day = moment.slice(0, 10);
  return dayInWords(day, day.slice(0, 4) !== now.toISOString().slice(0, 4));
}

/** Central banks are known by their initials, others by their names. */
function shortName(key, sources) {
  return key.length <= 4 ? key.toUpperCase() : sources[key]?.name ?? key;
}

function listed(names) {
  if (names.length <= 2) return names.join(" and ");
  return `${names[0]}, ${names[1]} and ${names.length - 2} ${names.length === 3 ? "other" : "others"}`;
}
