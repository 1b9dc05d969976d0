/** Find currencies, metals and coins by code, name or country. No DOM: plain data in, plain data out. */

/**
 * @typedef {{code: string, name: string, kind: "currency"|"metal"|"coin"|"retired", places: string[], until: string}} Asset
 * `places` are the countries of a currency; `until` is the last day of a currency that ended, or empty
 */

/** What a picker offers before anything is typed. */
const POPULAR = ["EUR", "USD", "GBP", "JPY", "CHF", "CNY", "INR", "XAU", "XAG", "BTC", "ETH", "DEM", "FRF"];
const KINDS = ["currency", "metal", "coin", "retired"];

/**
 * Return the assets of some kinds, currencies first.
 * @param {any} reference the document `data/reference.json`
 * @param {string[]} [kinds] of "currency", "metal", "coin", "retired"
 * @returns {Asset[]}
 */
export function assetsOf(reference, kinds = ["currency", "metal", "coin"]) {
  const currencies = reference.currencies.map(({ code, name, kind, countries, last_day: last }) =>
    ({ code, name, kind: kind === "retired" ? "retired" : "currency", places: countries, until: last ?? "" }));
  const plain = (kind) => ({ code, name }) => ({ code, name, kind, places: [], until: "" });
  const all = [...currencies, ...reference.metals.map(plain("metal")), ...reference.coins.map(plain("coin"))];
  const wanted = kinds.map((kind) => KINDS.indexOf(kind));
  return all.filter((asset) => wanted.includes(KINDS.indexOf(asset.kind)))
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
  const ranked = [];
  for (const asset of assets) {
    const found = rank(asset, wanted);
    if (found) ranked.push({ asset, ...found });
  }
  ranked.sort((one, other) => one.rank - other.rank);
  return ranked.slice(0, limit).map(({ asset, place }) => ({ asset, place }));
}

function rank({ code, name, places, kind }, wanted) {
  const place = places[0] ?? "";
  if (!wanted) {
    const position = POPULAR.indexOf(code);
    return position < 0 ? null : { rank: position, place };
  }
  const foldedCode = code.toLowerCase();
  if (foldedCode === wanted) return { rank: 0, place };
  if (foldedCode.startsWith(wanted)) return { rank: 1, place };
  const foldedName = folded(name);
  if (foldedName === wanted) return { rank: 0.5, place };
  if (kind === "coin") return foldedName.includes(wanted) ? { rank: foldedName.startsWith(wanted) ? 7 : 8, place } : null;
  if (foldedName.startsWith(wanted)) return { rank: 2, place };
  const starts = places.find((each) => folded(each).startsWith(wanted));
  if (starts) return { rank: 3, place: starts };
  if (foldedName.includes(` ${wanted}`)) return { rank: 4, place };
  const contains = places.find((each) => folded(each).includes(` ${wanted}`));
  if (contains) return { rank: 5, place: contains };
  return foldedName.includes(wanted) ? { rank: 6, place } : null;
}

/** Lower the case of a text, and drop accents: "Côte" is found as "cote". */
function folded(text) {
  return text.trim().normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
