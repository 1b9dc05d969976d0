/**
 * What a chart shows, as numbers and paths: a pure function of data, view and size. No DOM.
 *
 * Days are numbers since 1970-01-01 UTC (see `days.js`); hours are fractions.
 */

import { decimate, lowerBound, runs } from "./columns.js";
import { timeTicks } from "./days.js";
import { placeMarkers } from "./markers.js";
import { linearTicks, logTicks, makeScale, tickLabel } from "./scales.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {ArrayLike<number>} xs days, ascending
 * @property {ArrayLike<number>} values
 * @property {ArrayLike<number>} [carried] 1 for a point that has the value of one before
 * @property {number} [step] the distance of two points without a gap, one day if left out
 * @property {{open: ArrayLike<number>, high: ArrayLike<number>, low: ArrayLike<number>}} [ranges] of bars; `values` are closes
 *
 * @typedef {{x: number, label: string, kind: string, detail?: string}} ChartEvent
 * @typedef {{series: Line[], events?: ChartEvent[]}} Data
 * @typedef {{from: number, to: number, log?: boolean, percent?: boolean}} View
 * @typedef {{width: number, height: number}} Size
 * @typedef {ReturnType<typeof layout>} Layout
 */

const TOP = 12;
const LANE = 15;
const BOTTOM = 26;
const LETTER = 7.2;
/** How much of the height stays free above and below the lines. */
const ROOM = 0.06;
/** Pixels from which a dashed stretch can be seen. */
const DASHED = 3;

/**
 * Return the plan of a chart: the area of the plot, scales, ticks, and for each line its path, gaps and extremes.
 * @param {Data} data @param {View} view @param {Size} size
 */
export function layout(data, view, size) {
  const lines = data.series.map((line) => visiblePart(line, view));
  const span = valueSpan(data.series, lines, view);
  const places = { x: 0, width: size.width - 60 };
  const lanes = placeMarkers(data.events ?? [], view, makeScale(view.from, view.to, 0, places.width), places);
  const top = TOP + LANE * (1 + Math.max(-1, ...lanes.map((marker) => marker.lane)));
  const isBare = data.series.length === 0;
  const ticks = isBare ? [] : valueTicks(span, view, Math.max(2, Math.floor((size.height - top - BOTTOM) / 52)));
  const right = 14 + LETTER * Math.max(4, ...ticks.map((tick) => tick.label.length + Math.floor(tick.label.length / 4)));
  const plot = { x: 0, y: top, width: Math.max(size.width - right, 20), height: Math.max(size.height - top - BOTTOM, 20) };
  const x = makeScale(view.from, view.to, plot.x, plot.x + plot.width);
  const y = makeScale(span.from, span.to, plot.y + plot.height, plot.y, isLog(view, span));
  return {
    plot,
    size,
    x: { ...x, ticks: (isBare ? [] : timeTicks(view.from, view.to, plot.width)).map((tick) => ({ ...tick, x: x.place(tick.at) })) },
    y: { ...y, ticks: ticks.map((tick) => ({ ...tick, y: y.place(tick.value) })) },
    series: data.series.map((line, index) => drawnLine(line, lines[index], x, y)),
    markers: placeMarkers(data.events ?? [], view, x, plot),
    isEmpty: lines.every((line) => line.past === line.first),
  };
}

/** Return the value that percentages count from: of the first visible day, `null` if none is visible. */
export function baseValue(line, view) {
  const first = lowerBound(line.xs, view.from);
  return first < line.xs.length && line.xs[first] <= view.to ? line.values[first] : null;
}

/** Return the change since a base, in percent. @param {number} value @param {number} base */
export function change(value, base) {
  return (value / base - 1) * 100;
}

/** The indices of the visible points, and what values are divided by. */
function visiblePart(line, view) {
  const first = lowerBound(line.xs, view.from);
  let past = lowerBound(line.xs, view.to);
  while (past < line.xs.length && line.xs[past] <= view.to) past += 1;
  return { first, past, base: view.percent ? (baseValue(line, view) ?? 1) : 1 };
}

/** The least and most of what is visible, in the unit of the value axis: prices, or multiples of the first one. */
function valueSpan(series, lines, view) {
  let [least, most] = [Infinity, -Infinity];
  lines.forEach(({ first, past, base }, place) => {
    const { values, ranges } = series[place];
    const [lows, highs] = [ranges?.low ?? values, ranges?.high ?? values];
    for (let index = first; index < past; index += 1) {
      const [low, high] = [lows[index] / base, highs[index] / base];
      if (low < least) least = low;
      if (high > most) most = high;
    }
  });
  return least > most ? { from: 0, to: 1, least: 0, most: 1 } : { ...withRoom(least, most, view), least, most };
}

function withRoom(least, most, view) {
  if (view.log && least > 0) {
    const room = least === most ? Math.log(1.01) : (Math.log(most) - Math.log(least)) * ROOM;
    return { from: Math.exp(Math.log(least) - room), to: Math.exp(Math.log(most) + room) };
  }
  const room = least === most ? Math.abs(least) * 0.01 || 1 : (most - least) * ROOM;
  return { from: least - room, to: most + room };
}

