/** Downloads that the page makes itself. */

import { h } from "../../lib/dom.js";

/** Let the visitor save a file. @param {string} name @param {Blob} content */
export function saveFile(name, content) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Let the visitor save a CSV. @param {string} name @param {string} text */
export function saveCsv(name, text) {
  saveFile(name, new Blob([text], { type: "text/csv" }));
}
