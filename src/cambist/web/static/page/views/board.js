/** Chosen pairs live: bid, ask, the line of the last minutes, the change since the board was opened. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { stateInWords } from "../../lib/stream_retry.js";
import { PriceStream } from "../../lib/stream.js";
import { pairAdder } from "../board/adder.js";
import { lastPrices } from "../board/last_prices.js";
import { DEFAULT_PAIRS, parsePairs, symbolOf } from "../board/pairs.js";
import { RowView } from "../board/row_view.js";

export const title = "Board";

const COLUMNS = ["Pair", "Last 5 minutes", "Bid", "Ask", "Change"];
const NO_STREAM = "This service has no stream of prices. Its operator can switch it on with the setting stream_port.";

/** After so long without a price of the stream a pair shows its last one. */
const PATIENCE = 5_000;

export async function show(root, params, shell) {
  checkNames(params, ["pairs"]);
  const pairs = parsePairs(params.get("pairs"));
  if (!shell.config.stream_url) {
    replace(root, h("h1", {}, title), h("div", { class: "empty" }, h("p", {}, NO_STREAM)));
    return null;
  }
  const board = new Board(root, shell);
  board.setPairs(pairs);
  return () => board.stop();
}

class Board {
  constructor(root, shell) {
    this.shell = shell;
    /** @type {Map<string, RowView>} the rows by the symbols of the stream, in their order */
    this.rows = new Map();
    this.changed = new Set();
    this.ahead = 0;
    this.frame = 0;
    this.build(root);
    this.stream = new PriceStream({
      url: shell.config.stream_url,
      stream: matchMedia("(prefers-reduced-motion: reduce)").matches ? "fx1s" : "fx",
      key: shell.key,
      onprice: (price) => this.receive(price),
      onstate: (state) => this.showState(state),
      onsubscribed: (ignored, text) => this.showIgnored(ignored, text),
      onclock: (ms) => { this.ahead = ms; },
    });
    this.ticking = setInterval(() => this.tick(), 1000);
    this.online = () => this.stream.state.name === "waiting" && this.stream.connect();
    addEventListener("online", this.online);
    shell.reference(true).then((tables) => this.nameRows(tables), () => {});
  }

  build(root) {
    this.state = h("span", { class: "badge board-state", "aria-hidden": "true" });
    this.spoken = h("p", { class: "visually-hidden", role: "status" });
    this.retry = h("button", { class: "button plain", type: "button", hidden: true, onclick: () => this.stream.connect() }, "Reconnect now");
    this.notice = h("p", { class: "small muted board-notice", role: "status" });
    this.body = h("div", { role: "rowgroup" });
    const heads = COLUMNS.map((name) => h("span", { role: "columnheader" }, name));
    const last = h("span", { role: "columnheader" }, h("span", { class: "visually-hidden" }, "Remove"));
    this.table = h("div", { class: "board", role: "table", "aria-label": "Live prices" },
      h("div", { role: "rowgroup" }, h("div", { class: "board-row board-head", role: "row" }, heads, last)), this.body);
    this.empty = h("div", { class: "empty", hidden: true }, h("p", {}, "No pairs are chosen."),
      h("button", { class: "button quiet", type: "button", onclick: () => this.setPairs(DEFAULT_PAIRS) }, "Show the usual ones"));
    this.adder = pairAdder({ pairs: () => this.pairs, onadd: (pair) => this.setPairs([...this.pairs, pair]) });
    replace(root, h("div", { class: "stack wide" },
      h("div", { class: "row apart" },
        h("h1", { tabindex: "-1" }, title), h("div", { class: "row" }, this.retry, this.state)),
      this.spoken, h("div", { class: "card board-card" }, this.table, this.empty, this.notice), this.adder));
  }

  get pairs() {
    return [...this.rows.values()].map(({ model }) => model.pair);
  }

