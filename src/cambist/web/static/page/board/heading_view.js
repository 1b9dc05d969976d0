/** A heading between the pairs of a board. While the board is arranged it can be renamed, moved and removed. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { moveButtons } from "./arranging.js";
import { LONGEST_HEADING } from "./lines.js";

export class HeadingView {
  /** @param {string} line such as "*Metals" @param {{onremove: () => void, onmove: (step: -1|1) => void, onrename: (name: string) => void}} handlers */
  constructor(line, { onremove, onmove, onrename }) {
    const name = line.slice(1);
    this.input = h("input", {
      class: "input board-move", value: name, maxlength: LONGEST_HEADING, autocomplete: "off", "aria-label": t`Heading ${name}`,
      onchange: () => onrename(this.input.value.trim()),
    });
    this.removeButton = h("button", { class: "board-button board-move", type: "button", "aria-label": t`Remove ${name}`, title: t`Remove ${name}`, onclick: onremove }, "×");
    this.element = h("div", { class: "board-heading", role: "row", dataset: { line } },
      h("span", { role: "rowheader", "aria-colspan": 6 }, h("b", { class: "board-usual" }, name), this.input),
      h("span", { role: "cell", class: "board-end" }, moveButtons(name, onmove), this.removeButton));
  }
}
