/** One row of the board. It writes only what has changed. */

import { sparkline, updateSparkline } from "../../lib/chart/sparkline.js";
import { h } from "../../lib/dom.js";
import { age, dayInWords, DECIMAL_SIGN, number } from "../../lib/format.js";
import { changedDigits, RowModel } from "./row_model.js";

const ARROWS = { "1": "▲", "-1": "▼", "0": "" };

export class RowView {
  /** @param {string} pair @param {() => void} onremove */
  constructor(pair, onremove) {
    this.model = new RowModel(pair);
    this.isIgnored = false;
    /** Whether the service was asked for a last price, and has none. */
    this.isWithout = false;
    this.bid = new PriceCell();
    this.ask = new PriceCell();
    this.name = h("span", { class: "board-name" });
    this.time = h("time", { class: "board-time" });
    this.spark = sparkline([], { width: 120, height: 32 });
    this.arrow = h("span", { class: "board-arrow", "aria-hidden": "true" });
    this.change = h("span", {});
    this.changeCell = h("span", { role: "cell", class: "num board-change" }, this.arrow, this.change);
    this.removeButton = h("button", { class: "board-remove", type: "button", "aria-label": `Remove ${pair}`, title: `Remove ${pair}`, onclick: onremove }, "×");
    this.element = h("div", { class: "board-row", role: "row", dataset: { pair } },
      h("span", { role: "rowheader", class: "board-pair" }, h("b", {}, pair), this.name, this.time),
      h("span", { role: "cell", class: "board-spark" }, this.spark),
      this.bid.element, this.ask.element, this.changeCell,
      h("span", { role: "cell", class: "board-end" }, this.removeButton));
  }

  /** @param {Map<string, string>} names the names of all assets, by code */
  setName(names) {
    const [base, quote] = this.model.pair.split("/").map((code) => names.get(code));
    write(this.name, base && quote ? `${base} in ${quote}` : "");
  }

  /** Say whether the service knows the pair. */
  setIgnored(isIgnored) {
    this.isIgnored = isIgnored;
  }

  /** Write the newest price. @param {{now: number, isLive: boolean}} context `now` is the service's clock */
  draw(context) {
    const { bid, ask, change, trend, direction } = this.model;
    this.bid.write(bid, direction);
    this.ask.write(ask, direction);
    write(this.change, change);
    write(this.arrow, ARROWS[trend]);
    this.changeCell.classList.toggle("good", trend > 0);
    this.changeCell.classList.toggle("bad", trend < 0);
    this.drawAge(context);
  }

  /** What changes without a new price. */
  tick(context) {
    updateSparkline(this.spark, this.model.points);
    this.drawAge(context);
  }

  drawAge({ now, isLive }) {
    const { model } = this;
    const isOld = !(isLive && model.isMoving(now));
    this.element.classList.toggle("stale", isOld);
    write(this.time, this.isIgnored && !model.hasPrice ? "Not streamed here" : inWords(model, isOld, now, this.isWithout));
    if (this.shownAt !== model.tsp) this.writeMoment();
  }

  writeMoment() {
    this.shownAt = this.model.tsp;
    const iso = new Date(this.shownAt).toISOString();
    this.time.setAttribute("datetime", iso);
    this.time.title = `${iso.slice(0, 19).replace("T", " ")} UTC`;
  }
}

function inWords(model, isOld, now, isWithout) {
  if (!model.hasPrice) return isWithout ? "No price now" : "Waiting for a price";
  if (model.lastOn) return `Last price, of ${dayInWords(model.lastOn)}`;
  if (model.fixedOn) return `Fixing of ${dayInWords(model.fixedOn)}`;
  return isOld ? `${age(model.age(now))} old` : "Live";
}

/** A price whose changed digits stand out, with an arrow: colour alone says nothing. */
class PriceCell {
  constructor() {
    this.text = "";
    this.same = h("span", {});
    this.digits = h("span", { class: "board-digits" });
    this.mark = h("span", { class: "board-mark", "aria-hidden": "true" });
    this.element = h("span", { role: "cell", class: "num board-price" }, this.mark, this.same, this.digits);
  }

  write(text, direction) {
    if (text === this.text) return;
    const [same, digits] = changedDigits(this.text, text);
    this.text = text;
    const whole = number(text);
    const tail = digits.length;
    write(this.same, tail ? whole.slice(0, whole.length - tailLength(whole, tail)) : whole);
    write(this.digits, tail ? whole.slice(whole.length - tailLength(whole, tail)) : "");
    write(this.mark, same || tail ? ARROWS[direction] : "");
    this.digits.classList.toggle("good", direction > 0);
    this.digits.classList.toggle("bad", direction < 0);
  }
}

/** Return how long the last `digits` characters of a text are once its thousands are grouped. */
function tailLength(grouped, digits) {
  let length = 0;
  const isPart = (character) => character === DECIMAL_SIGN || /\p{Nd}/u.test(character);
  for (let left = digits; left > 0; length += 1) if (isPart(grouped[grouped.length - 1 - length])) left -= 1;
  return length;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
