/** Charts of pairs over any stretch since 1970. */

import { Chart, dayText } from "../../lib/chart/chart.js";
import { addMonths, isoDay, longDay } from "../../lib/chart/days.js";
import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { t } from "../../lib/texts.js";
import { chartControls, chartHead, chartHeight, checkbox, headButton, loading, moveButtons, pairForm, StretchControls } from "../charts/controls.js";
import { csvOf } from "../charts/days_table.js";
import { CorrectionStore } from "../charts/corrections.js";
import { eventsOf } from "../charts/events.js";
import { Legend, percent } from "../charts/legend.js";
import { onDemand } from "../charts/on_demand.js";
import { provenance } from "../charts/provenance.js";
import { saveCsv } from "../charts/save.js";
import { fromWhen, SeriesStore } from "../charts/series_store.js";
import { ASKED_FREELY, FIRST_DAY, MOST_PAIRS, nameOf, PRESETS, readState, writeState } from "../charts/state.js";
import { DaysTable } from "../charts/table.js";

export const title = t`Charts`;

const QUIET = 200;
/** Milliseconds after the last movement until the table and the address follow. */
const BEFORE_FIRST = 15;
/** How many days before the first rate an event is still shown. */

/** Show the view. @param {HTMLElement} root @param {URLSearchParams} params */
export async function show(root, params, shell) {
  const view = new ChartsView(shell, readState(params, Math.floor(Date.now() / 86_400_000)));
  root.append(...view.elements());
  view.start();
  return () => view.stop();
}

class ChartsView {
  constructor(shell, state) {
    this.shell = shell;
    this.state = state;
    this.today = Math.floor(Date.now() / 86_400_000);
    this.ended = new AbortController();
    this.store = new SeriesStore(shell, state.weight);
    this.corrections = new CorrectionStore(shell);
    this.tables = { events: [], currencies: [], metals: [] };
    this.legend = new Legend((name) => this.remove(name));
    this.table = new DaysTable();
    this.chart = new Chart({
      label: t`Chart of daily rates`,
      height: chartHeight(state.pairs.length),
      onview: (view) => this.onMoved(view),
      onpoint: (at) => this.legend.update(this.chart?.data ?? { series: [] }, this.chart?.view ?? { from: 0, to: 1 }, at),
      describe: (at) => this.describe(at),
    });
    this.stretch = new StretchControls(this.today, (months) => this.showPreset(months), (dates) => this.showDates(dates));
    this.eventList = h("ul", { class: "events" });
    this.status = h("p", { class: "small charts-status", role: "status" });
    this.cost = h("p", { class: "muted small cost" });
    this.notice = h("div", { class: "charts-notice" });
  }

  elements() {
    const { state } = this;
    this.log = checkbox(t`Log scale`, state.log, (log) => this.change({ log }));
    this.percent = checkbox(t`Percent`, state.percent, (percents) => this.change({ percent: percents }));
    this.events = checkbox(t`Events`, state.events, (events) => this.change({ events }));
    this.overlay = h("div", { class: "chart-overlay muted" }, loading());
    const options = h("div", { class: "options" }, h("div", { class: "row" }, this.log, this.percent, this.events), this.stretch.dates);
    const head = chartHead("charts", headButton(t`Copy link`, t`Copy link`, () => this.copyLink()),
      headButton(t`PNG`, t`Save PNG: 1 call for each pair, for its sources`, () => this.savePng()), headButton(t`CSV`, t`Download CSV`, () => this.save()));
    const controls = chartControls(this.stretch.choice, t`Pairs and options`, options, pairForm((pair) => this.add(pair)));
    const card = h("section", { class: "card stack", "aria-label": t`Chart` },
      this.legend.element,
      h("div", { class: "chart-place" }, this.chart.element, this.overlay),
      h("div", { class: "row apart" }, h("p", { class: "muted small hint" }, t`Drag to move. Zoom with Ctrl or ⌘ and the wheel, a pinch, or + and −.`), moveButtons(() => this.chart)),
      this.cost);
    const below = h("div", { class: "stack wide charts-below" },
      h("section", { class: "stack events-section", "aria-label": t`Events in view` }, h("h2", {}, t`Events in view`), this.eventList),
      provenance(this.shell, () => this.lastDays(), this.ended.signal));
    return [h("div", { class: "stack" }, head, h("div", {}, controls, this.status), this.notice,
      h("div", { class: "charts-layout" }, card, this.table.element), below)];
  }

  start() {
    this.showLines();
    this.tablesRead = this.shell.reference().then((tables) => {
      this.tables = tables;
      this.showLines();
    }, () => {});
    const asked = this.store.unknown(this.state.pairs).length;
    if (asked <= ASKED_FREELY) this.load();
    else this.askFirst(asked);
  }

  stop() {
    this.ended.abort();
    clearTimeout(this.timer);
    this.chart.destroy();
  }

