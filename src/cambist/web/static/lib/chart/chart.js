/** The chart: draws what `layout` computes, and moves the view. */

import { h } from "../dom.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { isoMinute, longDay } from "./days.js";
import { drawToFit } from "./fit.js";
import { listen } from "./gestures.js";
import { layout } from "./layout.js";
import { Picture } from "./picture.js";
import { readout, step } from "./readout.js";
import { linkStylesheet } from "./stylesheet.js";
import { keepWithin, pan, zoom } from "./view.js";

const KEYS = t`Left and right arrow: the next day, with shift a twentieth of the chart. Plus and minus: zoom. Page up and page down: earlier and later. Home and end: the first and last day. 0: everything.`;
/** Milliseconds that the hint about the wheel is shown. */
const HINT = 1600;

let count = 0;

/**
 * @typedef {object} Options
 * @property {string} label the name of the chart
 * @property {number} [height]
 * @property {(view: import("./layout.js").View) => void} [onview] told when the visitor moved the view
 * @property {(at: ReturnType<typeof readout>) => void} [onpoint] told which day the crosshair is at, `null` for none
 * @property {(at: NonNullable<ReturnType<typeof readout>>) => string} [describe] what is read aloud at a day
 */

/** A chart in an element of its own. Call `show` to give it data, and `destroy` in the end. */
export class Chart {
  /** @param {Options} options */
  constructor(options) {
    linkStylesheet();
    this.options = options;
    this.height = options.height ?? 420;
    this.data = { series: [] };
    this.view = { from: 0, to: 1 };
    this.limits = { from: 0, to: 1 };
    this.at = null;
    this.width = 0;
    this.frame = 0;
    this.picture = new Picture(this.height);
    this.element = this.build();
    listen(this.plot, this.actions());
    this.stop = drawToFit(this.plot, (width) => {
      this.width = width;
      this.draw();
    });
  }

  /**
   * Show other data or another view. `limits` are the first and last day that one can move to.
   * @param {import("./layout.js").Data} data @param {import("./layout.js").View} view @param {{from: number, to: number}} limits
   */
  show(data, view, limits) {
    [this.data, this.limits] = [data, limits];
    this.view = keepWithin(view, limits);
    this.at = null;
    this.options.onpoint?.(null);
    this.draw();
  }

  /** Show another stretch, as if the visitor had moved there. @param {Partial<import("./layout.js").View>} change */
  move(change) {
    this.moveTo(keepWithin({ ...this.view, ...change }, this.limits));
  }

  /** Zoom around the middle; a factor below 1 shows fewer days. @param {number} factor */
  zoom(factor) {
    this.moveTo(zoom(this.view, factor, 0.5, this.limits));
  }

  /** Move by a part of the visible stretch. @param {number} part */
  pan(part) {
    this.moveTo(pan(this.view, part, this.limits));
  }

  destroy() {
    this.stop();
    clearTimeout(this.hinted);
    cancelAnimationFrame(this.frame);
  }

  build() {
    const id = `chart-${(count += 1)}`;
    this.spoken = h("p", { class: "chart-read", "aria-live": "polite" });
    this.about = h("p", { class: "chart-read", id: `${id}-about` });
    this.hint = h("p", { class: "chart-hint", "aria-hidden": "true", hidden: true }, t`Zoom with Ctrl or ⌘ and the wheel`);
    this.plot = h(
      "div",
      {
        class: "chart-plot", tabindex: "0", role: "application", "aria-roledescription": t`chart`,
        "aria-label": this.options.label, "aria-describedby": `${id}-about`,
      },
      this.picture.element, this.hint,
    );
    return h("div", { class: "chart" }, this.plot, this.about, this.spoken);
  }

  actions() {
    return {
      plot: () => this.plan?.plot ?? { x: 0, width: Math.max(this.width, 1) },
      pan: (part) => this.pan(part),
      zoom: (factor, at) => this.moveTo(zoom(this.view, factor, at, this.limits)),
      point: (at) => this.point(at === null ? null : this.view.from + (this.view.to - this.view.from) * at),
      step: (direction, isFar) => this.step(direction, isFar),
      jump: (end) => this.point(end === "first" ? this.view.from : this.view.to, true),
      all: () => this.moveTo({ ...this.view, ...this.limits }),
      hint: () => this.showHint(),
    };
  }

  showHint() {
    this.hint.hidden = false;
    clearTimeout(this.hinted);
    this.hinted = setTimeout(() => { this.hint.hidden = true; }, HINT);
  }

  moveTo(view) {
    this.view = view;
    if (this.at && (this.at.x < view.from || this.at.x > view.to)) this.point(null);
    this.drawSoon();
    this.options.onview?.(view);
  }

  /** Point the crosshair at a day, and with `aloud` read its values. */
  point(x, aloud = false) {
    this.at = x === null ? null : readout(this.data, this.view, x);
    this.drawCursor();
    if (aloud && this.at) this.spoken.textContent = this.options.describe?.(this.at) ?? "";
    this.options.onpoint?.(this.at);
  }

  step(direction, isFar) {
    if (!this.at) {
      this.point(this.view.to, true);
      return;
    }
    const { from, to } = this.view;
    if (isFar) {
      this.point(Math.min(Math.max(this.at.x + (direction * (to - from)) / 20, from), to), true);
      return;
    }
    let next = step(this.data, this.view, this.at.x, direction);
    if (next === this.at.x) {
      // At the edge the chart moves on by a tenth.
      this.view = pan(this.view, direction / 10, this.limits);
      this.drawSoon();
      this.options.onview?.(this.view);
      next = step(this.data, this.view, this.at.x, direction);
    }
    this.point(next, true);
  }

  drawSoon() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.width === 0) return;
    this.plan = layout(this.data, this.view, { width: this.width, height: this.height });
    this.picture.draw(this.plan);
    this.about.textContent = this.description();
    this.drawCursor();
  }

  drawCursor() {
    if (this.plan) this.picture.drawCursor(this.plan, this.at, this.at ? dayText(this.at.x) : "");
  }

  /** What is visible, in a few sentences, and how to move. */
  description() {
    const { series } = this.plan;
    const lines = series.map((line, index) => {
      if (!line.extremes) return t`${line.name}: no values here.`;
      const { xs, values } = this.data.series[index];
      const { least, most } = line.extremes;
      return t`${line.name}: lowest ${number(values[least])} on ${dayText(xs[least])}, highest ${number(values[most])} on ${dayText(xs[most])}.`;
    });
    if (!series.length) return t`Nothing is drawn yet.`;
    const stretch = t`From ${dayText(Math.ceil(this.view.from))} to ${dayText(Math.floor(this.view.to))}.`;
    return [stretch, ...lines, KEYS].join(" ");
  }
}

/** Return a day, or within a day the minute, in words. @param {number} x */
export function dayText(x) {
  return Number.isInteger(x) ? longDay(x) : `${isoMinute(x)} UTC`;
}
