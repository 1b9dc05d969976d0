/** The sentence that says where a rate comes from, made from an answer of `/explain`. No DOM. */

import { age, dayInWords } from "../../lib/format.js";
import { locale, t } from "../../lib/texts.js";

const DAY = 86400;
const REASONS = {
  weekend: t`because of the weekend`, holiday: t`because of a holiday`, missing: t`because its source left it out that day`,
  late: t`because the next one was late`, held: t`because newer fixings are held`, ended: t`because the series ended`,
};
const both = new Intl.ListFormat(locale);

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
  if (!legs.length) return [t`Nothing is converted: both sides are the same`];
  const said = new Map();
  for (const leg of legs) {
    const text = sentenceOf(leg, sources, now);
    const pair = `${leg.base}/${leg.quote}`;
    said.set(text, [...(said.get(text) ?? []), pair]);
  }
  if (said.size === 1) return [...said.keys()];
  return [...said].map(([text, pairs]) => `${both.format(pairs)}: ${text}`);
}

function sentenceOf(leg, sources, now) {
  if (leg.law) return t`${leg.rate} ${leg.quote} for 1 ${leg.base} by law (${leg.law})`;
  const names = (leg.sources ?? []).map((key) => shortName(key, sources));
  const isFixing = (leg.sources ?? []).some((key) => ["daily", "monthly"].includes(sources[key]?.pace));
  if (leg.fixed_on) {
    const day = dayInWords(leg.fixed_on);
    return (isFixing ? t`${listed(names)} fixing of ${day}` : t`${listed(names)}, of ${day}`) + carried(leg);
  }
  const seconds = Math.max(0, (now.getTime() - new Date(leg.as_of).getTime()) / 1000);
  const old = seconds < 2 ? t`this very moment` : t`${age(seconds)} old`;
  if (isFixing) return t`${listed(names)} fixing of ${fixingDay(leg.as_of, now)}, ${seconds < DAY ? t`of today` : old}`;
  return leg.because === "closed" ? t`${listed(names)}, ${old}; the market is closed now` : `${listed(names)}, ${old}`;
}

/** Say why the fixing of a past day is an earlier one; empty if it is not. */
export function carried({ carried_days: days, because }) {
  const [count, reason] = [Number(days), REASONS[because] ?? because];
  if (!(count > 0)) return "";
  return count === 1 ? t`, 1 day before, ${reason}` : t`, ${count} days before, ${reason}`;
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
  const more = names.length - 2;
  if (more < 1) return both.format(names);
  return more === 1 ? t`${names[0]}, ${names[1]} and 1 other` : t`${names[0]}, ${names[1]} and ${more} others`;
}
