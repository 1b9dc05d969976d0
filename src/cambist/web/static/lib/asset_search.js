/** Find currencies, metals and coins by code, name or country. No DOM: plain data in, plain data out. */

import { t } from "./texts.js";

/**
 * @typedef {{code: string, name: string, kind: "currency"|"metal"|"coin"|"retired", places: string[], until: string, english?: string, also?: string[]}} Asset
 * `english` is the English name, where `name` is that of another language; `places` are the countries of a currency; `until` is the last day of a currency that ended, or empty; `also` is what
 * people write in place of the code, such as a sign
 */

/** What a picker offers before anything is typed. */
const POPULAR = ["EUR", "USD", "GBP", "JPY", "CHF", "CNY", "INR", "XAU", "XAG", "BTC", "ETH", "DEM", "FRF"];
/** The most traded first, currencies after the BIS's survey of 2022, then metals, coins and currencies that ended. */
const TRADED = ("USD EUR JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR BRL DKK PLN THB ILS IDR CZK AED TRY HUF CLP SAR "
  + "PHP MYR RUB XAU XAG XPT XPD BTC ETH USDT USDC XRP SOL BNB DEM FRF").split(" ");
/** From so many letters on a name may be misspelt. */
const MISSPELT = 5;
const KINDS = ["currency", "metal", "coin", "retired"];

/**
 * Return the assets of some kinds, currencies first.
 * @param {any} reference the document `data/reference.json`
 * @param {string[]} [kinds] of "currency", "metal", "coin", "retired"
 * @returns {Asset[]}
 */
export function assetsOf(reference, kinds = ["currency", "metal", "coin"]) {
  const currencies = reference.currencies.map(({ code, name, english, kind, countries, englishCountries = [], last_day: last }) =>
    ({ code, name, english, kind: kind === "retired" ? "retired" : "currency", places: [...new Set([...countries, ...englishCountries])], until: last ?? "" }));
  const minor = reference.minorUnits.map(({ code, name, currency, units }) =>
    ({ code, name, kind: "currency", places: [t`${units} are 1 ${currency}`], until: "" }));
  const plain = (kind) => ({ code, name, english }) => ({ code, name, english, kind, places: [], until: "" });
  const all = [...currencies, ...minor, ...reference.metals.map(plain("metal")), ...reference.coins.map(plain("coin"))];
  const wanted = kinds.map((kind) => KINDS.indexOf(kind));
  const aliases = Object.entries(reference.aliases);
  return all.filter((asset) => wanted.includes(KINDS.indexOf(asset.kind)))
    .map((asset) => ({ ...asset, also: aliases.filter(([, code]) => code === asset.code).map(([alias]) => folded(alias)) }))
    .sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
}

/**
 * Return the assets that a text may mean, the likeliest first; without a text the popular ones.
 * @param {Asset[]} assets
 * @param {string} text
 * @param {number} [limit]
 * @returns {{asset: Asset, place: string}[]} `place` is the country that was found, or the first one
 */
export function findAssets(assets, text, limit = 40) {
  const wanted = folded(text);
  const found = ranked(assets, (asset) => rank(asset, wanted, text.trim()));
  const known = found.length || wanted.length < MISSPELT ? found : ranked(assets, (asset) => misspelt(asset, wanted));
  return known.slice(0, limit).map(({ asset, place }) => ({ asset, place }));
}

/**
 * Return the code that a word means exactly: a code, an alias such as a sign, or a whole name; empty if it means none.
 * One or two letters are typed by mistake more often than they mean a coin of that name.
 */
export function codeMeant(assets, word) {
  const isShort = /^\w{1,2}$/.test(word.trim());
  const [best] = ranked(assets, (asset) => {
    const found = rank(asset, folded(word), word.trim());
    return found && found.rank <= 0.5 && !(isShort && asset.kind === "coin") ? found : null;
  });
  return best?.asset.code ?? "";
}

/** Sort what has a rank; equal ones by trade, then by kind, then by name. */
function ranked(assets, rankOf) {
  const found = assets.map((asset) => ({ asset, ...rankOf(asset) })).filter(({ rank: place }) => place !== undefined);
  const trade = ({ asset }) => (TRADED.indexOf(asset.code) + TRADED.length + 1) % (TRADED.length + 1);
  const kind = ({ asset }) => KINDS.indexOf(asset.kind);
  return found.sort((one, other) => one.rank - other.rank || trade(one) - trade(other) || kind(one) - kind(other)
    || one.asset.name.localeCompare(other.asset.name));
}

/** A word of the name in which one letter is wrong. */
function misspelt({ places, kind, ...asset }, wanted) {
  const isNear = kind !== "coin" && namesOf(asset).join(" ").split(" ").some((word) => differsOnce(word, wanted));
  return isNear ? { rank: 0, place: places[0] ?? "" } : null;
}

/** Return whether one letter was changed, added or removed, or two neighbours swapped. */
function differsOnce(word, other) {
  let [start, end] = [0, 0];
  const least = Math.min(word.length, other.length);
  while (start < least && word[start] === other[start]) start += 1;
  while (end < least - start && word.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [here, there] = [word.slice(start, word.length - end), other.slice(start, other.length - end)];
  return (here.length <= 1 && there.length <= 1) || (here.length === 2 && there === here[1] + here[0]);
}

function namesOf({ name, english = name }) {
  return [...new Set([folded(name), folded(english)])];
}

function rank({ code, places, kind, also = [], ...asset }, wanted, text) {
  const place = places[0] ?? "";
  if (code === text) return { rank: -1, place };
  if (!wanted) {
    const position = POPULAR.indexOf(code);
    return position < 0 ? null : { rank: position, place };
  }
  const foldedCode = code.toLowerCase();
  if (foldedCode === wanted) return { rank: 0, place };
  if (also.includes(wanted)) return { rank: 0.2, place };
  if (foldedCode.startsWith(wanted)) return { rank: 1, place };
  const names = namesOf(asset);
  const isNamed = (test) => names.some(test);
  if (isNamed((name) => name === wanted)) return { rank: 0.5, place };
  if (kind === "coin" && isNamed((name) => name.startsWith(wanted))) return { rank: 7, place };
  if (kind === "coin") return isNamed((name) => name.includes(wanted)) ? { rank: 8, place } : null;
  if (isNamed((name) => name.startsWith(wanted))) return { rank: 2, place };
  if (isNamed((name) => name.includes(` ${wanted}`))) return { rank: 3, place };
  const starts = places.find((each) => folded(each).startsWith(wanted));
  if (starts) return { rank: 4, place: starts };
  const contains = places.find((each) => folded(each).includes(` ${wanted}`));
  if (contains) return { rank: 5, place: contains };
  return isNamed((name) => name.includes(wanted)) ? { rank: 6, place } : null;
}

/** Lower the case of a text, drop accents, and part what hyphens join: "Côte" is found as "cote". */
function folded(text) {
  return text.trim().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("-", " ").toLowerCase();
}
