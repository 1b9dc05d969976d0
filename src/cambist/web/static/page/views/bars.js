/** Bars of a pair of currencies: open, high, low and close of the bid by day, hour or minute. */

import { assetPicker } from "../../lib/asset_picker.js";
import { Chart } from "../../lib/chart/chart.js";
import { isoMinute } from "../../lib/chart/days.js";
import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
import { checkNames, refuse, spelledCode } from "../../lib/link.js";
import { barsCsv, BarStore, INTERVALS, PAGE, visibleBars } from "../charts/bars_store.js";
import { chartControls, chartHead, chartHeight, headButton, loading, moveButtons } from "../charts/controls.js";
import { onDemand } from "../charts/on_demand.js";
import { saveCsv } from "../charts/save.js";

export const title = t`Bars`;

const QUIET = 200;
const ROWS = 17;
const COLUMNS = [["o", t`Open`], ["h", t`High`], ["l", t`Low`], ["c", t`Close`]];

/** Show the view. @param {HTMLElement} root @param {URLSearchParams} params */
export async function show(root, params, shell) {
  const view = new BarsView(shell, params);
  root.append(view.element());
  view.load();
  return () => view.stop();
}

class BarsView {
  constructor(shell, params) {
    checkNames(params, ["pair", "interval", "end"]);
    this.shell = shell;
    this.pair = pairIn(params.get("pair") || "EURUSD");
    this.interval = params.get("interval") || "P1D";
    if (!(this.interval in INTERVALS)) refuse("interval", this.interval, t`is none of ${Object.keys(INTERVALS).join(", ")}`);
    this.asked = params.get("end") ?? "";
    this.ended = new AbortController();
    this.chart = new Chart({
      label: t`Chart of bars`,
      height: chartHeight(),
      onview: () => this.onMoved(),
      onpoint: (at) => this.showValues(at),
      describe: (at) => this.describe(at.values[0].index),
    });
    this.renew();
  }

  /** Forget the bars, because the pair or the interval is another. */
  renew() {
    this.store = new BarStore(this.shell, this.pair, this.interval, this.asked);
  }

  element() {
    const pick = (label, value) => assetPicker({ label, value, kinds: ["currency"], onchange: () => this.choose() });
    [this.from, this.to] = [pick(t`From`, this.pair.slice(0, 3)), pick(t`To`, this.pair.slice(3))];
    this.lengths = Object.entries(INTERVALS).map(([name, [label]]) =>
      h("button", { class: "preset", type: "button", dataset: { interval: name }, onclick: () => this.choose(name) }, label));
    this.earlier = h("button", { class: "button quiet", type: "button", onclick: () => this.load() }, t`Load ${PAGE} earlier bars (1 call)`);
    this.cost = h("p", { class: "muted small cost", role: "status" }, t`A page of a hundred bars costs one call.`);
    this.values = h("dl", { class: "bar-values" });
    this.overlay = h("div", { class: "chart-overlay muted" }, loading());
    this.caption = h("caption", {}, t`No bars`);
    this.status = h("p", { class: "small charts-status", role: "status" });
    this.body = h("tbody", {});
    const head = chartHead("bars", headButton(t`PNG`, t`Save PNG`, () => this.savePng()), headButton(t`CSV`, t`Download CSV`, () => this.save()));
    const lengths = h("div", { class: "presets", role: "group", "aria-label": t`Length of a bar` }, this.lengths);
    const card = h("section", { class: "card stack", "aria-label": t`Chart` },
      this.values, h("div", { class: "chart-place" }, this.chart.element, this.overlay),
      h("div", { class: "row apart" }, this.earlier, moveButtons(() => this.chart)),
      h("p", { class: "muted small" }, t`Bid of the published source, in UTC. Times without ticks have no bar.`), this.cost);
    return h("div", { class: "stack" }, head,
      h("div", {}, chartControls(lengths, t`Pair`, h("div", { class: "pair-form" }, this.from, this.to)), this.status), card, this.tableCard());
  }

