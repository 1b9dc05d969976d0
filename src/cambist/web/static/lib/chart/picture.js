/** Drawing a layout as SVG: the only module of the chart that knows what a line looks like. */

import { svg } from "../dom.js";
import { number } from "../format.js";
import { t } from "../texts.js";

let count = 0;

/** The SVG of a chart. It is hidden from screen readers, which read the description and the table instead. */
export class Picture {
  constructor(height) {
    const id = `chart-clip-${(count += 1)}`;
    const group = (name, attributes = {}) => svg("g", { class: name, ...attributes });
    this.clip = svg("rect", {});
    this.grid = group("chart-grid-lines");
    this.gaps = group("chart-gaps", { "clip-path": `url(#${id})` });
    this.lines = group("chart-lines", { "clip-path": `url(#${id})` });
    this.markers = group("chart-markers");
    this.axes = group("chart-axes");
    this.cursor = group("chart-cursor");
    this.element = svg(
      "svg",
      { class: "chart-picture", "aria-hidden": "true", focusable: "false", height },
      svg("clipPath", { id }, this.clip),
      this.grid, this.gaps, this.lines, this.markers, this.axes, this.cursor,
    );
  }

  /** Draw a layout. @param {import("./layout.js").Layout} plan */
  draw(plan) {
    const { plot, size } = plan;
    setAll(this.element, { width: size.width, viewBox: `0 0 ${size.width} ${size.height}` });
    setAll(this.clip, { x: plot.x, y: plot.y - 2, width: plot.width, height: plot.height + 4 });
    this.grid.replaceChildren(...gridOf(plan));
    this.gaps.replaceChildren(...gapsOf(plan));
    this.lines.replaceChildren(...plan.series.flatMap(lineOf));
    this.markers.replaceChildren(...plan.markers.map((marker) => markerOf(marker, plot)));
    this.axes.replaceChildren(...axesOf(plan));
  }

  /**
   * Draw the crosshair at a day, with a dot on each line; without a day, none.
   * @param {import("./layout.js").Layout} plan @param {{x: number, values: {index: number, value: number}[]} | null} at
   * @param {string} text the day
   */
  drawCursor(plan, at, text) {
    if (!at) {
      this.cursor.replaceChildren();
      return;
    }
    const { plot } = plan;
    const x = plan.x.place(at.x);
    const dots = at.values.map((one, index) =>
      one.index < 0 ? null : svg("circle", { class: `chart-dot line-${(index % 6) + 1}`, r: 4, cx: x, cy: plan.y.place(one.value / plan.series[index].base) }),
    );
    const half = text.length * 3.6 + 8;
    const middle = Math.min(Math.max(x, half), plan.size.width - half);
    this.cursor.replaceChildren(
      svg("path", { class: "chart-crosshair", d: `M${x} ${plot.y}V${plot.y + plot.height}` }),
      ...dots.filter(Boolean),
      svg("rect", { class: "chart-flag", x: middle - half, y: plot.y + plot.height + 3, width: half * 2, height: 21, rx: 4 }),
      svg("text", { class: "chart-flag-text", x: middle, y: plot.y + plot.height + 18, "text-anchor": "middle" }, text),
    );
  }
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

function gridOf({ plot, x, y }) {
  const across = y.ticks.map((tick) => `M${plot.x} ${tick.y}H${plot.x + plot.width}`).join("");
  const along = (major) =>
    x.ticks.filter((tick) => tick.major === major).map((tick) => `M${tick.x} ${plot.y}V${plot.y + plot.height}`).join("");
  return [
    svg("path", { class: "chart-grid faint", d: along(false) }),
    svg("path", { class: "chart-grid", d: across + along(true) }),
  ];
}

/** A gap of one line alone is the break in it; a band says that there is no value at all. */
function gapsOf({ plot, series }) {
  if (series.length !== 1) return [];
  return series[0].gaps.map((gap) =>
    svg("rect", { class: "chart-gap", x: gap.start, y: plot.y, width: Math.max(gap.end - gap.start, 1), height: plot.height },
      svg("title", {}, t`No values`)),
  );
}

function lineOf(line, index) {
  const name = `line-${(index % 6) + 1}`;
  if (line.bars.length > 0) return [svg("g", { class: "chart-candles" }, ...line.bars.map(candleOf))];
  const drawn = svg("path", { class: `chart-line ${name}`, d: line.d });
  // What is carried is erased in dashes.
  return line.carried ? [drawn, svg("path", { class: "chart-carried", d: line.carried })] : [drawn];
}

function candleOf({ x, width, low, high, open, close, isUp }) {
  const [top, bottom] = [Math.min(open, close), Math.max(open, close)];
  return svg(
    "g",
    { class: isUp ? "chart-candle up" : "chart-candle down" },
    svg("path", { d: `M${x} ${high}V${low}` }),
    svg("rect", { x: x - width / 2, y: top, width, height: Math.max(bottom - top, 1) }),
  );
}

function markerOf(marker, plot) {
  const label = svg(
    "text",
    { class: "chart-marker-text", x: marker.at + (marker.isLeft ? -5 : 5), y: marker.labelY, "text-anchor": marker.isLeft ? "end" : "start" },
    marker.label,
  );
  const top = marker.lane < 0 ? plot.y - 6 : marker.labelY - 10;
  return svg(
    "g",
    { class: `chart-marker ${marker.kind}` },
    svg("path", { class: "chart-marker-line", d: `M${marker.at} ${top}V${plot.y + plot.height}` }),
    marker.lane < 0 ? null : label,
    svg("title", {}, marker.detail ?? marker.label),
  );
}

function axesOf({ plot, size, x, y }) {
  const base = plot.y + plot.height;
  const edge = ({ label }) => label.length * 3.5 + 2;
  return [
    ...y.ticks.map((tick) =>
      svg("text", { class: "chart-label", x: size.width, y: tick.y, dy: "0.32em", "text-anchor": "end" }, number(tick.label))),
    ...x.ticks
      .filter((tick) => tick.x - edge(tick) >= 0 && tick.x + edge(tick) <= size.width)
      .map((tick) => svg("text", { class: tick.major ? "chart-label major" : "chart-label", x: tick.x, y: base + 18, "text-anchor": "middle" }, tick.label)),
  ];
}
