/** Chosen pairs live: bid, ask, spread, the line of the last minutes, and the change of today. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { stateInWords } from "../../lib/stream_retry.js";
import { PriceStream } from "../../lib/stream.js";
import { lineAdder } from "../board/adder.js";
import { dragLines } from "../board/arranging.js";
import { HeadingView } from "../board/heading_view.js";
import { lastPrices } from "../board/last_prices.js";
import { DEFAULT_LINES, inOrder, isHeading, moved, parseLines, symbolOf, whyNoHeading } from "../board/lines.js";
import { openingPrices } from "../board/opens.js";
import { readOptions, writtenOptions } from "../board/options.js";
import { RowView } from "../board/row_view.js";
import { boardTools } from "../board/tools.js";

export const title = t`Board`;

const COLUMNS = [t`Pair`, t`Last 5 minutes`, t`Bid`, t`Ask`, t`Spread`, t`Change`];
const NO_STREAM = t`This service has no stream of prices. Its operator can switch it on with the setting stream_port.`;
const COSTS = t`What the change is from is asked for when the board is opened, and every 15 minutes. It costs a call for ten pairs of currencies, one for ten of coins, and one or two for each metal.`;
const NO_COSTS = t`A change since the board was opened costs no calls.`;

/** After so long without a price of the stream a pair shows its last one. */
const PATIENCE = 5_000;
/** After so long most pairs have a price, so that what they were worth before is asked for together. */
const SETTLED = 2_000;
/** How often what a change is from is asked for, and how often pairs are sorted by their change, in milliseconds. */
const OPENS_EVERY = 15 * 60_000;
const SORTED_EVERY = 10_000;

export async function show(root, params, shell) {
  checkNames(params, ["pairs", "order", "since", "flash"]);
  const lines = parseLines(params.get("pairs"));
  const options = readOptions(params);
  if (!shell.config.stream_url) {
    replace(root, h("h1", {}, title), h("div", { class: "empty" }, h("p", {}, NO_STREAM)));
    return null;
  }
  const board = new Board(root, shell, options);
  board.setLines(lines);
  return () => board.stop();
}

