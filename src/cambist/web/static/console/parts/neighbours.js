/** The refused fixing beside its neighbours: what is compared, and where it is on the chart. Pure. */

import { linearTicks, logTicks, makeScale, tickLabel } from "../../lib/chart/scales.js";

const DAY = 86_400_000;
const EDGE = { top: 14, right: 14, bottom: 26 };
const LETTER = 7;
const LABEL = 84;

/** With values that lie further apart than this, a linear scale would show the others as one flat line. */
const FAR_APART = 3;

/** @typedef {{day: string, rate: number}} Point */

/**
 * Return the lines and points of the chart in pixels.
 *
 * @param {{fixing: {day: string}, rate: number, since: string, until: string, own: Point[],
 *   others: {source: string, points: Point[]}[], agreed: Point[]}} detail
 * @param {{width: number, height: number}} size
 */
export function layoutNeighbours(detail, { width, height }) {
  const all = [...detail.own, ...detail.agreed, ...detail.others.flatMap(({ points }) => points), { rate: detail.rate }];
  const rates = all.map(({ rate }) => rate).filter((rate) => rate > 0);
  const [low, high] = padded(Math.min(...rates), Math.max(...rates));
  const isLog = high / low > FAR_APART;
  const ticks = (isLog ? logTicks : linearTicks)(low, high, Math.max(2, Math.floor(height / 44)));
  const labels = ticks.values.map((value) => tickLabel(value, ticks.step));
  const left = 12 + LETTER * Math.max(1, ...labels.map((label) => label.length));
  const [first, final] = span(detail);
  const y = makeScale(low, high, height - EDGE.bottom, EDGE.top, isLog);
  const x = makeScale(Date.parse(first), Date.parse(final), left, width - EDGE.right);
  const place = ({ day, rate }) => ({ x: x.place(Date.parse(day)), y: y.place(rate), day, rate });
  return {
    left,
    isLog,
    ticks: ticks.values.map((value, index) => ({ y: y.place(value), label: labels[index] })),
    days: daysOf([first, detail.fixing.day, final], x, width),
    own: detail.own.map(place),
    agreed: pathOf(detail.agreed.map(place)),
    others: detail.others.map(({ source, points }) => ({ source, path: pathOf(points.map(place)), points: points.map(place) })),
    refused: place({ day: detail.fixing.day, rate: detail.rate }),
  };
}

function padded(low, high) {
  const margin = high > low ? (high / low) ** 0.08 : 1.02;
  return [low / margin, high * margin];
}

/** The first and the last day of which something is known. */
function span(detail) {
  const days = [...detail.own, ...detail.agreed, ...detail.others.flatMap(({ points }) => points)].map(({ day }) => day);
  const known = [...days, detail.fixing.day].sort();
  return known[0] === known[known.length - 1] ? [detail.since, detail.until] : [known[0], known[known.length - 1]];
}

/** The days below the chart that have room; the refused one is always among them. */
function daysOf([first, refused, final], x, width) {
  const place = (day) => Math.min(Math.max(x.place(Date.parse(day)), LABEL / 2), width - LABEL / 2);
  const shown = [first, refused, final].filter((day) => day === refused || Math.abs(place(day) - place(refused)) > LABEL);
  return [...new Set(shown)].map((day) => ({ day, x: place(day) }));
}

/** Return the path through points; a gap of more than ten days is left open. */
function pathOf(points) {
  let path = "";
  for (const [index, { x, y, day }] of points.entries()) {
    const gap = index === 0 || Date.parse(day) - Date.parse(points[index - 1].day) > 10 * DAY;
    path += `${gap ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return path;
}

/**
 * Return what the fixing is compared with: its source's own fixings before and after it, the agreed rate and the
 * other sources on its day (or the last day before), each with the difference in percent.
 *
 * @returns {{who: string, day: string, rate: number, difference: number}[]}
 */
export function comparisons(detail) {
  const { day } = detail.fixing;
  const before = last(detail.own.filter((point) => point.day < day));
  const after = detail.own.find((point) => point.day > day);
  const others = detail.others.map(({ source, points }) => [source, upTo(points, day)]);
  const found = [
    ["Same source, before", before],
    ["Same source, after", after],
    ["Agreed rate", upTo(detail.agreed, day)],
    ...others,
  ];
  return found
    .filter(([, point]) => point)
    .map(([who, point]) => ({ who, ...point, difference: 100 * (detail.rate / point.rate - 1) }));
}

function upTo(points, day) {
  return last(points.filter((point) => point.day <= day));
}

function last(points) {
  return points[points.length - 1];
}

/** Return a difference in percent, such as "+0.42 %", or as a factor where percent say nothing: "100 times". */
export function differenceText(percent) {
  const factor = 1 + percent / 100;
  if (factor >= 10) return `${Number(factor.toPrecision(3))} times`;
  if (factor <= 0.1) return `1/${Number((1 / factor).toPrecision(3))}`;
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(2)} %`;
}
