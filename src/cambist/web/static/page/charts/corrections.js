/** What sources corrected of the fixings behind the lines of a chart. No DOM. */

import { dayNumber } from "../../lib/chart/days.js";
import { number } from "../../lib/format.js";
import { nameOf } from "./state.js";

/**
 * @typedef {{value: string, nominal: number, received_at: string, source?: string, status?: string}} PublishedValue
 * @typedef {{date: string, source: string, base: string, quote: string, unit: string, earlier: PublishedValue, corrected: PublishedValue,
 *   kind?: string, cause?: {received_at: string, source?: string, decision?: boolean}}} Correction
 */

/** The corrections of pairs; each pair is asked about once, which costs a call. */
export class CorrectionStore {
  constructor(shell) {
    this.shell = shell;
    /** @type {Map<string, Correction[]>} */
    this.found = new Map();
    /** The calls spent. */
    this.calls = 0;
  }

  /** Return the pairs that were not asked about yet. @param {import("./state.js").Pair[]} pairs */
  unknown(pairs) {
    return pairs.filter((pair) => !this.found.has(nameOf(pair)));
  }

  /** Ask about the pairs that were not asked about yet. @param {import("./state.js").Pair[]} pairs @param {AbortSignal} signal */
  async load(pairs, signal) {
    await Promise.all(this.unknown(pairs).map((pair) => this.ask(pair, signal)));
  }

  async ask(pair, signal) {
    this.found.set(nameOf(pair), []);
    try {
      const { corrections } = await this.shell.get("/corrections", { from: pair.from, to: pair.to }, { signal });
      this.calls += 1;
      this.found.set(nameOf(pair), corrections);
    } catch {
      // A plan or a service that refuses them leaves the chart as it is.
    }
  }

  /** Return the events of the corrections of some pairs. @param {import("./state.js").Pair[]} pairs */
  events(pairs) {
    return correctionEvents(pairs.flatMap((pair) => this.found.get(nameOf(pair)) ?? []));
  }
}

/**
 * Return corrections as events of a chart, in order. Two pairs may share a correction: it is one event.
 * @param {Correction[]} corrections
 * @returns {(import("../../lib/chart/layout.js").ChartEvent & {day: string, text: string, law: string})[]}
 */
export function correctionEvents(corrections) {
  const found = new Map(corrections.map((one) => [JSON.stringify(one), eventOf(one)]));
  return [...found.values()].sort((a, b) => a.x - b.x);
}

function eventOf({ date, source, base, quote, unit, earlier, corrected, kind, cause }) {
  const change = kind === "verdict" ? `${heldBy(earlier)} → ${heldBy(corrected)}` : `${valueOf(earlier)} → ${valueOf(corrected)}`;
  const who = kind === "verdict" ? `Published since ${causeOf(cause)}:` : `Corrected by ${source.toUpperCase()}:`;
  const text = `${who} ${base}/${quote} ${change}${unit ? ` a ${unit}` : ""}`;
  const received = `received ${corrected.received_at.slice(0, 10)}`;
  return { x: dayNumber(date), kind: "correction", label: `${who} ${change}`, detail: `${date}: ${text} (${received})`, day: date, text, law: received };
}

/** What held of a day by a verdict. */
function heldBy({ value, source, status }) {
  if (status === "withdrawn") return "withdrawn";
  return `${number(value)} ${status ? "held over" : `by ${source.toUpperCase()}`}`;
}

function causeOf({ source, decision }) {
  return decision ? "a decision of the operator" : `a delivery of ${source.toUpperCase()}`;
}

function valueOf({ value, nominal }) {
  return nominal === 1 ? number(value) : `${number(value)} for ${number(nominal)}`;
}
