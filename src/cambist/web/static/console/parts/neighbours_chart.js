/** The small chart of a refused fixing among its neighbours. */

import { drawToFit } from "../../lib/chart/fit.js";
import { h, svg } from "../../lib/dom.js";
import { layoutNeighbours } from "./neighbours.js";

const HEIGHT = 230;

/**
 * Return the chart with its legend. What it shows is also in the table below it, so it is hidden from screen readers.
 */
export function neighboursChart(detail) {
  const picture = svg("svg", { class: "neighbours", "aria-hidden": "true", focusable: "false", height: HEIGHT });
  const box = h("div", { class: "neighbours-box" }, picture);
  drawToFit(box, (width) => draw(picture, detail, width));
  return h("div", {}, box, legend(detail));
}

function draw(picture, detail, width) {
  const plan = layoutNeighbours(detail, { width, height: HEIGHT });
  const { x, y } = plan.refused;
  picture.setAttribute("width", String(width));
  picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  picture.replaceChildren(
    ...plan.ticks.map((tick) => svg("path", { class: "chart-grid", d: `M${plan.left} ${tick.y}H${width}` })),
    ...plan.ticks.map((tick) => svg("text", { class: "chart-label", x: plan.left - 8, y: tick.y, dy: "0.32em", "text-anchor": "end" }, tick.label)),
    ...plan.days.map((each) => svg("text", { class: "chart-label", x: each.x, y: HEIGHT - 6, "text-anchor": "middle" }, each.day)),
    svg("path", { class: "refused-day", d: `M${x} 8V${HEIGHT - 26}` }),
    ...plan.others.map((other) => svg("path", { class: "other-line", d: other.path }, svg("title", {}, other.source))),
    svg("path", { class: "agreed-line", d: plan.agreed }),
    ...plan.own.map((point) => dot(point, "own-point", 2.5)),
    svg("circle", { class: "refused-ring", cx: x, cy: y, r: 8 }),
    dot(plan.refused, "refused-point", 3.5),
  );
}

function dot({ x, y, day, rate }, name, radius) {
  return svg("circle", { class: name, cx: x, cy: y, r: radius }, svg("title", {}, `${day}: ${rate}`));
}

function legend(detail) {
  const entry = (name, text) => h("li", {}, h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), text);
  return h(
    "ul",
    { class: "legend" },
    entry("refused", "This fixing"),
    detail.own.length ? entry("own", `${detail.fixing.source}, accepted`) : null,
    detail.agreed.length ? entry("agreed", "Agreed rate") : null,
    detail.others.length ? entry("others", `Others: ${detail.others.map(({ source }) => source).join(", ")}`) : null,
  );
}
