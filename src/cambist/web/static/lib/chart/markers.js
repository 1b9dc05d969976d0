/** Where the events of a chart stand, and which of their labels have room. No DOM. */

const LANES = 3;
const LANE_HEIGHT = 15;
const LETTER = 6.4;

/**
 * Return the visible events, in order. `lane` is the row of the label, or -1 if it has no room; then only the mark shows.
 * @param {import("./layout.js").ChartEvent[]} events @param {import("./layout.js").View} view
 * @param {import("./scales.js").Scale} x @param {{x: number, width: number}} plot
 */
export function placeMarkers(events, view, x, plot) {
  const ends = Array.from({ length: LANES }, () => -Infinity);
  const inside = events.filter((event) => event.x >= view.from && event.x <= view.to).sort((a, b) => a.x - b.x);
  return inside.map((event) => {
    const at = x.place(event.x);
    const room = event.label.length * LETTER + 8;
    // Near the right edge the label stands to the left of its mark.
    const isLeft = at + room > plot.x + plot.width;
    const start = isLeft ? at - room : at;
    const lane = start < plot.x ? -1 : ends.findIndex((end) => end <= start);
    if (lane >= 0) ends[lane] = start + room;
    return { ...event, at: Math.round(at * 10) / 10, lane, isLeft, labelY: 11 + Math.max(lane, 0) * LANE_HEIGHT };
  });
}
