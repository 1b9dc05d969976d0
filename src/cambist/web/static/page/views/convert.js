/** The converter: an amount, two assets, and the answer with its time, its age and where it comes from. */

import { ApiError } from "../../lib/api.js";
import { assetPicker } from "../../lib/asset_picker.js";
import { h, svg } from "../../lib/dom.js";
import { convert, amountError, usualPrecision, weighedMetal } from "../convert/conversion.js";
import { ResultCard } from "../convert/result_card.js";
import { MetalFields } from "../convert/metal_fields.js";

export const title = "Converter";

const WAIT = 250;
const PLACES = [...Array(21).keys()];
const SWAP = "M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params amount, from, to, precision, unit, purity
 * @param {any} shell
 */
export async function show(root, params, shell) {
  const view = new Converter(params, shell, await shell.reference(true));
  root.append(view.element);
  view.update();
  return () => view.stop();
}

class Converter {
  constructor(params, shell, tables) {
    this.shell = shell;
    this.tables = tables;
    this.asked = null;
    this.timer = 0;
    const changed = () => this.changed();
    this.from = assetPicker({ label: "From", value: code(params.get("from"), "EUR"), onchange: changed });
    this.to = assetPicker({ label: "To", value: code(params.get("to"), "USD"), onchange: changed });
    this.amount = h("input", {
      class: "input amount", id: "amount", inputmode: "decimal", autocomplete: "off", maxlength: "40",
      value: params.get("amount") ?? "100", "aria-describedby": "amount-error", oninput: () => this.changed(WAIT),
    });
    this.error = h("p", { class: "error", id: "amount-error", "aria-live": "polite" });
    this.precision = h("select", { class: "select", id: "precision", onchange: () => { this.chosen = true; this.changed(); } },
      PLACES.map((places) => h("option", { value: String(places) }, String(places))));
    this.chosen = PLACES.includes(Number(params.get("precision") ?? NaN));
    this.precision.value = this.chosen ? String(Number(params.get("precision"))) : String(usualPrecision(this.to.value, tables));
    this.metal = new MetalFields(tables, params, changed);
    this.result = new ResultCard(shell);
    this.element = this.build();
  }

  build() {
    const swap = h("button", { class: "button quiet swap", type: "button", "aria-label": "Swap the two sides", title: "Swap", onclick: () => this.swap() }, arrows());
    return h("div", { class: "converter stack wide" },
      h("h1", { class: "visually-hidden" }, "Converter"),
      h("form", { class: "card converter-form", onsubmit: (event) => { event.preventDefault(); this.update(); } },
        h("div", { class: "amount-row" },
          h("div", { class: "field" }, h("label", { for: "amount" }, "Amount"), this.amount),
          h("div", { class: "field" }, h("label", { for: "precision" }, "Decimals"), this.precision),
          this.error),
        this.from, swap, this.to,
        this.metal.element),
      this.result.element);
  }

  /** What is asked for, as it is in the address. */
  get wanted() {
    return {
      amount: this.amount.value.trim(), from: this.from.value, to: this.to.value,
      precision: Number(this.precision.value), ...this.metal.chosen,
    };
  }

  swap() {
    [this.from.value, this.to.value] = [this.to.value, this.from.value];
    this.changed();
  }

  changed(wait = 0) {
    if (!this.chosen) this.precision.value = String(usualPrecision(this.to.value, this.tables));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), wait);
  }

  async update() {
    this.metal.show(weighedMetal(this.wanted, this.tables));
    const { wanted } = this;
    const wrong = amountError(wanted.amount) || this.metal.error;
    this.error.textContent = wrong;
    this.amount.setAttribute("aria-invalid", String(Boolean(wrong)));
    this.asked?.abort();
    if (wrong) { this.result.clear(); return; }
    this.shell.setParams(wanted);
    this.asked = new AbortController();
    const { signal } = this.asked;
    this.result.wait();
    try {
      const answer = await convert(wanted, this.tables, (path, query) => this.shell.getExact(path, query, { signal }));
      this.result.show(wanted, answer, this.metal.words(wanted));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.result.fail(error instanceof ApiError ? error.message : String(error));
      if (error.status === 401) this.shell.fail(error);
    }
  }

  stop() {
    clearTimeout(this.timer);
    this.asked?.abort();
    this.result.stop();
  }
}

function code(text, otherwise) {
  return /^[A-Z0-9]{1,12}$/.test(text ?? "") ? text : otherwise;
}

function arrows() {
  return svg("svg", { viewBox: "0 0 24 20", "aria-hidden": "true" }, svg("path", { d: SWAP }));
}
