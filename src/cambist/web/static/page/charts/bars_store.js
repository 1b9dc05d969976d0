/** The bars of one pair, in pages of a hundred, newest page first. */

import { momentNumber } from "../../lib/chart/days.js";
import { t } from "../../lib/texts.js";

/** Bars in one page, as many as an answer can have. */
export const PAGE = 100;

/** The intervals: what they are called, and their length in days. */
export const INTERVALS = { P1D: [t`Days`, 1], PT1H: [t`Hours`, 1 / 24], PT1M: [t`Minutes`, 1 / 1440] };

/**
 * @typedef {{name: string, xs: Float64Array, values: Float64Array, texts: string[], step: number, rows: BarRow[],
 *   ranges: {open: Float64Array, high: Float64Array, low: Float64Array}}} BarLine
 * @typedef {{dtm: string, o: string, h: string, l: string, c: string}} BarRow
 */

/** Asks for the bars of a pair, a page for each call. */
export class BarStore {
  /** @param {any} shell @param {string} pair such as "EURUSD" @param {string} interval @param {string} end where the newest page ends, empty for now */
  constructor(shell, pair, interval, end) {
    Object.assign(this, { shell, pair, interval, end });
    /** @type {BarRow[]} oldest first */
    this.rows = [];
    this.hasEarlier = true;
    this.calls = 0;
  }

  /** Ask for the page before the bars there are. Errors: ApiError. @param {AbortSignal} signal */
  async loadEarlier(signal) {
    const end = this.rows.length ? this.rows[0].dtm : this.end;
    const { pair, interval } = this;
    const { results } = await this.shell.getExact("/fx/ohlc/time-series", { pair, interval, end, limit: PAGE, dtmfmt: "ISO" }, { signal });
    this.calls += 1;
    this.hasEarlier = results.length === PAGE;
    this.rows = [...results.reverse(), ...this.rows];
  }

  /** Return the bars as a line of closes with their ranges. @returns {BarLine} */
  line() {
    const { rows, pair } = this;
    const column = (name) => Float64Array.from(rows, (row) => Number(row[name]));
    return {
      name: `${pair.slice(0, 3)}/${pair.slice(3)}`,
      xs: Float64Array.from(rows, (row) => momentNumber(row.dtm)),
      values: column("c"),
      texts: rows.map((row) => row.c),
      step: INTERVALS[this.interval][1],
      rows,
      ranges: { open: column("o"), high: column("h"), low: column("l") },
    };
  }
}

/** Return the visible bars, oldest first. @param {BarLine} line @param {{from: number, to: number}} view */
export function visibleBars(line, view) {
  return line.rows.filter((_, index) => line.xs[index] >= view.from && line.xs[index] <= view.to);
}

/** Return the visible bars as CSV with the digits of the answer. @param {BarLine} line @param {{from: number, to: number}} view */
export function barsCsv(line, view) {
  const rows = visibleBars(line, view).map(({ dtm, o, h, l, c }) => [dtm, o, h, l, c].join(","));
  return `${["time,open,high,low,close", ...rows].join("\r\n")}\r\n`;
}
