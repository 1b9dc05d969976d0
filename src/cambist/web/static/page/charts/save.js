/** Downloads that the page makes itself. */

import { h } from "../../lib/dom.js";

/** Let the visitor save a CSV. @param {string} name @param {string} text */
export function saveCsv(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
