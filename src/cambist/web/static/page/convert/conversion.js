/** What the converter asks the API, and the answer as it is shown. No DOM. */

import { padded, parseDecimal, quotient } from "../../lib/decimal.js";
import { t } from "../../lib/texts.js";

/**
 * @typedef {{amount: string, from: string, to: string, precision: string, date: string, unit: string, purity: string}} Conversion
 *   an empty `precision` is as many decimals as suit the target, an empty `date` is now; `unit` and `purity` belong to
 *   the metal; empty ones are its own unit, and the pure metal
 * @typedef {{converted: string, rate: string, of: string, in: string, updated?: string, day?: string, fixedOn?: string|null}} Answer
 *   one `of` is worth `rate` `in`; `updated` is the market's time as the API wrote it; a past `day` has the day of its
 *   fixing in place of it, null if the law alone decides, undefined for the close of a coin
 *   `legs` and `publishers` are those of `/explain`, where they came with it
 */

/** As many decimals as an answer of the API can have. */
const MOST_PLACES = 20;
const DIGITS = 6;

/** Return the metal whose unit and purity can be chosen: where the other side is a currency. */
export function weighedMetal({ from, to }, tables) {
  const isCurrency = (code) => tables.currencies.some((each) => each.code === code);
  const metal = (code) => tables.metals.find((each) => each.code === code);
  if (metal(from) && isCurrency(to)) return metal(from);
  return metal(to) && isCurrency(from) ? metal(to) : null;
}

/** Return whether a metal is asked for by another unit or purity than its own. */
export function isWeighed(wanted, tables) {
  const metal = weighedMetal(wanted, tables);
  return Boolean(metal && (wanted.purity || (wanted.unit && wanted.unit !== metal.unit)));
}

/**
 * Convert an amount. A metal in its own unit and pure is converted by `/explain`; in another unit or purity at the mid
 * price of `/metals/spot`, or of the day, exactly.
 * @param {Conversion} wanted
 * @param {any} tables the reference tables
 * @param {(path: string, params: any) => Promise<any>} ask numbers in its answers are texts with all digits
 * @returns {Promise<Answer>}
 */
export async function convert(wanted, tables, ask) {
  const { from, to } = wanted;
  const answer = isWeighed(wanted, tables) ? await weighed(wanted, weighedMetal(wanted, tables), tables, ask) : await whole(wanted, tables, ask);
  const places = wanted.precision === "" ? minorPlaces(to, tables) : Number(wanted.precision);
  return { of: from, in: to, ...answer, converted: padded(answer.converted, places) };
}

/** One question for the amount and for where its rate comes from: it costs one call. */
async function whole({ amount, from, to, date, precision }, tables, ask) {
  const places = precision || exactPlaces(amount, from, to, tables) || "";
  const { converted: { result, rate, fixed_on: fixedOn }, updated, legs, publishers } = await ask("/explain", { amount, from, to, date, precision: places });
  return { converted: result, rate, legs, publishers, ...(date ? { day: date, fixedOn } : { updated }) };
}

async function weighed({ amount, from, to, date, precision, unit, purity }, metal, tables, ask) {
  const currency = metal.code === from ? to : from;
  const { mid, ...time } = date ? await priceOn(metal, { currency, date, unit, purity }, tables, ask)
    : await ask("/metals/spot", { metal: metal.code, currency, unit: unit || metal.unit, purity }).then(({ mid: price, tsp }) => ({ mid: price, updated: tsp }));
  const [over, under] = metal.code === from ? [[amount, mid], []] : [[amount], [mid]];
  const places = precision || suitingPlaces(to, Number(quotient(over, under, MOST_PLACES)), tables);
  return { converted: quotient(over, under, Number(places)), rate: mid, of: metal.code, in: currency, ...time };
}

/** The price of a weight on a past day, with ten digits as every rate: by its own unit times what the weight is of it. */
async function priceOn(metal, { currency, date, unit, purity }, tables, ask) {
  const grams = (handle) => tables.units.find((each) => each.handle === handle).grams;
  const fineness = tables.purities[metal.code]?.find(({ code }) => code === purity)?.fineness ?? (purity || "1000");
  const answer = await ask("/convert", { amount: 1, from: metal.code, to: currency, date, precision: MOST_PLACES });
  const price = [[answer.result[currency], grams(unit || metal.unit), String(fineness)], [grams(metal.unit), "1000"]];
  const size = Math.floor(Math.log10(Number(quotient(...price, MOST_PLACES)) || 1));
  return { mid: quotient(...price, Math.max(0, 9 - size)), day: answer.date, fixedOn: answer.fixed_on };
}

/** Return how many decimals a minor unit in its own currency has: all, because a law fixes it. 0 for any other pair. */
function exactPlaces(amount, from, to, tables) {
  const minor = tables.minorUnits.find(({ code, currency }) => code === from && currency === to);
  return minor ? Math.min(MOST_PLACES, Math.max(minorPlaces(to, tables), parseDecimal(amount).scale + String(minor.units).length - 1)) : 0;
}

/** Return one over a rate, with ten significant digits; an empty text for a rate of nothing. @param {string} rate */
export function inverse(rate) {
  const size = Math.floor(Math.log10(1 / Number(rate)));
  if (!Number.isFinite(size)) return "";
  const text = quotient(["1"], [rate], Math.max(0, 9 - size));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The decimals of a currency's notes and coins; 0 for what has none. */
function minorPlaces(code, tables) {
  const currency = tables.currencies.find((each) => each.code === code);
  return currency ? currency.minor_units ?? 2 : 0;
}

/** As `precision=currency` of the API: as many decimals as the target has, or as six digits take. */
function suitingPlaces(code, value, tables) {
  const isCurrency = tables.currencies.some((each) => each.code === code);
  const usual = isCurrency ? minorPlaces(code, tables) : 2;
  const size = Math.abs(value);
  if (!size || (isCurrency && 2 * size * 10 ** usual >= 1)) return usual;
  return Math.min(MOST_PLACES, Math.max(usual, DIGITS - 1 - Math.floor(Math.log10(size))));
}

/** Return what is wrong with what was typed as an amount, or an empty text. `read` is what it was read as. */
export function amountError(text, read) {
  if (!text.trim()) return t`Enter an amount`;
  return read ? "" : t`This is no amount: write a number such as 1234.50, or a question such as 100 USD in EUR`;
}
