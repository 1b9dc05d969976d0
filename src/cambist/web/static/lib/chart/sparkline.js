/** A sparkline: a small line without axes, beside a number that says the same. */

import { svg } from "../dom.js";
import { sparklinePath } from "./sparkline_path.js";
import { linkStylesheet } from "./stylesheet.js";

/**
 * Return an SVG element with the line of some points; a null is a gap. A point is a value, or [x, value].
 * With a `label` it is an image with that name, without one it is hidden from screen readers.
 * To show other points call `updateSparkline` on the element.
 * @param {(number | null | [number, number | null])[]} points
 * @param {{width?: number, height?: number, label?: string}} [options] @returns {SVGElement}
 */
export function sparkline(points, { width = 96, height = 28, label = "" } = {}) {
  linkStylesheet();
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const element = svg(
    "svg",
    { class: "sparkline", width, height, viewBox: `0 0 ${width} ${height}`, focusable: "false", ...named },
    svg("path", { class: "sparkline-line", d: "" }),
    svg("circle", { class: "sparkline-last" }),
  );
  updateSparkline(element, points);
  return element;
}

/**
 * Draw other points in a sparkline.
 * @param {SVGElement} element @param {(number | null | [number, number | null])[]} points
 */
export function updateSparkline(element, points) {
  const { d, last } = sparklinePath(points, Number(element.getAttribute("width")), Number(element.getAttribute("height")));
  const [line, dot] = element.children;
  line.setAttribute("d", d);
  dot.setAttribute("r", last ? "2" : "0"); // 0 draws nothing
  if (last) for (const axis of ["x", "y"]) dot.setAttribute(`c${axis}`, String(last[axis]));
}
