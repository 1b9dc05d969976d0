import assert from "node:assert/strict";
import test from "node:test";

import { padded, parseDecimal, plain, quotient } from "./static/lib/decimal.js";
import { parseExact } from "./static/lib/exact_json.js";
import { age, dayInWords, moment, number, plainSentence } from "./static/lib/format.js";
import { parseRoute, routeOf } from "./static/lib/router.js";
import { completed } from "./static/lib/reference.js";
import { assetsOf, findAssets } from "./static/lib/asset_search.js";
import { sentencesOf } from "./static/page/convert/sentence.js";
import { weighedMetal } from "./static/page/convert/conversion.js";

test("numbers keep all the digits that were sent", () => {
  const sent = '{"a":12345678901234567890.123456789,"b":[1e-7,-0.50],"c":"1.0 \\"2\\" \\\\","d":{"3":null,"e":true}}';
  assert.deepEqual(parseExact(sent), {
    a: "12345678901234567890.123456789", b: ["1e-7", "-0.50"], c: '1.0 "2" \\', d: { 3: null, e: true },
  });
});

test("products and quotients are exact, and rounded half up, negative ones as positive ones", () => {
  assert.equal(quotient(["0.1", "0.25"], [], 3), "0.025");
  assert.equal(quotient(["0.1", "0.25"], [], 2), "0.03");
  assert.equal(quotient(["-0.1", "0.25"], [], 2), "-0.03");
  assert.equal(quotient(["12345678901234567890", "1.0000000001"], [], 4), "12345678902469135780.1235");
  assert.equal(quotient(["1"], ["3"], 5), "0.33333");
  assert.equal(quotient(["2", "5"], ["3", "5"], 0), "1");
  assert.equal(quotient(["1e-7"], ["2"], 8), "0.00000005");
  assert.equal(quotient(["-0.001"], [], 2), "0.00");
  assert.throws(() => quotient(["one"], [], 2), RangeError);
});

test("numbers are written without exponents", () => {
  assert.deepEqual(["1e3", "-1.50", "1.5e-7", "+7", "x"].map(plain), ["1000", "-1.50", "0.00000015", "7", ""]);
});

test("sentences of the service are for people without their brackets", () => {
  assert.equal(plainSentence("No rate from [XAU] to [EUR] on [2026-01-01]"), "No rate from XAU to EUR on 2026-01-01");
});

test("what is no decimal number is none", () => {
  for (const text of ["", ".", "1,5", "0x10", "1e9999", "--1", "1 000"]) assert.equal(parseDecimal(text), null, text);
});

test("decimals are filled with zeros, and never cut", () => {
  assert.equal(padded("2456.1", 2), "2456.10");
  assert.equal(padded("2456.123", 2), "2456.123");
  assert.equal(padded("7", 0), "7");
});

test("digits are grouped by thousands, decimals are not", () => {
  assert.equal(number("-1234567.890123"), "-1,234,567.890123");
  assert.equal(number("999"), "999");
  assert.equal(number("−1000 %"), "−1,000 %");
  assert.equal(number("no number"), "no number");
});

test("ages are told in the unit that suits them", () => {
  assert.deepEqual([0, 1, 59, 60, 3599, 3600, 86400, 172800, 2000000].map(age),
    ["0 seconds", "1 second", "59 seconds", "1 minute", "59 minutes", "1 hour", "24 hours", "2 days", "23 days"]);
});

test("times of every form of an account mean the same moment", () => {
  const forms = ["2026-10-30T15:00:00Z", "2026-10-30 15:00:00", "1793372400000", 1793372400000];
  assert.deepEqual(forms.map((form) => moment(form).getTime()), forms.map(() => 1793372400000));
  assert.equal(dayInWords("2026-10-30"), "30 October 2026");
});

test("a route survives being written and read, without a key", () => {
  const route = routeOf("convert", { amount: "1", from: "EUR", unit: "", api_key: "secret", pairs: "EUR/USD,BTC/USD" });
  assert.equal(route, "#/convert?amount=1&from=EUR&pairs=EUR/USD,BTC/USD");
  const { name, params } = parseRoute(route);
  assert.equal(name, "convert");
  assert.deepEqual([...params], [["amount", "1"], ["from", "EUR"], ["pairs", "EUR/USD,BTC/USD"]]);
  assert.equal(parseRoute("").name, "");
});

