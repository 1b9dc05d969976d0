/** Accounts: find one, create one, and see at a glance who has used up how much. */

import { h } from "../../lib/dom.js";
import { ask, showKey } from "../parts/dialog.js";
import { patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { badge, cell, count, errorNote, field, heading, pager, row, select, share, table } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Accounts";

const COLUMNS = [
  { label: "Account" },
  { label: "Plan" },
  { label: "State" },
  { label: "Calls in this period", class: "num extra" },
  { label: "Quota", class: "num" },
  { label: "Period ends", class: "num extra" },
];

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const search = h("input", { type: "search", value: params.get("search") ?? "", placeholder: "Part of a name or plan" });
  const found = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "list" });
  const view = { page: Number(params.get("page") ?? 1), plans: [], asked: 0 };

  async function load() {
    view.asked += 1;
    const asked = view.asked;
    try {
      const answer = await shell.get("/accounts", { search: search.value.trim(), page: view.page, per_page: 50 });
      if (asked !== view.asked) return;
      view.plans = answer.plans;
      found.textContent = plural(answer.total, "account");
      patch(list, tableOf(answer.accounts));
      more.replaceChildren(...[pager(answer.page, answer.pages, turn)].filter(Boolean));
      shell.setParams({ search: search.value.trim(), page: view.page > 1 ? String(view.page) : "" });
    } catch (error) {
      if (!shell.signal.aborted) list.replaceChildren(errorNote(error));
    }
  }
  const more = h("div", {});
  const turn = (page) => {
    view.page = page;
    load();
  };
  search.addEventListener("input", () => turn(1));
  const create = h("button", { type: "button", class: "button" }, "Create an account");
  create.addEventListener("click", async () => {
    const made = await createAccount(shell, view.plans);
    if (made) shell.go("account", { name: made.account.name });
  });
  root.append(
    heading("Accounts", "Who may use the service, on which plan.", create),
    h("div", { class: "filters" }, field("Search", search), found),
    list,
    more,
  );
  await load();
}

function tableOf(accounts) {
  const rows = accounts.map((account) =>
    row(
      account.name,
      h("th", { scope: "row" }, h("a", { href: routeOf("account", { name: account.name }) }, account.name)),
      cell(account.plan_known ? account.plan : badge(`${account.plan}: no such plan`, "bad")),
      cell(account.suspended ? badge("suspended", "warn") : badge("active", "good")),
      cell(count(account.used), "num extra"),
      cell(quotaOf(account), "num"),
      cell(account.period.end, "num extra"),
    ),
  );
  return table({ caption: "Accounts", columns: COLUMNS, rows, empty: "No account matches." });
}

function quotaOf(account) {
  if (account.quota === null) return "none";
  const spent = account.used >= account.quota;
  return h("span", { class: "quota" }, count(account.quota), share(account.used, account.quota, spent ? "bad" : ""));
}

/** Ask for the new account's name and plan, create it and show its first key. */
async function createAccount(shell, plans) {
  const name = h("input", { name: "name", required: "", autocomplete: "off", spellcheck: "false", maxlength: "64" });
  const plan = select(plans, plans[0] ?? "", { name: "plan" });
  const day = h("input", { name: "anchor_day", type: "number", min: "1", max: "31", value: "1", required: "" });
  const email = h("input", { name: "email", type: "email", maxlength: "254", autocomplete: "off" });
  const made = await ask({
    title: "Create an account",
    body: [
      field("Name", name, "Letters, digits and ._@+-, beginning with a letter or digit."),
      field("Plan", plan),
      field("Day on which its periods begin", day, "A day of the month. In shorter months it is the last day."),
      field("E-mail address", email, "Optional. It is told when 80 and 100 % of the quota are used."),
    ],
    action: "Create",
    run: (form) =>
      shell.post("/accounts", {
        name: String(form.get("name")).trim(),
        plan: form.get("plan"),
        anchor_day: Number(form.get("anchor_day")),
        email: String(form.get("email")).trim(),
      }),
  });
  if (!made) return null;
  await showKey(made.created, made.account.name);
  shell.say(`The account ${made.account.name} was created.`);
  return made;
}