  /** Show these pairs; rows that are there already keep their prices. */
  setPairs(pairs) {
    const before = this.rows;
    const rowOf = (pair) => before.get(symbolOf(pair)) ?? new RowView(pair, () => this.remove(pair));
    this.rows = new Map(pairs.map((pair) => [symbolOf(pair), rowOf(pair)]));
    if (this.tables) this.nameRows(this.tables);
    replace(this.body, [...this.rows.values()].map(({ element }) => element));
    this.table.hidden = !pairs.length;
    this.empty.hidden = pairs.length > 0;
    this.shell.setParams(String(pairs) === String(DEFAULT_PAIRS) ? {} : { pairs: pairs.join(",") || "none" });
    this.stream.subscribe(pairs);
    this.tick();
  }

  /** Remove a row, and leave the focus at the next one. */
  remove(pair) {
    const pairs = this.pairs;
    const place = pairs.indexOf(pair);
    this.setPairs(pairs.filter((each) => each !== pair));
    const next = [...this.rows.values()][Math.min(place, pairs.length - 2)];
    (next?.removeButton ?? this.empty.querySelector("button")).focus();
  }

  nameRows(tables) {
    this.tables = tables;
    this.names ??= new Map([...tables.coins, ...tables.metals, ...tables.currencies].map(({ code, name }) => [code, name]));
    for (const row of this.rows.values()) row.setName(this.names);
  }

  /** Apply a price, and draw it with the others of the same frame. */
  receive(price) {
    const row = this.rows.get(price.sym);
    if (!row) return;
    row.model.apply(price, Date.now());
    this.changed.add(row);
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    for (const row of this.changed) row.draw(this.context());
    this.changed.clear();
  }

  /** Every second: ages grow, spark lines move on, the countdown goes on. */
  tick() {
    for (const row of this.rows.values()) row.tick(this.context());
    this.showCountdown();
    this.askForLast();
  }

  /** Ask once for the last price of each pair that the stream has sent none of for a while. */
  async askForLast() {
    if (!this.liveSince || Date.now() - this.liveSince < PATIENCE || !this.names) return;
    const without = [...this.rows.values()].filter((row) => !row.model.hasPrice && !row.isWithout);
    for (const row of without) row.isWithout = true;
    if (!without.length) return;
    const coins = new Set(this.tables.coins.map(({ code }) => code));
    const found = await lastPrices(this.shell, without.map(({ model }) => model.pair), (code) => coins.has(code));
    for (const row of without) {
      const last = found.get(row.model.pair);
      if (last && !row.model.hasPrice) row.model.showLast(last.mid, last.at);
      row.draw(this.context());
    }
  }

  context() {
    return { now: Date.now() + this.ahead, isLive: this.stream.state.name === "live" };
  }

  showState(state) {
    this.retry.hidden = state.name !== "waiting" && state.name !== "refused";
    this.state.classList.toggle("warn", state.name === "waiting");
    this.state.classList.toggle("bad", state.name === "refused");
    this.liveSince = state.name === "live" ? Date.now() : 0;
    if (this.stream) this.tick();
  }

  /** Say how it stands: "Live" only if a price moves. */
  showCountdown() {
    const { state } = this.stream;
    const { now } = this.context();
    const isMoving = [...this.rows.values()].some(({ model }) => model.isMoving(now));
    const isStill = state.name === "live" && !isMoving;
    const still = this.shell.config.notice ? "Connected; no network" : "Connected; no price moves";
    const text = isStill ? still : stateInWords(state, Date.now());
    const spoken = state.name === "waiting" ? "The connection was lost. Reconnecting." : text;
    this.state.classList.toggle("good", state.name === "live" && !isStill);
    if (this.spoken.textContent !== spoken) replace(this.spoken, spoken);
    if (this.state.textContent !== text) replace(this.state, text);
  }

  showIgnored(ignored, text) {
    const known = new Set(ignored.map((pair) => symbolOf(pair)));
    for (const [symbol, row] of this.rows) row.setIgnored(known.has(symbol));
    replace(this.notice, text);
    this.tick();
  }

  stop() {
    this.stream.close();
    clearInterval(this.ticking);
    cancelAnimationFrame(this.frame);
    removeEventListener("online", this.online);
  }
}
