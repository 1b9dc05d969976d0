/** Disputes: what the sources say about a code, what each choice would serve, and the decision about a level. */

import { h } from "../../lib/dom.js";
import { confirmDecisions, leaveOut, MOST_AT_ONCE, units } from "../parts/decisions.js";
import { ask } from "../parts/dialog.js";
import { onAction } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { badge, card, cell, emptyState, errorNote, field, heading, loading, pager, row, table, time } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Disputes";

const JUDGING_MS = 3000; // the list is asked for again until the service has judged everything that it has heard
const KINDS = { disputed: "warn", held: "bad", agreed: "good", early: "quiet" };

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { page: Number(params.get("page") ?? 1), source: params.get("source") ?? "", chosen: new Map() };
  const found = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "stack wide" });
  const bar = h("div", { class: "chosen", hidden: true });
  const decided = h("div", { class: "stack wide" });

  async function load() {
    try {
      const answer = await shell.get("/disputes", { source: view.source, page: view.page, per_page: 20 });
      shell.setParams({ source: view.source, page: view.page > 1 ? String(view.page) : "" });
      found.replaceChildren(...foundText(answer, view.source));
      view.chosen.clear();
      drawBar();
      list.replaceChildren(...disputesOf(answer, shell, load));
      decided.replaceChildren(...decisionsOf(answer, shell, load, turn));
      if (!answer.complete) setTimeout(() => shell.signal.aborted || list.contains(document.activeElement) || load(), JUDGING_MS);
    } catch (error) {
      if (!shell.signal.aborted) list.replaceChildren(errorNote(error));
    }
  }
  function drawBar() {
    const count = view.chosen.size;
    bar.hidden = count === 0;
    const many = count > MOST_AT_ONCE ? `; the service takes ${MOST_AT_ONCE} at once` : "";
    const decideAll = h("button", { type: "button", class: "button", disabled: count > MOST_AT_ONCE, dataset: { action: "decide" } }, "Show the effect");
    bar.replaceChildren(h("span", { role: "status" }, `${plural(count, "decision")} chosen${many}`), decideAll);
  }
  onAction(bar, {
    decide: async () => {
      try {
        if (!(await confirmDecisions(shell, [...view.chosen.values()]))) return;
      } catch (error) {
        shell.say(error.message);
        return;
      }
      shell.say("The decisions were taken.");
      shell.refreshOverview();
      await load();
      document.querySelector("h1")?.focus();
    },
  });
  onAction(list, {
    "leave-out": async ({ dataset }) => {
      if (await leaveOut(shell, dataset)) await load();
    },
  });
  list.addEventListener("change", ({ target }) => {
    if (!target.matches("[data-choice]")) return;
    // Of one code only one level can be accepted or rejected at once: a second choice takes the place of the first.
    for (const other of list.querySelectorAll(`[data-code="${target.dataset.code}"][data-choice]`)) if (other !== target) other.checked = false;
    if (target.checked) view.chosen.set(target.dataset.code, { code: target.dataset.code, level: target.dataset.level, accepts: target.dataset.choice === "accept" });
    else view.chosen.delete(target.dataset.code);
    drawBar();
  });
  const turn = (page) => {
    view.page = page;
    load();
  };
  root.append(
    heading("Disputes", "Codes that sources disagree about, oldest first. What is served stays as it is until they agree or you decide."),
    found,
    list,
    bar,
    decided,
  );
  await load();
}

function foundText({ total, disputes, complete }, source) {
  if (source) {
    const text = `${plural(disputes.length, "dispute")} in which the newest fixing of ${source} is held. `;
    return [text, h("a", { href: routeOf("disputes") }, `Show all ${total}`)];
  }
  const shown = total > disputes.length ? `, the oldest ${disputes.length} of them here` : "";
  return [`${plural(total, "dispute")}${shown}${complete ? "" : "; the service still judges, and the list may change within seconds"}`];
}

function disputesOf(answer, shell, load) {
  if (!answer.disputes.length) return [emptyState("Sources disagree about nothing.")];
  return answer.disputes.map((dispute) => disputeCard(dispute, shell, load));
}

function disputeCard(dispute, shell, load) {
  const choices = h("div", {}, loading("Looking at what each choice would serve …"));
  shell.get(`/disputes/${encodeURIComponent(dispute.code)}`).then(
    (detail) => choices.replaceChildren(choiceTable(detail, shell, load)),
    (error) => shell.signal.aborted || choices.replaceChildren(errorNote(error)),
  );
  const needed = dispute.originals_needed;
  const found = card(
    { class: "fixing", title: `${dispute.code} since ${dispute.since}`, actions: [badge(dispute.status, KINDS[dispute.status])] },
    h("p", { class: "published" }, "Served: ", served(dispute.served)),
    needed ? h("p", { class: "reason" }, `${plural(needed, "more original source")} would have to say another level to change that.`) : null,
    fixingTable(dispute),
    choices,
  );
  found.dataset.code = dispute.code;
  return found;
}

function served(rate) {
  if (!rate) return h("strong", {}, "nothing");
  return h("span", {}, h("strong", { class: "num" }, units(rate.units)), ` per US dollar, by ${rate.source} for ${rate.day}`);
}

