import assert from "node:assert/strict";
import test from "node:test";

import { DEFAULT_LINES, inOrder, MOST_LINES, moved, parseLines, symbolOf, whyNoHeading, whyNot } from "./static/page/board/lines.js";
import { openingPrices } from "./static/page/board/opens.js";
import { readOptions, writtenOptions } from "./static/page/board/options.js";
import { changedDigits, RowModel, SPARK_MS } from "./static/page/board/row_model.js";
import { ApiError } from "./static/lib/api.js";

test("pairs and headings are read from an address", () => {
  assert.deepEqual(parseLines(null), DEFAULT_LINES);
  assert.deepEqual(parseLines(""), []);
  assert.deepEqual(parseLines("none"), []);
  assert.deepEqual(parseLines("eur/usd, XAUUSD,BTC/USD,EUR/USD,1INCH/USD"), ["EUR/USD", "XAU/USD", "BTC/USD", "1INCH/USD"]);
  assert.deepEqual(parseLines("*Currencies,eurusd,* My metals ,XAU/USD"), ["*Currencies", "EUR/USD", "*My metals", "XAU/USD"]);
  assert.equal(symbolOf("BTC/USD"), "BTCUSD");
});

test("an address with what is no line of a board, or with too many, is refused in words", () => {
  assert.throws(() => parseLines("EUR/USD,<b>"), /has “<B>”, which is no pair/);
  assert.throws(() => parseLines("GBp/USD"), /no pair of the stream/);
  assert.throws(() => parseLines("EUR/USD,*"), /from 1 to 40 characters/);
  assert.throws(() => parseLines(`*${"x".repeat(41)}`), /from 1 to 40 characters/);
  assert.throws(() => parseLines(Array.from({ length: 99 }, (_, i) => `C${i}/USD`).join(",")), new RegExp(`at most ${MOST_LINES}`));
});

test("a line that cannot be added has a reason", () => {
  assert.equal(whyNot(["EUR/USD"], "GBP", "USD"), "");
  assert.match(whyNot([], "", "USD"), /two assets/);
  assert.match(whyNot([], "USD", "USD"), /different/);
  assert.match(whyNot(["EUR/USD"], "EUR", "USD"), /already/);
  assert.match(whyNot(Array(MOST_LINES).fill("A/B"), "EUR", "USD"), /at most/);
  assert.equal(whyNoHeading(["EUR/USD"], "Metals"), "");
  assert.match(whyNoHeading([], ""), /Write a heading/);
  assert.match(whyNoHeading([], "a,b"), /no comma/);
  assert.match(whyNoHeading(["*Metals"], "Metals"), /already/);
});

test("pairs are sorted below their headings, and moved by hand", () => {
  const lines = ["USD/JPY", "EUR/USD", "*Metals", "XPT/USD", "XAG/USD", "XAU/USD"];
  const changes = { "USD/JPY": -1, "EUR/USD": 2, "XPT/USD": null, "XAG/USD": 0.5, "XAU/USD": 3 };
  const sorted = (order) => inOrder(lines, order, (pair) => changes[pair]);
  assert.equal(sorted("hand"), lines);
  assert.deepEqual(sorted("name"), ["EUR/USD", "USD/JPY", "*Metals", "XAG/USD", "XAU/USD", "XPT/USD"]);
  assert.deepEqual(sorted("change"), ["EUR/USD", "USD/JPY", "*Metals", "XAU/USD", "XAG/USD", "XPT/USD"]);
  assert.deepEqual(moved(["a", "b", "c"], "c", 0), ["c", "a", "b"]);
  assert.deepEqual(moved(["a", "b", "c"], "a", 2), ["b", "c", "a"]);
  for (const place of [-1, 3]) assert.deepEqual(moved(["a", "b", "c"], "a", place), ["a", "b", "c"]);
});

