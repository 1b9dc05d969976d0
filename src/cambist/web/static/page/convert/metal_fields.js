/** The unit of mass and the purity of a metal, shown where one is converted from or to a currency. */

import { h, replace } from "../../lib/dom.js";
import { language, t } from "../../lib/texts.js";

const CUSTOM = "custom";

export class MetalFields {
  /**
   * @param {any} tables the reference tables
   * @param {{unit?: string, purity?: string}} wanted
   * @param {() => void} onchange
   */
  constructor(tables, { unit = "", purity = "" }, onchange) {
    this.tables = tables;
    this.metal = null;
    this.wanted = { unit, purity };
    this.unit = h("select", { class: "select", id: "unit", onchange });
    this.purity = h("select", { class: "select", id: "purity", onchange: () => { this.showCustom(); onchange(); } });
    this.fineness = h("input", { class: "input", id: "fineness", inputmode: "decimal", maxlength: "8", oninput: onchange });
    this.purityField = field("purity", t`Purity`, this.purity);
    this.finenessField = field("fineness", t`Fineness, of 1000`, this.fineness);
    this.element = h("div", { class: "metal-fields", hidden: true }, field("unit", t`Unit`, this.unit), this.purityField, this.finenessField);
  }

  /** What is chosen; empty texts for the metal's own unit, and for the pure metal. */
  get chosen() {
    if (!this.metal) return { unit: "", purity: "" };
    const purity = this.purity.value === CUSTOM ? this.fineness.value.trim() : this.purity.value;
    return { unit: this.unit.value, purity: this.purityField.hidden ? "" : purity };
  }

  /** What is wrong with the fineness, or an empty text. */
  get error() {
    if (!this.metal || this.finenessField.hidden) return "";
    const value = Number(this.fineness.value || NaN);
    return value >= 1 && value <= 1000 ? "" : t`A fineness is from 1 to 1000 parts per thousand`;
  }

  /** Show the fields of a metal; null hides them. */
  show(metal) {
    this.element.hidden = !metal;
    if (metal === this.metal) return;
    const before = this.metal ? this.chosen : this.wanted;
    this.metal = metal;
    if (!metal) return;
    replace(this.unit, this.tables.units.map(({ handle, name }) => h("option", { value: handle }, name)));
    this.unit.value = before.unit || metal.unit;
    this.showPurities(before.purity);
  }

  showPurities(before) {
    const purities = this.tables.purities[this.metal.code] ?? [];
    this.purityField.hidden = !purities.length;
    replace(this.purity, h("option", { value: "" }, t`Pure`),
      purities.map(({ code, name, fineness }) => h("option", { value: code }, `${name} (${fineness})`)),
      h("option", { value: CUSTOM }, t`Another fineness`));
    const isNamed = !before || purities.some(({ code }) => code === before);
    this.purity.value = isNamed ? before : CUSTOM;
    this.fineness.value = isNamed ? "" : before;
    this.showCustom();
  }

  showCustom() {
    this.finenessField.hidden = this.purityField.hidden || this.purity.value !== CUSTOM;
  }

  /** Return how so much of a side is called: by its code, a metal by unit and purity. */
  words({ unit, purity }) {
    const { metal } = this;
    if (!metal) return (code) => code;
    const name = this.tables.units.find(({ handle }) => handle === unit)?.name.toLowerCase() ?? unit;
    const fine = purity ? ` ${purity}` : "";
    return (code, amount) => (code === metal.code ? t`${amount === "1" ? name : plural(name)} of ${metal.name.toLowerCase()}${fine}` : code);
  }
}

/** In English pounds and grams take an s; taels, bahts and tolas are counted as they are. */
function plural(name) {
  return language !== "en" || /^(tael|baht|tola)/.test(name) ? name : name.replace(/^[a-z ]*[a-z]/, "$&s");
}

function field(id, label, input) {
  return h("div", { class: "field" }, h("label", { for: id }, label), input);
}
