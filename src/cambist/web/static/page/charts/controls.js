/** The controls of the charts view. */

import { assetPicker } from "../../lib/asset_picker.js";
import { isoDay } from "../../lib/chart/days.js";
import { h } from "../../lib/dom.js";
import { PRESETS, readDay } from "./state.js";

const KINDS = ["currency", "metal", "retired"];

/** Return the form that adds a pair. @param {(pair: {from: string, to: string}) => void} onadd */
export function pairForm(onadd) {
  const from = assetPicker({ label: "From", value: "EUR", kinds: KINDS });
  const to = assetPicker({ label: "To", value: "USD", kinds: KINDS });
  const submit = (event) => {
    event.preventDefault();
    onadd({ from: from.value, to: to.value });
  };
  return h("form", { class: "pair-form", "aria-label": "Add a pair", onsubmit: submit },
    from, to, h("button", { class: "button", type: "submit" }, "Add pair"));
}

/** The stretch: presets and dates. */
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
    [this.start, this.end] = [date("First day", "from"), date("Last day", "to")];
    this.element = h("div", { class: "row stretch" },
      h("div", { class: "presets", role: "group", "aria-label": "Stretch" }, this.presets),
      h("div", { class: "row dates" }, this.start, h("span", { class: "muted" }, "to"), this.end));
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
  return h("div", { class: "row moves", role: "group", "aria-label": "Move and zoom" },
    button("Earlier", "‹", () => chart().pan(-0.5)),
    button("Later", "›", () => chart().pan(0.5)),
    button("Zoom in", "+", () => chart().zoom(0.5)),
    button("Zoom out", "−", () => chart().zoom(2)));
}
