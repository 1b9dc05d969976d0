/** Sources: the state of each, its last error, and a button that asks it now. */

import { h } from "../../lib/dom.js";
import { age } from "../../lib/format.js";
import { dayText, slotsOf } from "../parts/activity.js";
import { leaveOut } from "../parts/decisions.js";
import { onAction, patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { hasAnswered, matches, ORDER, sorted } from "../parts/source_list.js";
import { strip } from "../parts/strip.js";
import { ago, badge, cell, count, emptyState, errorNote, field, heading, row, table, time } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Sources";

const KINDS = { fresh: "good", late: "warn", held: "warn", failing: "bad", waiting: "quiet", off: "quiet" };
const REFRESH = 5000;
const ANSWER_CHECK = 1000;
const PATIENCE = 60_000;
const ACTIVITY_REFRESH = 60_000;

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { sources: [], canAsk: false, asked: new Map(), days: new Map(), daysAt: 0, condition: params.get("condition") ?? "", timer: 0 };
  const search = h("input", { type: "search", value: params.get("search") ?? "", placeholder: "Name, key or what it covers" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "State" });
  const list = h("div", { class: "list" });
  const marks = [["", "answered"], ["failed", "failed"], ["latency", "how long a request took"], ["held", "newest fixings held"]];
  const key = h("ul", { class: "strip-key", "aria-label": "What the columns of the last 24 hours mean" }, ...marks.map(([kind, label]) => h("li", { class: kind || null }, label)));

  function draw() {
    patch(chips, ...chipsOf(view));
    const shown = sorted(view.sources).filter((source) => matches(source, view.condition, search.value));
    patch(list, tableOf(shown, view));
    shell.setParams({ condition: view.condition, search: search.value.trim() });
  }
  async function load(background = false) {
    clearTimeout(view.timer);
    try {
      const answer = await shell.get("/sources", {}, { background });
      Object.assign(view, { sources: answer.sources, canAsk: answer.can_ask });
      settle(view, shell);
      if (Date.now() - view.daysAt > ACTIVITY_REFRESH) await loadDays(background);
      draw();
    } catch (error) {
      if (shell.signal.aborted) return;
      if (!view.sources.length) patch(list, errorNote(error));
    }
    if (!shell.signal.aborted) view.timer = setTimeout(load, view.asked.size ? ANSWER_CHECK : REFRESH, true);
  }
  async function loadDays(background) {
    const { starts, sources } = await shell.get("/sources/activity", {}, { background });
    view.daysAt = Date.now();
    view.days = new Map(Object.entries(sources).map(([key, columns]) => [key, slotsOf(starts, columns)]));
  }
  async function askNow(key) {
    try {
      const { asked_at: at } = await shell.post(`/sources/${encodeURIComponent(key)}/ask`);
      view.asked.set(key, { at, until: Date.now() + PATIENCE });
      shell.say(`Asking ${key} …`);
      await load();
    } catch (error) {
      shell.say(error.message);
    }
  }
  search.addEventListener("input", draw);
  onAction(chips, {
    filter: ({ dataset }) => {
      view.condition = dataset.condition;
      draw();
    },
  });
  onAction(list, { ask: ({ dataset }) => askNow(dataset.source), "leave-out": ({ dataset }) => leaveOut(shell, dataset) });
  root.append(heading("Sources", "Who publishes the prices, and whether they arrive."), h("div", { class: "filters" }, field("Search", search), chips), key, list);
  await load();
  return () => clearTimeout(view.timer);
}

/** Say what became of the sources that were asked. */
function settle(view, shell) {
  for (const [key, { at, until }] of view.asked) {
    const source = view.sources.find((each) => each.key === key);
    const answer = source ? hasAnswered(source, at) : "failed";
    if (answer === "answered") shell.say(`${source.name} answered.`);
    else if (answer === "failed") shell.say(`${source?.name ?? key} could not be read: ${source?.why ?? "it is gone"}`);
    else if (Date.now() > until) shell.say(`${source.name} has not answered within a minute.`);
    else continue;
    view.asked.delete(key);
  }
}

