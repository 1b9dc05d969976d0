import assert from "node:assert/strict";
import test from "node:test";

import { checkNames, spelledCode } from "./static/lib/link.js";
import { ApiError } from "./static/lib/api.js";
import { fromWhen, makeLine } from "./static/page/charts/series_store.js";
import { readState, writeState } from "./static/page/charts/state.js";

const TODAY = 20783; // 2026-11-26
const read = (query) => readState(new URLSearchParams(query), TODAY);

test("codes are in upper case, and minor units stay as they are", () => {
  assert.deepEqual(["eur", "Eur", "EUR", "GBp", "ZAc", "1inch"].map(spelledCode), ["EUR", "EUR", "EUR", "GBp", "ZAc", "1INCH"]);
});

test("a link with an unknown or a repeated parameter is refused, and never shows a key", () => {
  checkNames(new URLSearchParams("q=1&api_key=cmb_secret"), ["q"]);
  assert.throws(() => checkNames(new URLSearchParams("dat=2020-01-02"), ["q"]), /“dat=2020-01-02”/);
  assert.throws(() => checkNames(new URLSearchParams("q=1&q=2"), ["q"]), /“q” twice/);
});

test("a link to a chart is read, and written the same", () => {
  const state = read("pairs=gbp/usd,XAUCHF,GBp/EUR&start=2024-03-01&end=2024-03-28&log=1");
  assert.deepEqual(state.pairs.map(({ from, to }) => `${from}/${to}`), ["GBP/USD", "XAU/CHF", "GBp/EUR"]);
  assert.deepEqual(read(writeState(state).toString()), state);
  assert.deepEqual(read("from=eur&to=jpy").pairs, [{ from: "EUR", to: "JPY" }]);
  const gold = read("pairs=xau/eur,MATIC/USD&unit=gram&purity=750");
  assert.deepEqual([gold.pairs[1], gold.weight], [{ from: "MATIC", to: "USD" }, { unit: "gram", purity: "750" }]);
  assert.deepEqual(read(writeState(gold).toString()), gold);
  assert.equal(read("end=2026-11-27").end, TODAY, "the client's tomorrow is today");
});

test("what a chart does not understand of a link is said, and not left out", () => {
  const refused = {
    "pairs=EUR/USD,foo": /“foo”, which is no pair/, "pairs=EUR/EUR": /both sides are the same/, "pairs=AAA/BBB,AAB/BBB,AAC/BBB,AAD/BBB,AAE/BBB,AAF/BBB,AAG/BBB": /at most 6/,
    "from=EUR": /no pair/, "start=2024-13-01": /is no day/, "end=2026-11-28": /in the future/, "start=1969-12-31": /before 1970/,
    "start=2024-02-01&end=2024-01-01": /after the last day/, "percent=yes": /can be 0 or 1/, "date=2020-01-02": /does not understand/,
  };
  for (const [query, message] of Object.entries(refused)) assert.throws(() => read(query), message, query);
});

test("errors of the service are told without brackets, with the code that was meant", () => {
  const error = new ApiError(400, "unknown_currency", "Invalid/unsupported target currency: [RMB]; for [RMB] did you mean CNY (Chinese Yuan)?");
  assert.equal(error.message, "Invalid/unsupported target currency: RMB; for RMB did you mean CNY (Chinese Yuan)?");
  assert.deepEqual({ ...error.meant }, { wrong: "RMB", code: "CNY" });
  assert.equal(new ApiError(404, "no_rate", "No rate of [EUR] is known").meant, null);
});

test("a day without a fixing of its own says from when its value is", () => {
  const rates = { "2026-10-29": "1.1", "2026-10-30": "1.2", "2026-10-31": "1.2", "2026-11-01": "1.2", "2026-11-02": "1.25" };
  const line = makeLine("EUR/USD", rates, ["2026-10-31", "2026-11-01", "2026-11-02"]);
  assert.deepEqual([...line.xs].map((_, index) => fromWhen(line, index)), ["", "", "from 30 Oct", "from 30 Oct", "in part from before"]);
  assert.equal(fromWhen(makeLine("EUR/USD", rates, ["2026-10-29"]), 0), "from before");
  assert.equal(fromWhen(makeLine("EUR/USD", rates), 2), "");
});
