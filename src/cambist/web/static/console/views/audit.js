/** Audit log: who did what, and when. */

import { h } from "../../lib/dom.js";
import { badge, cell, emptyState, errorNote, field, heading, row, select, table, time } from "../parts/ui.js";

export const title = "Audit log";

const ACTIONS = [
  "account.create", "account.suspend", "account.resume", "account.plan", "account.change", "account.buy", "account.delete",
  "key.create", "key.revoke", "key.expire", "key.rotate", "plans.edit", "plans.reload", "source.ask", "source.leave-out", "problem.acknowledge", "problem.withdraw",
  "dispute.accept", "dispute.reject", "dispute.take-back", "sandbox.fault", "console.link", "console.sign-in", "console.sign-out",
];

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const who = h("input", { type: "search", value: params.get("who") ?? "", placeholder: "Anyone" });
  const on = h("input", { type: "search", value: params.get("on") ?? "", placeholder: "Anything" });
  const since = h("input", { type: "date", value: params.get("since") ?? "" });
  const action = select([["", "any"], ...ACTIONS], params.get("action") ?? "");
  const list = h("div", { class: "list" });
  const older = h("button", { type: "button", class: "button quiet", hidden: true }, "Show older entries");
  const view = { entries: [], next: null, timer: 0, asked: 0 };

  async function load(before = null) {
    view.asked += 1;
    const asked = view.asked;
    const chosen = { who: who.value.trim(), on: on.value.trim(), since: since.value, action: action.value };
    try {
      const answer = await shell.get("/audit", { ...chosen, before, limit: 100 });
      if (asked !== view.asked) return;
      view.entries = before ? [...view.entries, ...answer.entries] : answer.entries;
      view.next = answer.next_before;
      older.hidden = view.next === null;
      shell.setParams(chosen);
      list.replaceChildren(tableOf(view.entries));
    } catch (error) {
      if (!shell.signal.aborted && asked === view.asked) list.replaceChildren(errorNote(error));
    }
  }
  for (const input of [who, on, since, action]) {
    input.addEventListener("input", () => {
      clearTimeout(view.timer);
      view.timer = setTimeout(load, 300);
    });
  }
  older.addEventListener("click", () => load(view.next));
  root.append(
    heading("Audit log", "What operators did here and with the command line. Nobody can change it from the console."),
    h("div", { class: "filters" }, field("Who", who), field("Action", action), field("On", on), field("Since", since)),
    list,
    h("div", { class: "pager" }, older),
  );
  await load();
  return () => clearTimeout(view.timer);
}

function tableOf(entries) {
  if (!entries.length) return emptyState("No entry matches.");
  const columns = ["When", "Who", "Action", "On", "What", "Result"].map((label) => ({ label }));
  const rows = entries.map((entry) =>
    row(
      entry.number,
      cell(time(entry.at)),
      cell(entry.who),
      h("th", { scope: "row" }, h("code", {}, entry.action)),
      cell(entry.on || "–"),
      cell(entry.detail || "–", "long"),
      cell(entry.result === "done" ? badge("done", "good") : h("span", { class: "bad long" }, entry.result), "long"),
    ),
  );
  return table({ caption: "Audit log", columns, rows });
}
