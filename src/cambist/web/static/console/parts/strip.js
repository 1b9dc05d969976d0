/** A strip of 48 columns: the last 24 hours of a source. */

import { svg } from "../../lib/dom.js";
import { columnsOf, dayText, slotText } from "./activity.js";

const WIDTH = 6;
const COUNTS = 20;
const LATENCY = 8;
const GAP = 2;
const HELD = 3;
const HEIGHT = COUNTS + GAP + LATENCY + GAP + HELD;

/** Draw slots: requests with those that failed, below them how long they took, below these whether fixings were held. */
export function strip(slots) {
  const text = `Last 24 hours: ${dayText(slots)}`;
  const columns = columnsOf(slots);
  const parts = columns.map((column, place) => columnOf(column, place, slots[place]));
  const width = slots.length * WIDTH;
  return svg("svg", { class: "strip", viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": text }, ...parts);
}

function columnOf({ height, failed, latency, held }, place, slot) {
  const x = place * WIDTH;
  const base = COUNTS + GAP + LATENCY;
  return svg(
    "g",
    {},
    svg("title", {}, slotText(slot)),
    box("strip-ground", x, 0, HEIGHT),
    box("strip-asked", x, COUNTS - COUNTS * height, COUNTS * (height - failed)),
    box("strip-failed", x, COUNTS - COUNTS * failed, COUNTS * failed),
    box("strip-latency", x, base - LATENCY * latency, LATENCY * latency),
    held ? box("strip-held", x, HEIGHT - HELD, HELD) : null,
  );
}

function box(kind, x, y, height) {
  if (height <= 0) return null;
  return svg("rect", { class: kind, x, y: y.toFixed(2), width: WIDTH - 1, height: height.toFixed(2) });
}
