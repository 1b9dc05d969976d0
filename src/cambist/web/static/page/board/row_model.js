/** What the board knows of one pair: its newest price, its first one, and its way in between. No DOM. */

import { number } from "../../lib/format.js";

/** How far back the spark line reaches, and how close together its points are. */
export const SPARK_MS = 5 * 60_000;
const POINT_MS = 1_000;

const MOST_DIGITS = 9;

/** From this age on a price is shown as an old one. */
export const STALE_SECONDS = 30;

export class RowModel {
  /** @param {string} pair such as "EUR/USD" */
  constructor(pair) {
    this.pair = pair;
    this.bid = "";
    this.ask = "";
    this.tsp = 0;
    this.fixedOn = "";
    /** The day of a last price that came without the stream. */
    this.lastOn = "";
    this.first = 0;
    this.mid = 0;
    this.direction = 0;
    /** The middle when the row was marked last. */
    this.marked = 0;
    /** Since when the price is compared, and what it was then, in the words of the API. */
    this.since = "here";
    this.opens = {};
    /** @type {[number, number][]} */
    this.points = [];
  }

  get hasPrice() {
    return this.bid !== "";
  }

  /**
   * Apply a price of the stream.
   * @param {{bid: string, ask: string, tsp: number, fixed_on?: string}} price
   * @param {number} now milliseconds since 1970
   */
  apply({ bid, ask, tsp, fixed_on: fixedOn = "" }, now) {
    const mid = (Number(bid) + Number(ask)) / 2;
    this.direction = this.mid && mid !== this.mid ? Math.sign(mid - this.mid) : this.direction;
    this.first ||= mid;
    Object.assign(this, { bid: shortened(bid), ask: shortened(ask), tsp, fixedOn, mid, lastOn: "" });
    this.addPoint(now, mid);
  }

  /** Show a last price, which does not move. @param {string} mid @param {Date} at */
  showLast(mid, at) {
    Object.assign(this, { bid: shortened(mid), ask: shortened(mid), tsp: at.getTime(), lastOn: at.toISOString().slice(0, 10) });
  }

  /** Return whether the price moves. @param {number} now the clock of the service, in milliseconds since 1970 */
  isMoving(now) {
    return this.hasPrice && !this.fixedOn && !this.lastOn && this.age(now) <= STALE_SECONDS;
  }

  /** Add a point to the spark line, or move the last one: one point a second is as much as it can show. */
  addPoint(now, mid) {
    const last = this.points.at(-1);
    if (last && now - last[0] < POINT_MS) {
      last[1] = mid;
      return;
    }
    this.points.push([now, mid]);
    const kept = this.points.findIndex(([at]) => now - at <= SPARK_MS);
    if (kept > 0) this.points.splice(0, kept);
  }

  /** Return the age of the price in seconds. @param {number} now the clock of the service, in milliseconds since 1970 */
  age(now) {
    return Math.max(0, (now - this.tsp) / 1000);
  }

  /** Return what the price is compared with; 0 if that is not known. */
  get open() {
    if (this.since === "here") return this.first;
    return Number(this.opens[this.since === "today" ? "today" : "last_24h"]?.open ?? 0);
  }

  /** Return the change in percent; null if it is not known. */
  get percent() {
    return this.open && this.mid ? (this.mid / this.open - 1) * 100 : null;
  }

  /** Return the change as it is shown, such as "+0.25 %"; empty if it is not known. */
  get change() {
    const { percent } = this;
    if (percent === null) return "";
    const text = Math.abs(percent).toFixed(2);
    return `${this.trend ? (percent > 0 ? "+" : "−") : ""}${number(text)} %`;
  }

  /** Return 1 if the price is higher than it was by as much as `change` shows, -1 if lower, else 0. */
  get trend() {
    const { percent } = this;
    return percent && Number(percent.toFixed(2)) ? Math.sign(percent) : 0;
  }

  /** Return the price that the change is from, with the decimals of the bid; empty if it is not known. */
  get openText() {
    return this.open ? number(this.open.toFixed(places(this.bid))) : "";
  }

  /** Return the ask less the bid, in the unit of the price and in basis points of the middle; null without both sides. */
  get spread() {
    const apart = Number(this.ask) - Number(this.bid);
    if (this.fixedOn || this.lastOn || !(apart > 0)) return null;
    return [number(apart.toFixed(Math.max(places(this.bid), places(this.ask)))), number(((apart / this.mid) * 10_000).toFixed(1))];
  }

  /** Return whether the price has moved by more than so many basis points since it was marked; it then is marked again. */
  mark(least) {
    if (!least) return true;
    if (this.marked && Math.abs(this.mid / this.marked - 1) * 10_000 <= least) return false;
    this.direction = this.marked ? Math.sign(this.mid - this.marked) : 0;
    this.marked = this.mid;
    return true;
  }
}

/**
 * Split a price into what is the same as in the one before and what has changed.
 * @param {string} before
 * @param {string} now
 * @returns {[string, string]}
 */
export function changedDigits(before, now) {
  if (!before || before === now) return [now, ""];
  let same = 0;
  while (same < now.length && before[same] === now[same]) same += 1;
  // Without as many digits before the point every digit has changed its place.
  const isAligned = before.split(".")[0].length === now.split(".")[0].length;
  return isAligned ? [now.slice(0, same), now.slice(same)] : ["", now];
}

/** Round a price of more digits than a row has room for, such as a cross rate. @param {string} text */
function shortened(text) {
  const excess = text.replace(/^0\.0*|\./, "").length - MOST_DIGITS;
  return excess > 0 ? Number(text).toFixed(Math.max(places(text) - excess, 0)) : text;
}

/** Return how many decimals a price has. @param {string} text */
function places(text) {
  return (text.split(".")[1] ?? "").length;
}
