import assert from "node:assert/strict";
import test from "node:test";

import { isWeighed, amountError, convert, inverse } from "./static/page/convert/conversion.js";
import { readLink } from "./static/page/convert/link_values.js";

const TABLES = {
  currencies: [["GBP", 2], ["JPY", 0], ["KWD", 3], ["EUR", 2], ["XDR", null]].map(([code, minor]) => ({ code, minor_units: minor })),
  minorUnits: [{ code: "GBp", currency: "GBP", units: 100 }],
  metals: [{ code: "XAU", unit: "oz_t" }, { code: "XCU", unit: "t" }],
  units: [{ handle: "oz_t", grams: "31.1034768" }, { handle: "gram", grams: "1" }, { handle: "t", grams: "1000000" }],
  purities: { XAU: [{ code: "750", fineness: "750" }] },
  coins: [{ code: "BTC" }],
};

/** Convert with an API that answers `result` for the target, and tells what it was asked. */
async function converted(wanted, result, more = {}) {
  const asked = [];
  const ask = async (path, params) => {
    asked.push([path, params]);
    if (path === "/metals/spot") return { mid: result, tsp: 1 };
    if (path === "/explain") return { converted: { result, rate: "9", fixed_on: more.fixed_on }, updated: "2026-11-20T12:00:00Z", legs: [], publishers: {} };
    return { result: { [params.to]: result, rate: "9" }, ...more };
  };
  const answer = await convert({ precision: "", date: "", unit: "", purity: "", ...wanted }, TABLES, ask);
  return { ...answer, asked };
}

test("a result has the decimals of its currency, and a coin those that it was sent with", async () => {
  const cases = [["GBP", "2.5", "2.50"], ["JPY", "21070", "21070"], ["KWD", "0.4", "0.400"], ["BTC", "0.00123456", "0.00123456"], ["XDR", "1.5", "1.50"]];
  for (const [to, sent, shown] of cases) {
    const { converted: found, asked } = await converted({ amount: "100", from: "EUR", to }, sent);
    assert.equal(found, shown, to);
    assert.deepEqual([asked.length, asked[0][0], asked[0][1].precision], [1, "/explain", ""]);
  }
});

test("any amount can be converted, with chosen decimals too", async () => {
  const tiny = await converted({ amount: "-0.004", from: "EUR", to: "JPY", precision: "3" }, "-0.651");
  assert.deepEqual(tiny.asked, [["/explain", { amount: "-0.004", from: "EUR", to: "JPY", date: "", precision: "3" }]]);
  assert.equal(tiny.converted, "-0.651");
  const refund = await converted({ amount: "-12.50", from: "EUR", to: "GBP" }, "-10.42");
  assert.deepEqual([refund.asked[0][1].amount, refund.converted], ["-12.50", "-10.42"]);
  const nothing = await converted({ amount: "0", from: "EUR", to: "GBP", precision: "4" }, "0");
  assert.deepEqual([nothing.asked[0][1].precision, nothing.converted], ["4", "0.0000"]);
});

test("a minor unit in its own currency keeps all digits", async () => {
  const { asked } = await converted({ amount: "243.08", from: "GBp", to: "GBP" }, "2.4308");
  assert.equal(asked[0][1].precision, 4);
});

test("a past day is asked for, and its fixing is told", async () => {
  const past = await converted({ amount: "1", from: "EUR", to: "GBP", date: "2020-01-05" }, "0.85", { date: "2020-01-05", fixed_on: "2020-01-03" });
  assert.deepEqual([past.asked[0][1].date, past.day, past.fixedOn], ["2020-01-05", "2020-01-05", "2020-01-03"]);
});

test("a weight of a metal is priced now by the spot price, and on a past day by its own unit", async () => {
  const now = await converted({ amount: "-2", from: "XAU", to: "EUR", unit: "gram", purity: "750" }, "100.125");
  assert.deepEqual([now.converted, now.asked[0][0], now.of], ["-200.25", "/metals/spot", "XAU"]);
  const wanted = { amount: "2", from: "XAU", to: "EUR", unit: "gram", purity: "750", date: "2020-01-03" };
  const past = await converted(wanted, "1382.3767466", { date: "2020-01-03", fixed_on: "2020-01-03" });
  assert.equal(past.asked[0][0], "/convert");
  assert.deepEqual([past.converted, past.rate, past.day], ["66.67", "33.33333333", "2020-01-03"]);
  const back = await converted({ ...wanted, amount: "100", from: "EUR", to: "XAU", unit: "oz_t" }, "1000", { date: "2020-01-03" });
  assert.equal(back.converted, "0.133333");
});

test("the inverse of a rate has ten digits, and none that say nothing", () => {
  const cases = { "1.25": "0.8", "160.123": "0.006245199003", "0.00001234": "81037.27715", "4000": "0.00025", "3": "0.3333333333", "0": "" };
  for (const [rate, expected] of Object.entries(cases)) assert.equal(inverse(rate), expected, rate);
});

test("what is no amount is said, with how one is written", () => {
  assert.equal(amountError(" ", ""), "Enter an amount");
  assert.match(amountError("abc", ""), /such as 1234.50/);
  assert.equal(amountError("1,5", "1.5"), "");
});

test("what a link says and what cannot be read of it", () => {
  const wrong = (query) => [...readLink(new URLSearchParams(query), TABLES).wrong.keys()];
  assert.deepEqual(readLink(new URLSearchParams("from=gbp&to=GBp"), TABLES).values, { from: "GBP", to: "GBp" });
  assert.deepEqual(readLink(new URLSearchParams("amount=5"), TABLES).values, { from: "EUR", to: "USD", amount: "5" });
  for (const query of ["date=2020-01-02", "precision=20", "precision=currency", "from=XAU&to=EUR&unit=gram&purity=750", "unit=gram"]) assert.deepEqual(wrong(query), [], query);
  for (const date of ["2020-13-01", "foo", "2023-02-29", "1.1.2020"]) assert.deepEqual(wrong(`date=${date}`), ["date"]);
  for (const precision of ["21", "two", "-1", "1.5"]) assert.deepEqual(wrong(`precision=${precision}`), ["precision"]);
  assert.deepEqual(wrong("from=XAU&to=EUR&unit=grams"), ["unit"]);
  assert.deepEqual(wrong("from=XAU&to=EUR&purity=fine"), ["purity"]);
  assert.deepEqual(wrong("from=XCU&to=EUR&purity=750"), ["purity"]);
  assert.deepEqual(wrong("from=XAU&to=BTC&unit=gram"), ["unit"]);
  assert.throws(() => readLink(new URLSearchParams("amuont=5"), TABLES), /“amuont=5”, which this view does not understand/);
  assert.throws(() => readLink(new URLSearchParams("amount=5&amount=6"), TABLES), /twice/);
});

test("a metal in its own unit, pure, is not weighed: other currencies and mark-ups are for it too", () => {
  const tables = { currencies: [{ code: "EUR", minor_units: 2 }], metals: [{ code: "XAU", unit: "oz_t" }] };
  const asked = (unit, purity) => isWeighed({ from: "XAU", to: "EUR", unit, purity }, tables);
  assert.deepEqual([asked("", ""), asked("oz_t", ""), asked("gram", ""), asked("oz_t", "750")], [false, false, true, true]);
  assert.equal(isWeighed({ from: "EUR", to: "EUR", unit: "gram", purity: "" }, tables), false);
});
