/** The converter: an amount, two assets, and the answer with its time, its age and where it comes from. */

import { ApiError } from "../../lib/api.js";
import { assetPicker } from "../../lib/asset_picker.js";
import { h, replace, svg } from "../../lib/dom.js";
import { assetsOf, codeMeant } from "../../lib/asset_search.js";
import { number } from "../../lib/format.js";
import { locale, t } from "../../lib/texts.js";
import { typedAs } from "../../lib/typed_number.js";
import { convert, amountError, isWeighed, weighedMetal } from "../convert/conversion.js";
import { MORE, readLink } from "../convert/link_values.js";
import { ResultCard } from "../convert/result_card.js";
import { pricedCodes } from "../convert/priced.js";
import { readQuestion } from "../convert/typed_question.js";
import { MetalFields } from "../convert/metal_fields.js";

export const title = t`Converter`;

const WAIT = 250;
/** After how many milliseconds a service that does not answer is asked again. */
const AGAIN_AFTER = 5_000;
const PLACES = [...Array(21).keys()];
const SWAP = "M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params amount, from, to, precision, date, unit, purity
 * @param {any} shell
 */
export async function show(root, params, shell) {
  const view = new Converter(params, shell, await shell.reference(true));
  root.append(view.element);
  if (MORE.some((name) => params.get(name))) await view.openMore();
  view.update();
  return () => view.stop();
}

class Converter {
  constructor(params, shell, tables) {
    this.shell = shell;
    this.tables = tables;
    this.assets = assetsOf(tables);
    this.asked = null;
    this.timer = 0;
    const { values, wrong } = readLink(params, tables);
    /** What of the link cannot be read, by the field that says it. */
    this.wrong = wrong;
    const chosen = (...fields) => () => {
      this.settle();
      for (const field of fields) wrong.delete(field);
      this.changed();
    };
    const priced = pricedCodes(shell, tables);
    this.from = assetPicker({ label: t`From`, priced, value: values.from, onchange: chosen("unit", "purity") });
    this.to = assetPicker({ label: t`To`, priced, value: values.to, onchange: chosen("unit", "purity") });
    this.amount = h("input", {
      class: "input amount", id: "amount", inputmode: "decimal", autocomplete: "off", maxlength: "400",
      value: typedAs(values.amount ?? "100", locale), "aria-describedby": "amount-reading amount-error",
      oninput: () => this.changed(WAIT), onchange: () => { this.applyQuestion(); this.settle(); },
    });
    this.reading = h("p", { class: "small muted", id: "amount-reading", "aria-live": "polite" });
    this.leave = h("button", { class: "button plain small", type: "button", onclick: () => { wrong.clear(); this.changed(); } }, t`Leave it out`);
    this.error = h("p", { class: "error", id: "amount-error", "aria-live": "polite" });
    this.date = h("input", {
      class: "input", id: "date", type: "date", min: "1970-01-01", value: values.date,
      "aria-describedby": "amount-error", onchange: chosen("date"),
    });
    this.precision = h("select", { class: "select", id: "precision", onchange: chosen("precision") },
      h("option", { value: "" }, t`Automatic`), PLACES.map((places) => h("option", { value: String(places) }, String(places))));
    this.precision.value = values.precision === "currency" ? "" : values.precision ?? "";
    this.metal = new MetalFields(tables, values, chosen("unit", "purity"));
    this.result = new ResultCard(shell);
    /** Other currencies, a mark-up, days and refreshes: loaded when they are wanted. */
    this.more = null;
    this.values = values;
    this.morePlace = h("div", {}, h("button", { class: "button plain", type: "button", onclick: () => this.openMore().then(() => this.changed()) }, t`Other currencies, mark-up, days …`));
    this.element = this.build();
  }

  build() {
    const swap = h("button", { class: "button quiet swap", type: "button", "aria-label": t`Swap the two sides`, title: t`Swap`, onclick: () => this.swap() }, arrows());
    return h("div", { class: "converter stack wide" },
      h("h1", { class: "visually-hidden" }, title),
      h("form", { class: "card converter-form", onsubmit: (event) => { event.preventDefault(); this.update(); } },
        h("div", { class: "amount-row" },
          h("div", { class: "field" }, h("label", { for: "amount" }, t`Amount`), this.amount),
          h("div", { class: "field" }, h("label", { for: "date" }, t`Day (none: now)`), this.date),
          h("div", { class: "field" }, h("label", { for: "precision" }, t`Decimals`), this.precision),
          this.reading, this.error),
        this.from, swap, this.to,
        this.metal.element),
      this.result.element, this.morePlace);
  }

