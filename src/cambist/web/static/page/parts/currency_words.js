/** What is known of a currency or metal, in words. No DOM: the document `data/reference.json` in, texts out. */

import { dayInWords, number } from "../../lib/format.js";
import { locale, t } from "../../lib/texts.js";
import { folded } from "./source_states.js";

/** The groups of the list of currencies, in their order. */
export const GROUPS = [
  { group: "circulating", heading: t`Currencies in use` },
  { group: "metal", heading: t`Metals` },
  { group: "variant", heading: t`Offshore and official rates, units of account` },
  { group: "retired", heading: t`Currencies that ended` },
];

const KIND_WORDS = {
  circulating: t`Currency in circulation`,
  offshore: t`Rate of an offshore market`,
  "official-rate": t`Official rate of a currency`,
  accounting: t`Unit of account`,
  retired: t`Currency that ended`,
  precious: t`Precious metal`,
  base: t`Base metal`,
};

/** Say what a code stands for. @param {string} kind */
export function kindInWords(kind) {
  return KIND_WORDS[kind] ?? kind;
}

/**
 * Return the currency or metal with a code.
 * @param {any} reference
 * @param {string} code
 * @returns {any} with `isMetal`; undefined if there is none
 */
export function assetWith(reference, code) {
  const currency = reference.currencies.find((each) => each.code === code);
  if (currency) return { ...currency, isMetal: false };
  const metal = reference.metals.find((each) => each.code === code);
  return metal && { ...metal, isMetal: true, countries: [], pegs: [], redenominations: [], lives: [], euro: null, last_day: null };
}

/**
 * Return the groups of currencies and metals that a text is found in: in code, name or country.
 * @param {any} reference
 * @param {string} text
 * @returns {{heading: string, assets: {code: string, name: string, place: string, until: string}[]}[]}
 */
export function groupedAssets(reference, text) {
  const words = folded(text).split(/\s+/).filter(Boolean);
  const all = [...reference.currencies, ...reference.metals.map((metal) => ({ ...metal, countries: [], group: "metal" }))];
  const found = all.filter((asset) => {
    const content = folded([asset.code, asset.name, asset.english, ...asset.countries, ...(asset.englishCountries ?? [])].join(" "));
    return words.every((word) => content.includes(word));
  });
  const groupOf = ({ group, kind }) => group ?? (kind === "circulating" || kind === "retired" ? kind : "variant");
  return GROUPS.map(({ group, heading }) => ({
    heading,
    assets: found.filter((asset) => groupOf(asset) === group).map(({ code, name, countries, last_day: until }) =>
      ({ code, name, place: countries[0] ?? "", until: until ?? "" })),
  })).filter(({ assets }) => assets.length);
}

/** Say from when to when a currency was or is money. @param {any} currency @returns {string} */
export function lifeInWords({ lives }) {
  return lives.map(({ first_day: first, last_day: last }) =>
    last ? t`${dayInWords(first)} to ${dayInWords(last)}` : t`since ${dayInWords(first)}`).join("; ");
}

/**
 * Say what replaced a currency that ended, and at which rate.
 * @param {any} currency
 * @returns {{text: string, law: string, successors: string[]}|null} null if it has not ended
 */
export function endInWords(currency) {
  const { code, euro, last_day: last } = currency;
  if (!last) return null;
  const day = dayInWords(last);
  if (euro) return { text: t`Ended on ${day}: replaced by the euro at ${number(euro.rate)} ${code} for 1 EUR.`, law: euro.authority, successors: ["EUR"] };
  const changes = currency.redenominations.filter((change) => change.old === code && change.new !== code);
  if (!changes.length) return { text: t`Ended on ${day}. No currency replaced it at a rate fixed by law.`, law: "", successors: [] };
  const rates = changes.map((change) => t`${number(change.factor)} ${code} for 1 ${change.new}`);
  return { text: t`Ended on ${day}: replaced at ${new Intl.ListFormat(locale).format(rates)}.`, law: changes[0].authority, successors: changes.map((change) => change.new) };
}

/**
 * Return what law did to a currency, the oldest first.
 * @param {any} currency
 * @returns {{day: string, until: string, title: string, text: string, law: string}[]} `until` is "today" for what holds
 */
export function lawsOf(currency) {
  const { code, euro, pegs, redenominations } = currency;
  const found = [];
  for (const change of redenominations) {
    const title = change.old === code && change.new !== code ? t`Replaced` : t`Redenominated`;
    const factor = number(change.factor);
    const text = change.old === change.new ? t`${factor} ${change.old} became 1 new ${change.new}` : t`${factor} ${change.old} became 1 ${change.new}`;
    found.push({ day: change.first_day, until: "", title, text, law: change.authority });
  }
  found.push(...pegs.map((peg) => ({
    day: peg.first_day, until: peg.last_day ?? "today", title: t`Pegged`,
    text: t`${number(peg.factor)} ${code} for 1 ${peg.anchor}`, law: peg.authority,
  })));
  if (euro) found.push({ day: euro.fixed_on, until: "", title: t`Fixed to the euro for ever`, text: t`${number(euro.rate)} ${code} for 1 ${"EUR"}`, law: euro.authority });
  // A stable sort: a currency that was pegged on the day of its redenomination was redenominated first.
  return found.sort((one, other) => one.day.localeCompare(other.day));
}
