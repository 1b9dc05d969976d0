/**
 * Days as numbers (days since 1970-01-01 UTC; an hour is a fraction of a day), and the ticks of a time axis.
 * No DOM.
 */

import { locale } from "../texts.js";

const DAY_MS = 86_400_000;
const written = (parts) => new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" });
const [LONG, YEAR, MONTH, MONTH_OF_YEAR, DAY_OF_MONTH] = [
  { day: "numeric", month: "short", year: "numeric" }, { year: "numeric" }, { month: "short" }, { month: "short", year: "numeric" },
  { day: "numeric", month: "short" },
].map(written);

/** @typedef {{at: number, label: string, major: boolean}} TimeTick */

/** Return the number of a day written as YYYY-MM-DD. @param {string} text @returns {number} */
export function dayNumber(text) {
  return Date.UTC(+text.slice(0, 4), +text.slice(5, 7) - 1, +text.slice(8, 10)) / DAY_MS;
}

/** Return the day that a number is in, as YYYY-MM-DD. @param {number} day @returns {string} */
export function isoDay(day) {
  return new Date(Math.floor(day) * DAY_MS).toISOString().slice(0, 10);
}

/** Return the moment of a number as "YYYY-MM-DD HH:MM" UTC. @param {number} day @returns {string} */
export function isoMinute(day) {
  return new Date(Math.round(day * DAY_MS)).toISOString().slice(0, 16).replace("T", " ");
}

/** Return the number of a moment in ISO 8601. @param {string} text @returns {number} */
export function momentNumber(text) {
  return Date.parse(text) / DAY_MS;
}

/** Return the day as people write it, "3 Mar 2024". @param {number} day @returns {string} */
export function longDay(day) {
  return LONG.format(dateOf(day));
}

/** Return the day without its year, "3 Mar". @param {number} day @returns {string} */
export function shortDay(day) {
  return DAY_OF_MONTH.format(dateOf(day));
}

/** Return the day some months later; a day that the month lacks becomes its last. @param {number} day @param {number} months */
export function addMonths(day, months) {
  const date = dateOf(day);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const [year, place] = [Math.floor(month / 12), ((month % 12) + 12) % 12];
  const last = new Date(Date.UTC(year, place + 1, 0)).getUTCDate();
  return Date.UTC(year, place, Math.min(date.getUTCDate(), last)) / DAY_MS;
}

const MINUTE = 1 / 1440;
/** The distances of ticks, from small to large. `days` is a typical length. */
const STEPS = [
  ...[1, 5, 15, 30, 60, 180, 360, 720].map((size) => ({ unit: "minute", size, days: size * MINUTE })),
  ...[1, 2].map((size) => ({ unit: "day", size, days: size })),
  { unit: "week", size: 1, days: 7 },
  ...[1, 2, 3, 6].map((size) => ({ unit: "month", size, days: size * 30.4 })),
  ...[1, 2, 5, 10, 20, 50].map((size) => ({ unit: "year", size, days: size * 365.25 })),
];

/**
 * Return the ticks between two moments that leave each label about `room` pixels.
 * @param {number} from @param {number} to @param {number} width @param {number} [room] @returns {TimeTick[]}
 */
export function timeTicks(from, to, width, room = 84) {
  const least = ((to - from) * room) / Math.max(width, 1);
  const step = STEPS.find((one) => one.days >= least) ?? STEPS[STEPS.length - 1];
  const places = { minute: minutePlaces, day: dayPlaces, week: weekPlaces, month: monthPlaces, year: yearPlaces };
  const ticks = places[step.unit](from, to, step.size).filter((at) => at >= from && at <= to);
  return ticks.map((at, index) => ({ at, ...label(at, step.unit, index === 0) }));
}

function dateOf(day) {
  return new Date(Math.round(day * DAY_MS));
}

function minutePlaces(from, to, size) {
  const first = Math.ceil(from / (size * MINUTE) - 1e-9);
  const last = Math.floor(to / (size * MINUTE) + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => (first + index) * size * MINUTE);
}

function dayPlaces(from, to, size) {
  const first = Math.ceil(from / size) * size;
  return Array.from({ length: Math.max(Math.floor((to - first) / size) + 1, 0) }, (_, index) => first + index * size);
}

function weekPlaces(from, to) {
  return monthPlaces(from, to, 1, true).flatMap((month) => [month, month + 7, month + 14, month + 21]);
}

/** The first days of months; with `early` also of the month that `from` is in. */
function monthPlaces(from, to, size, early = false) {
  const start = dateOf(from);
  const first = start.getUTCFullYear() * 12 + Math.floor(start.getUTCMonth() / size) * size;
  const places = [];
  for (let month = first; ; month += size) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS;
    if (at > to) return places;
    if (early || at >= from) places.push(at);
  }
}

function yearPlaces(from, to, size) {
  return monthPlaces(from, to, 12).filter((at) => dateOf(at).getUTCFullYear() % size === 0);
}

function label(at, unit, isFirst) {
  const date = dateOf(at);
  const isNewYear = date.getUTCMonth() === 0 && date.getUTCDate() === 1;
  if (unit === "year") return { label: YEAR.format(date), major: true };
  if (unit === "month") {
    if (isNewYear) return { label: YEAR.format(date), major: true };
    return { label: isFirst ? MONTH_OF_YEAR.format(date) : MONTH.format(date), major: false };
  }
  if (unit === "minute") {
    const time = date.toISOString().slice(11, 16);
    return time === "00:00" ? { label: DAY_OF_MONTH.format(date), major: true } : { label: time, major: false };
  }
  return { label: isFirst || isNewYear ? LONG.format(date) : DAY_OF_MONTH.format(date), major: isNewYear };
}
