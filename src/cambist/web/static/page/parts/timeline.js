/** A small chart of who has data since when: a line for each source. */

import { h, svg } from "../../lib/dom.js";
import { timelineBars, yearOf } from "./coverage_rows.js";

const FIRST_YEAR = 1970;
const LINE = 4;

/** Return the year in which the timelines end. */
export function lastYear() {
  return yearOf(new Date().toISOString().slice(0, 10));
}

/**
 * Make the timeline of a code. It shows what the table of the sources says in words, so it is hidden from readers.
 * @param {import("./coverage_rows.js").Published[]} sources
 * @param {string} [marked] the key of a source to mark
 */
export function timeline(sources, marked = "") {
  const bars = timelineBars(sources, FIRST_YEAR, lastYear());
  const height = Math.max(bars.length * LINE, LINE);
  const path = (chosen) => bars.map((bar, place) => [bar, place]).filter(([bar]) => chosen(bar))
    .map(([bar, place]) => `M${(bar.start * 1000).toFixed(1)} ${place * LINE + LINE / 2}H${Math.max(bar.end * 1000, bar.start * 1000 + 3).toFixed(1)}`).join("");
  return svg("svg", { class: "timeline", viewBox: `0 0 1000 ${height}`, height, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    svg("path", { class: "ended", d: path((bar) => !bar.isCurrent && bar.key !== marked) }),
    svg("path", { class: "current", d: path((bar) => bar.isCurrent && bar.key !== marked) }),
    svg("path", { class: "marked", d: path((bar) => bar.key === marked) }));
}

/** Make the decades above timelines. */
export function timelineAxis() {
  const end = lastYear();
  const years = [];
  for (let year = FIRST_YEAR; year < end - 3; year += 10) years.push(year);
  return h("div", { class: "timeline-axis", "aria-hidden": "true" }, years.map((year) => {
    const tick = h("span", {}, String(year));
    tick.style.left = `${((year - FIRST_YEAR) / (end - FIRST_YEAR)) * 100}%`;
    return tick;
  }));
}