test("options are read from an address, and written if they are not the usual ones", () => {
  const read = (query) => readOptions(new URLSearchParams(query));
  assert.deepEqual(read(""), { order: "hand", since: "today", flash: 0 });
  assert.deepEqual(writtenOptions(read("")), { order: "", since: "", flash: "" });
  assert.deepEqual(writtenOptions(read("order=change&since=24h&flash=2.5")), { order: "change", since: "24h", flash: 2.5 });
  for (const [query, words] of Object.entries({ "order=size": /hand, name or change/, "since=constructor": /today, 24h or here/, "flash=-1": /from 0 to/, "flash=10001": /from 0 to/, "flash=a": /from 0 to/ })) {
    assert.throws(() => read(query), words, query);
  }
});

test("the prices of then are asked for by kind, ten at a time, and what is refused is missing", async () => {
  const kinds = { BTC: "coin", XAU: "metal", XCU: "metal" };
  const asked = [];
  const getExact = async (path, question) => {
    asked.push([path, question]);
    if (question.metal === "XCU") throw new ApiError(404, "no_rate", "No rate");
    if (path === "/metals/spot") return { today: { open: "4000" } };
    if (path === "/fx/quote") return { quotes: { EURUSD: { today: { open: "1.1" } } } };
    return { moves: { "BTC/USD": { last_24h: { open: "90000" } } } };
  };
  const many = Array.from({ length: 10 }, (_, place) => `A${place}/USD`);
  const found = await openingPrices({ getExact }, [...many, "EUR/USD", "BTC/USD", "XAU/USD", "XCU/USD", "USD/XAU"], (code) => kinds[code] ?? "currency");
  assert.deepEqual([...found], [["EUR/USD", { today: { open: "1.1" } }], ["BTC/USD", { last_24h: { open: "90000" } }], ["XAU/USD", { today: { open: "4000" } }]]);
  assert.deepEqual(asked.map(([path]) => path), ["/fx/quote", "/fx/quote", "/crypto/fetch-prices", "/metals/spot", "/metals/spot"]);
  assert.deepEqual(asked[1][1], { pairs: "EUR/USD", verbose: 1, partial: 1 });
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

test("a price is compared with that of midnight, of a day ago, or the first one", () => {
  const row = new RowModel("EUR/USD");
  row.apply({ bid: "1.0990", ask: "1.1010", tsp: 0 }, 0);
  row.opens = { today: { open: "1.00" }, last_24h: { open: "2.2" } };
  row.since = "today";
  assert.deepEqual([row.change, row.trend, row.openText], ["+10.00 %", 1, "1.0000"]);
  row.since = "24h";
  assert.deepEqual([row.change, row.openText], ["−50.00 %", "2.2000"]);
  row.opens = {};
  assert.deepEqual([row.change, row.trend, row.openText, row.percent], ["", 0, "", null]);
});

test("the spread is in the unit of the price and in basis points; a fixing and a last price have none", () => {
  const row = new RowModel("EUR/USD");
  assert.equal(row.spread, null);
  row.apply({ bid: "1.0998", ask: "1.10020", tsp: 0 }, 0);
  assert.deepEqual(row.spread, ["0.00040", "3.6"]);
  row.apply({ bid: "1.1", ask: "1.1", tsp: 0 }, 1);
  assert.equal(row.spread, null);
  row.apply({ bid: "1.0", ask: "1.1", tsp: 0, fixed_on: "2026-11-26" }, 2);
  assert.equal(row.spread, null);
});

test("a price is marked when it has moved by more than so many basis points since it was marked", () => {
  const row = new RowModel("EUR/USD");
  const mark = (price, least) => {
    row.apply({ bid: price, ask: price, tsp: 0 }, 0);
    return [row.mark(least), row.direction];
  };
  assert.deepEqual(mark("1.0000", 5), [true, 0]);
  assert.equal(mark("1.0004", 5)[0], false);
  assert.deepEqual(mark("1.0006", 5), [true, 1]);
  assert.equal(mark("1.0003", 5)[0], false);
  assert.equal(mark("1.0010", 5)[0], false);
  assert.deepEqual(mark("1.0000", 5), [true, -1]);
  assert.equal(mark("1.0000", 0)[0], true);
});

test("a price of more digits than a row has room for is rounded", () => {
  const row = new RowModel("EUR/ISK");
  row.apply({ bid: "116.943733028844", ask: "0.0000123456789123", tsp: 0 }, 0);
  assert.deepEqual([row.bid, row.ask], ["116.943733", "0.0000123456789"]);
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
