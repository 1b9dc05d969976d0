import assert from "node:assert/strict";
import { test } from "node:test";
import { readout, step } from "./static/lib/chart/readout.js";
import { keepWithin, pan, SHORTEST, zoom } from "./static/lib/chart/view.js";

const LIMITS = { from: 0, to: 1000 };

test("panning keeps the length and stops at the first and last day", () => {
  assert.deepEqual(pan({ from: 100, to: 200 }, 0.5, LIMITS), { from: 150, to: 250 });
  assert.deepEqual(pan({ from: 100, to: 200 }, -5, LIMITS), { from: 0, to: 100 });
  assert.deepEqual(pan({ from: 100, to: 200 }, 50, LIMITS), { from: 900, to: 1000 });
});

test("zooming keeps the day under the pointer where it is", () => {
  const near = zoom({ from: 100, to: 300 }, 0.5, 0.25, LIMITS);
  assert.deepEqual(near, { from: 125, to: 225 });
  assert.equal(near.from + (near.to - near.from) * 0.25, 150);
});

test("zooming ends at all days and at the shortest stretch", () => {
  assert.deepEqual(zoom({ from: 100, to: 300 }, 100, 0.5, LIMITS), { from: 0, to: 1000 });
  const near = zoom({ from: 100, to: 108 }, 0.001, 0.5, LIMITS);
  assert.equal(near.to - near.from, SHORTEST);
  assert.equal((near.from + near.to) / 2, 104);
});

test("a view keeps what else it says", () => {
  assert.deepEqual(keepWithin({ from: -50, to: 20, log: true }, LIMITS), { from: 0, to: 70, log: true });
});

test("a view longer than all days is all days", () => {
  assert.deepEqual(keepWithin({ from: -500, to: 5000 }, LIMITS), { from: 0, to: 1000 });
});

const DATA = {
  series: [
    { name: "A", xs: [1, 2, 3, 8], values: [10, 11, 12, 20] },
    { name: "B", xs: [2, 3, 4], values: [200, 100, 50] },
  ],
};
const VIEW = { from: 1, to: 8 };

test("the readout has each line's value on one day, and none for a line without it", () => {
  const at = readout(DATA, VIEW, 3.2);
  assert.equal(at.x, 3);
  assert.deepEqual(at.values.map((one) => one.value), [12, 100]);
  assert.deepEqual(at.values.map((one) => Math.round(one.change)), [20, -50]);
  const alone = readout(DATA, VIEW, 7);
  assert.equal(alone.x, 8);
  assert.equal(alone.values[1].index, -1);
});

test("the readout stays in the view", () => {
  assert.equal(readout(DATA, { from: 2, to: 4 }, 100).x, 4);
  assert.equal(readout(DATA, { from: 5, to: 7 }, 6), null);
});

test("steps go from day to day over gaps and stop in view", () => {
  const days = [];
  for (let x = 1; !days.includes(x); x = step(DATA, VIEW, x, 1)) days.push(x);
  assert.deepEqual(days, [1, 2, 3, 4, 8]);
  assert.equal(step(DATA, VIEW, 8, -1), 4);
  assert.equal(step(DATA, VIEW, 1, -1), 1);
  assert.equal(step(DATA, { from: 1, to: 3 }, 3, 1), 3);
});
