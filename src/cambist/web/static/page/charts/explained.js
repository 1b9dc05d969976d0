/** Where the values of a day come from, as `/explain` says: loaded when somebody asks for it. */

import { h } from "../../lib/dom.js";
import { dayInWords, number } from "../../lib/format.js";
import { isoDay } from "../../lib/chart/days.js";
import { t } from "../../lib/texts.js";
import { carried } from "../convert/sentence.js";
import { verdictsOf } from "../parts/verdict.js";
import { nameOf } from "./state.js";

/** @typedef {{from: string, to: string, day: number}} PairOnDay */

/**
 * Return an element for each pair that says where its value comes from. It costs a call for each.
 * @param {any} shell @param {PairOnDay[]} pairs @param {AbortSignal} signal @returns {Promise<HTMLElement[]>}
 */
export function explained(shell, pairs, signal) {
  return Promise.all(pairs.map(async (pair) => {
    const title = h("h3", {}, t`${nameOf(pair)} on ${dayInWords(isoDay(pair.day))}`);
    try {
      const legs = await legsOf(shell, pair, signal);
      return h("div", {}, title, h("ul", {}, legs.map((leg) => h("li", {}, sentence(leg)))), verdictsOf(legs));
    } catch (error) {
      return h("div", {}, title, h("p", { class: "muted" }, error.message));
    }
  }));
}

/**
 * Return the sources of the values, each once. It costs a call for each pair. Errors: ApiError.
 * @param {any} shell @param {PairOnDay[]} pairs @param {AbortSignal} signal @returns {Promise<string[]>}
 */
export async function sourcesOf(shell, pairs, signal) {
  const legs = await Promise.all(pairs.map((pair) => legsOf(shell, pair, signal)));
  return [...new Set(legs.flat().flatMap((leg) => leg.sources ?? []))].map(shortName);
}

async function legsOf(shell, { from, to, day }, signal) {
  return (await shell.getExact("/explain", { from, to, date: isoDay(day) }, { signal })).legs;
}

/** Return a leg of an answer as a sentence. */
function sentence(leg) {
  const rate = `1 ${leg.base} = ${number(leg.rate)} ${leg.quote}`;
  if (leg.law) return t`${rate} by law: ${leg.law}.`;
  const sources = (leg.sources ?? []).map(shortName).join(", ");
  if (!leg.fixed_on) return sources ? t`${rate}, from ${sources}.` : `${rate}.`;
  return t`${rate}, from ${sources}, fixed on ${dayInWords(leg.fixed_on) + carried(leg)}.`;
}

/** Central banks are known by their initials. */
function shortName(key) {
  return key.length <= 4 ? key.toUpperCase() : key;
}
