/** What the board knows of one pair: its newest price, its first one, and its way in between. No DOM. */

/** How far back the spark line reaches, and how close together its points are. */
export const SPARK_MS = 5 * 60_000;
const POINT_MS = 1_000;

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
    Object.assign(this, { bid, ask, tsp, fixedOn, mid, lastOn: "" });
    this.addPoint(now, mid);
  }

  /** Show a last price, which does not move. @param {string} mid @param {Date} at */
  showLast(mid, at) {
    Object.assign(this, { bid: mid, ask: mid, tsp: at.getTime(), lastOn: at.toISOString().slice(0, 10) });
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

  /** Return the change since the first price in percent, such as "+0.25 %"; empty without a price. */
  get change() {
    if (!this.first) return "";
    const percent = (this.mid / this.first - 1) * 100;
    const text = Math.abs(percent).toFixed(2);
    if (Number(text) === 0) return "0.00 %";
    return `${percent > 0 ? "+" : "−"}${text} %`;
  }

  /** Return 1 if the price is higher than the first one by as much as `change` shows, -1 if lower, else 0. */
  get trend() {
    return { "+": 1, "−": -1 }[this.change[0]] ?? 0;
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
