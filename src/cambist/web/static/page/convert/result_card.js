/** The answer of the converter: the number, its time and age, where it comes from, and a link that reproduces it. */

import { h, replace } from "../../lib/dom.js";
import { age, dayInWords, localTime, moment, number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { verdictsOf } from "../parts/verdict.js";
import { inverse } from "./conversion.js";
import { sentencesOf } from "./sentence.js";

export class ResultCard {
  constructor(shell) {
    this.shell = shell;
    this.explained = { pair: "", at: 0 };
    this.sources = null;
    this.updated = null;
    this.answer = h("div", { class: "answer", role: "status" });
    this.meta = h("p", { class: "answer-time muted" });
    this.origin = h("div", { class: "answer-origin stack" });
    this.copy = h("button", { class: "button plain", type: "button", onclick: () => this.copyLink() }, t`Copy link`);
    this.link = h("a", { class: "small" }, t`Link to this answer`);
    this.history = h("a", { class: "small" }, t`Its history`);
    this.actions = h("div", { class: "row answer-actions", hidden: true }, this.link, this.history, navigator.clipboard ? this.copy : null);
    this.element = h("section", { class: "card answer-card", "aria-label": t`Answer` }, this.answer, this.meta, this.origin, this.actions);
    this.clock = setInterval(() => this.tick(), 1000);
  }

  /** Show that an answer is being asked for; the last one stays where it is. */
  wait() {
    this.element.classList.add("waiting");
  }

  clear() {
    this.element.classList.remove("waiting");
    this.updated = null;
    this.explained = { pair: "", at: 0 };
    this.actions.hidden = true;
    for (const part of [this.answer, this.meta, this.origin]) replace(part);
  }

  /** Say why there is no answer; `onuse` takes the code that the service thinks was meant. */
  fail({ message, meant, status }, onuse) {
    this.clear();
    replace(this.answer, h("p", { class: "notice bad" }, message), nextStep(status, this.shell.config.notice),
      meant && h("p", {}, h("button", { class: "button quiet", type: "button", onclick: () => onuse(meant) }, t`Use ${meant.code}`)));
  }

  /** Show an answer; `words` names so much of a side. */
  show(wanted, answer, words) {
    this.element.classList.remove("waiting");
    replace(this.answer,
      h("p", { class: "answer-asked muted figure" }, equation(`${number(wanted.amount)} ${words(wanted.from, wanted.amount)} =`)),
      h("p", { class: "answer-number figure" },
        h("span", { class: "value" }, number(answer.converted)), " ", h("span", { class: "of" }, words(wanted.to, answer.converted))),
      h("p", { class: "answer-rate muted figure" }, equation(`1 ${words(answer.of, "1")} = ${number(answer.rate)} ${words(answer.in)}`)),
      answer.of !== answer.in && h("p", { class: "answer-inverse muted figure" }, equation(`1 ${words(answer.in, "1")} = ${number(inverse(answer.rate))} ${words(answer.of)}`)));
    this.updated = answer.updated ? moment(answer.updated) : null;
    this.age = h("span", {});
    replace(this.meta, this.updated ? [localTime(this.updated), " · ", this.age] : answer.day ? dayText(answer) : []);
    this.tick();
    this.link.href = location.hash;
    const { from, to, unit, purity } = wanted;
    this.history.hidden = from === to || to.length !== 3;
    this.history.href = routeOf("charts", { pairs: `${from}/${to}`, unit, purity });
    this.actions.hidden = false;
    if (answer.legs) this.showOrigin(answer.legs, answer.publishers);
    else this.explain(wanted).catch((error) => this.cannotExplain(error));
  }

  tick() {
    if (!this.updated || !this.age) return;
    const seconds = (Date.now() - this.updated.getTime()) / 1000;
    this.age.textContent = seconds < 2 ? t`now` : t`${age(seconds)} old`;
  }

  /** Say where the rate comes from; asked once for a pair, and again after half a minute. */
  async explain({ from, to, date }) {
    const pair = `${from}/${to} ${date}`;
    if (this.explained.pair === pair && Date.now() - this.explained.at < 30000) return;
    this.explained = { pair, at: Date.now() };
    const [{ legs }, sources] = await Promise.all([this.shell.get("/explain", { from, to, date }), this.names()]);
    if (this.explained.pair !== pair) return;
    this.showOrigin(legs, sources);
  }

  showOrigin(legs, sources) {
    const said = sentencesOf(legs, sources, new Date());
    replace(this.origin, said.map((text) => h("p", { class: "sentence" }, `${text}.`)), verdictsOf(legs), legs.length > 1 && table(legs));
  }

  /** The names of the sources; a plan may include prices without them. */
  async names() {
    this.sources ??= this.shell.get("/sources").then((answer) => answer.sources, () => {
      this.sources = null; // asked again with the next answer
      return {};
    });
    return this.sources;
  }

  cannotExplain(error) {
    if (error.name !== "AbortError") replace(this.origin, h("p", { class: "muted" }, t`Where it comes from is not known: ${error.message}`));
  }

  async copyLink() {
    await navigator.clipboard.writeText(this.link.href);
    this.copy.textContent = t`Copied`;
    setTimeout(() => { this.copy.textContent = t`Copy link`; }, 2000);
  }

  stop() {
    clearInterval(this.clock);
  }
}

/** Keep the order of an equation in a text from right to left. */
function equation(text) {
  return h("bdi", { dir: "ltr" }, text);
}

/** Say what brings a price that there is none of. */
function nextStep(status, notice) {
  if (status === 404) return h("p", { class: "small muted" }, t`${h("code", {}, "cambist backfill")} fetches the history of the sources.`);
  return status === 503 && notice && h("p", { class: "small muted" }, t`It comes with the network. ${h("code", {}, "make sandbox")} serves simulated prices.`);
}

/** Say of which day a rate is, and of which its fixing, if that is an earlier one. */
function dayText({ day, fixedOn }) {
  const asked = dayInWords(day);
  if (fixedOn === null) return t`Rate of ${asked}, by law`;
  if (!fixedOn) return t`Rate of ${asked}, at midnight UTC`;
  return fixedOn === day ? t`Rate of ${asked}` : t`Rate of ${asked}: there was no fixing, it has that of ${dayInWords(fixedOn)}`;
}

function table(legs) {
  const rows = legs.map((leg) => h("tr", {},
    h("th", { scope: "row" }, `${leg.base}/${leg.quote}`), h("td", { class: "num" }, number(leg.rate)),
    h("td", {}, leg.as_of ? localTime(leg.as_of) : t`by law`)));
  return h("details", {}, h("summary", {}, t`How it is crossed`), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Legs of the rate` },
    h("table", { class: "table" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t`Leg`), h("th", { scope: "col", class: "num" }, t`Rate`), h("th", { scope: "col" }, t`Time`))),
      h("tbody", {}, rows))));
}
