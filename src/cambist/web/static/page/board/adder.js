/** Where a pair is added to the board. */

import { assetPicker } from "../../lib/asset_picker.js";
import { h, replace } from "../../lib/dom.js";
import { whyNot } from "./pairs.js";

/**
 * Make the form.
 * @param {{pairs: () => string[], onadd: (pair: string) => void}} options
 * @returns {HTMLElement}
 */
export function pairAdder({ pairs, onadd }) {
  const base = assetPicker({ label: "Base" });
  const quote = assetPicker({ label: "In", value: "USD" });
  const error = h("p", { class: "small bad board-error", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    const reason = whyNot(pairs(), base.value, quote.value);
    replace(error, reason);
    if (reason) return;
    onadd(`${base.value}/${quote.value}`);
    base.value = "";
    base.input.focus();
  };
  return h("section", { class: "stack", "aria-labelledby": "add-pair" },
    h("h2", { id: "add-pair" }, "Add a pair"),
    h("form", { class: "board-adder", onsubmit: submit, novalidate: true }, base, quote, h("button", { class: "button", type: "submit" }, "Add")),
    error);
}