function fixingTable(dispute) {
  const columns = [{ label: "Source" }, { label: "State" }, { label: "Per US dollar", class: "num" }, { label: "From the level", class: "num" }, { label: "Weight", class: "num extra" }, { label: "Day", class: "num extra" }, { label: "Why", class: "extra" }, { label: "Leave out" }];
  const rows = dispute.fixings.map((each) =>
    row(
      each.source,
      h("th", { scope: "row" }, each.source),
      cell(badge(each.status, each.status === "held" ? "warn" : KINDS[each.status])),
      cell(units(each.units), "num"),
      cell(each.percent === null ? "–" : `${each.percent > 0 ? "+" : ""}${Number(each.percent.toPrecision(3))} %`, "num"),
      cell(String(Number(each.weight.toPrecision(3))), "num extra"),
      cell(each.day, "num extra"),
      cell(each.why || "–", "extra"),
      cell(leaveOutButton(each.source, dispute.code)),
    ),
  );
  return table({ caption: `What the sources say about ${dispute.code}`, columns, rows });
}

function leaveOutButton(source, code) {
  const name = h("span", { class: "visually-hidden" }, ` ${source} for ${code}`);
  return h("button", { type: "button", class: "button plain small-button", dataset: { action: "leave-out", source, code } }, "Until …", name);
}

function choiceTable({ dispute, choices }, shell, load) {
  const columns = [{ label: "If you" }, { label: "Said by" }, { label: "This would be served" }, { label: "Days that change", class: "num extra" }, { label: "Decide" }, { label: "Several" }];
  const rows = choices.map((choice) => {
    const verb = choice.accepts ? "accept" : "reject";
    const name = h("span", { class: "visually-hidden" }, ` ${choice.level} of ${dispute.code}`);
    const button = h("button", { type: "button", class: choice.accepts ? "button small-button" : "button danger small-button" }, choice.accepts ? "Accept" : "Reject", name);
    button.addEventListener("click", () => decide(decisionDialog(dispute, choice, verb, shell), `${dispute.code}: ${units(choice.level)} was ${verb}ed.`, shell, load));
    const box = h("input", { type: "checkbox", class: "choose", dataset: { choice: verb, code: dispute.code, level: choice.level }, "aria-label": `Choose to ${verb} ${choice.level} of ${dispute.code}` });
    return row(
      `${verb} ${choice.level}`,
      h("th", { scope: "row" }, `${verb} `, h("span", { class: "num" }, units(choice.level))),
      cell(choice.sources.join(", ") || "–"),
      cell(served(choice.serves)),
      cell(String(choice.days), "num extra"),
      cell(button),
      cell(box),
    );
  });
  return table({ caption: `What you can decide about ${dispute.code}`, columns, rows, empty: "There is no level to decide about." });
}

async function decide(dialog, done, shell, load) {
  if (!(await ask(dialog))) return;
  shell.say(done);
  shell.refreshOverview();
  await load();
  document.querySelector("h1")?.focus();
}

function reasonField() {
  return field("Reason", h("input", { name: "reason", maxlength: "200", autocomplete: "off" }), "Optional. It is kept in the audit log.");
}

function decisionDialog(dispute, choice, verb, shell) {
  const first = h("input", { name: "from", type: "date", value: dispute.since, required: true });
  const last = h("input", { name: "until", type: "date" });
  const effect = choice.accepts ? "Fixings within 2 % of this level outweigh all others." : "Fixings within 2 % of this level do not count.";
  return {
    title: `${choice.accepts ? "Accept" : "Reject"} ${units(choice.level)} of ${dispute.code}?`,
    body: [h("p", {}, `${effect} You can take it back later.`), field("From", first), field("Until", last, "Empty: no end."), reasonField()],
    action: choice.accepts ? "Accept it" : "Reject it",
    danger: !choice.accepts,
    run: (form) => {
      const body = { level: choice.level, from: form.get("from"), until: form.get("until"), reason: String(form.get("reason")).trim() };
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value));
      return shell.post(`/disputes/${encodeURIComponent(dispute.code)}/${verb}`, given);
    },
  };
}

function decisionsOf({ decisions, decisions_page: { page, pages } }, shell, load, turn) {
  const columns = [{ label: "Decision" }, { label: "Code" }, { label: "Level or source", class: "num" }, { label: "Days", class: "extra" }, { label: "Made", class: "extra" }, { label: "Reason", class: "extra" }, { label: "Take back" }];
  const rows = decisions.map((each) =>
    row(
      each.number,
      h("th", { scope: "row" }, `${each.number}: ${each.decision}`),
      cell(each.code),
      cell(each.source ?? units(each.level), "num"),
      cell(`${each.from} to ${each.until ?? "no end"}`, "extra"),
      cell(time(each.made_at), "extra"),
      cell(each.reason || "–", "extra long"),
      cell(each.holds ? takeBackButton(each, shell, load) : `taken back by ${each.taken_back_by}`),
    ),
  );
  const found = card({ title: "Decisions" }, table({ caption: "Decisions", columns, rows, empty: "Nothing was decided yet." }));
  return [found, pager(page, pages, turn)].filter(Boolean);
}

function takeBackButton(each, shell, load) {
  const button = h("button", { type: "button", class: "button quiet small-button" }, "Take back", h("span", { class: "visually-hidden" }, ` decision ${each.number}`));
  const dialog = () => ({
    title: `Take decision ${each.number} back?`,
    body: [h("p", {}, `It was to ${each.decision} ${each.source ?? units(each.level)} of ${each.code}. The fixings count as if it had not been taken.`), reasonField()],
    action: "Take it back",
    run: (form) => {
      const reason = String(form.get("reason")).trim();
      return shell.post("/disputes/take-back", { number: each.number, ...(reason ? { reason } : {}) });
    },
  });
  button.addEventListener("click", () => decide(dialog(), `Decision ${each.number} was taken back.`, shell, load));
  return button;
}
