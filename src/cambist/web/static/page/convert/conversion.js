/** What the converter asks the API, and the answer as it is shown. No DOM. */

import { divide, multiply } from "../../lib/decimal.js";

/**
 * @typedef {{amount: string, from: string, to: string, precision: number, unit: string, purity: string}} Conversion
 *   `unit` and `purity` belong to the metal; empty ones are its own unit, and the pure metal
 * @typedef {{converted: string, rate: string, of: string, in: string, updated: string}} Answer
 *   one `of` is worth `rate` `in`; `updated` is the market's time as the API wrote it
 */

/** Return the metal whose unit and purity can be chosen: where the other side is a currency. */
export function weighedMetal({ from, to }, tables) {
  const isCurrency = (code) => tables.currencies.some((each) => each.code === code);
  const metal = (code) => tables.metals.find((each) => each.code === code);
  if (metal(from) && isCurrency(to)) return metal(from);
  return metal(to) && isCurrency(from) ? metal(to) : null;
}

/**
 * Convert an amount. A metal in its own unit and pure is converted by `/convert`; in another unit or purity at the mid
 * price of `/metals/spot`, exactly.
 * @param {Conversion} wanted
 * @param {any} tables the reference tables
 * @param {(path: string, params: any) => Promise<any>} ask numbers in its answers are texts with all digits
 * @returns {Promise<Answer>}
 */
export async function convert(wanted, tables, ask) {
  const { amount, from, to, precision } = wanted;
  const metal = weighedMetal(wanted, tables);
  if (metal && (wanted.purity || (wanted.unit && wanted.unit !== metal.unit))) return weighed(wanted, metal, ask);
  const answer = await ask("/convert", { amount, from, to, precision });
  return { converted: answer.result[to] ?? answer.result.rate, rate: answer.result.rate, of: from, in: to, updated: answer.updated };
}

async function weighed({ amount, from, to, precision, unit, purity }, metal, ask) {
  const currency = metal.code === from ? to : from;
  const spot = await ask("/metals/spot", { metal: metal.code, currency, unit: unit || metal.unit, purity });
  const converted = metal.code === from ? multiply(amount, spot.mid, precision) : divide(amount, spot.mid, precision);
  return { converted, rate: spot.mid, of: metal.code, in: currency, updated: spot.tsp };
}

/** How many decimals suit an asset: those of its coins and notes, more for coins and metals. */
export function usualPrecision(code, tables) {
  return tables.currencies.some((each) => each.code === code) ? 2 : 8;
}

/** Return what is wrong with an amount, or an empty text. */
export function amountError(text) {
  if (!text.trim()) return "Enter an amount";
  if (!/^\d*\.?\d*$/.test(text.trim()) || !/\d/.test(text)) return "An amount has digits, and a point before its decimals";
  return Number(text) < 0.01 ? "The least amount is 0.01" : "";
}