  tableCard() {
    const head = h("tr", {}, h("th", { scope: "col" }, t`Time (UTC)`), COLUMNS.map(([, label]) => h("th", { scope: "col", class: "num" }, label)));
    const table = h("table", { class: "table days" }, this.caption, h("thead", {}, head), this.body);
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Table of the values` }, table);
    return h("section", { class: "card days-card", "aria-label": t`Values` }, scroll);
  }

  stop() {
    this.ended.abort();
    clearTimeout(this.timer);
    this.chart.destroy();
  }

  choose(interval = this.interval) {
    const pair = this.from.value + this.to.value;
    if (pair === this.pair && interval === this.interval) return;
    Object.assign(this, { pair, interval, asked: "" });
    this.renew();
    this.load();
  }

  async load() {
    const { store } = this;
    replace(this.overlay, loading());
    this.earlier.disabled = true;
    this.markInterval();
    try {
      await store.loadEarlier(this.ended.signal);
    } catch (error) {
      this.overlay.textContent = error.message;
      return;
    }
    if (store === this.store) this.showBars();
  }

  showBars() {
    const { store, chart } = this;
    const line = (this.line = store.line());
    replace(this.overlay, line.xs.length ? [] : this.nothing());
    this.earlier.disabled = !store.hasEarlier;
    const [calls, count] = [store.calls, line.xs.length];
    this.cost.textContent = `${t`A page of a hundred bars costs one call.`} ${calls === 1 ? t`1 call spent on these ${count} bars.` : t`${calls} calls spent on these ${count} bars.`}`;
    const all = line.xs.length ? { from: line.xs[0] - line.step, to: line.xs[line.xs.length - 1] + line.step } : { from: 0, to: 1 };
    chart.show({ series: line.xs.length ? [line] : [] }, all, all);
    this.settle();
  }

  /** Why there are no bars, and what comes next. */
  nothing() {
    const next = this.shell.config.notice ? t`They come with the network.` : t`They begin with the first price from now on.`;
    const why = t`${this.line.name} has no bars here. Bars are made of prices as they are traded, and a pair that is only crossed has none.`;
    return h("p", {}, `${why} ${next} `, t`${h("code", {}, "make sandbox")} has simulated ones.`);
  }

  markInterval() {
    for (const button of this.lengths) button.setAttribute("aria-pressed", String(button.dataset.interval === this.interval));
  }

  onMoved() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), QUIET);
  }

  /** Bring the table and the address up to date. */
  settle() {
    const visible = visibleBars(this.line, this.chart.view).reverse();
    const shown = visible.slice(0, ROWS);
    this.caption.textContent = shown.length ? t`The newest ${shown.length} of ${visible.length} bars in view; the CSV has all` : t`No bars`;
    replace(this.body, shown.map((row) => h("tr", {}, h("th", { scope: "row" }, timeOf(row)), COLUMNS.map(([key]) => h("td", { class: "num" }, number(row[key]))))));
    const params = new URLSearchParams({ pair: this.pair, interval: this.interval });
    if (this.asked) params.set("end", this.asked);
    this.shell.setParams(params);
    this.showValues(this.chart.at);
  }

  /** Show the prices of the bar at the crosshair, or else of the newest one in view. */
  showValues(at) {
    const rows = this.line?.rows ?? [];
    const row = at ? rows[at.values[0].index] : visibleBars(this.line ?? { rows: [], xs: [] }, this.chart?.view ?? {}).at(-1);
    const cells = row ? [[t`Time (UTC)`, timeOf(row)], ...COLUMNS.map(([key, label]) => [label, number(row[key])])] : [[t`Time (UTC)`, "–"]];
    replace(this.values, [[t`Pair`, `${this.pair.slice(0, 3)}/${this.pair.slice(3)}`], ...cells].map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, text))));
  }

  describe(index) {
    const row = this.line.rows[index];
    return `${timeOf(row)}. ${COLUMNS.map(([key, label]) => `${label} ${number(row[key])}`).join(", ")}.`;
  }

  save() {
    if (this.line?.rows.length) saveCsv(this.fileName("csv"), barsCsv(this.line, this.chart.view));
  }

  async savePng() {
    const { line, chart: { picture, view }, shell } = this;
    if (!line?.rows.length) return;
    try {
      const { saveChart } = await onDemand(() => import("../charts/chart_file.js"));
      this.status.textContent = await saveChart(this.fileName("png"), picture.element, { names: [line.name], view, note: t`Source: bid of the published source, Cambist` }, shell, this.ended.signal);
    } catch (error) {
      this.status.textContent = error.message;
    }
  }

  fileName(ending) {
    const { view } = this.chart;
    const day = (x) => isoMinute(x).slice(0, 10);
    return `${this.pair}_${this.interval}_${day(view.from)}_${day(view.to)}.${ending}`;
  }
}

/** Return the pair that a link names, without a slash. Errors: LinkError. */
function pairIn(text) {
  const found = /^([A-Za-z]{3})\/?([A-Za-z]{3})$/.exec(text);
  const pair = found ? spelledCode(found[1]) + spelledCode(found[2]) : "";
  return /^[A-Z]{6}$/.test(pair) ? pair : refuse("pair", text, t`is no pair of currencies with bars: a pair is written as EURUSD`);
}

/** The time of a bar without what is the same in all: seconds and zone. */
function timeOf({ dtm }) {
  return dtm.slice(0, 16).replace("T", " ").replace(" 00:00", "");
}