const TABLES = {
  currencies: [
    { code: "CHF", name: "Swiss Franc", kind: "circulating", countries: ["Liechtenstein", "Switzerland"], last_day: null },
    { code: "CHE", name: "WIR Euro", kind: "accounting", countries: [], last_day: null },
    { code: "XOF", name: "West African CFA Franc", kind: "circulating", countries: ["Benin", "Côte d'Ivoire"], last_day: null },
    { code: "DEM", name: "German Mark", kind: "retired", countries: ["Germany"], last_day: "2001-12-31" },
  ],
  minorUnits: [{ code: "CHf", name: "Rappen", currency: "CHF", units: 100 }],
  aliases: { SFR: "CHF", "₣": "XOF" },
  metals: [{ code: "XAU", name: "Gold", unit: "oz_t" }],
  coins: [{ code: "CHEX", name: "Chex Token" }, { code: "PAXG", name: "PAX Gold" }],
};

test("assets are found by code, name and country, the nearest first", () => {
  const assets = assetsOf(TABLES);
  const found = (text) => findAssets(assets, text).map(({ asset }) => asset.code);
  assert.deepEqual(found("che"), ["CHE", "CHEX"]);
  assert.deepEqual(found("swiss"), ["CHF"]);
  assert.deepEqual(found("switz"), ["CHF"]);
  assert.deepEqual(found("cote"), ["XOF"]);
  assert.deepEqual(found("franc"), ["CHF", "XOF"]);
  assert.deepEqual(found("GOLD"), ["XAU", "PAXG"]);
  assert.deepEqual(found("german"), []);
  assert.deepEqual(["CHF", "chf", "CHf"].map((text) => found(text)[0]), ["CHF", "CHF", "CHf"]);
  assert.deepEqual([found("sfr"), found("₣")], [["CHF"], ["XOF"]]);
  assert.deepEqual([found("farnc"), found("frnc"), found("frank")], [["CHF", "XOF"], [], ["CHF", "XOF"]]);
  assert.deepEqual(findAssets(assetsOf(TABLES, ["retired"]), "germany").map(({ asset, place }) => [asset.code, place]), [["DEM", "Germany"]]);
  assert.equal(findAssets(assets, "switz")[0].place, "Switzerland");
});

test("unit and purity belong to a metal beside a currency", () => {
  assert.equal(weighedMetal({ from: "XAU", to: "CHF" }, TABLES).code, "XAU");
  assert.equal(weighedMetal({ from: "CHF", to: "XAU" }, TABLES).code, "XAU");
  assert.equal(weighedMetal({ from: "XAU", to: "CHEX" }, TABLES), null);
  assert.equal(weighedMetal({ from: "CHF", to: "XOF" }, TABLES), null);
});

test("events follow from the tables, each with its law", () => {
  const column = (record) => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value]]));
  const { currencies, events } = completed({
    currencies: { code: ["OLD", "NEW"], first_day: ["1995-01-01", "1995-01-01"], last_day: [null, null], lives: [0, 0] },
    redenominations: column({ old: "OLD", new: "NEW", factor: "1000", first_day: "2000-01-01", authority: "The law" }),
    pegs: column({ code: "NEW", anchor: "EUR", factor: "2", authority: "The bank", first_day: "1999-01-01", last_day: "2001-01-01" }),
    euro_rates: column({ code: "NEW", rate: "2", fixed_on: "2002-01-01", authority: "A regulation" }),
    metals: [], units: [],
  });
  assert.deepEqual(currencies[0].lives, [{ first_day: "1995-01-01", last_day: null }]);
  assert.deepEqual(events.map(({ day, code, kind, law }) => [day, code, kind, law]), [
    ["1999-01-01", "NEW", "peg-begun", "The bank"], ["2000-01-01", "NEW", "redenomination", "The law"],
    ["2000-01-01", "OLD", "redenomination", "The law"], ["2001-01-01", "NEW", "peg-ended", "The bank"],
    ["2002-01-01", "NEW", "euro", "A regulation"],
  ]);
  assert.deepEqual(events.map(({ text }) => text), [
    "NEW was pegged to EUR: 2 NEW for 1 EUR", "1,000 OLD became 1 NEW", "1,000 OLD became 1 NEW",
    "The peg of NEW to EUR ended: it was 2 NEW for 1 EUR", "NEW was fixed to the euro for ever: 2 NEW for 1 EUR",
  ]);
});

