/** The last prices of pairs that the stream has none of: a call for each base. No DOM. */

import { ApiError } from "../../lib/api.js";
import { moment } from "../../lib/format.js";

/**
 * Ask for the last prices of pairs of currencies and metals; coins have none beside the stream.
 * @param {any} shell
 * @param {string[]} pairs such as "EUR/USD"
 * @param {(code: string) => boolean} isCoin
 * @returns {Promise<Map<string, {mid: string, at: Date}>>} by pair; what has no price is missing
 */
export async function lastPrices(shell, pairs, isCoin) {
  const byBase = new Map();
  for (const [base, quote] of pairs.map((pair) => pair.split("/"))) {
    if (!isCoin(base) && !isCoin(quote)) byBase.set(base, [...(byBase.get(base) ?? []), quote]);
  }
  const found = await Promise.all([...byBase].map(([base, quotes]) => askOf(shell, base, quotes)));
  return new Map(found.flat());
}

async function askOf(shell, from, quotes) {
  try {
    const { results, updated } = await shell.getExact("/fetch-multi", { from, to: quotes.join(","), partial: 1 });
    return Object.entries(results).map(([quote, mid]) => [`${from}/${quote}`, { mid, at: moment(updated) }]);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