  /** A link with many pairs costs many calls: say so, and wait. */
  askFirst(calls) {
    const { events } = this.state;
    const text = events ? t`This link draws ${calls} pairs. Each costs one call. With Events, each costs one more for its corrections.`
      : t`This link draws ${calls} pairs. Each costs one call.`;
    const go = h("button", { class: "button", type: "button", onclick: () => this.load() },
      events ? t`Draw for ${calls} calls and ${calls} for corrections` : t`Draw for ${calls} calls`);
    replace(this.notice, h("div", { class: "notice row apart" }, h("p", {}, text), go));
    replace(this.overlay);
  }

  async load() {
    replace(this.notice);
    replace(this.overlay, loading());
    this.overlay.hidden = false;
    try {
      // The events decide how far back the chart reaches: lines that are drawn before them would cut its stretch.
      await Promise.all([this.store.load(this.state.pairs, this.ended.signal), this.tablesRead]);
      this.overlay.hidden = this.store.lines.size > 0;
      replace(this.overlay, h("p", {}, this.isOfCoins ? t`No day is stored yet: a coin has daily closes from the day on which this service first ran.`
        : t`No day is stored. ${h("code", {}, "cambist backfill")} fetches the history of the sources.`));
    } catch (error) {
      replace(this.overlay);
      if (!this.ended.signal.aborted) this.shell.fail(error);
      return;
    }
    this.showLines();
    this.loadCorrections();
  }

  /** Whether each pair has a coin. */
  get isOfCoins() {
    const others = new Set([...this.tables.currencies, ...this.tables.metals].map(({ code }) => code));
    return this.state.pairs.every(({ from, to }) => !others.has(from) || !others.has(to));
  }

  /** Mark what was corrected of the lines that are drawn, if events are wanted. */
  async loadCorrections() {
    const { corrections, state, store } = this;
    const drawn = state.pairs.filter((pair) => store.lines.has(nameOf(pair)));
    if (!state.events || !corrections.unknown(drawn).length) return;
    await corrections.load(drawn, this.ended.signal);
    if (!this.ended.signal.aborted) this.showLines();
  }

  /** Draw the lines there are, in the stretch of the state. */
  showLines() {
    const { state, store } = this;
    const lines = this.lines();
    this.legend.setLines(state.pairs.map(nameOf), store.missing);
    this.marked = [...eventsOf(this.tables, state.pairs), ...this.corrections.events(state.pairs)].sort((a, b) => a.x - b.x);
    const data = { series: lines, events: state.events ? this.marked : [] };
    const limits = limitsOf(lines, this.marked, this.today);
    const stretch = { from: Math.max(state.start, limits.from), to: Math.min(state.end, limits.to) };
    if (stretch.to <= stretch.from) Object.assign(stretch, limits);
    this.chart.show(data, { ...stretch, log: state.log, percent: state.percent }, limits);
    if (lines.length) [state.start, state.end] = [this.chart.view.from, this.chart.view.to];
    this.percent.input.checked = state.percent;
    this.showCost();
    this.settle();
  }

  lines() {
    return this.state.pairs.map((pair) => this.store.lines.get(nameOf(pair))).filter((line) => line !== undefined);
  }

