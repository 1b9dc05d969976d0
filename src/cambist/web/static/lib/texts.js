/**
 * Texts, numbers and days in the visitor's language. English is in the code: t`Rates of ${day}`. Another language is a file of
 * messages by the English text, {"Rates of {0}": "Kurse vom {0}"}; a message may differ by its number: {"one": …, "other": …}.
 */

/** The languages of the page, each by its own name. */
export const LANGUAGES = { en: "English", ar: "العربية", de: "Deutsch", es: "Español", fr: "Français", ja: "日本語" };

const root = globalThis.document?.documentElement;
const preferred = [...(globalThis.navigator?.languages ?? [])];
const base = (tag) => tag.split("-")[0];

/** The language of the texts: that of `?lang=` in the address, else the first of the browser's that there is. */
export const language = root?.hasAttribute("data-languages")
  ? [new URLSearchParams(location.search).get("lang") ?? "", ...preferred].map(base).find((tag) => tag in LANGUAGES) ?? "en" : "en";

/** The language of numbers and days, with the visitor's region. */
export const locale = preferred.find((tag) => base(tag) === language) ?? (language === "en" ? "en-GB" : language);

const messages = language === "en" ? {} : await load();
const plurals = new Intl.PluralRules(language);
const counts = new Intl.NumberFormat(locale);

async function load() {
  root.lang = language;
  root.dir = language === "ar" ? "rtl" : "ltr";
  return fetch(new URL(`../page/messages/${language}.json`, import.meta.url)).then((answer) => answer.json(), () => ({}));
}

/**
 * Return a text in the visitor's language. Numbers in it are grouped, and the first of them chooses the plural.
 * @returns {string|Array} an array if elements are in it, for `h`
 */
export function t(parts, ...values) {
  const key = parts.reduce((text, part, place) => `${text}{${place - 1}}${part}`);
  const found = messages[key] ?? key;
  const message = typeof found === "string" ? found : found[plurals.select(values.find((value) => typeof value === "number"))] ?? found.other;
  const pieces = message.split(/\{(\d)\}/).map((piece, place) => (place % 2 ? shown(values[piece]) : piece));
  return pieces.some((piece) => typeof piece === "object") ? pieces : pieces.join("");
}

function shown(value) {
  return typeof value === "number" ? counts.format(value) : value || value === "" ? value : "";
}
