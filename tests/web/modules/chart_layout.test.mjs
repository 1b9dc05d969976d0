import assert from "node:assert/strict";
import { test } from "node:test";
import { decimate, lowerBound, nearest, runs } from "./static/lib/chart/columns.js";
import { addMonths, dayNumber, isoDay, timeTicks } from "./static/lib/chart/days.js";
import { layout } from "./static/lib/chart/layout.js";
import { linearTicks, logTicks, makeScale, tickLabel } from "./static/lib/chart/scales.js";

const SIZE = { width: 800, height: 400 };
const START = dayNumber("1999-01-04");

function line(values, first = START) {
  return { name: "EUR/USD", xs: values.map((_, index) => first + index), values };
}

/** Prices that move like prices, the same in every run. */
function walk(count) {
  let [seed, value] = [7, 1];
  return Array.from({ length: count }, () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    value *= 1 + (seed / 2147483648 - 0.5) * 0.02;
    return value;
  });
}

function points(d) {
  return [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

test("each drawn point of a short line lies at its day and its value", () => {
  const one = line([1.1, 1.3, 1.2, 1.25]);
  const plan = layout({ series: [one] }, { from: START, to: START + 3 }, SIZE);
  const drawn = points(plan.series[0].d);
  assert.equal(drawn.length, 4);
  drawn.forEach(([x, y], index) => {
    assert.ok(Math.abs(plan.x.value(x) - one.xs[index]) < 0.01);
    assert.ok(Math.abs(plan.y.value(y) - one.values[index]) < 0.001);
  });
});

test("what is carried on is a path of its own, from the value before, unless it is too narrow to be seen", () => {
  const one = { ...line([1.1, 1.2, 1.2, 1.2, 1.3, 1.3]), carried: [1, 0, 1, 1, 0, 1] };
  const [drawn] = layout({ series: [one] }, { from: START, to: START + 5 }, SIZE).series;
  const stretches = drawn.carried.split("M").slice(1).map((stretch) => points(`M${stretch}`));
  const all = points(drawn.d);
  assert.deepEqual(stretches, [all.slice(1, 4), all.slice(4, 6)]);
  assert.equal(layout({ series: [one] }, { from: START - 5000, to: START + 5000 }, SIZE).series[0].carried, "");
  assert.equal(layout({ series: [line([1, 2])] }, { from: START, to: START + 1 }, SIZE).series[0].carried, "");
});

test("decimation keeps the least and the most of each pixel column, and the first and last", () => {
  const values = walk(10_000);
  const columnOf = (index) => Math.floor(index / 13);
  const kept = new Set(decimate(values, 0, values.length, columnOf));
  assert.ok(kept.size <= Math.ceil(10_000 / 13) * 4);
  for (let start = 0; start < values.length; start += 13) {
    const column = values.slice(start, start + 13);
    const of = (value) => start + column.indexOf(value);
    for (const index of [start, Math.min(start + 12, 9999), of(Math.min(...column)), of(Math.max(...column))]) {
      assert.ok(kept.has(index), `${index} is missing`);
    }
  }
});

test("decimation keeps the order of the points", () => {
  const values = walk(5_000);
  const kept = decimate(values, 100, 4_900, (index) => Math.floor(index / 50));
  assert.deepEqual(kept, [...kept].sort((a, b) => a - b));
  assert.equal(kept[0], 100);
  assert.equal(kept.at(-1), 4_899);
});

test("a line of twenty thousand days shows its highest and its lowest value", () => {
  const values = walk(20_000);
  values[7_777] = 90;
  values[13_131] = 0.001;
  const one = line(values, 0);
  const plan = layout({ series: [one] }, { from: 0, to: 20_000 }, SIZE);
  const ys = points(plan.series[0].d).map(([, y]) => y);
  assert.ok(Math.abs(Math.min(...ys) - plan.y.place(90)) < 0.06);
  assert.ok(Math.abs(Math.max(...ys) - plan.y.place(0.001)) < 0.06);
  assert.ok(ys.length <= (plan.plot.width + 2) * 4);
});

test("a gap ends the line and begins another", () => {
  const one = { name: "A", xs: [0, 1, 2, 9, 10, 20], values: [1, 2, 3, 4, 5, 6] };
  const { gaps, d } = layout({ series: [one] }, { from: 0, to: 20 }, SIZE).series[0];
  assert.deepEqual(gaps.map(({ from, to }) => [from, to]), [[2, 9], [10, 20]]);
  assert.equal(d.split("M").length - 1, 3);
  assert.match(d, /h0$/);
});

test("hours without a gap are one run", () => {
  const xs = Array.from({ length: 48 }, (_, index) => 20_000 + index / 24);
  assert.deepEqual(runs(xs, 0, 48, 1 / 24), [[0, 48]]);
  assert.equal(runs(xs.filter((_, index) => index !== 20), 0, 47, 1 / 24).length, 2);
});

test("a log scale gives equal ratios equal distances", () => {
  const plan = layout({ series: [line([1, 10, 100, 1000])] }, { from: START, to: START + 3, log: true }, SIZE);
  const ys = points(plan.series[0].d).map(([, y]) => y);
  const steps = ys.slice(1).map((y, index) => ys[index] - y);
  steps.forEach((one) => assert.ok(Math.abs(one - steps[0]) < 0.11));
});

test("without log equal differences have equal distances", () => {
  const plan = layout({ series: [line([1, 2, 3, 4])] }, { from: START, to: START + 3 }, SIZE);
  const ys = points(plan.series[0].d).map(([, y]) => y);
  const steps = ys.slice(1).map((y, index) => ys[index] - y);
  steps.forEach((one) => assert.ok(Math.abs(one - steps[0]) < 0.11));
});

test("a line with a zero is not drawn on a log scale", () => {
  const plan = layout({ series: [line([0, 1, 2])] }, { from: START, to: START + 2, log: true }, SIZE);
  assert.doesNotMatch(plan.series[0].d, /NaN|Infinity/);
});

test("percent counts each line from its first visible day", () => {
  const series = [line([5, 1, 2, 3]), line([70, 100, 150, 50])];
  const view = { from: START + 1, to: START + 3, percent: true };
  const plan = layout({ series }, view, SIZE);
  assert.deepEqual(plan.series.map((one) => one.base), [1, 100]);
  const [first, second] = plan.series.map((one) => points(one.d));
  assert.ok(Math.abs(plan.y.value(first[2][1]) - 2) < 0.01);
  assert.ok(Math.abs(plan.y.value(second[2][1]) - 1.5) < 0.01);
  assert.ok(Math.abs(plan.y.value(second[3][1]) - 0.5) < 0.01);
});

test("percent ticks show the change, with zero", () => {
  const plan = layout({ series: [line([100, 120, 90])] }, { from: START, to: START + 2, percent: true }, SIZE);
  const labels = plan.y.ticks.map((tick) => tick.label);
  assert.ok(labels.includes("0 %"));
  assert.ok(labels.includes("+10 %"));
  assert.ok(labels.includes("−10 %"));
});

test("only visible values decide the scale", () => {
  const plan = layout({ series: [line([1000, 1, 2, 3, 1000])] }, { from: START + 1, to: START + 3 }, SIZE);
  assert.ok(plan.y.to < 4);
});

test("a chart without visible days says so", () => {
  const plan = layout({ series: [line([1, 2])] }, { from: START + 50, to: START + 60 }, SIZE);
  assert.equal(plan.isEmpty, true);
  assert.equal(plan.series[0].extremes, null);
});

test("a constant line lies in the middle", () => {
  const plan = layout({ series: [line([3.6725, 3.6725])] }, { from: START, to: START + 1 }, SIZE);
  const [[, y]] = points(plan.series[0].d);
  assert.ok(Math.abs(y - (plan.plot.y + plan.plot.height / 2)) < 1);
});

test("bars have the range and the body of their prices, and share a column when narrow", () => {
  const wide = { ...line([2, 3]), ranges: { open: [1, 4], high: [5, 6], low: [0.5, 2] } };
  const plan = layout({ series: [wide] }, { from: START - 1, to: START + 2 }, SIZE);
  const [first, second] = plan.series[0].bars;
  assert.deepEqual([first.isUp, second.isUp], [true, false]);
  assert.ok(Math.abs(plan.y.value(first.high) - 5) < 0.02 && Math.abs(plan.y.value(second.low) - 2) < 0.02);

  const count = 5_000;
  const closes = walk(count);
  const ranges = { open: closes, high: closes.map((one) => one + 1), low: closes.map((one) => one - 0.1) };
  const narrow = layout({ series: [{ ...line(closes), ranges }] }, { from: START, to: START + count }, SIZE);
  assert.ok(narrow.series[0].bars.length < 300);
  const highest = Math.min(...narrow.series[0].bars.map((bar) => bar.high));
  assert.ok(Math.abs(highest - narrow.y.place(Math.max(...ranges.high))) < 0.06);
});

test("events in view are marked; labels that would overlap are left out", () => {
  const events = [10, 10.1, 10.2, 10.3, 90, 200].map((x) => ({ x: START + x, label: "peg to USD", kind: "peg" }));
  const plan = layout({ series: [line(walk(100))], events }, { from: START, to: START + 99 }, SIZE);
  assert.deepEqual(plan.markers.map((one) => one.lane), [0, 1, 2, -1, 0]);
  assert.ok(plan.markers.every((one) => Math.abs(plan.x.value(one.at) - one.x) < 0.02));
});

test("time ticks are years, months, days or hours, and have room", () => {
  const ticks = timeTicks(dayNumber("1970-01-01"), dayNumber("2026-01-01"), 900);
  assert.deepEqual(ticks.slice(0, 3).map((tick) => tick.label), ["1970", "1980", "1990"]);
  const months = timeTicks(dayNumber("2024-10-15"), dayNumber("2025-04-20"), 700);
  assert.deepEqual(months.map((tick) => tick.label), ["Nov 2024", "Dec", "2025", "Feb", "Mar", "Apr"]);
  const days = timeTicks(dayNumber("2024-02-26"), dayNumber("2024-03-05"), 800);
  assert.ok(days.some((tick) => tick.label === "29 Feb"));
  const hours = timeTicks(dayNumber("2024-02-26"), dayNumber("2024-02-27"), 800);
  assert.ok(hours.some((tick) => tick.label === "12:00"));
  for (const width of [300, 640, 1400]) {
    for (let length = 6; length < 21_000; length *= 1.7) {
      const places = timeTicks(10_000, 10_000 + length, width).map((tick) => ((tick.at - 10_000) / length) * width);
      places.slice(1).forEach((place, index) => assert.ok(place - places[index] > 50, `${width} ${length}`));
    }
  }
});

test("days and their numbers", () => {
  assert.equal(dayNumber("1970-01-01"), 0);
  assert.equal(isoDay(dayNumber("2024-02-29")), "2024-02-29");
  assert.equal(isoDay(addMonths(dayNumber("2024-03-31"), -1)), "2024-02-29");
  assert.equal(isoDay(addMonths(dayNumber("2024-01-15"), -12)), "2023-01-15");
});

test("value ticks are round, and their labels tell them apart", () => {
  assert.deepEqual(linearTicks(0, 100, 5).values, [0, 20, 40, 60, 80, 100]);
  for (const [from, to] of [[1.0801, 1.0849], [0.00001, 0.00009], [151, 160], [1e8, 3e8], [1e11, 1.00002e11], [-40, 30]]) {
    const { values, step } = linearTicks(from, to, 6);
    const labels = values.map((value) => tickLabel(value, step));
    assert.ok(values.length >= 2 && values.length <= 7);
    assert.equal(new Set(labels).size, labels.length, String(labels));
  }
  assert.deepEqual(logTicks(0.5, 2000, 5).values, [1, 10, 100, 1000]);
  assert.equal(tickLabel(1e8, 0), "10⁸");
  assert.equal(tickLabel(2.5e-7, 5e-8), "2.5×10⁻⁷");
});

test("a scale and its inverse agree", () => {
  for (const log of [false, true]) {
    const scale = makeScale(2, 50, 300, 0, log);
    for (const value of [2, 7, 50]) assert.ok(Math.abs(scale.value(scale.place(value)) - value) < 1e-9);
  }
});

test("nearest and lower bound", () => {
  const xs = [1, 4, 6];
  assert.deepEqual([0, 1, 2, 4.5, 7].map((x) => lowerBound(xs, x)), [0, 0, 1, 2, 3]);
  assert.deepEqual([0, 2, 3, 5.5, 9].map((x) => nearest(xs, x)), [0, 0, 1, 2, 2]);
  assert.equal(nearest([], 3), -1);
});
