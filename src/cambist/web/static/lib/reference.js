/** The static tables of the service: currencies, coins, metals, units, purities, grades, events. */

import { number } from "./format.js";
import { language, t } from "./texts.js";

/** @type {Map<string, Promise<any>>} */
const loading = new Map();

/**
 * Return a promise of the tables, which are loaded once. See `completed`. The coins are only among them if they are asked
 * for: they are half of all bytes.
 * @param {boolean} [withCoins]
 */
export async function reference(withCoins = false) {
  if (!withCoins) return load("reference", complete);
  const [tables, coins] = await Promise.all([reference(), load("coins", rows)]);
  return { ...tables, coins };
}

function load(name, complete) {
  if (!loading.has(name)) {
    const loaded = fetch(new URL(`../data/${name}.json`, import.meta.url)).then((answer) => answer.json()).then(complete);
    loaded.catch(() => loading.delete(name));
    loading.set(name, loaded);
  }
  return loading.get(name);
}

async function complete(tables) {
  return completed(tables, language === "en" ? null : (await import("./local_names.js")).localNames(language));
}

/**
 * Complete the tables with what follows from them: of a currency all `lives`, the oldest first, its `pegs`, its
 * `redenominations` and its `euro` rate; and the `events`, which are days on which a unit, a peg or the euro changed a
 * currency, by day: `{day, code, kind, label, text, law}`. A kind is "redenomination", which also has the codes `old` and
 * `made`, "peg-begun", "peg-ended" or "euro".
 * A currency has its `name` and its `countries` in the language, as far as the browser knows them, its own country first,
 * and both in English: `english`, `englishCountries`. A metal and a unit have their names by the messages.
 * @param {any} tables
 * @param {{currency: (code: string) => string|undefined, country: (name: string) => string|undefined}|null} [names] of the language
 */
export function completed(tables, names = null) {
  const [changes, allPegs, rates] = [tables.redenominations, tables.pegs, tables.euro_rates].map(rows);
  const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const currencies = rows(tables.currencies).map((currency) => {
    const { code, name, countries = [] } = currency;
    const home = regions.of(code.slice(0, 2));
    const ordered = countries.includes(home) ? [home, ...countries.filter((each) => each !== home)] : countries;
    return {
      ...currency, name: names?.currency(code) ?? name, english: name,
      countries: ordered.map((each) => names?.country(each) ?? each), englishCountries: ordered, lives: lives(currency), pegs: allPegs.filter((peg) => peg.code === code),
      redenominations: changes.filter((change) => change.old === code || change.new === code),
      euro: rates.find((rate) => rate.code === code) ?? null,
    };
  });
  const events = currencies.flatMap((currency) => [...redenominations(currency), ...pegs(currency), ...euro(currency)]);
  events.sort((one, other) => (one.day + one.code < other.day + other.code ? -1 : 1));
  const [metals, units] = [tables.metals, tables.units].map((all) => all.map((each) => ({ ...each, name: t([each.name]), english: each.name })));
  return { coins: [], ...tables, metals, units, minorUnits: tables.minor_units, currencies, events };
}

/** Return the records of a table that has a list for each field. */
export function rows(table) {
  const names = Object.keys(table);
  return table[names[0]].map((_, row) => Object.fromEntries(names.map((name) => [name, table[name][row]])));
}

/** Only a code that was used again has its lives in the tables. */
function lives({ lives: all, first_day, last_day }) {
  return all || [{ first_day, last_day }];
}

function redenominations({ code, redenominations: changes }) {
  return changes.map(({ factor, old, new: made, first_day: day, authority: law }) => {
    const [of, to] = amounts(factor);
    const text = old === made ? t`${of} old ${old} became ${to} new ${old}` : t`${of} ${old} became ${to} ${made}`;
    return { day, code, kind: "redenomination", old, made, label: `${of} ${old} → ${to} ${made}`, text, law };
  });
}

function pegs({ pegs: all }) {
  return all.flatMap(({ code, anchor, factor, authority: law, first_day, last_day }) => {
    const [of, to] = amounts(factor);
    const begun = { day: first_day, code, kind: "peg-begun", label: t`${code} pegged to ${anchor}`, text: t`${code} was pegged to ${anchor}: ${of} ${code} for ${to} ${anchor}`, law };
    if (!last_day) return [begun];
    const text = t`The peg of ${code} to ${anchor} ended: it was ${of} ${code} for ${to} ${anchor}`;
    return [begun, { day: last_day, code, kind: "peg-ended", label: t`${code} peg to ${anchor} ends`, text, law }];
  });
}

function euro({ euro: rate }) {
  if (!rate) return [];
  const [of, to] = amounts(rate.rate);
  const { code, fixed_on: day, authority: law } = rate;
  return [{ day, code, kind: "euro", label: t`${code} fixed to the euro`, text: t`${code} was fixed to the euro for ever: ${of} ${code} for ${to} EUR`, law }];
}

/** Write how much is worth how much: a legal rate may be a ratio, such as "50000/419" for "50,000" and "419". */
function amounts(rate) {
  const [of, to = "1"] = rate.split("/");
  return [number(of), number(to)];
}