test("a legal rate keeps its digits, a ratio is a number of each, and a code that stays is told old from new", () => {
  const column = (record) => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value]]));
  const { events } = completed({
    metals: [], units: [], currencies: { code: ["XPF"], first_day: [null], last_day: [null], lives: [0] },
    redenominations: column({ old: "XPF", new: "XPF", factor: "100", first_day: "1960-01-01", authority: "The law" }),
    pegs: column({ code: "XPF", anchor: "EUR", factor: "50000/419", authority: "The bank", first_day: "1999-01-01", last_day: null }),
    euro_rates: column({ code: "XPF", rate: "6.55957", fixed_on: "2002-01-01", authority: "A regulation" }),
  });
  assert.deepEqual(events.map(({ text }) => text), [
    "100 old XPF became 1 new XPF", "XPF was pegged to EUR: 50,000 XPF for 419 EUR", "XPF was fixed to the euro for ever: 6.55957 XPF for 1 EUR",
  ]);
});

test("a value of an earlier day says why it is one", () => {
  const leg = { base: "EUR", quote: "USD", rate: "1.1", sources: ["ecb"], fixed_on: "2026-10-30", carried_days: "2" };
  assert.match(sentencesOf([{ ...leg, because: "late" }], SOURCES, NOW)[0], / of 30 October 2026, 2 days before, because the next one was late$/);
  assert.match(sentencesOf([{ ...leg, carried_days: "1", because: "weekend" }], SOURCES, NOW)[0], /, 1 day before, because of the weekend$/);
});

const NOW = new Date("2026-11-22T12:00:00Z");
const SOURCES = {
  ecb: { name: "European Central Bank", pace: "daily" }, kraken: { name: "Kraken", pace: "real-time" },
  coinbase: { name: "Coinbase", pace: "real-time" }, bitstamp: { name: "Bitstamp", pace: "real-time" },
};

test("the sentence names the fixing, its day and its age", () => {
  const leg = { base: "EUR", quote: "USD", rate: "1.1", sources: ["ecb"], as_of: "2026-10-30T13:15:00Z" };
  assert.deepEqual(sentencesOf([leg], SOURCES, NOW), ["ECB fixing of 30 October, 22 days old"]);
  assert.deepEqual(sentencesOf([leg, { ...leg, quote: "JPY" }], SOURCES, NOW), ["ECB fixing of 30 October, 22 days old"]);
  const old = { ...leg, as_of: "2025-10-30T13:15:00Z" };
  assert.deepEqual(sentencesOf([old], SOURCES, NOW), ["ECB fixing of 30 October 2025, 387 days old"]);
});

test("the sentence names venues, the law, and a closed market", () => {
  const traded = { base: "BTC", quote: "USD", rate: "9", sources: ["kraken", "coinbase", "bitstamp"], as_of: "2026-11-22T11:59:30Z" };
  assert.deepEqual(sentencesOf([traded], SOURCES, NOW), ["Kraken, Coinbase and 1 other, 30 seconds old"]);
  const pegged = { base: "USD", quote: "AED", rate: "3.6725", law: "Central Bank of the UAE" };
  assert.deepEqual(sentencesOf([{ ...traded, because: "closed" }, pegged], SOURCES, NOW), [
    "BTC/USD: Kraken, Coinbase and 1 other, 30 seconds old; the market is closed now",
    "USD/AED: 3.6725 AED for 1 USD by law (Central Bank of the UAE)",
  ]);
  assert.equal(sentencesOf([], SOURCES, NOW).length, 1);
});