class Board {
  constructor(root, shell, options) {
    this.shell = shell;
    this.options = options;
    this.isArranged = false;
    this.sortedAt = 0;
    /** @type {string[]} pairs and headings, in the order made by hand */
    this.lines = [];
    /** @type {Map<string, RowView|HeadingView>} what shows each line */
    this.views = new Map();
    /** @type {Map<string, RowView>} the rows by the symbols of the stream, in their order */
    this.rows = new Map();
    this.changed = new Set();
    this.ahead = 0;
    this.frame = 0;
    this.isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build(root);
    this.stream = new PriceStream({
      url: shell.config.stream_url,
      stream: this.isCalm ? "fx1s" : "fx",
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
    this.said = h("p", { class: "visually-hidden", role: "status" });
    this.retry = h("button", { class: "button plain", type: "button", hidden: true, onclick: () => this.stream.connect() }, t`Reconnect now`);
    this.notice = h("p", { class: "small muted board-notice", role: "status" });
    this.costs = h("p", { class: "small muted board-aside" });
    this.body = h("div", { role: "rowgroup" });
    dragLines(this.body, { isOn: () => this.isArranged, onmove: (line, over) => this.setLines(moved(this.lines, line, this.lines.indexOf(over))) });
    this.empty = h("div", { class: "empty", hidden: true }, h("p", {}, t`No pairs are chosen.`),
      h("button", { class: "button quiet", type: "button", onclick: () => this.setLines(DEFAULT_LINES) }, t`Show the usual ones`));
    this.tools = boardTools({
      onchange: (changed) => this.setOptions(changed), onarrange: () => this.arrange(), onfull: () => this.page.requestFullscreen().catch((error) => this.shell.fail(error)),
    });
    this.page = h("div", { class: "stack wide board-page" },
      h("div", { class: "row apart" },
        h("h1", { tabindex: "-1" }, title), h("div", { class: "row" }, this.retry, this.state)),
      this.spoken, this.said, this.tools, h("div", { class: "card board-card" }, this.buildTable(), this.empty, this.notice), this.costs,
      lineAdder({ lines: () => this.lines, onadd: (line) => this.setLines([...this.lines, line]) }));
    replace(root, this.page);
    this.showOptions();
  }

  buildTable() {
    const heads = COLUMNS.map((name) => h("span", { role: "columnheader" }, name));
    const last = h("span", { role: "columnheader" }, h("span", { class: "visually-hidden" }, t`Alert, remove`));
    this.table = h("div", { class: "board", role: "table", "aria-label": t`Live prices` },
      h("div", { role: "rowgroup" }, h("div", { class: "board-row board-head", role: "row" }, heads, last)), this.body);
    return this.table;
  }

  /** Show these lines; rows that are there already keep their prices. */
  setLines(lines) {
    const before = this.views;
    const pairsBefore = [...this.rows.keys()].sort();
    this.lines = lines;
    this.views = new Map(lines.map((line) => [line, before.get(line) ?? this.viewOf(line)]));
    const pairs = lines.filter((line) => !isHeading(line));
    this.rows = new Map(pairs.map((pair) => [symbolOf(pair), this.views.get(pair)]));
    if (this.tables) this.nameRows(this.tables);
    this.place();
    this.table.hidden = !lines.length;
    this.empty.hidden = lines.length > 0;
    this.write();
    if (!before.size || String(pairsBefore) !== String([...this.rows.keys()].sort())) this.stream.subscribe(pairs);
    this.tick();
  }

  viewOf(line) {
    const handlers = { onremove: () => this.remove(line), onmove: (step) => this.move(line, step) };
    if (isHeading(line)) return new HeadingView(line, { ...handlers, onrename: (name) => this.rename(line, name) });
    const row = new RowView(line, handlers);
    row.model.since = this.options.since;
    return row;
  }

  /** Write the address. */
  write() {
    const pairs = String(this.lines) === String(DEFAULT_LINES) ? "" : this.lines.join(",") || "none";
    this.shell.setParams({ pairs, ...writtenOptions(this.options) });
  }

  setOptions(changed) {
    Object.assign(this.options, changed);
    if (changed.order) this.isArranged = false;
    this.showOptions();
    for (const row of this.rows.values()) {
      row.model.since = this.options.since;
      row.drawChange();
    }
    this.place();
    this.write();
    this.tick();
  }

  showOptions() {
    this.tools.show(this.options, this.isArranged);
    this.page.classList.toggle("arranged", this.isArranged);
    replace(this.costs, this.options.since === "here" ? NO_COSTS : COSTS);
  }

  /** Begin or end to arrange the lines by hand, from the order in which they are shown. */
  arrange() {
    this.isArranged = !this.isArranged;
    if (this.options.order !== "hand") {
      const shown = this.shownLines();
      this.options.order = "hand";
      this.setLines(shown);
    }
    this.showOptions();
  }

  shownLines() {
    return inOrder(this.lines, this.options.order, (pair) => this.views.get(pair).model.percent);
  }

  /** Put the rows where they belong; the focus stays where it is. */
  place() {
    this.sortedAt = Date.now();
    const wanted = this.shownLines().map((line) => this.views.get(line).element);
    if (wanted.length === this.body.children.length && wanted.every((element, place) => element === this.body.children[place])) return;
    const focused = document.activeElement;
    replace(this.body, wanted);
    if (this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  move(line, step) {
    const place = this.lines.indexOf(line) + step;
    this.setLines(moved(this.lines, line, place));
    replace(this.said, t`Line ${this.lines.indexOf(line) + 1} of ${this.lines.length}`);
  }

  rename(line, name) {
    const others = this.lines.filter((each) => each !== line);
    const reason = whyNoHeading(others, name);
    this.tools.refuse(reason);
    if (reason) return;
    this.setLines(this.lines.map((each) => (each === line ? `*${name}` : each)));
    if (document.activeElement === document.body) this.views.get(`*${name}`).input.focus();
  }

  /** Remove a line, and leave the focus at the next one. */
  remove(line) {
    const shown = this.shownLines();
    const place = shown.indexOf(line);
    this.setLines(this.lines.filter((each) => each !== line));
    const buttons = [...shown.slice(place + 1), ...shown.slice(0, place).reverse()].map((each) => this.views.get(each).removeButton);
    (buttons.find((button) => button.checkVisibility()) ?? this.empty.querySelector("button")).focus();
  }

  nameRows(tables) {
    this.tables = tables;
    this.names ??= new Map([...tables.coins, ...tables.metals, ...tables.currencies].map(({ code, name }) => [code, name]));
    this.kinds ??= new Map(Object.entries({ coin: tables.coins, metal: tables.metals, currency: tables.currencies })
      .flatMap(([kind, table]) => table.map(({ code }) => [code, kind])));
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
    this.askForOpens();
    // Nothing moves under a pointer or a focus.
    if (this.options.order === "change" && Date.now() - this.sortedAt > SORTED_EVERY && !this.body.matches(":hover, :focus-within")) this.place();
  }

  /** Ask for what the changes are from: of new pairs at once, and of all again after a while. */
  async askForOpens() {
    const now = Date.now();
    if (this.options.since === "here" || !this.liveSince || now - this.liveSince < SETTLED || !this.names || document.hidden) return;
    const priced = [...this.rows.values()].filter(({ model }) => model.mid);
    const isOld = priced.some(({ askedAt }) => askedAt && now - askedAt > OPENS_EVERY);
    const asked = priced.filter(({ askedAt }) => isOld || !askedAt);
    for (const row of asked) row.askedAt = now;
    if (!asked.length) return;
    const found = await openingPrices(this.shell, asked.map(({ model }) => model.pair), (code) => this.kinds.get(code));
    for (const row of asked) {
      row.model.opens = found.get(row.model.pair) ?? {};
      row.drawChange();
    }
    this.place();
  }

  /** Ask once for the last price of each pair that the stream has sent none of for a while. */
  async askForLast() {
    if (!this.liveSince || Date.now() - this.liveSince < PATIENCE || !this.names) return;
    const without = [...this.rows.values()].filter((row) => !row.model.hasPrice && !row.isWithout);
    for (const row of without) row.isWithout = true;
    if (!without.length) return;
    const found = await lastPrices(this.shell, without.map(({ model }) => model.pair), (code) => this.kinds.get(code) === "coin");
    for (const row of without) {
      const last = found.get(row.model.pair);
      if (last && !row.model.hasPrice) row.model.showLast(last.mid, last.at);
      row.draw(this.context());
    }
  }

  context() {
    return { now: Date.now() + this.ahead, isLive: this.stream.state.name === "live", flash: this.options.flash, isCalm: this.isCalm };
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
    const still = this.shell.config.notice ? t`Connected; no network` : t`Connected; no price moves`;
    const text = isStill ? still : stateInWords(state, Date.now());
    const spoken = state.name === "waiting" ? t`The connection was lost. Reconnecting.` : text;
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
