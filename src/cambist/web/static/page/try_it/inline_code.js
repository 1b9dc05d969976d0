/** The one piece of Markdown that descriptions use: `code`. */

import { h } from "../../lib/dom.js";

/** Return a text as nodes, with what is between backticks as code. @param {string} text */
export function inlineCode(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}
