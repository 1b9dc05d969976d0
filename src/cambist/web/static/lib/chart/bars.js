/** A bar chart of a few values in order, such as calls by day. */

import { h, svg } from "../dom.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { layoutBars } from "./bars_layout.js";
import { drawToFit } from "./fit.js";
import { linkStylesheet } from "./stylesheet.js";

/**
 * Return an element with one bar for each value; it fills the width of its parent. Screen readers read a list of the
 * values, and a pointer on a bar shows its label and value.
 * @param {import("./bars_layout.js").Bar[]} data `note` replaces "label: value" where it is read
 * @param {{label?: string, height?: number}} [options] `label` names the chart @returns {HTMLElement}
 */
export function bars(data, { label = t`Bar chart`, height = 180 } = {}) {
  linkStylesheet();
  const picture = svg("svg", { class: "chart-picture", "aria-hidden": "true", focusable: "false", height });
  const list = h("ul", { class: "chart-read", "aria-label": label }, ...data.map((bar) => h("li", {}, noteOf(bar))));
  const element = h("div", { class: "chart-bars" }, picture, list);
  drawToFit(element, (width) => draw(picture, data, { width, height }));
  return element;
}

function noteOf(bar) {
  return bar.note ?? `${bar.label}: ${number(String(bar.value))}`;
}

function draw(picture, data, size) {
  const plan = layoutBars(data, size);
  picture.setAttribute("width", String(size.width));
  picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  picture.replaceChildren(
    ...plan.ticks.map((tick) => svg("path", { class: "chart-grid", d: `M${plan.left} ${tick.y}H${size.width}` })),
    ...plan.ticks.map((tick) =>
      svg("text", { class: "chart-label", x: plan.left - 8, y: tick.y, dy: "0.32em", "text-anchor": "end" }, number(tick.label)),
    ),
    ...plan.bars.map((bar, index) => drawBar(bar, plan, data[index])),
    ...plan.labels.map((one) =>
      svg("text", { class: "chart-label", x: one.x, y: size.height - 6, "text-anchor": "middle" }, one.text),
    ),
  );
}

function drawBar(bar, plan, datum) {
  const { x, width, y, height } = bar;
  return svg(
    "g",
    { class: "chart-bar" },
    svg("rect", { class: "chart-bar-area", x, width, y: 0, height: plan.base }),
    svg("rect", { class: "chart-bar-value", x, width, y, height, rx: Math.min(2, width / 3) }),
    svg("title", {}, noteOf(datum)),
  );
}