function chipsOf(view) {
  const chip = (condition, label, number) =>
    h(
      "button",
      { type: "button", class: "chip", "aria-pressed": String(view.condition === condition), dataset: { action: "filter", condition, key: condition || "all" } },
      `${label} `,
      h("span", { class: "num" }, String(number)),
    );
  const counted = ORDER.map((condition) => [condition, view.sources.filter((source) => source.condition === condition).length]);
  return [chip("", "all", view.sources.length), ...counted.filter(([condition, number]) => number || condition === view.condition).map(([condition, number]) => chip(condition, condition, number))];
}

function tableOf(sources, view) {
  if (!view.sources.length) return emptyState("No source is asked: this service simulates its market, or fetch is off.");
  const columns = [
    { label: "Source" },
    { label: "State" },
    { label: "Newest data", class: "num extra" },
    { label: "Last answer", class: "num extra" },
    { label: "Codes", class: "num extra" },
    { label: "Held", class: "num extra" },
    { label: "Ask" },
  ];
  const rows = sources.map((source) => rowOf(source, view));
  return table({ caption: "Sources", columns, rows, empty: "No source matches." });
}

function rowOf(source, view) {
  const held = source.held ? h("a", { href: routeOf("disputes", { source: source.key }), title: "What each choice would serve" }, String(source.held)) : "0";
  return row(
    source.key,
    h("th", { scope: "row" }, nameOf(source, view.days.get(source.key))),
    cell(badge(source.condition, KINDS[source.condition])),
    cell(source.lag_seconds === null ? "–" : `${age(source.lag_seconds)} old`, "num extra"),
    cell(ago(source.last_success), "num extra"),
    cell(count(source.codes), "num extra"),
    cell(held, "num extra"),
    cell(askButton(source, view)),
  );
}

function askButton(source, view) {
  if (!source.enabled) return "";
  const asking = view.asked.has(source.key);
  const label = asking ? "Asking …" : "Ask now";
  return h(
    "button",
    { type: "button", class: "button quiet small-button", disabled: asking || !(view.canAsk && source.can_ask), dataset: { action: "ask", source: source.key } },
    label,
    h("span", { class: "visually-hidden" }, ` ${source.name}`),
  );
}

/** The name; below it the last error, and behind it all that is known. */
function nameOf(source, slots) {
  const refused = Object.entries(source.refused).map(([reason, number]) => `${reason}: ${count(number)}`);
  return h(
    "div",
    { class: "source" },
    h("details", {}, h("summary", {}, h("span", { class: "source-name" }, source.name), h("code", {}, source.key)), facts(source, refused, slots)),
    slots ? strip(slots) : null,
    source.why ? h("p", { class: source.condition === "failing" ? "why bad" : "why" }, source.why) : null,
    source.left_out.length ? h("p", { class: "why" }, `Cells or columns that could not be read: ${source.left_out.length}`) : null,
  );
}

function facts(source, refused, slots) {
  const fact = (name, value) => (value ? h("div", {}, h("dt", {}, name), h("dd", {}, value)) : null);
  const span = source.first ? `${source.first} to ${source.last}, ${count(source.pairs)} pairs` : "";
  return h(
    "dl",
    { class: "pairs small" },
    fact("Covers", source.covers),
    fact("Publishes", source.pace),
    fact("Kind of rate", source.rate_type),
    fact("Last 24 hours", slots ? dayText(slots) : ""),
    fact("Newest data", time(source.newest)),
    fact("Last answer", time(source.last_success)),
    fact("In the archive", span),
    fact("Last failure", source.last_failure ? h("span", {}, time(source.last_failure), `, ${plural(source.failures, "failure")} since its last answer`) : ""),
    fact("Held", source.held ? h("span", {}, `${count(source.held)} of its newest fixings, the first since ${source.held_since}. `, h("a", { href: routeOf("disputes", { source: source.key }) }, "What each choice would serve")) : ""),
    fact("Ticks", source.ticks ? `${count(source.ticks)} accepted` : ""),
    fact("Ticks refused", refused.join(", ")),
    fact("Not read", source.left_out.length ? h("ul", {}, ...source.left_out.map((each) => h("li", {}, each))) : ""),
    fact("For one code", source.pairs ? h("button", { type: "button", class: "button quiet small-button", dataset: { action: "leave-out", source: source.key } }, "Leave it out until …") : ""),
    fact("Terms", source.terms),
    fact("Home", source.home.startsWith("https://") ? h("a", { href: source.home, rel: "noreferrer" }, source.home) : source.home),
  );
}
