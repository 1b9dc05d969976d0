/** The runbook: what each kind of problem means, what clients see, and what to do. */

import { h } from "../../lib/dom.js";
import { card, heading } from "../parts/ui.js";

export const title = "Runbook";

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const { entries } = await shell.get("/runbook");
  const chosen = entries.filter(({ kind }) => kind === params.get("kind"));
  const rest = entries.filter((entry) => !chosen.includes(entry));
  const back = h("a", { class: "back", href: "#/problems" }, "All problems");
  root.append(back, heading("Runbook", "What a problem means, what clients see meanwhile, and what to do."));
  root.append(...chosen.map(entryCard));
  root.append(h("div", { class: "stack wide" }, ...rest.map(entryDetails)));
}

function entryCard(entry) {
  return card({ title: entry.title, class: "runbook" }, ...bodyOf(entry));
}

function entryDetails(entry) {
  return h("details", { class: "card runbook" }, h("summary", {}, entry.title), h("div", { class: "stack" }, ...bodyOf(entry)));
}

function bodyOf({ meaning, clients_see: seen, steps }) {
  return [
    h("p", {}, ...withCode(meaning)),
    h("p", {}, h("strong", {}, "Clients see: "), ...withCode(seen)),
    h("ol", {}, ...steps.map((step) => h("li", {}, ...withCode(step)))),
  ];
}

/** Return a text whose commands stand between backticks as nodes. */
function withCode(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}
