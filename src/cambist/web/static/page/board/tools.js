/** How the board is shown: order, since when prices are compared, which moves are marked, arranging, full screen. */

import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { MOST_FLASH, ORDERS, SINCE } from "./options.js";

/**
 * Make the tools. The element has `show(options, isArranged)`, and `refuse(reason)`, which says what cannot be done.
 * @param {{onchange: (options: object) => void, onarrange: () => void, onfull: () => void}} handlers `onchange` gets what changed
 * @returns {HTMLElement & {show: (options: any, isArranged: boolean) => void, refuse: (reason: string) => void}}
 */
export function boardTools({ onchange, onarrange, onfull }) {
  const order = select("board-order", ORDERS, (value) => onchange({ order: value }));
  const since = select("board-since", SINCE, (value) => onchange({ since: value }));
  const error = h("p", { class: "small bad board-error", role: "alert", id: "board-flash-error" });
  const flash = h("input", {
    class: "input", id: "board-flash", type: "number", min: 0, max: MOST_FLASH, step: "any", "aria-describedby": error.id,
    onchange: () => {
      const isRight = flash.validity.valid;
      flash.setAttribute("aria-invalid", String(!isRight));
      replace(error, isRight ? "" : t`Basis points are a number from 0 to ${MOST_FLASH}.`);
      if (isRight) onchange({ flash: flash.valueAsNumber || 0 });
    },
  });
  const arrange = h("button", { class: "button quiet", type: "button", "aria-pressed": "false", onclick: onarrange }, t`Arrange`);
  const full = h("button", { class: "button quiet", type: "button", hidden: !document.fullscreenEnabled, onclick: onfull }, t`Full screen`);
  const element = h("div", { class: "stack board-aside" },
    h("div", { class: "board-tools" },
      field(t`Order`, order), field(t`Change since`, since), field(t`Mark moves above (bp)`, flash), h("div", { class: "row" }, arrange, full)),
    error);
  element.refuse = (reason) => replace(error, reason);
  element.show = (options, isArranged) => {
    order.value = options.order;
    since.value = options.since;
    flash.value = options.flash;
    arrange.setAttribute("aria-pressed", String(isArranged));
  };
  return element;
}

function select(id, choices, onchange) {
  const options = Object.entries(choices).map(([value, words]) => h("option", { value }, words));
  const element = h("select", { class: "select", id, onchange: () => onchange(element.value) }, options);
  return element;
}

function field(label, element) {
  return h("div", { class: "field" }, h("label", { for: element.id }, label), element);
}
