import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { assetsOf, codeMeant, findAssets } from "./static/lib/asset_search.js";
import { localNames } from "./static/lib/local_names.js";
import { completed, rows } from "./static/lib/reference.js";
import { groupedAssets } from "./static/page/parts/currency_words.js";
import { coverageRows, findRows } from "./static/page/parts/coverage_rows.js";

const document = (name) => JSON.parse(readFileSync(new URL(`./static/data/${name}.json`, import.meta.url)));
const tables = (language) => ({ ...completed(document("reference"), language === "en" ? null : localNames(language)), coins: rows(document("coins")) });
const ASSETS = assetsOf(tables("en"));
const found = (text, assets = ASSETS) => findAssets(assets, text).map(({ asset }) => asset.code);

test("the dollar is the American one first, then by trade, then by name", () => {
  const dollars = found("dollar");
  assert.deepEqual(dollars.slice(0, 7), ["USD", "AUD", "CAD", "HKD", "SGD", "NZD", "TWD"]);
  const [bahamas, barbados, belize] = ["BSD", "BBD", "BZD"].map((code) => dollars.indexOf(code));
  assert.ok(6 < bahamas && bahamas < barbados && barbados < belize, dollars.join());
  assert.deepEqual(["doller", "dolar", "DOLLARS"].map((text) => found(text)[0]), ["USD", "USD", "USD"]);
});

test("of many currencies with one name the most traded comes first, before countries that are called alike", () => {
  assert.deepEqual(["pound", "peso", "franc", "krone", "yuan", "rouble", "rupee"].map((text) => found(text)[0]),
    ["GBP", "MXN", "CHF", "NOK", "CNY", "RUB", "INR"]);
});

test("signs, abbreviations and names in the trade are found", () => {
  const meant = { "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "US$": "USD", rmb: "CNY", sterling: "GBP", usa: "USD", UK: "GBP", uae: "AED" };
  for (const [text, code] of Object.entries(meant)) assert.equal(found(text)[0], code, text);
});

test("minor units, metals and coins are found by code and name", () => {
  assert.equal(found("GBp")[0], "GBp");
  assert.equal(found("gbp")[0], "GBP");
  assert.deepEqual(found("penny"), ["GBX", "GBp"]);
  assert.deepEqual(["gold", "silver", "xpt", "palladium", "copper"].map((text) => found(text)[0]), ["XAU", "XAG", "XPT", "XPD", "XCU"]);
  assert.deepEqual(["bitcoin", "btc", "ether", "tether", "solana"].map((text) => found(text)[0]), ["BTC", "BTC", "ETH", "USDT", "SOL"]);
  assert.deepEqual(found("usd").slice(0, 3), ["USD", "USDT", "USDC"]);
});

test("currencies that ended are found where they are wanted", () => {
  assert.equal(found("mark").includes("DEM"), false);
  assert.equal(found("mark", assetsOf(tables("en"), ["currency", "retired"]))[0], "DEM");
});

test("in another language both names are found, and what the browser does not know stays in English", () => {
  const german = tables("de");
  const assets = assetsOf(german);
  const franc = german.currencies.find(({ code }) => code === "CHF");
  assert.deepEqual([franc.name, franc.english], ["Schweizer Franken", "Swiss Franc"]);
  for (const text of ["schweizer", "swiss", "Swiss franc"]) assert.equal(found(text, assets)[0], "CHF", text);
  assert.equal(found("dollar", assets)[0], "USD");
  assert.equal(found("pfund", assets)[0], "GBP");
  assert.equal(found("frankenn", assets)[0], "CHF", "one letter is wrong");
  assert.equal(codeMeant(assets, "schweizer franken"), "CHF");
  assert.ok(german.currencies.every(({ name }) => name));
  for (const text of ["schweiz", "vereinigtes k", "united king"]) assert.match(found(text, assets)[0], /CHF|GBP/, text);
  assert.equal(findAssets(assets, "schweiz")[0].place, "Schweiz");
  for (const text of ["schweizer", "swiss"]) {
    assert.deepEqual(groupedAssets(german, text).flatMap(({ assets: all }) => all.map(({ code }) => code)).filter((code) => code === "CHF"), ["CHF"]);
    const rows = coverageRows({ currencies: { CHF: { sources: {}, independent: 0, law: "" } } }, {}, german);
    assert.equal(findRows(rows, { text }).length, 1);
  }
});

test("the countries of a currency are in the language too, its own first", () => {
  const countries = (language, code) => tables(language).currencies.find((each) => each.code === code).countries;
  assert.deepEqual(countries("en", "CHF"), ["Switzerland", "Liechtenstein"]);
  assert.deepEqual(countries("de", "CHF"), ["Schweiz", "Liechtenstein"]);
  assert.deepEqual([countries("en", "USD")[0], countries("fr", "USD")[0]], ["United States", "États-Unis"]);
  const named = { BAM: "Bosnien und Herzegowina", HKD: "Sonderverwaltungsregion Hongkong", TRY: "Türkei", XCD: "Anguilla", CDF: "Kongo-Kinshasa" };
  for (const [code, name] of Object.entries(named)) assert.equal(countries("de", code)[0], name);
  const arabic = tables("ar").currencies.flatMap(({ countries: all, kind }) => (kind === "circulating" ? all : []));
  assert.deepEqual(arabic.filter((name) => /[a-z]/i.test(name)), []);
});
