/** A chart as a picture in a file: loaded when somebody asks for it. */

import { svg } from "../../lib/dom.js";

/** What of a style is drawn; a picture alone has no stylesheet. */
const STYLES = [
  "direction", "fill", "fill-opacity", "font-family", "font-size", "font-weight", "opacity", "stroke", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "stroke-width",
];
const PAD = 20;
const ROW = 20;
/** The least width of a file, in pixels; it has at least two for each of the screen's. */
const LEAST = 1400;

/**
 * Return a PNG of a chart as it is drawn now, in the colours of the page, with what is said above and below it.
 * @param {SVGElement} picture of the chart
 * @param {string[]} names of the lines, in their order
 * @param {string[]} above lines of text below the names @param {string[]} below lines of text
 * @returns {Promise<Blob>}
 */
export async function pngOf(picture, names, above, below) {
  const { width, height } = picture.getBoundingClientRect();
  const style = getComputedStyle(picture);
  const top = [...named(names, picture, width), ...above.flatMap((text) => wrapped(text, width))];
  const foot = below.flatMap((text) => wrapped(text, width));
  const start = PAD + top.length * ROW;
  const end = start + height + ROW;
  const size = { width: width + 2 * PAD, height: end + foot.length * ROW };
  const rows = (texts, y) => texts.map((text, place) => svg("text", { x: PAD, y: y + place * ROW }, text));
  const chart = copied(picture);
  for (const [name, value] of Object.entries({ x: PAD, y: start, width, height })) chart.setAttribute(name, String(value));
  const whole = svg(
    "svg",
    { ...size, viewBox: `0 0 ${size.width} ${size.height}`, "font-family": style.fontFamily, "font-size": 14, fill: style.color },
    svg("rect", { ...size, fill: getComputedStyle(picture.closest(".card")).backgroundColor }),
    rows(top, PAD + ROW / 4), chart, rows(foot, end),
  );
  return drawn(new XMLSerializer().serializeToString(whole), size);
}

async function drawn(text, { width, height }) {
  const scale = Math.max(2, LEAST / width);
  const image = new Image(Math.round(width * scale), Math.round(height * scale));
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, image.width, image.height);
  return new Promise((done, fail) => { canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("No PNG"))), "image/png"); });
}

/** Copy a picture with its styles as attributes. */
function copied(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((each) => [...each.querySelectorAll("*")]);
  from.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[place].setAttribute(name, style.getPropertyValue(name));
  });
  copy.querySelector(".chart-cursor").replaceChildren();
  return copy;
}

/** The names as parts of lines of text, each after a mark in the colour of its line. */
function named(names, picture, width) {
  const [rows, colours] = [[[]], [...picture.querySelectorAll(".chart-line")].map((line) => getComputedStyle(line).stroke)];
  let used = 0;
  names.forEach((name, place) => {
    const room = 20 + name.length * 11;
    if (used && used + room > width) [rows[rows.length], used] = [[], 0];
    used += room;
    if (colours.length > 1) rows.at(-1).push(svg("tspan", { fill: colours[place], "font-weight": 700 }, "━ "));
    rows.at(-1).push(svg("tspan", { "font-weight": 650 }, `${name}\u2003`));
  });
  return rows;
}

function wrapped(text, width) {
  const rows = [""];
  for (const word of text.split(" ")) {
    if (rows.at(-1) && (rows.at(-1).length + word.length) * 7.4 > width) rows.push("");
    rows[rows.length - 1] += `${rows.at(-1) && " "}${word}`;
  }
  return rows;
}
