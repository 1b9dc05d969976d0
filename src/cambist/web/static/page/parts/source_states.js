/** The states of sources in words, and the order in which they are shown. No DOM: plain data in, plain data out. */

import { t } from "../../lib/texts.js";

/**
 * @typedef {Object} SourceRecord one source of `/sources`, with its key
 * @property {string} key
 * @property {string} name
 * @property {string} covers
 * @property {string} state
 */

/** The states, what is wrong first. `tone` is a class of `.badge`. */
export const STATES = [
  { state: "failing", word: t`Failing`, tone: "bad", means: t`cannot be read` },
  { state: "late", word: t`Late`, tone: "warn", means: t`has nothing as new as it should have` },
  { state: "held", word: t`Held`, tone: "warn", means: t`publishes rates that the others contradict` },
  { state: "unreached", word: t`Not reached`, tone: "", means: t`cannot be reached, as no other source can` },
  { state: "waiting", word: t`Waiting`, tone: "", means: t`has not answered yet` },
  { state: "fresh", word: t`Fresh`, tone: "good", means: t`works` },
  { state: "off", word: t`Off`, tone: "", means: t`is switched off` },
];

/** Return a state with its word and tone. @param {string} state */
export function stateOf(state) {
  return STATES.find((each) => each.state === state) ?? { state, word: state, tone: "", means: "" };
}

/**
 * Return the sources of an answer in the order of the page: what is wrong first, then the best. While no source can be
 * reached, that is wrong with none of them: the reason is told once.
 * @param {{sources: Object<string, any>, no_network?: {unreached: string[]}}} answer of `/sources`
 * @returns {SourceRecord[]}
 */
export function orderedSources(answer) {
  const place = (source) => STATES.findIndex(({ state }) => state === source.state);
  const unreached = new Set(answer.no_network?.unreached);
  const all = Object.entries(answer.sources).map(([key, source]) =>
    (unreached.has(key) ? { key, ...source, state: "unreached", why: "" } : { key, ...source }));
  return all.sort((one, other) => place(one) - place(other));
}

/** Return how many sources have each state. @param {SourceRecord[]} sources @returns {Object<string, number>} */
export function countByState(sources) {
  return Object.fromEntries(STATES.map(({ state }) => [state, sources.filter((each) => each.state === state).length]));
}

/**
 * Return the sources of a state, or all, that a text is found in: each of its words in name, key, home or coverage.
 * @param {SourceRecord[]} sources
 * @param {{text?: string, state?: string}} filter
 */
export function findSources(sources, { text = "", state = "" }) {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return sources.filter((source) => {
    const content = folded([source.name, source.key, source.covers, source.home].join(" "));
    return (!state || source.state === state) && words.every((word) => content.includes(word));
  });
}

/** Lower the case of a text, and drop accents. @param {string} text */
export function folded(text) {
  return text.trim().normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
