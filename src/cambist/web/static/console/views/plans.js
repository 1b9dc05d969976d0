/** Plans: the file as it is, checked while it is edited, and the plans in effect. */

import { h } from "../../lib/dom.js";
import { ask } from "../parts/dialog.js";
import { editor } from "../parts/editor.js";
import { withoutPlace } from "../parts/plan_text.js";
import { badge, card, cell, count, heading, row, table } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Plans";

const PAUSE = 400;

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { saved: await shell.get("/plans"), timer: 0, checked: 0 };
  const state = h("p", { class: "hint", role: "status" });
  const effect = h("div", {});
  const field = editor({ label: "The plans file", text: view.saved.text, onInput: later });
  const save = h("button", { type: "button", class: "button", onclick: () => saveNow(view, field, shell, shown) }, "Save and apply");
  const undo = h("button", { type: "button", class: "button quiet", onclick: discard }, "Discard changes");
  const previous = h("button", { type: "button", class: "button quiet", onclick: takePrevious }, "Load the previous text");

  /** Show what was saved, or what is in the file after all. */
  function shown(saved, { text = saved.text } = {}) {
    view.saved = saved;
    if (field.area.value !== text) {
      field.area.value = text;
      field.area.dispatchEvent(new Event("input"));
    }
    effect.replaceChildren(inEffect(saved.plans));
    describe();
    checkNow();
  }
  function describe(valid = true) {
    const changed = field.area.value !== view.saved.text;
    undo.disabled = !changed;
    previous.hidden = view.saved.previous === null;
    save.disabled = !valid || (!changed && view.saved.applied);
    if (!valid) state.textContent = "It cannot be applied yet.";
    else if (changed) state.textContent = "Changed, not saved.";
    else state.textContent = view.saved.applied ? "Saved and in effect." : "Saved, but not in effect yet.";
  }
  function later() {
    clearTimeout(view.timer);
    describe();
    view.timer = setTimeout(checkNow, PAUSE);
  }
  async function checkNow() {
    view.checked += 1;
    const check = view.checked;
    const found = await shell.post("/plans/check", { text: field.area.value }).catch(() => null);
    if (check !== view.checked || !found) return;
    field.mark(found.valid ? null : { line: found.line, text: withoutPlace(found.error) });
    describe(found.valid);
  }
  function discard() {
    shown(view.saved);
    field.area.focus();
  }
  function takePrevious() {
    shown(view.saved, { text: view.saved.previous });
    field.area.focus();
  }
  root.append(
    heading("Plans", "What an account may do. Changes apply within a second, without a restart."),
    card(
      { title: "The file" },
      h("p", { class: "hint" }, h("code", { class: "path" }, view.saved.file)),
      field.element,
      h("div", { class: "actions spread" }, state, h("div", { class: "actions" }, previous, undo, save)),
    ),
    card({ title: "In effect now" }, effect),
  );
  shown(view.saved);
  return () => clearTimeout(view.timer);
}

async function saveNow(view, field, shell, shown) {
  const dropped = view.saved.plans.filter(({ name, accounts }) => accounts && !field.area.value.includes(`[${name}]`));
  const saved = await ask({
    title: "Save and apply the plans?",
    body: [
      h("p", {}, "They take the place of the plans in effect within a second, for all accounts."),
      dropped.length ? h("p", { class: "notice warn" }, `No longer in the file, but in use: ${dropped.map(({ name }) => name).join(", ")}.`) : null,
    ],
    action: "Save and apply",
    run: () => saveText(view, field, shell),
  });
  if (!saved) return;
  shown(saved);
  shell.say(`${plural(saved.plans.length, "plan")} in effect.`);
}

async function saveText(view, field, shell) {
  try {
    return await shell.post("/plans", { text: field.area.value, version: view.saved.version });
  } catch (error) {
    if (error.code === "plans_refused") field.mark({ line: error.body.line, text: withoutPlace(error.message) });
    throw error;
  }
}

function inEffect(plans) {
  const columns = [
    { label: "Plan" },
    { label: "Accounts", class: "num" },
    { label: "Calls a period", class: "num" },
    { label: "Rate a second", class: "num" },
    { label: "New prices", class: "num" },
    { label: "History", class: "num" },
    { label: "Stream", class: "num" },
    { label: "Locks", class: "num" },
    { label: "Alerts", class: "num" },
    { label: "Groups of endpoints" },
  ];
  const rows = plans.map((plan) =>
    row(
      plan.name,
      h("th", { scope: "row" }, plan.name),
      cell(count(plan.accounts), "num"),
      cell(plan.calls_a_month === null ? "no quota" : count(plan.calls_a_month), "num"),
      cell(plan.rate === null ? "no limit" : `${count(plan.rate)}, ${count(plan.burst)} at once`, "num"),
      cell(plan.book_refresh ? `every ${plan.book_refresh} s` : "always", "num"),
      cell(plan.history_days === null ? "all" : `${count(plan.history_days)} days`, "num"),
      cell(plan.stream_connections ? `${count(plan.stream_connections)} × ${count(plan.stream_pairs)} pairs` : "none", "num"),
      cell(plan.lock_minutes ? `${count(plan.lock_minutes)} min` : "none", "num"),
      cell(plan.alerts ? count(plan.alerts) : "none", "num"),
      cell(h("span", { class: "tags" }, ...plan.tags.map((tag) => badge(tag)))),
    ),
  );
  return table({ caption: "Plans in effect", columns, rows, empty: "There is no plan." });
}
