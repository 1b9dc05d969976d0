/** What an alert is about, in words. No DOM. */

/**
 * Return what an alert watches.
 * @param {any} alert as the API lists it
 * @returns {string} such as "EUR/USD above 1.2, each time"
 */
export function aboutAlert(alert) {
  const pair = `${alert.from}/${alert.to}`;
  const words = {
    above: () => `${pair} above ${alert.level}`,
    below: () => `${pair} below ${alert.level}`,
    outside: () => `${pair} outside ${alert.low} to ${alert.high}`,
    moves: () => `${pair} moves by ${alert.change} within ${span(alert.within)}`,
    published: () => `${alert.source} has published`,
    corrected: () => `${pair} of ${alert.date ?? "any day"} is corrected`,
    quota: () => `${alert.change} of the quota are used`,
  };
  return `${words[alert.when]()}${alert.repeat ? ", each time" : ""}`;
}

/** Return an ISO 8601 duration in words. @param {string} text such as "PT3600S" */
export function span(text) {
  const [, days, hours, minutes, seconds] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text) ?? [];
  const total = Number(days ?? 0) * 86400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  for (const [name, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (total && total % size === 0) return `${total / size} ${name}${total === size ? "" : "s"}`;
  }
  return total ? `${total} seconds` : text;
}
