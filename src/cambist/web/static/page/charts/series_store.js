/** The daily series of pairs, each asked for once. */

import { dayNumber, isoDay, shortDay } from "../../lib/chart/days.js";
import { t } from "../../lib/texts.js";
import { FIRST_DAY, nameOf } from "./state.js";

/** @typedef {import("./days_table.js").ExactLine} ExactLine */

const METAL = /^X(A[GLU]|P[BDT]|CU|NI|ZN)$/;

/** Asks for all days of a pair at once: that costs as much as asking for one day. */
export class SeriesStore {
  constructor(shell, weight) {
    this.shell = shell;
    this.weight = weight;
    /** @type {Map<string, ExactLine>} */
    this.lines = new Map();
    /** Why a pair has no line. @type {Map<string, string>} */
    this.missing = new Map();
    /** The first day that the plan includes. */
    this.reach = FIRST_DAY;
    /** The calls spent. */
    this.calls = 0;
  }

  /** Return the pairs that were not asked for yet. @param {import("./state.js").Pair[]} pairs */
  unknown(pairs) {
    return pairs.filter((pair) => !this.lines.has(nameOf(pair)) && !this.missing.has(nameOf(pair)));
  }

  /** Ask for the pairs that were not asked for yet. Errors: ApiError. @param {import("./state.js").Pair[]} pairs @param {AbortSignal} signal */
  async load(pairs, signal) {
    const groups = new Map();
    for (const { from, to } of this.unknown(pairs)) groups.set(from, [...(groups.get(from) ?? []), to]);
    await Promise.all([...groups].map(([from, targets]) => this.loadFrom(from, targets, signal)));
  }

  async loadFrom(from, targets, signal) {
    try {
      const { results, carried } = await this.ask(from, targets, signal);
      this.calls += Object.keys(results).length;
      for (const to of targets) this.keep(nameOf({ from, to }), results[to], (Array.isArray(carried) ? carried : carried?.[to]) ?? []);
    } catch (error) {
      // One pair without rates is no reason to show nothing of the others.
      if (error.status !== 400 && error.status !== 404) throw error;
      for (const to of targets) this.missing.set(nameOf({ from, to }), error.message);
    }
  }

  async ask(from, targets, signal) {
    const params = { from, to: targets.join(","), partial: "true", verbose: "true", ...(METAL.test(from) && this.weight) };
    try {
      return await this.shell.getExact("/time-series", { ...params, start: isoDay(this.reach) }, { signal });
    } catch (error) {
      const limit = error.status === 403 && /limited to (\d+) day/.exec(error.message);
      if (!limit) throw error;
      this.reach = Math.floor(Date.now() / 86_400_000) - Number(limit[1]) + 1;
      return this.shell.getExact("/time-series", { ...params, start: isoDay(this.reach) }, { signal });
    }
  }

  keep(name, rates, carried) {
    if (rates) this.lines.set(name, makeLine(name, rates, carried));
    else this.missing.set(name, t`No rate of ${name} is known.`);
  }
}

/**
 * Return the line of an answer's rates.
 * @param {string} name
 * @param {Object<string, string>} rates
 * @param {string[]} [carried] the days without a fixing of their own
 * @returns {ExactLine}
 */
export function makeLine(name, rates, carried = []) {
  const days = Object.keys(rates);
  const texts = Object.values(rates);
  const without = new Set(carried);
  return {
    name, xs: Int32Array.from(days, dayNumber), values: Float64Array.from(texts, Number), texts,
    carried: Uint8Array.from(days, (day) => Number(without.has(day))),
  };
}

/**
 * Say that a value is that of an earlier day: "from 30 Oct"; empty if the day has a fixing of its own. Where one side of
 * a crossed rate has one, the rate is that of no earlier day.
 * @param {ExactLine} line @param {number} index
 */
export function fromWhen({ xs, texts, carried }, index) {
  if (!carried?.[index]) return "";
  let own = index;
  while (own > 0 && carried[own]) own -= 1;
  if (carried[own]) return t`from before`;
  return texts[own] !== texts[index] ? t`in part from before` : t`from ${shortDay(xs[own])}`;
}
