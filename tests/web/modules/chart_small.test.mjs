import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutBars } from "./static/lib/chart/bars_layout.js";
import { sparklinePath } from "./static/lib/chart/sparkline_path.js";

test("a sparkline goes from the left to the right and from the least to the most", () => {
  const { d, last } = sparklinePath([3, 1, 5], 100, 30, 2);
  assert.equal(d, "M2 15h0L50 28L98 2");
  assert.deepEqual(last, { x: 98, y: 2 });
});

test("a sparkline breaks at a null", () => {
  assert.equal(sparklinePath([1, null, 2], 100, 30).d.split("M").length - 1, 2);
});

test("a sparkline places points by their x", () => {
  assert.match(sparklinePath([[0, 1], [90, 2], [100, 3]], 100, 30, 0).d, /L90 /);
});

test("sparklines of nothing, of one and of equal values are drawn without errors", () => {
  assert.deepEqual(sparklinePath([], 96, 28), { d: "", last: null });
  assert.deepEqual(sparklinePath([null], 96, 28), { d: "", last: null });
  assert.equal(sparklinePath([4], 96, 28).d, "M2 14h0");
  assert.equal(sparklinePath([4, 4], 96, 28).d, "M2 14h0L94 14");
});

test("bars are as high as their values", () => {
  const data = [10, 20, 0, 40].map((value, index) => ({ label: `day ${index}`, value }));
  const { bars, base } = layoutBars(data, { width: 400, height: 200 });
  assert.ok(Math.abs(bars[1].height / bars[0].height - 2) < 1e-9);
  assert.ok(Math.abs(bars[3].height / bars[0].height - 4) < 1e-9);
  assert.equal(bars[2].height, 0);
  bars.forEach((bar) => assert.ok(Math.abs(bar.y + bar.height - base) < 1e-9));
});

test("labels below bars keep apart, and the last one has its own", () => {
  const data = Array.from({ length: 90 }, (_, index) => ({ label: `2026-11-${index}`, value: index }));
  const { labels } = layoutBars(data, { width: 500, height: 200 });
  assert.ok(labels.length >= 2);
  assert.equal(labels.at(-1).index, 89);
  labels.slice(1, -1).forEach((one, index) => assert.ok(one.x - labels[index].x > 60));
});

test("a bar chart of nothing and of zeros has an axis", () => {
  assert.deepEqual(layoutBars([], { width: 300, height: 100 }).bars, []);
  const { ticks, bars } = layoutBars([{ label: "a", value: 0 }], { width: 300, height: 100 });
  assert.ok(ticks.length >= 2);
  assert.equal(bars[0].height, 0);
});
