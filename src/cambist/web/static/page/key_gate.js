/** Where a visitor pastes a key, which stays in the memory of the tab. */

import { keepKey, request, setKey } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { t } from "../lib/texts.js";

/** @typedef {{environment: string, message?: string, onkey: () => void}} KeyOptions `message` says why a key is asked for again */

/**
 * Make the first view of a page that needs a key.
 * @param {KeyOptions} options
 * @returns {HTMLElement}
 */
export function keyGate(options) {
  return h("section", { class: "gate stack wide", "aria-labelledby": "welcome" },
    h("h1", { id: "welcome", tabindex: "-1" }, t`Rates that say where they come from`),
    h("p", { class: "lead" }, t`Currencies, metals and crypto: convert, look at fifty years of history, and see which source stands behind every number.`),
    h("div", { class: "card stack" }, keyForm(options)));
}

/**
 * Make the form for a key.
 * @param {KeyOptions} options
 * @returns {HTMLElement[]}
 */
export function keyForm({ environment, message = "", onkey }) {
  const input = h("input", {
    class: "input", id: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "key-error key-hint", name: "api-key",
  });
  const keep = h("input", { type: "checkbox", id: "keep" });
  const error = h("p", { class: "error", id: "key-error", role: "alert" }, message);
  const button = h("button", { class: "button", type: "submit" }, t`Use this key`);
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    const refused = await tryKey(input.value);
    button.disabled = false;
    replace(error, refused);
    if (refused) { input.select(); return; }
    input.value = "";
    if (keep.checked) keepKey();
    onkey();
  };
  return [
    h("form", { class: "key-form", onsubmit: submit }, h("div", { class: "field" }, h("label", { for: "key" }, t`Your API key`), input), button),
    error,
    h("label", { class: "row small", for: "keep" }, keep, t`Keep it until this tab is closed`),
    h("p", { class: "small muted", id: "key-hint" }, t`The key stays in the memory of this tab, and is gone when you reload the page, unless the tab keeps it.`, " ", whence(environment)),
  ];
}

function whence(environment) {
  return environment === "sandbox"
    ? t`The first ${h("code", {}, "cambist serve --sandbox")} printed one, and left it in the file ${h("code", {}, "owner.key")} of the data folder.`
    : t`Whoever runs this service gives keys out: the first ${h("code", {}, "cambist serve")} printed one.`;
}

/** Use a key, unless the service refuses it; return why it does. The question costs no call. */
async function tryKey(text) {
  setKey(text);
  try {
    await request("/mcp", {}, { body: '{"jsonrpc":"2.0","method":"ping"}' });
  } catch (error) {
    if (error.status !== 401 && error.status !== 0) return "";
    setKey("");
    return error.message;
  }
  return "";
}
