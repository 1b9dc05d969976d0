/** The geometry of a bar chart. No DOM. */

import { linearTicks, makeScale, tickLabel } from "./scales.js";

/** @typedef {{label: string, value: number, note?: string}} Bar */

const AXIS = 24;
const TOP = 10;
const LETTER = 7;

/**
 * Return the bars, the ticks of the values and the labels below that have room.
 * @param {Bar[]} data @param {{width: number, height: number}} size
 */
export function layoutBars(data, { width, height }) {
  const most = Math.max(0, ...data.map((bar) => bar.value));
  const ticks = linearTicks(0, most || 1, Math.max(2, Math.floor(height / 56)));
  const texts = ticks.values.map((value) => tickLabel(value, ticks.step));
  const margin = 12 + LETTER * Math.max(...texts.map((text) => text.length + Math.floor((text.length - 1) / 3)));
  const y = makeScale(0, Math.max(most, ticks.values[ticks.values.length - 1]) || 1, height - AXIS, TOP);
  const across = Math.max(width - margin, 1) / Math.max(data.length, 1);
  const gap = Math.min(across * 0.25, 6);
  const longest = Math.max(1, ...data.map((bar) => bar.label.length)) * LETTER + 12;
  const every = Math.max(1, Math.ceil(longest / across));
  return {
    base: height - AXIS,
    left: margin,
    ticks: ticks.values.map((value, index) => ({ value, y: y.place(value), label: texts[index] })),
    bars: data.map((bar, index) => ({
      x: margin + index * across + gap / 2,
      width: Math.max(across - gap, 1),
      y: Math.min(y.place(bar.value), height - AXIS),
      height: Math.max(height - AXIS - y.place(bar.value), 0),
    })),
    // Counted from the newest, so that the last day always has its label.
    labels: data
      .map((bar, index) => ({ text: bar.label, x: margin + (index + 0.5) * across, index }))
      .filter(({ index }) => (data.length - 1 - index) % every === 0)
      .map((one) => ({ ...one, x: Math.min(Math.max(one.x, one.text.length * 3.5), width - one.text.length * 3.5) })),
  };
}
