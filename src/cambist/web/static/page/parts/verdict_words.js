/** What all sources of a daily rate say, in words, made from the `verdict` of an answer of `/explain`. No DOM. */

import { dayInWords, number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";

/**
 * @typedef {{source: string, rate: string, weight: number|string, status: string, distance?: number|string, because?: string}} JudgedFixing
 * @typedef {{status: string, sentence: string, pair: string, date: string, level?: string, other?: string, fixings?: JudgedFixing[],
 *   settles?: string, held_since?: string, because?: string}} Verdict
 */

const MARKS = {
  agreed: { text: t`Agreed`, tone: "good" },
  majority: { text: t`Majority`, tone: "good" },
  single: { text: t`Single source`, tone: "warn" },
  disputed: { text: t`Disputed`, tone: "warn" },
  held: { text: t`Held`, tone: "bad" },
  none: { text: t`No rate`, tone: "bad" },
  withdrawn: { text: t`Withdrawn`, tone: "bad" },
};

/** What was found of a fixing. */
const FOUND = { agreed: t`Agreed`, early: t`Early`, held: t`Held` };

/** Return the mark of a verdict, and its tone. @param {Verdict} verdict */
export function markOf({ status }) {
  return MARKS[status] ?? { text: status, tone: "" };
}

/**
 * Return the sentences about a verdict: how many agree, since when and why the newest fixing is held, what settles it.
 * @param {Verdict} verdict
 */
export function verdictSentences({ sentence, held_since: since, because, settles }) {
  const found = [`${capitalized(sentence)}.`];
  if (since) found.push(t`Held since ${dayInWords(since)}: ${because}.`);
  if (settles) found.push(t`What would settle it: ${settles}.`);
  return found;
}

/**
 * Return the fixings of a verdict as texts.
 * @param {Verdict} verdict
 * @returns {{source: string, rate: string, weight: string, distance: string, found: string, isHeld: boolean}[]}
 */
export function verdictRows({ fixings = [] }) {
  return fixings.map(({ source, rate, weight, status, distance, because }) => ({
    source: source.length <= 4 ? source.toUpperCase() : source,
    rate: number(rate),
    weight: number(Number(weight)),
    distance: distance === undefined ? "–" : percent(Number(distance)),
    found: [FOUND[status] ?? status, because].filter(Boolean).join(": "),
    isHeld: status === "held",
  }));
}

/** Write a distance in per cent with its sign and three digits at most. */
function percent(value) {
  if (!value) return "0 %";
  const sign = value > 0 ? "+" : "−";
  const size = Math.abs(value);
  return `${sign}${size >= 100 ? number(size.toFixed(0)) : number(Number(size.toPrecision(3)))} %`;
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
