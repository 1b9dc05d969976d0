/** Lines are put in order by buttons, and by dragging them. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";

/**
 * Make the buttons that move a line; they are shown while the board is arranged.
 * @param {string} name of the line
 * @param {(step: -1|1) => void} onmove
 * @returns {HTMLElement[]}
 */
export function moveButtons(name, onmove) {
  const button = (text, label, step) => h("button", {
    class: "board-button board-move", type: "button", "aria-label": label, title: label, onclick: () => onmove(step),
  }, text);
  return [button("↑", t`Move ${name} up`, -1), button("↓", t`Move ${name} down`, 1)];
}

/**
 * Let lines be dragged, with a mouse or a finger.
 * @param {HTMLElement} body whose children are the lines, each with its name in `data-line`
 * @param {{isOn: () => boolean, onmove: (line: string, over: string) => void}} options `onmove`: a line is to have the place
 *   of the one that it is dragged over
 */
export function dragLines(body, { isOn, onmove }) {
  body.addEventListener("pointerdown", (event) => {
    const dragged = event.target.closest("[data-line]");
    if (!isOn() || event.button || !dragged || event.target.closest("button, input")) return;
    event.preventDefault();
    const follow = ({ clientY }) => {
      const over = lineAt(body, dragged, clientY);
      if (over) onmove(dragged.dataset.line, over.dataset.line);
    };
    const end = () => {
      dragged.classList.remove("dragged");
      removeEventListener("pointermove", follow);
      for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, end);
    };
    dragged.classList.add("dragged");
    addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end);
  });
}

/** Return the line whose place the dragged one takes: under the pointer it would then lie itself, whatever their heights. */
function lineAt(body, dragged, y) {
  const own = dragged.getBoundingClientRect();
  return [...body.children].find((each) => {
    if (each === dragged) return false;
    const { top, bottom } = each.getBoundingClientRect();
    return own.top < top ? y >= Math.max(top, bottom - own.height) && y < bottom : y >= top && y < Math.min(bottom, top + own.height);
  });
}
