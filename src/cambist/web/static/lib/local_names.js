/** The names of currencies and countries in another language than English, as the browser knows them. No DOM. */

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** Countries that browsers call otherwise in English than the tables do. */
const OTHERWISE = {
  "Democratic Republic of the Congo": "CD", "East Timor": "TL", "Ivory Coast": "CI", Palestine: "PS", "Republic of the Congo": "CG",
  "Saint Martin": "MF", "South Georgia and South Sandwich Islands": "GS", Turkey: "TR", Burma: "MM",
};

/**
 * Return what gives the name of a currency by its code, and that of a country by its English name; undefined if the browser
 * knows none.
 * @param {string} tag the language
 * @returns {{currency: (code: string) => string|undefined, country: (name: string) => string|undefined}}
 */
export function localNames(tag) {
  const namesIn = (language, type) => new Intl.DisplayNames(language, { type, fallback: "none" });
  const [english, regions, currencies] = [namesIn("en", "region"), namesIn(tag, "region"), namesIn(tag, "currency")];
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const codeOf = new Map([...codes.map((code) => [plain(english.of(code) ?? ""), code]), ...Object.entries(OTHERWISE)]);
  return {
    currency: (code) => currencies.of(code),
    country: (name) => (codeOf.has(name) ? regions.of(codeOf.get(name)) : undefined),
  };
}

/** Write a country as the tables do: "St. Lucia" as "Saint Lucia". */
function plain(name) {
  return name.replace("St. ", "Saint ").replace(" & ", " and ").replace("’", "'").replace(/ SAR .*| \(Burma\)/, "");
}
