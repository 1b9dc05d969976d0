/** The table beside the chart: its text form, newest day first, a page at a time. */

import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
import { isoDay } from "../../lib/chart/days.js";
import { indexOn, visibleDays } from "./days_table.js";
import { fromWhen } from "./series_store.js";

const ROWS = 17;

/** The days and values that the chart shows. */
export class DaysTable {
  constructor() {
    this.page = 0;
    this.lines = [];
    this.days = new Int32Array();
    this.caption = h("caption", {}, t`No days`);
    this.head = h("tr", {});
    this.body = h("tbody", {});
    const turn = (text, step) => h("button", { class: "button plain", type: "button", onclick: () => this.turn(step) }, text);
    [this.newer, this.older] = [turn(t`Newer days`, -1), turn(t`Older days`, 1)];
    const table = h("table", { class: "table days" }, this.caption, h("thead", {}, this.head), this.body);
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Table of the values` }, table);
    this.element = h("section", { class: "card days-card", "aria-label": t`Values` }, scroll, h("div", { class: "row apart" }, this.newer, this.older));
  }

  /** Show the visible days of some lines. @param {import("./days_table.js").ExactLine[]} lines @param {{from: number, to: number}} view */
  update(lines, view) {
    this.lines = lines;
    this.days = lines.length ? visibleDays(lines, view) : new Int32Array();
    this.page = 0;
    this.draw();
  }

  turn(step) {
    this.page += step;
    this.draw();
  }

  draw() {
    const { days, lines } = this;
    const first = this.page * ROWS;
    const shown = Math.min(ROWS, Math.max(days.length - first, 0));
    this.caption.textContent = shown ? t`Days ${first + 1} to ${first + shown} of ${days.length}, newest first` : t`No days`;
    replace(this.head, h("th", { scope: "col" }, t`Day`), lines.map((line) => h("th", { scope: "col", class: "num" }, line.name)));
    const dayAt = (index) => days[days.length - 1 - first - index];
    replace(this.body, Array.from({ length: shown }, (_, index) => this.row(dayAt(index))));
    this.newer.disabled = this.page === 0;
    this.older.disabled = first + ROWS >= days.length;
  }

  row(day) {
    return h("tr", {}, h("th", { scope: "row" }, isoDay(day)), this.lines.map((line) => cell(line, indexOn(line, day))));
  }
}

function cell(line, index) {
  if (index < 0) return h("td", { class: "num" }, "–");
  const when = fromWhen(line, index);
  return h("td", { class: "num" }, number(line.texts[index]), when && h("span", { class: "from-when muted" }, ` ${when}`));
}
