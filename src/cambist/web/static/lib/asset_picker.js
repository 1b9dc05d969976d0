/** A combobox that finds an asset while its code, name or country is typed (WAI-ARIA: combobox with a list). */

import { assetsOf, findAssets } from "./asset_search.js";
import { h, replace } from "./dom.js";
import { reference } from "./reference.js";
import { t } from "./texts.js";

/** What stands beside an asset that has no country. */
const NOTES = { metal: t`metal`, coin: t`coin`, retired: t`ended` };

let count = 0;

/**
 * Make a picker. The element has `value` (the code; setting it calls nobody) and `input`.
 * @param {{label: string, value?: string, kinds?: string[], onchange?: (code: string) => void,
 *   priced?: () => Promise<Set<string>|null>}} options `kinds` of "currency", "metal", "coin", "retired"; the first three
 *   if left out. `priced`, asked when the list is opened, tells the codes that have a price; null: nothing is marked
 * @returns {HTMLElement & {value: string, input: HTMLInputElement}}
 */
export function assetPicker({ label, value = "", kinds, onchange, priced = async () => null }) {
  return new Picker(label, value, kinds, onchange ?? (() => {}), priced).element;
}

class Picker {
  constructor(label, value, kinds, onchange, priced) {
    this.id = `picker-${(count += 1)}`;
    this.chosen = value;
    this.onchange = onchange;
    this.priced = priced;
    /** @type {Set<string>|null} */
    this.known = null;
    this.assets = [];
    this.found = [];
    this.active = -1;
    this.element = this.build(label);
    this.show();
    reference(!kinds || kinds.includes("coin")).then((tables) => {
      this.assets = assetsOf(tables, kinds);
      if (document.activeElement === this.input) this.open();
      else this.show();
    }, () => {});
  }

  build(label) {
    this.input = h("input", {
      class: "input", id: this.id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${this.id}-list`,
      placeholder: t`Code, name or country`,
      onfocus: () => this.input.select(),
      onclick: () => this.open(),
      oninput: () => this.open(this.input.value),
      onblur: () => this.close(),
      onkeydown: (event) => this.press(event),
    });
    this.list = h("ul", { class: "picker-list", id: `${this.id}-list`, role: "listbox", "aria-label": label, hidden: true });
    const field = h("div", { class: "field picker-field" },
      h("label", { for: this.id }, label), h("div", { class: "picker" }, this.input, this.list));
    field.input = this.input;
    Object.defineProperty(field, "value", { get: () => this.chosen, set: (code) => this.set(code) });
    return field;
  }

  set(code) {
    this.chosen = code;
    this.show();
  }

  /** Show the chosen asset in the field. */
  show() {
    const asset = this.assets.find(({ code }) => code === this.chosen);
    this.shownText = asset ? `${asset.code} – ${asset.name}` : this.chosen;
    this.input.value = this.shownText;
  }

  /** Open the list with what a text may mean. */
  open(text = "") {
    this.found = findAssets(this.assets, text);
    this.active = text && this.found.length ? 0 : this.found.findIndex(({ asset }) => asset.code === this.chosen);
    const none = h("li", { class: "picker-none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, t`Nothing is found`);
    replace(this.list, this.found.length ? this.found.map((each, index) => this.option(each, index)) : none);
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark();
    this.markPriced();
  }

  /** Mark what has no price now, once that is known. */
  async markPriced() {
    const known = await this.priced().catch(() => null);
    if (known === this.known) return;
    this.known = known;
    if (!this.list.hidden) this.open(this.input.value === this.shownText ? "" : this.input.value);
  }

  option({ asset, place }, index) {
    const isWithout = this.known !== null && !this.known.has(asset.code);
    const note = isWithout ? t`no price now` : asset.until ? t`until ${asset.until.slice(0, 4)}` : NOTES[asset.kind] ?? place;
    return h("li", {
      class: isWithout ? "picker-option muted" : "picker-option", id: `${this.id}-${index}`, role: "option", "aria-selected": "false",
      onmousedown: (event) => { event.preventDefault(); this.choose(index); },
    }, h("b", {}, asset.code), h("span", {}, asset.name), h("small", {}, note));
  }

  mark() {
    [...this.list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === this.active)));
    const option = this.list.children[this.active];
    if (option && this.found.length) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  choose(index) {
    const code = this.found[index]?.asset.code;
    const isNew = code && code !== this.chosen;
    if (code) this.chosen = code;
    this.close();
    if (isNew) this.onchange(code);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.show();
  }

  press(event) {
    const isOpen = !this.list.hidden;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      event.preventDefault();
      if (!isOpen) { this.open(); return; }
      const { length } = this.found;
      if (length) this.active = (Math.max(this.active, move > 0 ? -1 : 0) + move + length) % length;
      this.mark();
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      this.choose(this.active);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      this.close();
      this.input.select();
    }
  }
}
