/** Quarantine: each refused fixing beside its neighbours, and the decision about it. */

import { h } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { ask } from "../parts/dialog.js";
import { comparisons, differenceText } from "../parts/neighbours.js";
import { neighboursChart } from "../parts/neighbours_chart.js";
import { badge, card, cell, emptyState, errorNote, field, heading, loading, pager, row, select, table, time } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Quarantine";

const KINDS = { waiting: "warn", accepted: "good", rejected: "bad", released: "quiet" };

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { page: Number(params.get("page") ?? 1) };
  const source = select([["", "all"]], "", {});
  const which = select([["false", "waiting"], ["true", "waiting and decided"]], params.get("all") === "true" ? "true" : "false");
  const found = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "stack wide" });
  let wanted = params.get("source") ?? "";

  async function load() {
    try {
      const chosen = { all: which.value, source: wanted, page: view.page, per_page: 10 };
      const answer = await shell.get("/quarantine", chosen);
      shell.setParams({ source: wanted, all: which.value === "true" ? "true" : "", page: view.page > 1 ? String(view.page) : "" });
      fillSources(source, answer.sources, wanted);
      found.textContent = plural(answer.total, "fixing");
      list.replaceChildren(...fixingsOf(answer, shell, load), ...[pager(answer.page, answer.pages, turn)].filter(Boolean));
    } catch (error) {
      if (!shell.signal.aborted) list.replaceChildren(errorNote(error));
    }
  }
  const turn = (page) => {
    view.page = page;
    load();
  };
  source.addEventListener("change", () => {
    wanted = source.value;
    turn(1);
  });
  which.addEventListener("change", () => turn(1));
  root.append(
    heading("Quarantine", "Fixings that differ too much from what is known. The service works without them until you decide."),
    h("div", { class: "filters" }, field("Source", source), field("Show", which), found),
    list,
  );
  await load();
}

function fillSources(input, sources, chosen) {
  const all = chosen && !sources.includes(chosen) ? [...sources, chosen] : sources;
  input.replaceChildren(h("option", { value: "" }, "all"), ...all.map((key) => h("option", { value: key }, key)));
  input.value = chosen;
}

function fixingsOf(answer, shell, load) {
  if (!answer.fixings.length) return [emptyState("No fixing waits for a decision.")];
  return answer.fixings.map((fixing) => fixingCard(fixing, shell, load));
}

function fixingCard(fixing, shell, load) {
  const beside = h("div", { class: "beside" }, loading("Loading its neighbours …"));
  shell.get(`/quarantine/${fixing.number}`).then(
    (detail) => beside.replaceChildren(...besideOf(detail)),
    (error) => shell.signal.aborted || beside.replaceChildren(errorNote(error)),
  );
  const found = card(
    { class: "fixing", title: `${fixing.base}/${fixing.quote} on ${fixing.day}`, actions: [badge(fixing.state, KINDS[fixing.state])] },
    h("p", { class: "published" }, `${fixing.source} published `, h("strong", { class: "num" }, number(fixing.value)), ` ${fixing.quote} for ${fixing.nominal} ${fixing.unit ? `${fixing.unit} of ` : ""}${fixing.base}`),
    h("p", { class: "reason" }, fixing.reason),
    beside,
    h("p", { class: "hint" }, `Number ${fixing.number}, received on `, time(fixing.received_at), fixing.decided_at ? h("span", {}, "; decided on ", time(fixing.decided_at)) : null),
    fixing.state === "waiting" ? decisions(fixing, shell, load) : null,
  );
  found.dataset.number = String(fixing.number);
  return found;
}

function besideOf(detail) {
  const rows = comparisons(detail).map(({ who, day, rate, difference }) =>
    row(who, h("th", { scope: "row" }, who), cell(differenceText(difference), "num"), cell(number(String(Number(rate.toPrecision(7)))), "num extra"), cell(day, "num extra")),
  );
  const columns = [{ label: "Beside" }, { label: "Differs by", class: "num" }, { label: "Rate", class: "num extra" }, { label: "Day", class: "num extra" }];
  const caption = `What the fixing ${detail.fixing.number} is compared with`;
  return [neighboursChart(detail), table({ caption, columns, rows, empty: "There is nothing to compare it with." })];
}

function decisions(fixing, shell, load) {
  const name = h("span", { class: "visually-hidden" }, ` number ${fixing.number}`);
  const accept = h("button", { type: "button", class: "button" }, "Accept", name);
  const reject = h("button", { type: "button", class: "button danger" }, "Reject", name.cloneNode(true));
  const decide = async (verb, done) => {
    const decided = await ask(decisionDialog(fixing, verb, shell));
    if (!decided) return;
    shell.say(done);
    shell.refreshOverview();
    await load();
    document.querySelector("h1")?.focus();
  };
  accept.addEventListener("click", () => decide("accept", `Number ${fixing.number} was accepted.`));
  reject.addEventListener("click", () => decide("reject", `Number ${fixing.number} was rejected.`));
  return h("div", { class: "actions" }, accept, reject);
}

function decisionDialog(fixing, verb, shell) {
  const isReject = verb === "reject";
  const reason = h("input", { name: "reason", maxlength: "200", autocomplete: "off" });
  const effect = isReject
    ? "It is dropped, and the same fixing of this source is never stored."
    : "It is stored as it was published, and the history changes with it.";
  return {
    title: `${isReject ? "Reject" : "Accept"} ${fixing.base}/${fixing.quote} of ${fixing.source} on ${fixing.day}?`,
    body: [h("p", {}, `${effect} This cannot be undone.`), field("Reason", reason, "Optional. It is kept in the audit log.")],
    action: isReject ? "Reject it" : "Accept it",
    danger: isReject,
    run: (form) => {
      const given = String(form.get("reason")).trim();
      return shell.post(`/quarantine/${verb}`, { numbers: [fixing.number], ...(given ? { reason: given } : {}) });
    },
  };
}
