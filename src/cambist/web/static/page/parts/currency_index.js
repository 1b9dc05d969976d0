/** The list of all currencies and metals, with a search. */

import { h, replace } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { searchField } from "./behind.js";
import { groupedAssets } from "./currency_words.js";

/**
 * Make the list.
 * @param {any} reference
 * @param {string} text what is searched for first
 * @param {(text: string) => void} onsearch
 */
export function currencyIndex(reference, text, onsearch) {
  const list = h("div", { class: "stack wide" });
  const status = h("p", { class: "small muted", role: "status" });
  const draw = (wanted) => {
    const groups = groupedAssets(reference, wanted);
    const count = groups.reduce((sum, { assets }) => sum + assets.length, 0);
    replace(status, count === 1 ? t`1 code` : t`${count} codes`);
    replace(list, groups.length ? groups.map(group) : h("div", { class: "empty stack" },
      h("p", {}, t`No currency and no metal is called that.`), h("p", {}, h("a", { href: routeOf("convert") }, t`Look for a coin in the converter`))));
  };
  draw(text);
  const search = searchField({
    label: t`Find a currency or metal`, placeholder: t`Code, name or country`, value: text,
    oninput: (wanted) => { draw(wanted); onsearch(wanted); },
  });
  return [h("div", { class: "search" }, search), status, list];
}

function group({ heading, assets }) {
  return h("section", { class: "stack" }, h("h2", {}, heading, h("span", { class: "muted small" }, ` ${number(assets.length)}`)),
    h("ul", { class: "code-list" }, assets.map(({ code, name, until }) => h("li", {},
      h("a", { href: routeOf("currency", { code }), class: "code-link" },
        h("b", {}, code), h("span", {}, name), until && h("small", { class: "muted" }, t`until ${until.slice(0, 4)}`))))));
}
