/** The lines of a chart with their values: at the crosshair, or else on the last visible day. */

import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
import { dayText } from "../../lib/chart/chart.js";
import { lowerBound } from "../../lib/chart/columns.js";
import { fromWhen } from "./series_store.js";
import { readout } from "../../lib/chart/readout.js";

/** A table with a row for each line. */
export class Legend {
  /** @param {(name: string) => void} onremove */
  constructor(onremove) {
    this.onremove = onremove;
    this.day = h("th", { scope: "col", class: "num legend-value" }, t`Value`);
    this.body = h("tbody", {});
    const head = h("tr", {},
      h("th", { scope: "col" }, t`Pair`), this.day,
      h("th", { scope: "col", class: "num" }, t`Change`),
      h("th", { scope: "col", class: "num wide-only" }, t`Lowest`),
      h("th", { scope: "col", class: "num wide-only" }, t`Highest`),
      h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t`Remove`)));
    this.element = h("table", { class: "table legend", "aria-label": t`Lines of the chart` }, h("thead", {}, head), this.body);
    this.rows = [];
  }

  /** Show other lines. @param {string[]} names @param {Map<string, string>} missing why a pair has none */
  setLines(names, missing, canRemove = names.length > 1) {
    let index = 0;
    this.rows = names.map((name) => this.row(name, missing.get(name), missing.has(name) ? -1 : index++, canRemove));
    replace(this.body, this.rows.map((row) => row.element));
  }

  row(name, trouble, index, canRemove) {
    const cell = (more = "") => h("td", { class: `num ${more}` }, "–");
    const [value, changed, least, most] = [cell("legend-value"), cell(), cell("wide-only"), cell("wide-only")];
    const swatch = index < 0 ? null : h("span", { class: `swatch line-${(index % 6) + 1}` });
    const remove = h("button", { class: "button plain", type: "button", "aria-label": t`Remove ${name}`, onclick: () => this.onremove(name) }, "×");
    const title = h("th", { scope: "row" }, swatch, name);
    const values = trouble ? h("td", { colspan: 4, class: "muted" }, trouble) : [value, changed, least, most];
    return { index, value, changed, least, most, element: h("tr", {}, title, values, h("td", {}, canRemove ? remove : null)) };
  }

  /**
   * Show the values at a day, or without one those of the last visible day.
   * @param {{series: import("./days_table.js").ExactLine[]}} data @param {import("../../lib/chart/layout.js").View} view
   * @param {ReturnType<typeof readout>} at
   */
  update(data, view, at) {
    const shown = at ?? readout(data, view, view.to);
    const when = new Set(data.series.map((line, index) => (shown?.values[index].index >= 0 ? fromWhen(line, shown.values[index].index) : "")));
    const told = when.size === 1 ? [...when][0] : t`in part from before`;
    replace(this.day, shown ? dayText(shown.x) : t`Value`, when.size > 0 && told && h("span", { class: "from-when muted" }, ` ${told}`));
    for (const row of this.rows) if (row.index >= 0 && data.series[row.index]) fill(row, data.series[row.index], view, shown?.values[row.index]);
  }
}

function fill(row, line, view, at) {
  const isKnown = at !== undefined && at.index >= 0;
  row.value.textContent = isKnown ? number(line.texts[at.index]) : "–";
  const changed = isKnown ? percent(at.change) : "–";
  replace(row.changed, h("bdi", { dir: "ltr" }, changed));
  row.changed.className = `num ${changed.startsWith("+") ? "good" : changed.startsWith("−") ? "bad" : ""}`;
  const { least, most } = extremes(line, view);
  row.least.textContent = least < 0 ? "–" : number(line.texts[least]);
  row.most.textContent = most < 0 ? "–" : number(line.texts[most]);
}

function extremes({ xs, values }, view) {
  let [least, most] = [-1, -1];
  for (let index = lowerBound(xs, view.from); index < xs.length && xs[index] <= view.to; index += 1) {
    if (least < 0 || values[index] < values[least]) least = index;
    if (most < 0 || values[index] > values[most]) most = index;
  }
  return { least, most };
}

/** Write a change in percent with its sign. @param {number} value */
export function percent(value) {
  if (!Number.isFinite(value)) return "–";
  const text = number(Math.abs(value).toFixed(2));
  if (Number(Math.abs(value).toFixed(2)) === 0) return `${number("0.00")} %`;
  return `${value > 0 ? "+" : "−"}${text} %`;
}
