/** Problems: what is wrong now, who knows of it, and what was wrong within the last 30 days. */

import { h } from "../../lib/dom.js";
import { age } from "../../lib/format.js";
import { ask } from "../parts/dialog.js";
import { onAction, patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { ago, badge, card, cell, errorNote, field, heading, pager, row, table, time } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Problems";

const REFRESH = 5000;
const PER_PAGE = 50;

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { page: Number(params.get("page")) || 1, problems: [], timer: 0 };
  const found = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "list" });
  const ended = h("div", { class: "stack wide" });
  const more = h("div", {});

  async function load(background = false) {
    clearTimeout(view.timer);
    try {
      const answer = await shell.get("/problems", { page: view.page, per_page: PER_PAGE }, { background });
      view.problems = answer.problems;
      found.textContent = foundText(answer);
      patch(list, tableOf(answer.problems));
      patch(ended, historyOf(answer.ended));
      more.replaceChildren(...[pager(answer.ended_page.page, answer.ended_page.pages, turn)].filter(Boolean));
    } catch (error) {
      if (!shell.signal.aborted) patch(list, errorNote(error));
    }
    if (!shell.signal.aborted) view.timer = setTimeout(load, REFRESH, true);
  }
  const turn = (page) => {
    view.page = page;
    shell.pushParams({ page: page > 1 ? String(page) : "" });
    return load();
  };
  async function change(dialog, said) {
    if (!(await ask(dialog))) return;
    shell.say(said);
    shell.refreshOverview();
    await load();
  }
  const chosen = (element) => view.problems.find(({ key }) => key === element.dataset.problem);
  onAction(list, {
    acknowledge: (element) => change(acknowledgeDialog(chosen(element), shell), "The problem is acknowledged."),
    withdraw: (element) => change(withdrawDialog(chosen(element), shell), "The problem is not acknowledged any more."),
  });
  root.append(heading("Problems", "What is wrong now, and since when. A problem leaves the list when it has ended."), found, list, ended, more);
  await load();
  return () => clearTimeout(view.timer);
}

function foundText({ problems, total }) {
  return total > problems.length ? `${plural(total, "problem")}, the first ${problems.length} of them here` : plural(total, "problem");
}

function tableOf(problems) {
  const columns = [{ label: "Problem" }, { label: "Since", class: "num extra" }, { label: "Actions" }];
  const rows = problems.map((problem) =>
    row(
      problem.key,
      h("th", { scope: "row" }, textOf(problem)),
      cell(ago(problem.since), "num extra"),
      cell(button(problem)),
    ),
  );
  return table({ caption: "Problems", columns, rows, empty: "There is no problem." });
}

function textOf(problem) {
  const { text, kind, key, since, acknowledged } = problem;
  const known = acknowledged
    ? h("p", { class: "hint" }, `${acknowledged.who}, `, time(acknowledged.at), acknowledged.note ? `: ${acknowledged.note}` : "")
    : null;
  const begun = h("span", { class: "hint narrow" }, "Since ", time(since));
  return h("div", { class: "problem" }, h("span", {}, stateOf(problem), " ", text), begun, h("span", { class: "links" }, ...linksOf(kind, key)), known);
}

/** Where a problem is looked at, and what to do about it. */
function linksOf(kind, key) {
  const about = key.slice(kind.length + 1);
  const places = {
    source: [routeOf("sources", { search: about }), "See the source"],
    held: [routeOf("disputes", { source: about }), "What each choice would serve"],
    dispute: [routeOf("disputes"), "Decide"],
    quota: [routeOf("account", { name: about }), "See the account"],
  };
  const [address, label] = places[kind] ?? [];
  const link = address ? h("a", { href: address }, label) : null;
  return [link, h("a", { href: routeOf("runbook", { kind }) }, "What to do", h("span", { class: "visually-hidden" }, ` about ${key}`))].filter(Boolean);
}

function stateOf({ acknowledged, told, level }) {
  if (acknowledged) return badge("acknowledged", "quiet");
  return told ? badge(level > 1 ? "severe" : "open", level > 1 ? "bad" : "warn") : badge("new", "warn");
}

function button({ key, acknowledged }) {
  const [label, action] = acknowledged ? ["Withdraw", "withdraw"] : ["Acknowledge", "acknowledge"];
  return h(
    "button",
    { type: "button", class: "button quiet small-button", dataset: { action, problem: key } },
    label,
    h("span", { class: "visually-hidden" }, ` ${key}`),
  );
}

function historyOf(ended) {
  const columns = [{ label: "Problem" }, { label: "Began", class: "num extra" }, { label: "Lasted", class: "num" }, { label: "Acknowledged", class: "extra" }];
  const rows = ended.map((each) =>
    row(
      `${each.key} ${each.since}`,
      h("th", { scope: "row" }, h("div", { class: "problem" }, h("span", {}, each.text), h("span", { class: "hint narrow" }, time(each.since)))),
      cell(time(each.since), "num extra"),
      cell(age(each.seconds), "num"),
      cell(each.acknowledged ? `${each.acknowledged.who}${each.acknowledged.note ? `: ${each.acknowledged.note}` : ""}` : "no", "extra long"),
    ),
  );
  const found = card({ title: "What has ended" }, table({ caption: "What has ended", columns, rows, empty: "No problem has ended within the last 30 days." }));
  found.dataset.key = "ended";
  return found;
}

function acknowledgeDialog(problem, shell) {
  const note = h("input", { name: "note", maxlength: "200", autocomplete: "off" });
  return {
    title: "Acknowledge this problem?",
    body: [
      h("p", {}, problem.text),
      h("p", { class: "muted" }, "It stays in the list until it ends. If it becomes worse, it is new again."),
      field("Note", note, "Optional: what you know or do about it. Other operators see it, with your session and the time."),
    ],
    action: "Acknowledge it",
    run: (form) => shell.post("/problems/acknowledge", { key: problem.key, note: String(form.get("note")).trim() }),
  };
}

function withdrawDialog(problem, shell) {
  return {
    title: "Withdraw the acknowledgement?",
    body: [h("p", {}, problem.text), h("p", { class: "muted" }, "The problem counts as new again.")],
    action: "Withdraw it",
    run: () => shell.post("/problems/withdraw", { key: problem.key }),
  };
}
