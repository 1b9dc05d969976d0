import assert from "node:assert/strict";
import test from "node:test";

import { CorrectionStore, correctionEvents } from "./static/page/charts/corrections.js";
import { dayNumber, isoDay } from "./static/lib/chart/days.js";

const EARLIER = { value: "1.0712", nominal: 1, received_at: "2024-03-04T15:00:00Z" };
const CORRECTION = {
  date: "2024-03-04", source: "ecb", base: "EUR", quote: "USD", unit: "", earlier: EARLIER,
  corrected: { value: "1.0721", nominal: 1, received_at: "2024-03-05T08:00:00Z" },
};
const PAIRS = [{ from: "EUR", to: "USD" }, { from: "EUR", to: "JPY" }];

/** A shell that answers with `answer(params)`, and notes what it was asked. */
function shellWith(answer) {
  const asked = [];
  return { asked, get: async (path, params) => (asked.push([path, params]), answer(params)) };
}

test("a correction is an event of its day, with the digits of both values", () => {
  const [event] = correctionEvents([CORRECTION]);
  assert.equal(event.x, dayNumber("2024-03-04"));
  assert.equal(event.kind, "correction");
  assert.equal(event.label, "ECB corrected 1.0712 to 1.0721");
  assert.equal(event.text, "ECB corrected EUR/USD from 1.0712 to 1.0721");
  assert.equal(event.detail, "4 Mar 2024: ECB corrected EUR/USD from 1.0712 to 1.0721 (received on 5 Mar 2024)");
});

test("a value for many units says so, and a price by the gram too", () => {
  const [event] = correctionEvents([{ ...CORRECTION, unit: "gram", corrected: { ...CORRECTION.corrected, value: "107.21", nominal: 100 } }]);
  assert.equal(event.text, "ECB corrected EUR/USD by the gram from 1.0712 to 107.21 for 100");
});

test("a changed verdict says what is published instead, and since which delivery", () => {
  const verdict = {
    ...CORRECTION, kind: "verdict", base: "USD", quote: "NGN", cause: { source: "cbn", received_at: "2024-03-05T08:00:00Z" },
    earlier: { ...EARLIER, value: "1400", status: "held" }, corrected: { ...EARLIER, value: "2098", source: "boa" },
  };
  const [event] = correctionEvents([verdict]);
  assert.equal(event.text, "After a delivery of CBN, USD/NGN of the day changed: 1,400 (from the day before) → 2,098 (BOA)");
  const [taken] = correctionEvents([{ ...verdict, cause: { decision: true }, corrected: { ...EARLIER, status: "withdrawn" } }]);
  assert.equal(taken.text, "After a decision of the operator, USD/NGN of the day changed: 1,400 (from the day before) → withdrawn");
});

test("events are in order of the days, and a correction that two pairs share is one", () => {
  const older = { ...CORRECTION, date: "2024-03-01" };
  assert.deepEqual(correctionEvents([CORRECTION, older, { ...CORRECTION }]).map(({ x }) => isoDay(x)), ["2024-03-01", "2024-03-04"]);
});

test("each pair is asked about once, and the calls are counted", async () => {
  const shell = shellWith(({ to }) => ({ corrections: to === "USD" ? [CORRECTION] : [] }));
  const store = new CorrectionStore(shell);
  await store.load(PAIRS.slice(0, 1), undefined);
  await store.load(PAIRS, undefined);
  assert.deepEqual(shell.asked, [["/corrections", { from: "EUR", to: "USD" }], ["/corrections", { from: "EUR", to: "JPY" }]]);
  assert.equal(store.calls, 2);
  assert.deepEqual([store.events(PAIRS).length, store.events(PAIRS.slice(1)).length], [1, 0]);
});

test("a refusal leaves the chart without corrections, and is not repeated", async () => {
  const shell = shellWith(() => Promise.reject(new Error("The plan does not include it")));
  const store = new CorrectionStore(shell);
  await store.load(PAIRS, undefined);
  await store.load(PAIRS, undefined);
  assert.deepEqual([shell.asked.length, store.calls, store.events(PAIRS).length], [2, 0, 0]);
});
