/** The last prices of pairs that the stream has none of, however old: a call for each base, and for each coin. No DOM. */

import { ApiError } from "../../lib/api.js";
import { moment } from "../../lib/format.js";

/** The row says of which day a price is, so that it may be of any. */
const ANY_AGE = "P36500D";

/**
 * Ask for the last prices of pairs.
 * @param {any} shell
 * @param {string[]} pairs such as "EUR/USD"
 * @param {(code: string) => boolean} isCoin
 * @returns {Promise<Map<string, {mid: string, at: Date}>>} by pair; what has no price is missing
 */
export async function lastPrices(shell, pairs, isCoin) {
  const byBase = new Map();
  const ofCoins = [];
  for (const [base, quote] of pairs.map((pair) => pair.split("/"))) {
    if (isCoin(base) || isCoin(quote)) ofCoins.push(askOf(shell, "/fetch-one", base, { to: quote }));
    else byBase.set(base, [...(byBase.get(base) ?? []), quote]);
  }
  const found = [...byBase].map(([base, quotes]) => askOf(shell, "/fetch-multi", base, { to: quotes.join(","), partial: 1 }));
  return new Map((await Promise.all([...found, ...ofCoins])).flat());
}

async function askOf(shell, path, from, more) {
  try {
    const answer = await shell.getExact(path, { from, max_age: ANY_AGE, ...more });
    const rates = answer.results ?? answer.result;
    return Object.entries(rates).map(([quote, mid]) => [`${from}/${quote}`, { mid, at: moment(answer.updated) }]);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
