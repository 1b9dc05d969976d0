/** The sentences of `/explain`: who says a rate, how old it is, and which law fixes it. No DOM. */

import { age, dayInWords, number } from "../../lib/format.js";

const HALF_A_DAY = 43_200;

/**
 * Say where a live rate comes from, a sentence for each leg.
 * @param {{legs: any[]}} answer of `/explain`, read with exact numbers or without
 * @param {Object<string, {name: string}>} [sources] the sources by key, for their names
 * @returns {string[]} such as "European Central Bank, fixing of 30 October 2026, 23 days old."
 */
export function explanationSentences(answer, sources = {}) {
  if (!answer.legs.length) return ["A currency is always worth 1 of itself."];
  return answer.legs.map((leg) => sentence(leg, (key) => sources[key]?.name ?? key));
}

function sentence(leg, nameOf) {
  if (leg.law) return `By law ${number(leg.rate)} ${leg.quote} for 1 ${leg.base} (${leg.law}).`;
  const names = (leg.sources ?? []).map(nameOf).join(" and ");
  const parts = [`${leg.base}/${leg.quote}: ${names || "crossed"}`];
  if (leg.as_of !== undefined) parts.push(moment(leg));
  if (leg.through?.length) parts.push(`crossed from ${leg.through.join(" and ")}`);
  const agreeing = (leg.votes ?? []).filter((vote) => Number(vote.weight) > 0).length;
  if (agreeing > 1) parts.push(`agreed among ${agreeing} sources`);
  if (leg.because === "closed") parts.push("the market is closed");
  return `${parts.join(", ")}.`;
}

function moment(leg) {
  const seconds = Number(leg.age);
  if (!Number.isFinite(seconds) || seconds < HALF_A_DAY) return `${age(seconds || 0)} old`;
  return `fixing of ${dayInWords(String(leg.as_of).slice(0, 10))}, ${age(seconds)} old`;
}
