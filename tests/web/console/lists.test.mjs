import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, dayText, slotsOf, slotText } from "./console/parts/activity.js";
import { connect } from "./console/parts/api.js";
import { dayBefore, dayLabel, withShares } from "./console/parts/calls.js";
import { lineCount, lineRange, withoutPlace } from "./console/parts/plan_text.js";
import { parseRoute, routeOf } from "./console/parts/routes.js";
import { hasAnswered, matches, sorted } from "./console/parts/source_list.js";

test("a route names a view and its parameters", () => {
  const { name, params } = parseRoute("#/account?name=a%2Bb%40c", "live");
  assert.equal(name, "account");
  assert.equal(params.get("name"), "a+b@c");
  assert.equal(routeOf("account", { name: "a+b@c", page: "" }), "#/account?name=a%2Bb%40c");
});

test("an unknown view is the overview, and so is one of the other environment", () => {
  assert.equal(parseRoute("#/nothing", "live").name, "overview");
  assert.equal(parseRoute("", "live").name, "overview");
  assert.equal(parseRoute("#/sandbox", "live").name, "overview");
  assert.equal(parseRoute("#/sandbox", "sandbox").name, "sandbox");
  assert.equal(parseRoute("#/disputes", "sandbox").name, "overview");
});

test("days cross months and leap years", () => {
  assert.equal(dayBefore("2024-03-01", 1), "2024-02-29");
  assert.equal(dayBefore("2026-01-01", 29), "2025-12-03");
  assert.equal(dayLabel("2026-11-07"), "7 Nov");
});

test("shares are of all calls, and so are their bars", () => {
  const [one, other] = withShares([{ calls: 3000 }, { calls: 1 }], 3001);
  assert.deepEqual([one.percent, one.total, other.percent, other.total], ["100.0 %", 3001, "< 0.1 %", 3001]);
  assert.equal(withShares([{ calls: 0 }], 0)[0].percent, "0.0 %");
});

test("a line of a text is found, and its end is the end of the text", () => {
  const text = "[one]\nrate = -5\n";
  assert.equal(text.slice(...lineRange(text, 2)), "rate = -5");
  assert.deepEqual(lineRange(text, 1), [0, 5]);
  assert.deepEqual(lineRange(text, 99), [text.length, text.length]);
  assert.equal(lineCount(text), 3);
});

test("an error at its line needs neither file nor line", () => {
  assert.equal(withoutPlace("/data/plans.toml, line 12: plan [one] has no tags"), "plan [one] has no tags");
  assert.equal(withoutPlace("/data/plans.toml: values are nested too deeply"), "values are nested too deeply");
  assert.equal(withoutPlace("rate of plan [one] is refused: [-5]"), "rate of plan [one] is refused: [-5]");
});

test("the sources that need an operator come first, the others keep their order", () => {
  const list = [["a", "fresh"], ["b", "off"], ["c", "failing"], ["d", "fresh"], ["e", "late"], ["f", "held"]];
  const keys = sorted(list.map(([key, condition]) => ({ key, condition }))).map(({ key }) => key);
  assert.deepEqual(keys, ["c", "e", "f", "a", "d", "b"]);
});

test("a source is found by each word of what describes it", () => {
  const source = { key: "ecb", name: "European Central Bank", covers: "30 currencies", condition: "fresh" };
  assert.ok(matches(source, "", "bank  ECB"));
  assert.ok(!matches(source, "", "bank canada"));
  assert.ok(!matches(source, "late", ""));
});

test("a source has answered only after it was asked", () => {
  const asked = "2026-11-22T22:00:00Z";
  assert.equal(hasAnswered({ last_success: "2026-11-22T21:59:59Z", last_failure: null }, asked), "");
  assert.equal(hasAnswered({ last_success: "2026-11-22T22:00:00.5Z", last_failure: null }, asked), "answered");
  assert.equal(hasAnswered({ last_success: "2026-11-22T21:00:00Z", last_failure: "2026-11-22T22:00:01Z" }, asked), "failed");
  assert.equal(hasAnswered({ last_success: "2026-11-22T22:00:02Z", last_failure: "2026-11-22T22:00:01Z" }, asked), "answered");
});

const COLUMNS = { polls: [4, 0, 0], answers: [2, 0, 900], failures: [1, 0, 0], mean_ms: [250, null, null], slowest_ms: [1500, 0, 0], held: [3, 0, 0] };
const STARTS = ["2026-11-20T10:00:00Z", "2026-11-20T10:30:00Z", "2026-11-20T11:00:00Z"];

test("a slot of a source is said in words", () => {
  const slots = slotsOf(STARTS, COLUMNS);
  assert.equal(slotText(slots[0]), "10:00 UTC: 4 requests, 1 failed, 250 ms on average, 1.5 s at most, 3 held");
  assert.equal(slotText(slots[1]), "10:30 UTC: nothing");
  assert.equal(slotText(slots[2]), "11:00 UTC: 900 answers heard, none failed");
  assert.equal(dayText(slots), "4 requests, 1 failed, 250 ms on average, 1.5 s at most, 3 held");
});

test("columns are parts of the busiest and the slowest slot, and their failed part is a part of them", () => {
  const [asked, empty, heard] = columnsOf(slotsOf(STARTS, COLUMNS));
  assert.equal(heard.height, 1);
  assert.ok(asked.height > 4 / 900 && asked.height < 1);
  assert.equal(asked.failed, asked.height / 4);
  assert.deepEqual([asked.latency, asked.held], [1, true]);
  assert.deepEqual(empty, { height: 0, failed: 0, latency: 0, held: false });
});

test("an answer that breaks off is no answer, and an error without a body is told by its status", async () => {
  const { get } = connect({ base: "", token: () => "", onEnded: () => {} });
  const answering = (ok, status, json) => { globalThis.fetch = async () => ({ ok, status, json }); };
  const broken = async () => { throw new SyntaxError("Unexpected end of JSON input"); };
  answering(true, 200, broken);
  await assert.rejects(get("/disputes"), /broke its answer off/);
  answering(false, 502, broken);
  await assert.rejects(get("/disputes"), /It answered 502/);
  answering(true, 200, async () => ({ disputes: [] }));
  assert.deepEqual(await get("/disputes"), { disputes: [] });
});
