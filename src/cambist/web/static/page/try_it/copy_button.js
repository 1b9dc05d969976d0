/** A button that copies a text and says so. */

import { h, replace } from "../../lib/dom.js";

const SAID_MS = 2_000;

/**
 * @param {string} label
 * @param {() => string} text what is copied, asked for when the button is pressed
 * @returns {HTMLButtonElement}
 */
export function copyButton(label, text) {
  const words = h("span", { "aria-live": "polite" }, label);
  const say = (said) => {
    replace(words, said);
    setTimeout(() => replace(words, label), SAID_MS);
  };
  const copy = () => navigator.clipboard?.writeText(text()).then(() => say("Copied"), () => say("Not allowed")) ?? say("Not allowed");
  return h("button", { class: "button quiet small try-copy", type: "button", onclick: copy }, words);
}
