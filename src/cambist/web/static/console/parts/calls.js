/** Days and shares of the calls that were counted. Pure. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Return the day that is a number of days before another one. */
export function dayBefore(day, days) {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() - days);
  return moment.toISOString().slice(0, 10);
}

/** Return a short label of a day, such as "7 Nov". */
export function dayLabel(day) {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;
}

/** Add to each entry the calls of all, of which its bar is a part, and its percentage of them. */
export function withShares(entries, total) {
  return entries.map((entry) => ({ ...entry, total, percent: percentOf(entry.calls, total) }));
}

function percentOf(calls, total) {
  const percent = total ? (100 * calls) / total : 0;
  return percent > 0 && percent < 0.1 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}
