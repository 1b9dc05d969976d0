import assert from "node:assert/strict";
import test from "node:test";

import { markOf, verdictRows, verdictSentences } from "./static/page/parts/verdict_words.js";

const HELD = {
  status: "held", sentence: "what boa published is held, and the rate of before stands", pair: "USD/NGN", date: "2026-11-20",
  level: "1401", other: "2098", held_since: "2026-11-20", because: "boa: it jumps, and nobody else has published that day",
  settles: "one more original that says 2098, or the next publication of boa",
  fixings: [
    { source: "boa", rate: "2098", weight: 1, status: "held", distance: 49.75, because: "it jumps, and nobody else has published that day" },
    { source: "a venue", rate: "1401.5", weight: "0.7", status: "agreed", distance: "0.0357" },
    { source: "cbn", rate: "140100", weight: 1, status: "held", distance: 9900, because: "it is 100 times more, as if by a mistaken unit" },
    { source: "fmd", rate: "1401", weight: 0, status: "agreed", distance: 0 },
    { source: "new", rate: "1400", weight: 1, status: "early" },
  ],
};

test("a held rate says since when and why, and what would settle it", () => {
  assert.deepEqual(verdictSentences(HELD), [
    "What boa published is held, and the rate of before stands.",
    "Held since 20 November 2026: boa: it jumps, and nobody else has published that day.",
    "What would settle it: one more original that says 2098, or the next publication of boa.",
  ]);
  assert.deepEqual(markOf(HELD), { text: "Held", tone: "bad" });
});

test("where all agree there is one sentence", () => {
  assert.deepEqual(verdictSentences({ status: "agreed", sentence: "3 of 3 agree", pair: "USD/NGN", date: "2026-11-20" }), ["3 of 3 agree."]);
});

test("single and disputed are marked, and a status that is not known is shown as it is", () => {
  assert.deepEqual(["single", "disputed", "new"].map((status) => markOf({ status }).text), ["Single source", "Disputed", "new"]);
});

test("each fixing is a row with rate, weight, distance and reason", () => {
  assert.deepEqual(verdictRows(HELD).map((row) => [row.source, row.rate, row.weight, row.distance, row.isHeld]), [
    ["BOA", "2,098", "1", "+49.8 %", true],
    ["a venue", "1,401.5", "0.7", "+0.0357 %", false],
    ["CBN", "140,100", "1", "+9,900 %", true],
    ["FMD", "1,401", "0", "0 %", false],
    ["NEW", "1,400", "1", "–", false],
  ]);
  assert.equal(verdictRows(HELD)[0].found, "Held: it jumps, and nobody else has published that day");
  assert.equal(verdictRows(HELD)[1].found, "Agreed");
  assert.deepEqual(verdictRows({}), []);
});