  /** What is asked for, as it is in the address. */
  get wanted() {
    return {
      amount: this.question.amount, from: this.from.value, to: this.to.value,
      precision: this.precision.value, date: this.date.value, ...this.metal.chosen, ...this.more?.chosen,
    };
  }

  /** What is wrong with a field, and which field that is; empty texts if nothing is. */
  get mistake() {
    const amount = amountError(this.amount.value, this.question.amount);
    if (amount) return { field: "amount", text: amount };
    if (this.date.validity.badInput) return { field: "date", text: t`This is no whole day: complete it, or empty it for now.` };
    for (const [field, text] of this.wrong) return { field, text };
    return { field: "", text: this.metal.error };
  }

  swap() {
    this.settle();
    [this.from.value, this.to.value] = [this.to.value, this.from.value];
    this.wrong.delete("unit");
    this.changed();
  }

  changed(wait = 0) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), wait);
  }

  /** What is typed into the field of the amount: a number, or a question with codes. */
  get question() {
    return readQuestion(this.amount.value, locale, (word) => codeMeant(this.assets, word));
  }

  /** Leave only the number in the field, once it is left: the codes are chosen beside it. */
  settle() {
    const { amount, from, to } = this.question;
    if (from || to) this.amount.value = typedAs(amount, locale);
  }

  /** Choose the codes that were typed, and say how the number was read where it is not obvious. */
  applyQuestion() {
    const { amount, isUnsure, from, to } = this.question;
    if (from && from !== this.from.value) this.from.value = from;
    if (to && to !== this.to.value) this.to.value = to;
    const isPlain = amount === this.amount.value.trim();
    replace(this.reading, amount && (isUnsure || !isPlain) && (from ? t`Read as ${number(amount)} ${from}` : t`Read as ${number(amount)}`));
  }

  /** Ask again; `isRefresh` if nothing was changed. */
  async update(isRefresh = false) {
    clearTimeout(this.timer);
    this.applyQuestion();
    this.metal.show(weighedMetal(this.wanted, this.tables));
    const { wanted, mistake } = this;
    replace(this.error, mistake.text, this.wrong.has(mistake.field) && [" ", this.leave]);
    for (const input of [this.amount, this.date]) input.setAttribute("aria-invalid", String(input.id === mistake.field));
    this.asked?.abort();
    if (mistake.text) { this.result.clear(); return; }
    this.shell.setParams(wanted);
    this.asked = new AbortController();
    const { signal } = this.asked;
    if (!isRefresh) this.result.wait();
    const ask = (path, query) => this.shell.getExact(path, query, { signal });
    try {
      const answer = await convert(wanted, this.tables, ask);
      this.result.show(wanted, answer, this.metal.words(wanted));
      if (this.more?.pause && !wanted.date) this.again(this.more.pause);
      await this.more?.show({ ...wanted, isWeighed: isWeighed(wanted, this.tables) }, ask);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.result.fail(error instanceof ApiError ? error : new ApiError(0, "failed", String(error)), (meant) => this.use(meant));
      if (error.status === 401) this.shell.fail(error);
      if (error.status === 0 || error.status >= 500) this.again(AGAIN_AFTER);
    }
  }

  async openMore() {
    const { More } = await import("../convert/more.js");
    this.more ??= new More(this.shell, this.values, () => this.changed());
    replace(this.morePlace, this.more.element);
  }

  /** Ask once more after a while, unless nobody looks. */
  again(pause) {
    this.timer = setTimeout(() => (document.hidden ? this.again(pause) : this.update(true)), pause);
  }

  /** Take the code that the service thinks was meant. */
  use({ wrong, code }) {
    for (const side of [this.from, this.to]) if (side.value === wrong) side.value = code;
    this.changed();
  }

  stop() {
    clearTimeout(this.timer);
    this.asked?.abort();
    this.result.stop();
  }
}

function arrows() {
  return svg("svg", { viewBox: "0 0 24 20", "aria-hidden": "true" }, svg("path", { d: SWAP }));
}
