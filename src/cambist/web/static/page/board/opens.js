/** What pairs were worth at midnight and 24 hours ago. No DOM. */

import { ApiError } from "../../lib/api.js";

/** As many pairs as one call can ask for. */
const MOST = 10;

/**
 * Ask for the prices of then: a call for ten pairs of currencies, one for ten of coins, and one or two for each metal.
 * @param {any} shell
 * @param {string[]} pairs such as "EUR/USD"
 * @param {(code: string) => "coin"|"metal"|"currency"} kindOf
 * @returns {Promise<Map<string, Opens>>} by pair; what is not known is missing
 * @typedef {{today?: {open: string, since: string}, last_24h?: {open: string, since: string}}} Opens
 */
export async function openingPrices(shell, pairs, kindOf) {
  const [coins, metals, currencies] = [[], [], []];
  for (const pair of pairs) {
    const [base, quote] = pair.split("/").map(kindOf);
    if (base === "coin" || quote === "coin") coins.push(pair);
    else if (base === "metal" && quote === "currency") metals.push(pair);
    else if (base === quote && base === "currency") currencies.push(pair);
  }
  const asked = [
    ...inParts(currencies).map((part) => ask(shell, "/fx/quote", { pairs: `${part}` }, part, ({ quotes }, pair) => quotes[pair.replace("/", "")])),
    ...inParts(coins).map((part) => ask(shell, "/crypto/fetch-prices", { pairs: `${part}` }, part, ({ moves }, pair) => moves[pair])),
    ...metals.map((pair) => {
      const [metal, currency] = pair.split("/");
      return ask(shell, "/metals/spot", { metal, currency }, [pair], (answer) => answer);
    }),
  ];
  return new Map((await Promise.all(asked)).flat());
}

async function ask(shell, path, question, pairs, pick) {
  try {
    const answer = await shell.getExact(path, { ...question, verbose: 1, ...(path === "/metals/spot" ? {} : { partial: 1 }) });
    return pairs.map((pair) => [pair, pick(answer, pair)]).filter(([, found]) => found);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function inParts(pairs) {
  return Array.from({ length: Math.ceil(pairs.length / MOST) }, (_, part) => pairs.slice(part * MOST, (part + 1) * MOST));
}
