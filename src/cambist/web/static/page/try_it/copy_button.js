/** A button that copies a text and says so. */

import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";

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
  const refused = () => say(t`Not allowed`);
  const copy = () => navigator.clipboard?.writeText(text()).then(() => say(t`Copied`), refused) ?? refused();
  return h("button", { class: "button quiet small try-copy", type: "button", onclick: copy }, words);
}