function isLog(view, span) {
  return Boolean(view.log) && span.from > 0;
}

function valueTicks(span, view, count) {
  const isLogarithmic = isLog(view, span);
  if (!view.percent) {
    const { values, step } = (isLogarithmic ? logTicks : linearTicks)(span.from, span.to, count);
    return values.map((value) => ({ value, label: tickLabel(value, step) }));
  }
  if (isLogarithmic && span.to / span.from >= 10) {
    const { values } = logTicks(span.from, span.to, count);
    return values.map((value) => ({ value, label: percentLabel((value - 1) * 100, 0) }));
  }
  const { values, step } = linearTicks((span.from - 1) * 100, (span.to - 1) * 100, count);
  return values.map((value) => ({ value: 1 + value / 100, label: percentLabel(value, step) }));
}

function percentLabel(value, step) {
  const rounded = Math.abs(value) < 1e-9 ? 0 : value;
  return `${rounded > 0 ? "+" : ""}${tickLabel(rounded, step).replace("-", "−")} %`;
}

function drawnLine(line, part, x, y) {
  const step = line.step ?? 1;
  // One point more on each side, so that the line reaches the edge of the plot; the drawing cuts it there.
  const [first, past] = [Math.max(part.first - 1, 0), Math.min(part.past + 1, line.xs.length)];
  const found = runs(line.xs, first, past, step);
  const isVisible = part.past > part.first;
  const extremes = isVisible ? extremesOf(line.values, part.first, part.past) : null;
  return {
    name: line.name,
    first: part.first,
    past: part.past,
    base: part.base,
    extremes,
    d: line.ranges ? "" : found.map(([start, end]) => pathOf(line, start, end, part.base, x, y)).join(""),
    carried: line.carried ? carriedPath(line, part, x, y) : "",
    bars: line.ranges ? barsOf(line, part, x, y, step) : [],
    gaps: found.slice(1).map(([start]) => gapBefore(line.xs, start, x)),
  };
}

function gapBefore(xs, index, x) {
  return { from: xs[index - 1], to: xs[index], start: x.place(xs[index - 1]), end: x.place(xs[index]) };
}

function extremesOf(values, first, past) {
  let [least, most] = [first, first];
  for (let index = first + 1; index < past; index += 1) {
    if (values[index] < values[least]) least = index;
    if (values[index] > values[most]) most = index;
  }
  return { least, most };
}

function pathOf(line, start, past, base, x, y) {
  const { xs, values } = line;
  const columnOf = (index) => Math.floor(x.place(xs[index]));
  const kept = decimate(values, start, past, columnOf);
  const parts = kept.map((index) => `${pixel(x.place(xs[index]))} ${pixel(y.place(values[index] / base))}`);
  // A point alone gets a line of no length: its round ends show it.
  return parts.length === 1 ? `M${parts[0]}h0` : `M${parts.join("L")}`;
}

/** The stretches that only carry on an earlier value; those narrower than three pixels cannot be told apart. */
function carriedPath({ xs, values, carried }, { first, past, base }, x, y) {
  const place = (index) => `${pixel(x.place(xs[index]))} ${pixel(y.place(values[index] / base))}`;
  let path = "";
  for (let index = Math.max(first, 1); index < past; index += 1) {
    if (!carried[index]) continue;
    const start = index - 1;
    while (index + 1 < past && carried[index + 1]) index += 1;
    if (x.place(xs[index]) - x.place(xs[start]) < DASHED) continue;
    path += `M${place(start)}${Array.from({ length: index - start }, (_, after) => `L${place(start + 1 + after)}`).join("")}`;
  }
  return path;
}

/** Bars as a range from low to high and a body from open to close; bars narrower than three pixels share a column. */
function barsOf(line, part, x, y, step) {
  const { xs, values, ranges } = line;
  const width = Math.abs(x.place(step) - x.place(0));
  const groups = groupByColumn(xs, part, x, width);
  return groups.map(([start, past]) => {
    let [low, high] = [Infinity, -Infinity];
    for (let index = start; index < past; index += 1) {
      low = Math.min(low, ranges.low[index] / part.base);
      high = Math.max(high, ranges.high[index] / part.base);
    }
    const [open, close] = [ranges.open[start] / part.base, values[past - 1] / part.base];
    return {
      x: pixel(x.place(xs[start])),
      width: Math.max(1, Math.min(width * 0.7, 14)),
      low: pixel(y.place(low)),
      high: pixel(y.place(high)),
      open: pixel(y.place(open)),
      close: pixel(y.place(close)),
      isUp: close >= open,
    };
  });
}

function groupByColumn(xs, part, x, width) {
  const groups = [];
  for (let index = part.first; index < part.past; index += 1) {
    const last = groups[groups.length - 1];
    const column = Math.floor(x.place(xs[index]) / 3);
    if (width < 3 && last && last.column === column) last.range[1] = index + 1;
    else groups.push({ column, range: [index, index + 1] });
  }
  return groups.map((group) => group.range);
}

function pixel(value) {
  return Math.round(value * 10) / 10;
}