  onMoved(view) {
    [this.state.start, this.state.end] = [view.from, view.to];
    this.legend.update(this.chart.data, view, this.chart.at);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), QUIET);
  }

  /** Bring the table, the dates, the list of events and the address up to date. */
  settle() {
    const { view, data } = this.chart;
    const lines = data.series;
    this.legend.update(data, view, this.chart.at);
    this.table.update(lines, view);
    const shown = lines.length ? view : { from: this.state.start, to: this.state.end };
    this.stretch.update(shown, this.presetOf(shown));
    const inView = this.marked.filter((event) => event.x >= shown.from && event.x <= shown.to);
    replace(this.eventList, inView.length ? inView.map(eventItem) : h("li", { class: "muted" }, t`None in these days.`));
    this.shell.setParams(writeState(this.state));
  }

  presetOf({ from, to }) {
    const { limits } = this.chart;
    if (from === limits.from && to === limits.to) return 0;
    const fits = ([, months]) => months > 0 && to === limits.to && Math.abs(addMonths(Math.floor(to), -months) - from) < 1;
    return PRESETS.find(fits)?.[1] ?? -1;
  }

  showPreset(months) {
    const { from, to } = this.chart.limits;
    this.chart.move({ from: months ? Math.max(addMonths(Math.floor(to), -months), from) : from, to });
  }

  showDates(dates) {
    const wanted = { from: Math.ceil(this.chart.view.from), to: Math.floor(this.chart.view.to), ...dates };
    if (wanted.from >= wanted.to) {
      this.status.textContent = t`The first day must be before the last.`;
      return;
    }
    this.status.textContent = "";
    this.chart.move(wanted);
  }

  change(change) {
    Object.assign(this.state, change);
    this.showLines();
    if (change.events) this.loadCorrections();
  }

  add(pair) {
    const names = this.state.pairs.map(nameOf);
    const trouble = pair.from === pair.to ? t`Choose two different assets.` : names.includes(nameOf(pair)) ? t`${nameOf(pair)} is in the chart already.`
      : names.length === MOST_PAIRS ? t`A chart has at most ${MOST_PAIRS} pairs. Remove one first.` : "";
    this.status.textContent = trouble;
    if (trouble) return;
    this.state.pairs.push(pair);
    this.state.percent = true;
    this.load();
  }

  remove(name) {
    this.state.pairs = this.state.pairs.filter((pair) => nameOf(pair) !== name);
    if (this.state.pairs.length === 1) this.state.percent = false;
    this.showLines();
    this.chart.plot.focus({ preventScroll: true });
  }

  showCost() {
    const { calls, reach } = this.store;
    const more = this.corrections.calls;
    const first = Math.min(...[...this.store.lines.values()].filter(({ xs }) => xs.length).map(({ xs }) => xs[0]));
    const weight = Object.values(this.state.weight).filter(Boolean).join(", ");
    const sentences = [
      reach !== FIRST_DAY ? t`A pair costs one call and brings its days since ${dayText(reach)}, which is as far as the plan goes.`
        : Number.isFinite(first) ? t`A pair costs one call and brings all its days, here since ${dayText(first)}.` : t`A pair costs one call and brings all its days.`,
      t`With Events, it costs one more for its corrections.`, t`Moving and zooming cost nothing more.`,
      calls && (more ? spentWithCorrections(calls, more) : calls === 1 ? t`1 call spent here.` : t`${calls} calls spent here.`),
      weight && t`Metals are by ${weight}.`,
    ];
    this.cost.textContent = sentences.filter(Boolean).join(" ");
  }

  describe(at) {
    const parts = this.chart.data.series.map((line, index) => {
      const { index: place, change } = at.values[index];
      return place < 0 ? t`${line.name}: no value` : [`${line.name}: ${number(line.texts[place])}`, fromWhen(line, place), percent(change)].filter(Boolean).join(", ");
    });
    return `${dayText(at.x)}. ${parts.join(". ")}.`;
  }

  lastDays() {
    const { data, view } = this.chart;
    return this.state.pairs.flatMap((pair) => {
      const line = data.series.find((one) => one.name === nameOf(pair));
      const day = line && [...line.xs].findLast((x) => x <= view.to);
      return day === undefined ? [] : [{ ...pair, day }];
    });
  }

  save() {
    const { data, view } = this.chart;
    if (data.series.length) saveCsv(this.fileName("csv"), csvOf(data.series, view));
  }

  /** Save what is drawn, with the sources of its last day, as a picture. */
  async savePng() {
    const { chart: { data, view, picture }, shell } = this;
    if (!data.series.length) return;
    this.status.textContent = t`The picture is made…`;
    try {
      const { saveChart } = await onDemand(() => import("../charts/chart_file.js"));
      this.status.textContent = await saveChart(this.fileName("png"), picture.element, { names: data.series.map(({ name }) => name), view, pairs: this.lastDays() }, shell, this.ended.signal);
    } catch (error) {
      this.status.textContent = error.message;
    }
  }

  fileName(ending) {
    const { data, view } = this.chart;
    const names = data.series.map((line) => line.name.replace("/", "")).join("-");
    return `${names}_${isoDay(Math.ceil(view.from))}_${isoDay(view.to)}.${ending}`;
  }

  async copyLink() {
    this.settle();
    try {
      await navigator.clipboard.writeText(location.href);
      this.status.textContent = t`The link is copied, without the key.`;
    } catch {
      this.status.textContent = t`The browser refuses: copy the address.`;
    }
  }
}

/**
 * From the first day of any line to the last of all. A new currency often begins on a holiday, days before its first
 * rate: an event shortly before the first day is within the limits.
 */
function limitsOf(lines, events, today) {
  const known = lines.filter((line) => line.xs.length);
  if (!known.length) return { from: FIRST_DAY, to: today };
  const first = Math.min(...known.map((line) => line.xs[0]));
  const begun = events.filter((event) => event.x < first && event.x >= first - BEFORE_FIRST).map((event) => event.x);
  return { from: Math.min(first, ...begun), to: Math.max(...known.map((line) => line.xs[line.xs.length - 1])) };
}

function spentWithCorrections(calls, more) {
  return calls === 1 ? t`1 call spent here and ${more} for corrections.` : t`${calls} calls spent here and ${more} for corrections.`;
}

function eventItem({ x, text, law }) {
  return h("li", {}, h("span", { class: "event-day" }, longDay(x)), h("span", {}, text, h("span", { class: "muted" }, ` · ${law}`)));
}
