import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisons, differenceText, layoutNeighbours } from "./console/parts/neighbours.js";

const SIZE = { width: 600, height: 230 };
const detail = (rate) => ({
  fixing: { day: "2026-11-19", source: "ecb" },
  rate,
  since: "2026-09-20",
  until: "2026-12-19",
  own: [{ day: "2026-11-18", rate: 1.08 }, { day: "2026-11-20", rate: 1.09 }],
  others: [{ source: "boe", points: [{ day: "2026-10-01", rate: 1.07 }, { day: "2026-11-17", rate: 1.081 }] }],
  agreed: [{ day: "2026-11-19", rate: 1.0845 }],
});

test("a fixing is compared with its own neighbours, the agreed rate and the others", () => {
  const found = comparisons(detail(1.62));
  assert.deepEqual(found.map(({ who, day }) => [who, day]), [
    ["Same source, before", "2026-11-18"],
    ["Same source, after", "2026-11-20"],
    ["Agreed rate", "2026-11-19"],
    ["boe", "2026-11-17"],
  ]);
  assert.ok(Math.abs(found[0].difference - 50) < 1e-9);
});

test("what is missing is not compared with", () => {
  assert.deepEqual(comparisons({ ...detail(1.62), own: [], agreed: [], others: [] }), []);
});

test("differences are percent, and factors where percent say nothing", () => {
  assert.deepEqual([0.424, -48.6, 0, 9900, -99].map(differenceText), ["+0.42 %", "−48.60 %", "0.00 %", "100 times", "1/100"]);
});

test("all points lie within the chart, and later days to the right", () => {
  const plan = layoutNeighbours(detail(1.62), SIZE);
  for (const { x, y } of [...plan.own, plan.refused, ...plan.others[0].points]) {
    assert.ok(x >= plan.left && x <= SIZE.width, `x ${x}`);
    assert.ok(y >= 0 && y <= SIZE.height, `y ${y}`);
  }
  assert.ok(plan.own[0].x < plan.refused.x && plan.refused.x < plan.own[1].x);
  assert.ok(plan.refused.y < plan.own[0].y);
  assert.equal(plan.isLog, false);
});

test("a fixing that is a hundred times too large has a logarithmic chart", () => {
  const plan = layoutNeighbours(detail(108.4), SIZE);
  assert.equal(plan.isLog, true);
  assert.ok(plan.ticks.length >= 2);
});

test("days that have no room are left out, the refused one never", () => {
  const days = layoutNeighbours(detail(1.62), SIZE).days.map(({ day }) => day);
  assert.ok(days.includes("2026-11-19") && !days.includes("2026-11-20"));
});

test("a gap of more than ten days stays open", () => {
  const path = layoutNeighbours(detail(1.62), SIZE).others[0].path;
  assert.equal(path.match(/M/g).length, 2);
});

test("a fixing with nothing beside it can be drawn", () => {
  const plan = layoutNeighbours({ ...detail(1.62), own: [], agreed: [], others: [] }, SIZE);
  assert.ok(Number.isFinite(plan.refused.x) && Number.isFinite(plan.refused.y));
});
