/** The rows of the coverage: a currency or metal each, with its sources. No DOM: plain data in, plain data out. */

import { t } from "../../lib/texts.js";
import { folded } from "./source_states.js";

/**
 * @typedef {Object} Published what one source publishes of a code, as `/coverage` answers, with its name and state
 * @property {string} key
 * @property {string} name
 * @property {string} state empty if it is not known
 * @property {number} pairs
 * @property {string|null} first
 * @property {string|null} last
 * @property {boolean} votes
 * @property {boolean} current
 * @property {boolean} compiled
 *
 * @typedef {Object} Row
 * @property {string} code
 * @property {string} name
 * @property {string} [english] the English name of a currency
 * @property {string[]} places
 * @property {string} until the last day, if it has ended
 * @property {number} independent
 * @property {string} law
 * @property {Published[]} sources
 * @property {string} kind one of `KINDS`
 */

/** The kinds of rows, in the order of the filter. */
export const KINDS = [
  { kind: "several", word: t`Several sources` },
  { kind: "one", word: t`One source only` },
  { kind: "law", word: t`Fixed by law` },
  { kind: "none", word: t`No source now` },
  { kind: "ended", word: t`Ended` },
];

/**
 * Return the rows of an answer of `/coverage`, in its order.
 * @param {{currencies: Object<string, any>}} answer
 * @param {Object<string, any>} known the sources of `/sources` by key; may be empty
 * @param {any} reference
 * @returns {Row[]}
 */
export function coverageRows(answer, known, reference) {
  const assets = new Map([...reference.currencies, ...reference.metals].map((each) => [each.code, each]));
  return Object.entries(answer.currencies).map(([code, record]) => {
    const asset = assets.get(code) ?? { name: code };
    const row = {
      code, name: asset.name, english: asset.english, places: [...(asset.countries ?? []), ...(asset.englishCountries ?? [])], until: asset.last_day ?? "",
      independent: record.independent, law: record.law, sources: publishedBy(record, known),
    };
    return { ...row, kind: kindOf(row) };
  });
}

/** Return the sources of one record of `/coverage`. @returns {Published[]} */
export function publishedBy(record, known) {
  return Object.entries(record.sources).map(([key, published]) => {
    const source = known[key];
    return { key, name: source?.name ?? NAMES[key] ?? key, state: source?.state ?? "", ...published };
  });
}

const NAMES = { sandbox: t`Simulated market` };

function kindOf({ until, law, independent }) {
  if (until) return "ended";
  if (law) return "law";
  return independent > 1 ? "several" : independent === 1 ? "one" : "none";
}

/** Say in words how well a code is covered. @param {Row} row @returns {{text: string, tone: string}} */
export function verdict({ kind, independent, sources }) {
  const only = sources.find((each) => each.current && !each.compiled);
  if (kind === "ended") return { text: t`Ended`, tone: "" };
  if (kind === "law") return { text: t`Fixed by law`, tone: "" };
  if (kind === "one") return { text: only ? t`Only ${only.name}` : t`Only one source`, tone: "warn" };
  if (kind === "several") return { text: t`${independent} sources`, tone: "good" };
  return { text: sources.some((each) => each.current) ? t`Compiled only` : t`No source now`, tone: "bad" };
}

/** Return how many rows are of each kind. @param {Row[]} rows */
export function countByKind(rows) {
  return Object.fromEntries(KINDS.map(({ kind }) => [kind, rows.filter((row) => row.kind === kind).length]));
}

/**
 * Return the rows of a kind and a source that a text is found in: in code, name or country.
 * @param {Row[]} rows
 * @param {{text?: string, kind?: string, source?: string}} filter
 */
export function findRows(rows, { text = "", kind = "", source = "" }) {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const content = folded([row.code, row.name, row.english, ...row.places].join(" "));
    const isOfSource = !source || row.sources.some((each) => each.key === source);
    return isOfSource && (!kind || row.kind === kind) && words.every((word) => content.includes(word));
  });
}

/**
 * Return the bars of a timeline: from where to where each source has data, as parts of the time from `from` to `to`.
 * @param {Published[]} sources those without a first day are left out
 * @param {number} from year
 * @param {number} to year, with its part that has passed
 * @returns {{key: string, start: number, end: number, isCurrent: boolean}[]}
 */
export function timelineBars(sources, from, to) {
  const part = (day) => Math.min(1, Math.max(0, (yearOf(day) - from) / (to - from)));
  return sources.filter((each) => each.first && each.last).map((each) =>
    ({ key: each.key, start: part(each.first), end: part(each.last), isCurrent: each.current }));
}

/** Return a day as a year and its part that has passed. @param {string} day as YYYY-MM-DD */
export function yearOf(day) {
  const [year, month, date] = day.split("-").map(Number);
  return year + (month - 1) / 12 + (date - 1) / 366;
}
