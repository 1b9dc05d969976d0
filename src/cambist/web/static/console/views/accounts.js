/** Accounts: find one, create one, and see at a glance who has used up how much. */

import { h } from "../../lib/dom.js";
import { quotaUsed, withoutKey } from "../parts/account_text.js";
import { ask, showKey } from "../parts/dialog.js";
import { patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { ago, badge, cell, count, errorNote, field, heading, pager, row, select, table } from "../parts/ui.js";
import { plural } from "../parts/verdict.js";

export const title = "Accounts";

const TYPING_MS = 250;

const COLUMNS = [
  { label: "Account" },
  { label: "Plan", class: "extra" },
  { label: "Quota used", class: "num" },
  { label: "Calls in this period", class: "num extra" },
  { label: "Last seen", class: "num extra" },
  { label: "Period ends", class: "num extra" },
];

const STATES = [["", "any"], ["active", "active"], ["suspended", "suspended"], ["near", "80 % of the quota or more"], ["over", "over the quota"]];

/** By what the list is sorted, as the value of a choice: the order, and whether it is reversed. */
const ORDERS = [["", "name"], ["quota", "quota used, most first"], ["calls", "calls, most first"], ["seen", "last seen, latest first"], ["seen reverse", "last seen, longest ago first"]];

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const search = h("input", { type: "search", value: params.get("search") ?? "", placeholder: "Name, e-mail, note, key …" });
  const state = select(STATES, params.get("state") ?? "");
  const order = select(ORDERS, [params.get("order"), params.get("reverse") && "reverse"].filter(Boolean).join(" "));
  const found = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "list" });
  const more = h("div", {});
  const view = { page: Number(params.get("page")) || 1, plans: [], asked: 0, timer: 0 };

  function chosen() {
    const [by, reverse] = order.value.split(" ");
    return { search: withoutKey(search.value.trim()), state: state.value, order: by, reverse: reverse ? "true" : "" };
  }
  async function load() {
    view.asked += 1;
    const asked = view.asked;
    try {
      const answer = await shell.get("/accounts", { ...chosen(), page: view.page, per_page: 50 });
      if (asked !== view.asked) return;
      view.plans = answer.plans;
      found.textContent = plural(answer.total, "account");
      patch(list, tableOf(answer.accounts));
      more.replaceChildren(...[pager(answer.page, answer.pages, turn)].filter(Boolean));
    } catch (error) {
      if (!shell.signal.aborted) list.replaceChildren(errorNote(error));
    }
  }
  /** Show a page, and keep it in the address; a choice is a step that Back undoes, a letter that is typed is none. */
  function turn(page, keep = shell.pushParams) {
    view.page = page;
    keep({ ...chosen(), page: page > 1 ? String(page) : "" });
    return load();
  }
  search.addEventListener("input", () => {
    clearTimeout(view.timer);
    view.timer = setTimeout(turn, TYPING_MS, 1, shell.setParams);
  });
  for (const input of [state, order]) input.addEventListener("change", () => turn(1));
  const create = h("button", { type: "button", class: "button" }, "Create an account");
  create.addEventListener("click", async () => {
    const made = await createAccount(shell, view.plans);
    if (made) shell.go("account", { name: made.account.name });
  });
  root.append(
    heading("Accounts", "Who may use the service, on which plan.", create),
    h("div", { class: "filters" }, field("Search", search), field("State", state), field("Sort by", order), found),
    list,
    more,
  );
  await load();
  return () => clearTimeout(view.timer);
}

function tableOf(accounts) {
  const rows = accounts.map((account) =>
    row(
      account.name,
      h("th", { scope: "row" }, nameOf(account)),
      cell(planOf(account), "extra"),
      cell(quotaUsed(account), "num"),
      cell(count(account.used), "num extra"),
      cell(ago(account.last_seen), "num extra"),
      cell(account.period.end, "num extra"),
    ),
  );
  return table({ caption: "Accounts", columns: COLUMNS, rows, empty: "No account matches." });
}

function nameOf(account) {
  const link = h("a", { href: routeOf("account", { name: account.name }) }, account.name);
  const state = account.suspended ? badge("suspended", "warn") : null;
  return h("div", { class: "account-name" }, h("span", {}, link, " ", state), account.note ? h("p", { class: "hint" }, account.note) : null);
}

function planOf(account) {
  return account.plan_known ? account.plan : badge(`${account.plan}: no such plan`, "bad");
}

/** Ask for the new account's name and plan, create it and show its first key. */
async function createAccount(shell, plans) {
  const name = h("input", { name: "name", required: "", autocomplete: "off", spellcheck: "false", maxlength: "64" });
  const plan = select(plans, plans[0] ?? "", { name: "plan" });
  const day = h("input", { name: "anchor_day", type: "number", min: "1", max: "31", placeholder: "by its name" });
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
        anchor_day: form.get("anchor_day") ? Number(form.get("anchor_day")) : null,
        email: String(form.get("email")).trim(),
      }),
  });
  if (!made) return null;
  await showKey(made.created, made.account.name);
  shell.say(`The account ${made.account.name} was created.`);
  return made;
}
