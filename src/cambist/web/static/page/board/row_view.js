/** One row of the board. It writes only what has changed. */

import { sparkline, updateSparkline } from "../../lib/chart/sparkline.js";
import { h, svg } from "../../lib/dom.js";
import { age, dayInWords, DECIMAL_SIGN, number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { moveButtons } from "./arranging.js";
import { changedDigits, RowModel } from "./row_model.js";

const ARROWS = { "1": "▲", "-1": "▼", "0": "" };
const BELL = "M12 4a6 6 0 0 0-6 6v4l-2 3h16l-2-3v-4a6 6 0 0 0-6-6zM10 20h4";
const DAY_SECONDS = 86_400;
const FLASH = [{ backgroundColor: "var(--accent-soft)" }, { backgroundColor: "transparent" }];

export class RowView {
  /** @param {string} pair @param {{onremove: () => void, onmove: (step: -1|1) => void}} handlers */
  constructor(pair, { onremove, onmove }) {
    this.model = new RowModel(pair);
    this.isIgnored = false;
    /** Whether the service was asked for a last price, and has none. */
    this.isWithout = false;
    /** When the service was asked for the opens, in milliseconds since 1970. */
    this.askedAt = 0;
    this.bid = new PriceCell(t`Bid`);
    this.ask = new PriceCell(t`Ask`);
    this.spread = h("span", {});
    this.points = h("small", { class: "board-small" });
    this.open = h("small", { class: "board-small" });
    this.name = h("span", { class: "board-name" });
    this.time = h("time", { class: "board-time" });
    this.spark = sparkline([], { width: 120, height: 32 });
    this.arrow = h("span", { class: "board-arrow", "aria-hidden": "true" });
    this.change = h("span", {});
    this.changeCell = h("span", { role: "cell", class: "num board-change" }, h("span", {}, this.arrow, this.change), this.open);
    this.removeButton = h("button", { class: "board-button board-usual", type: "button", "aria-label": t`Remove ${pair}`, title: t`Remove ${pair}`, onclick: onremove }, "×");
    this.element = h("div", { class: "board-row", role: "row", dataset: { pair, line: pair } },
      h("span", { role: "rowheader", class: "board-pair" }, h("b", {}, pair), this.name, this.time),
      h("span", { role: "cell", class: "board-spark" }, this.spark),
      this.bid.element, this.ask.element,
      h("span", { role: "cell", class: "num board-spread", "data-label": t`Spread` }, this.spread, this.points), this.changeCell,
      h("span", { role: "cell", class: "board-end" }, bell(pair), this.removeButton, moveButtons(pair, onmove)));
  }

  /** @param {Map<string, string>} names the names of all assets, by code */
  setName(names) {
    const [base, quote] = this.model.pair.split("/").map((code) => names.get(code));
    write(this.name, base && quote ? t`${base} in ${quote}` : "");
  }

  /** Say whether the service knows the pair. */
  setIgnored(isIgnored) {
    this.isIgnored = isIgnored;
  }

  /**
   * Write the newest price.
   * @param {{now: number, isLive: boolean, flash: number, isCalm: boolean}} context `now` is the service's clock, `flash` the
   *   basis points that a price may move unmarked; calm: nothing is animated
   */
  draw(context) {
    const { bid, ask, spread, mid } = this.model;
    const isMarked = mid > 0 && this.model.mark(context.flash);
    const { direction } = this.model;
    this.bid.write(bid, direction, isMarked);
    this.ask.write(ask, direction, isMarked);
    if (context.flash && isMarked && direction && !context.isCalm) this.element.animate(FLASH, 900);
    const [apart, points] = spread ?? ["", ""];
    write(this.spread, apart);
    write(this.points, points && t`${points} bp`);
    this.drawChange();
    this.drawAge(context);
  }

  /** Write the change, and what it is from. */
  drawChange() {
    const { change, trend, openText } = this.model;
    write(this.change, change);
    write(this.arrow, ARROWS[trend]);
    write(this.open, openText && t`was ${openText}`);
    this.changeCell.classList.toggle("good", trend > 0);
    this.changeCell.classList.toggle("bad", trend < 0);
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
    write(this.time, this.isIgnored && !model.hasPrice ? t`Not streamed here` : inWords(model, isOld, now, this.isWithout));
    if (this.shownAt !== model.tsp) this.writeMoment();
  }

  writeMoment() {
    this.shownAt = this.model.tsp;
    const iso = new Date(this.shownAt).toISOString();
    this.time.setAttribute("datetime", iso);
    this.time.title = t`${iso.slice(0, 19).replace("T", " ")} UTC`;
  }
}

function inWords(model, isOld, now, isWithout) {
  if (!model.hasPrice) return isWithout ? t`No price now` : t`Waiting for a price`;
  if (model.lastOn) return t`Last price, of ${dayInWords(model.lastOn)}`;
  if (model.fixedOn) return t`Fixing of ${dayInWords(model.fixedOn)}`;
  const seconds = model.age(now);
  if (seconds >= DAY_SECONDS) return t`Price of ${dayInWords(new Date(model.tsp).toISOString().slice(0, 10))}`;
  return isOld ? t`${age(seconds)} old` : t`Live`;
}

/** A link to the form of an alert for the pair. */
function bell(pair) {
  const [from, to] = pair.split("/");
  const name = t`Set an alert for ${pair}`;
  return h("a", { class: "board-button board-usual", href: routeOf("alerts", { from, to }), "aria-label": name, title: name },
    svg("svg", { width: 20, height: 20, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, svg("path", { class: "board-bell", d: BELL })));
}

/** A price whose changed digits stand out, with an arrow: colour alone says nothing. */
class PriceCell {
  /** @param {string} label of the column, shown where there are no columns */
  constructor(label) {
    this.text = "";
    /** What it was when it was marked last. */
    this.before = "";
    this.same = h("span", {});
    this.digits = h("span", { class: "board-digits" });
    this.mark = h("span", { class: "board-mark", "aria-hidden": "true" });
    this.element = h("span", { role: "cell", class: "num board-price", "data-label": label }, this.mark, this.same, this.digits);
  }

  write(text, direction, isMarked) {
    if (text === this.text) return;
    const [, digits] = isMarked ? changedDigits(this.before, text) : [text, ""];
    this.text = text;
    if (isMarked) this.before = text;
    const whole = number(text);
    const tail = digits.length;
    write(this.same, tail ? whole.slice(0, whole.length - tailLength(whole, tail)) : whole);
    write(this.digits, tail ? whole.slice(whole.length - tailLength(whole, tail)) : "");
    write(this.mark, isMarked ? ARROWS[direction] : "");
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
