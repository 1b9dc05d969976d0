/** Where a pair or a heading is added to the board. */

import { assetPicker } from "../../lib/asset_picker.js";
import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { LONGEST_HEADING, whyNoHeading, whyNot } from "./lines.js";

/**
 * Make the forms.
 * @param {{lines: () => string[], onadd: (line: string) => void}} options
 * @returns {HTMLElement}
 */
export function lineAdder({ lines, onadd }) {
  const base = assetPicker({ label: t`Base` });
  const quote = assetPicker({ label: t`In`, value: "USD" });
  const heading = h("input", { class: "input", id: "board-heading", maxlength: LONGEST_HEADING, autocomplete: "off" });
  const error = h("p", { class: "small bad board-error", role: "alert" });
  const add = (line, reason, field) => {
    replace(error, reason);
    if (reason) return;
    onadd(line);
    field.value = "";
    (field.input ?? field).focus();
  };
  const addPair = (event) => {
    event.preventDefault();
    add(`${base.value}/${quote.value}`, whyNot(lines(), base.value, quote.value), base);
  };
  const addHeading = (event) => {
    event.preventDefault();
    const name = heading.value.trim();
    add(`*${name}`, whyNoHeading(lines(), name), heading);
  };
  return h("section", { class: "stack board-aside", "aria-labelledby": "add-pair" },
    h("h2", { id: "add-pair" }, t`Add a pair`),
    h("form", { class: "board-adder", onsubmit: addPair, novalidate: true }, base, quote, h("button", { class: "button", type: "submit" }, t`Add`)),
    h("form", { class: "board-adder", onsubmit: addHeading, novalidate: true },
      h("div", { class: "field" }, h("label", { for: heading.id }, t`Heading above the next pairs`), heading),
      h("button", { class: "button quiet", type: "submit" }, t`Add heading`)),
    error);
}
