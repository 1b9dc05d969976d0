/** What sources corrected of the fixings behind the lines of a chart. No DOM. */

import { dayNumber, longDay } from "../../lib/chart/days.js";
import { number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
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
 * @returns {(import("../../lib/chart/layout.js").ChartEvent & {text: string, law: string})[]}
 */
export function correctionEvents(corrections) {
  const found = new Map(corrections.map((one) => [JSON.stringify(one), eventOf(one)]));
  return [...found.values()].sort((a, b) => a.x - b.x);
}

function eventOf(correction) {
  const { label, text } = correction.kind === "verdict" ? ofVerdict(correction) : ofSource(correction);
  const x = dayNumber(correction.date);
  const law = t`received on ${longDay(dayNumber(correction.corrected.received_at))}`;
  return { x, kind: "correction", label, detail: `${longDay(x)}: ${text} (${law})`, text, law };
}

/** A source has published another value for the day. */
function ofSource({ source, base, quote, unit, earlier, corrected }) {
  const [who, pair, before, after] = [source.toUpperCase(), `${base}/${quote}`, valueOf(earlier), valueOf(corrected)];
  return {
    label: t`${who} corrected ${before} to ${after}`,
    text: unit ? t`${who} corrected ${pair} by the ${unit} from ${before} to ${after}` : t`${who} corrected ${pair} from ${before} to ${after}`,
  };
}

/** What all sources say together has changed, so that another value of the day is published. */
function ofVerdict({ base, quote, earlier, corrected, cause }) {
  const [pair, before, after, who] = [`${base}/${quote}`, heldBy(earlier), heldBy(corrected), cause.source?.toUpperCase()];
  return {
    label: `${before} → ${after}`,
    text: cause.decision ? t`After a decision of the operator, ${pair} of the day changed: ${before} → ${after}`
      : t`After a delivery of ${who}, ${pair} of the day changed: ${before} → ${after}`,
  };
}

/** What held of a day by a verdict. */
function heldBy({ value, source, status }) {
  if (status === "withdrawn") return t`withdrawn`;
  return status ? t`${number(value)} (from the day before)` : `${number(value)} (${source.toUpperCase()})`;
}

function valueOf({ value, nominal }) {
  return nominal === 1 ? number(value) : t`${number(value)} for ${number(nominal)}`;
}
