/** The controls of the charts views. */

import { assetPicker } from "../../lib/asset_picker.js";
import { isoDay } from "../../lib/chart/days.js";
import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { PRESETS, readDay } from "./state.js";
import { chartTabs } from "./tabs.js";

const KINDS = ["currency", "metal", "retired"];

/** Return the height of a chart that ends on the screen, below its controls and a row for each line. @param {number} [lines] */
export function chartHeight(lines = 1) {
  return innerWidth >= 600 ? Math.min(Math.max(innerHeight - 447 - lines * 33, 320), 560) : 340;
}

/** Return the first row: the title, the kinds of charts, and buttons. @param {"charts" | "bars"} current @param {...HTMLElement} buttons */
export function chartHead(current, ...buttons) {
  return h("div", { class: "row chart-head" }, h("h1", {}, t`Charts`), chartTabs(current), h("div", { class: "row head-buttons" }, buttons));
}

/** Return a button that saves or copies something. @param {string} text @param {string} label what it does @param {() => void} onclick */
export function headButton(text, label, onclick) {
  return h("button", { class: "button quiet small", type: "button", "aria-label": label, title: label, onclick }, text);
}

/**
 * Return controls: what is always there, and what a phone shows only when a button is pressed.
 * @param {HTMLElement} always @param {string} label of the button @param {...HTMLElement} more
 */
export function chartControls(always, label, ...more) {
  const unfold = () => button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
  const button = h("button", { class: "button quiet small unfold", type: "button", "aria-expanded": "false", onclick: unfold }, label);
  return h("div", { class: "chart-controls" }, always, button, h("div", { class: "chart-fields" }, more));
}

/** Return what covers a chart while it is loading. */
export function loading() {
  return [h("span", { class: "spinner" }), t`Loading…`];
}

/** Return the form that adds a pair. @param {(pair: {from: string, to: string}) => void} onadd */
export function pairForm(onadd) {
  const from = assetPicker({ label: t`From`, value: "EUR", kinds: KINDS });
  const to = assetPicker({ label: t`To`, value: "USD", kinds: KINDS });
  const submit = (event) => {
    event.preventDefault();
    onadd({ from: from.value, to: to.value });
  };
  return h("form", { class: "pair-form", "aria-label": t`Add a pair`, onsubmit: submit },
    from, to, h("button", { class: "button", type: "submit" }, t`Add pair`));
}

/** The stretch: presets, `choice`, and `dates`. */
export class StretchControls {
  /** @param {number} today @param {(months: number) => void} onpreset @param {(stretch: {from?: number, to?: number}) => void} ondates */
  constructor(today, onpreset, ondates) {
    this.presets = PRESETS.map(([label, months]) =>
      h("button", { class: "preset", type: "button", "aria-pressed": "false", onclick: () => onpreset(months) }, label));
    const date = (label, name) => {
      const input = h("input", { class: "input date", type: "date", "aria-label": label, min: "1970-01-01", max: isoDay(today) });
      input.addEventListener("change", () => {
        const day = readDay(input.value);
        if (day !== null) ondates({ [name]: day });
      });
      return input;
    };
    [this.start, this.end] = [date(t`First day`, "from"), date(t`Last day`, "to")];
    this.choice = h("div", { class: "presets", role: "group", "aria-label": t`Stretch` }, this.presets);
    this.dates = h("div", { class: "row dates" }, this.start, h("span", { class: "muted", "aria-hidden": "true" }, "–"), this.end);
  }

  /** Show a stretch. @param {{from: number, to: number}} view @param {number} months the preset that it is, -1 for none */
  update(view, months) {
    for (const [input, text] of [[this.start, isoDay(Math.ceil(view.from))], [this.end, isoDay(view.to)]]) {
      if (input.value !== text) input.value = text;
    }
    this.presets.forEach((button, index) => button.setAttribute("aria-pressed", String(PRESETS[index][1] === months)));
  }
}

/** Return a checkbox. @param {string} label @param {boolean} checked @param {(checked: boolean) => void} onchange */
export function checkbox(label, checked, onchange) {
  const input = h("input", { type: "checkbox", checked, onchange: () => onchange(input.checked) });
  const element = h("label", { class: "checkbox" }, input, label);
  return Object.assign(element, { input });
}

/** Return the buttons that move the chart. @param {() => import("../../lib/chart/chart.js").Chart} chart */
export function moveButtons(chart) {
  const button = (label, text, onclick) => h("button", { class: "button quiet move", type: "button", "aria-label": label, title: label, onclick }, text);
  return h("div", { class: "row moves", role: "group", "aria-label": t`Move and zoom` },
    button(t`Earlier`, "‹", () => chart().pan(-0.5)),
    button(t`Later`, "›", () => chart().pan(0.5)),
    button(t`Zoom in`, "+", () => chart().zoom(0.5)),
    button(t`Zoom out`, "−", () => chart().zoom(2)));
}
