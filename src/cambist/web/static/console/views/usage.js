/** Usage: the calls by day, account and endpoint, as bars with the table beside them. */

import { bars } from "../../lib/chart/bars.js";
import { h } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { dayBefore, dayLabel, withShares } from "../parts/calls.js";
import { patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { card, cell, count, emptyState, errorNote, field, heading, row, share, table } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Usage";

const PERIODS = [7, 30, 90, 365];

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const today = new Date().toISOString().slice(0, 10);
  const since = h("input", { type: "date", value: params.get("since") ?? dayBefore(today, 29), max: today });
  const until = h("input", { type: "date", value: params.get("until") ?? today, max: today });
  const account = h("input", { type: "search", value: params.get("account") ?? "", placeholder: "All accounts", list: "accounts", autocomplete: "off" });
  const names = h("datalist", { id: "accounts" });
  const body = h("div", { class: "stack wide" });
  const view = { asked: 0, timer: 0 };

  async function load() {
    view.asked += 1;
    const asked = view.asked;
    const chosen = { since: since.value, until: until.value, account: account.value.trim() };
    try {
      const usage = await shell.get("/usage", chosen);
      if (asked !== view.asked) return;
      shell.setParams(chosen);
      body.replaceChildren(...bodyOf(usage, chosen));
    } catch (error) {
      if (!shell.signal.aborted && asked === view.asked) body.replaceChildren(errorNote(error));
    }
  }
  account.addEventListener("input", () => fillNames(names, shell, account.value.trim()));
  const later = () => {
    clearTimeout(view.timer);
    view.timer = setTimeout(load, 300);
  };
  for (const input of [since, until, account]) input.addEventListener("input", later);
  const periods = PERIODS.map((days) =>
    h("button", { type: "button", class: "button plain", onclick: () => take(days) }, `${days} days`),
  );
  function take(days) {
    since.value = dayBefore(today, days - 1);
    until.value = today;
    load();
  }
  root.append(
    heading("Usage", "Calls that were counted, by day (UTC), account and endpoint."),
    h("div", { class: "filters" }, field("From", since), field("To", until), field("Account", account), names,
      h("div", { class: "actions", role: "group", "aria-label": "Last days" }, ...periods)),
    body,
  );
  fillNames(names, shell);
  await load();
  return () => clearTimeout(view.timer);
}

async function fillNames(names, shell, search = "") {
  const found = await shell.get("/accounts", { search, per_page: 20 }).catch(() => ({ accounts: [] }));
  patch(names, ...found.accounts.map(({ name }) => h("option", { value: name })));
}

function bodyOf(usage, chosen) {
  const whose = chosen.account ? ` of ${chosen.account}` : "";
  if (!usage.total) return [emptyState(`No calls${whose} were counted from ${usage.since} to ${usage.until}.`)];
  const days = usage.by_day.map(({ day, calls }) => ({ label: dayLabel(day), value: calls, note: `${day}: ${number(String(calls))} calls` }));
  return [
    card(
      { title: `${count(usage.total)} calls${whose}` },
      h("p", { class: "hint" }, `From ${usage.since} to ${usage.until}`),
      bars(days, { label: "Calls by day", height: 220 }),
    ),
    h(
      "div",
      { class: "columns" },
      ranking("By account", usage.by_account, "account", usage, (name) =>
        name.startsWith("#") ? `${name} (deleted)` : h("a", { href: routeOf("account", { name }) }, name)),
      ranking("By endpoint", usage.by_endpoint, "endpoint", usage, (path) => h("code", {}, path)),
    ),
    details(usage),
  ];
}

/** A ranking in a table: the name, the share of all calls as a bar, the calls. */
function ranking(title, entries, key, { total, accounts_left_out: left }, name) {
  const rows = withShares(entries, total).map((entry) =>
    row(entry[key], h("th", { scope: "row" }, name(entry[key])), cell(share(entry.calls, entry.total), "wide"), cell(count(entry.calls), "num"), cell(entry.percent, "num muted extra")),
  );
  const columns = [{ label: title.replace("By ", "").replace(/^./, (first) => first.toUpperCase()) }, { label: "Share", class: "wide" }, { label: "Calls", class: "num" }, { label: "Of all", class: "num extra" }];
  const others = key === "account" && left ? h("p", { class: "hint" }, `${plural(left, "account")} with fewer calls are not shown: name one above.`) : null;
  return card({ title }, table({ caption: title, columns, rows }), others);
}

function details(usage) {
  const rows = usage.rows.map((each) =>
    row(
      `${each.day} ${each.account} ${each.endpoint}`,
      cell(each.day),
      cell(each.account),
      cell(h("code", {}, each.endpoint)),
      cell(count(each.calls), "num"),
    ),
  );
  const columns = [{ label: "Day" }, { label: "Account" }, { label: "Endpoint" }, { label: "Calls", class: "num" }];
  const left = usage.rows_left_out ? h("p", { class: "hint" }, `${count(usage.rows_left_out)} older rows are not shown: choose fewer days, or run cambist usage --csv.`) : null;
  return h("details", { class: "card" }, h("summary", {}, `Table of all ${count(usage.rows.length)} rows`), left, table({ caption: "Calls", columns, rows }));
}
