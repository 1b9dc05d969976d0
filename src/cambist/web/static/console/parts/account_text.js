/** What lists of accounts say about one. */

import { h } from "../../lib/dom.js";
import { count, share } from "./ui.js";

const KEY = /\b(cmb_.{4})\S+/g;

/** Return a text with the beginnings of the keys in it only: an address is kept in the history of the browser. */
export function withoutKey(text) {
  return text.replace(KEY, "$1");
}

/** Return how much of a quota is used, in whole percent, rounded down so that 100 means all of it. */
export function percentUsed({ used, quota }) {
  return quota ? Math.floor((100 * used) / quota) : null;
}

/** The used share of a quota, in words and as a bar. */
export function quotaUsed(account) {
  if (account.quota === null) return "no quota";
  const percent = percentUsed(account);
  const kind = percent === null || percent >= 100 ? "bad" : percent >= 80 ? "warn" : "";
  const words = percent === null ? "none" : `${percent} % of ${count(account.quota)}`;
  return h("span", { class: "quota" }, h("span", { class: kind }, words), share(account.used, account.quota, kind));
}
