/** The chart of one currency or metal: all its days against the US dollar, with what law did to it. */

import { ApiError } from "../../lib/api.js";
import { Chart, dayText } from "../../lib/chart/chart.js";
import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { eventsOf } from "../charts/events.js";
import { fromWhen, SeriesStore } from "../charts/series_store.js";
import { nameOf } from "../charts/state.js";

const LOG_FROM = 50;
/** A currency that has changed by this factor is drawn with a log scale: before, it would be a line at zero. */

/**
 * Make the chart, and begin to load its days.
 * @param {{from: string, to: string}} pair
 * @param {any} reference
 * @param {any} shell
 * @param {AbortSignal} signal
 * @returns {{element: HTMLElement, loaded: Promise<void>, stop: () => void}}
 */
export function currencyChart(pair, reference, shell, signal) {
  const name = nameOf(pair);
  const value = h("p", { class: "small muted figure currency-value" }, t`Loading…`);
  let line = null;
  const chart = new Chart({
    label: t`Chart of ${name}`, height: innerWidth < 600 ? 260 : 320,
    onpoint: (at) => replace(value, line ? valueText(line, at?.values[0].index ?? line.texts.length - 1) : t`Loading…`),
    describe: (at) => valueText(line, at.values[0].index),
  });
  const link = h("a", { href: routeOf("charts", { pairs: name }) }, t`Open in charts`);
  const scale = h("span", { class: "muted" });
  const element = h("section", { class: "card stack", "aria-labelledby": "chart" },
    h("div", { class: "row apart" }, h("h2", { id: "chart" }, name), value), chart.element,
    h("div", { class: "row apart small" }, scale, link));
  const loaded = load(pair, shell, signal).then((found) => {
    if (signal.aborted) return;
    if (!found.line) {
      replace(element, h("h2", { id: "chart" }, name), h("p", { class: "muted" }, found.why));
      return;
    }
    line = found.line;
    const limits = { from: line.xs[0], to: Math.max(line.xs[line.xs.length - 1], line.xs[0] + 1) };
    const log = isSteep(line.values);
    chart.show({ series: [line], events: eventsOf(reference, [{ from: pair.from, to: pair.from }]) }, { ...limits, log }, limits);
    link.setAttribute("href", routeOf("charts", { pairs: name, start: dayOf(limits.from), end: dayOf(limits.to), log: log ? "1" : "" }));
    if (log) replace(scale, t`With a log scale: equal steps are equal factors.`);
  });
  return { element, loaded, stop: () => chart.destroy() };
}

async function load(pair, shell, signal) {
  const store = new SeriesStore(shell);
  try {
    await store.load([pair], signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    return { line: null, why: error.message };
  }
  const line = store.lines.get(nameOf(pair));
  return line?.xs.length ? { line, why: "" } : { line: null, why: store.missing.get(nameOf(pair)) ?? t`No day has a rate.` };
}

function valueText(line, place) {
  return place < 0 ? t`No value` : `${dayText(line.xs[place])}: ${[number(line.texts[place]), fromWhen(line, place)].filter(Boolean).join(", ")}`;
}

function isSteep(values) {
  let [least, most] = [Infinity, 0];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return most / least >= LOG_FROM;
}

function dayOf(day) {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
