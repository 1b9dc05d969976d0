/** What an alert is about, in words. No DOM. */

import { dayInWords, number } from "../../lib/format.js";
import { locale, t } from "../../lib/texts.js";

const SIZES = { week: 604_800, day: 86_400, hour: 3_600, minute: 60, second: 1 };

/**
 * Return what an alert watches.
 * @param {any} alert as the API lists it
 * @returns {string} such as "EUR/USD above 1.2, each time"
 */
export function aboutAlert(alert) {
  const words = watched(alert);
  return alert.repeat ? t`${words}, each time` : words;
}

function watched({ when, from, to, level, low, high, change, within, source, date }) {
  const pair = `${from}/${to}`;
  if (when === "above") return t`${pair} above ${number(level)}`;
  if (when === "below") return t`${pair} below ${number(level)}`;
  if (when === "outside") return t`${pair} outside ${number(low)} to ${number(high)}`;
  if (when === "moves") return t`${pair} moves by ${number(change)} within ${span(within)}`;
  if (when === "published") return t`${source} has published`;
  if (when === "quota") return t`${number(change)} of the quota are used`;
  return date ? t`${pair} of ${dayInWords(date)} is corrected` : t`${pair} of any day is corrected`;
}

/** Return an ISO 8601 duration in words, such as "1 hour". @param {string} text such as "PT3600S" */
export function span(text) {
  const [, weeks, days, hours, minutes, seconds] = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text) ?? [];
  const total = [weeks, days, hours, minutes, seconds].reduce((sum, part, place) => sum + Number(part ?? 0) * Object.values(SIZES)[place], 0);
  const [unit, size] = Object.entries(SIZES).find(([, each]) => total % each === 0);
  return total ? new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(total / size) : text;
}
