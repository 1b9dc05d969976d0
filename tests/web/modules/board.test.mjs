import assert from "node:assert/strict";
import test from "node:test";

import { DEFAULT_PAIRS, MOST_PAIRS, parsePairs, symbolOf, whyNot } from "./static/page/board/pairs.js";
import { changedDigits, RowModel, SPARK_MS } from "./static/page/board/row_model.js";

test("pairs are read from an address", () => {
  assert.deepEqual(parsePairs(null), DEFAULT_PAIRS);
  assert.deepEqual(parsePairs(""), []);
  assert.deepEqual(parsePairs("none"), []);
  assert.deepEqual(parsePairs("eur/usd, XAUUSD,BTC/USD,EUR/USD,1INCH/USD"), ["EUR/USD", "XAU/USD", "BTC/USD", "1INCH/USD"]);
  assert.equal(symbolOf("BTC/USD"), "BTCUSD");
});

test("an address with what is no pair of the stream, or with too many, is refused in words", () => {
  assert.throws(() => parsePairs("EUR/USD,<b>"), /has “<B>”, which is no pair/);
  assert.throws(() => parsePairs("GBp/USD"), /no pair of the stream/);
  assert.throws(() => parsePairs(Array.from({ length: 99 }, (_, i) => `C${i}/USD`).join(",")), new RegExp(`at most ${MOST_PAIRS}`));
});

test("a pair that cannot be added has a reason", () => {
  assert.equal(whyNot(["EUR/USD"], "GBP", "USD"), "");
  assert.match(whyNot([], "", "USD"), /two assets/);
  assert.match(whyNot([], "USD", "USD"), /different/);
  assert.match(whyNot(["EUR/USD"], "EUR", "USD"), /already/);
  assert.match(whyNot(Array(MOST_PAIRS).fill("A/B"), "EUR", "USD"), /at most/);
});

test("a row knows its price, its change and its direction", () => {
  const row = new RowModel("EUR/USD");
  assert.equal(row.hasPrice, false);
  assert.equal(row.change, "");
  row.apply({ bid: "1.0990", ask: "1.1010", tsp: 5_000 }, 10_000);
  assert.deepEqual([row.change, row.trend, row.direction], ["0.00 %", 0, 0]);
  row.apply({ bid: "1.1100", ask: "1.1120", tsp: 9_000 }, 10_100);
  assert.deepEqual([row.change, row.trend, row.direction], ["+1.00 %", 1, 1]);
  row.apply({ bid: "1.0880", ask: "1.0900", tsp: 9_000 }, 10_200);
  assert.deepEqual([row.change, row.trend, row.direction], ["−1.00 %", -1, -1]);
  row.apply({ bid: "1.0880", ask: "1.0900", tsp: 9_500 }, 10_300);
  assert.equal(row.direction, -1);
  assert.equal(row.age(12_000), 2.5);
  assert.deepEqual([row.bid, row.ask], ["1.0880", "1.0900"]);
});

test("a change too small to be shown is none", () => {
  const row = new RowModel("EUR/USD");
  row.apply({ bid: "1.00000", ask: "1.00000", tsp: 0 }, 0);
  row.apply({ bid: "1.00001", ask: "1.00001", tsp: 0 }, 1);
  assert.deepEqual([row.change, row.trend], ["0.00 %", 0]);
});

test("the spark line has a point a second for some minutes", () => {
  const row = new RowModel("BTC/USD");
  for (let at = 0; at < 2 * SPARK_MS; at += 100) row.apply({ bid: String(at + 1), ask: String(at + 1), tsp: at }, at);
  assert.equal(row.points.length, SPARK_MS / 1000 + 1);
  assert.equal(row.points.at(-1)[1], 2 * SPARK_MS - 99);
  assert.equal(row.points[0][0], SPARK_MS - 1000);
});

test("changed digits are told from those that stayed", () => {
  assert.deepEqual(changedDigits("", "1.2345"), ["1.2345", ""]);
  assert.deepEqual(changedDigits("1.2345", "1.2345"), ["1.2345", ""]);
  assert.deepEqual(changedDigits("1.2345", "1.2351"), ["1.23", "51"]);
  assert.deepEqual(changedDigits("99.5", "100.5"), ["", "100.5"]);
  assert.deepEqual(changedDigits("1.23", "1.234"), ["1.23", "4"]);
});
