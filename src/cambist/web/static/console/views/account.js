/** One account: its plan, its calls and its keys. */

import { h } from "../../lib/dom.js";
import { quotaUsed } from "../parts/account_text.js";
import { ask, showKey } from "../parts/dialog.js";
import { onAction, patch } from "../parts/patch.js";
import { routeOf } from "../parts/routes.js";
import { ago, badge, card, cell, count, field, heading, row, select, table, time } from "../parts/ui.js";

export const title = "Account";

const STATES = { active: "good", ending: "warn", revoked: "quiet", expired: "quiet" };
const DAY = 86_400_000;

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const name = params.get("name") ?? "";
  const path = `/accounts/${encodeURIComponent(name)}`;
  const body = h("div", { class: "stack wide" });
  const view = { account: null, keys: [] };

  async function load() {
    Object.assign(view, await shell.get(path));
    patch(body, ...bodyOf(view.account, view.keys));
  }
  /** Run a dialog that changes something, and show the account as it is then. */
  async function change(dialog, said) {
    const done = await ask(dialog);
    if (!done) return;
    if (done.created) await showKey(done.created, name);
    await load();
    shell.say(said);
  }
  onAction(body, actions(view, path, shell, change));
  const back = h("a", { class: "back", href: "#/accounts" }, "All accounts");
  root.append(back, heading(name, null), body);
  await load();
}

function actions(view, path, shell, change) {
  const post = (tail, body) => shell.post(`${path}/${tail}`, body);
  return {
    suspend: () =>
      change(suspendDialog(view.account, () => post("suspend")), `${view.account.name} is suspended.`),
    resume: () =>
      change(
        {
          title: `Resume ${view.account.name}?`,
          body: [h("p", {}, "Its valid keys work again within a second.")],
          action: "Resume",
          run: () => post("resume"),
        },
        `${view.account.name} works again.`,
      ),
    plan: async () => {
      const { plans } = await shell.get("/accounts", { per_page: 1 });
      await change(planDialog(view.account, plans, (plan) => post("plan", { plan })), "The plan was changed.");
    },
    email: () => change(emailDialog(view.account, (email) => post("email", { email })), "The address was changed."),
    note: () => change(noteDialog(view.account, (note) => post("note", { note })), "The note was changed."),
    buy: () => change(buyDialog(view.account, (calls) => post("buy", { calls })), "The calls were added."),
    create: () => change(createDialog((fields) => post("keys", fields)), "The key was created."),
    revoke: ({ dataset: { prefix } }) =>
      change(revokeDialog(keyOf(view, prefix), () => post(`keys/${prefix}/revoke`)), `The key ${prefix} is revoked.`),
    rotate: ({ dataset: { prefix } }) =>
      change(
        rotateDialog(keyOf(view, prefix), (overlap) => post(`keys/${prefix}/rotate`, { overlap })),
        `The key ${prefix} is being replaced.`,
      ),
  };
}

function keyOf(view, prefix) {
  return view.keys.find((key) => key.prefix === prefix);
}

function bodyOf(account, keys) {
  return [facts(account), keyCard(keys)];
}

function button(label, action, kind = "quiet", dataset = {}) {
  return h("button", { type: "button", class: `button ${kind}`, dataset: { action, ...dataset } }, label);
}

function facts(account) {
  const { period, quota, used } = account;
  const bought = account.bought.filter((each) => each.period_start === period.start).reduce((sum, each) => sum + each.calls, 0);
  const calls = quota === null
    ? [h("strong", { class: "num" }, count(used)), " calls, no quota"]
    : [h("strong", { class: "num" }, count(used)), ` of ${count(quota)} calls`, bought ? ` (${count(bought)} bought)` : ""];
  return card(
    { class: "facts" },
    h(
      "dl",
      { class: "pairs" },
      fact("State", account.suspended ? badge("suspended", "warn") : badge("active", "good")),
      fact("Plan", account.plan_known ? account.plan : badge(`${account.plan}: no such plan`, "bad")),
      fact("Period", `${period.start} to ${period.end}`),
      fact("Calls in it", h("span", {}, ...calls), quota === null ? null : quotaUsed(account)),
      fact("Format of times", account.datetime_format),
      fact("Told of its quota", account.email ?? "nobody"),
      fact("Note", account.note || "none"),
    ),
    h(
      "div",
      { class: "actions" },
      button("Change the plan", "plan"),
      button("Change the address", "email"),
      button("Change the note", "note"),
      quota === null ? null : button("Add calls", "buy"),
      h("a", { class: "button quiet", href: routeOf("usage", { account: account.name }) }, "Usage"),
      account.suspended ? button("Resume", "resume", "") : button("Suspend", "suspend", "danger"),
    ),
  );
}

function fact(name, ...values) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, ...values));
}

function keyCard(keys) {
  const columns = [
    { label: "Key" },
    { label: "Name", class: "extra" },
    { label: "State" },
    { label: "Created", class: "extra" },
    { label: "Last used", class: "extra" },
    { label: "Ends", class: "extra" },
    { label: "Actions" },
  ];
  const rows = [...keys].reverse().map((key) => {
    const alive = key.state === "active" || key.state === "ending";
    return row(
      key.prefix,
      h("th", { scope: "row" }, h("code", {}, `${key.prefix}…`)),
      cell(key.name || "–", "extra"),
      cell(badge(key.state, STATES[key.state])),
      cell(time(key.created_at), "extra"),
      cell(ago(key.last_used_at), "extra"),
      cell(time(key.revoked_at ?? key.expires_at), "extra"),
      cell(alive ? keyActions(key) : ""),
    );
  });
  const create = button("Create a key", "create", "");
  return card(
    { title: "Keys", actions: [create] },
    table({ caption: "Keys", columns, rows, empty: "This account has no key." }),
  );
}

function keyActions(key) {
  const named = (verb) => h("span", { class: "visually-hidden" }, ` ${verb} ${key.prefix}`);
  const made = (label, action, kind) =>
    h("button", { type: "button", class: `button ${kind}`, dataset: { action, prefix: key.prefix } }, label, named("the key"));
  return h("div", { class: "row-actions" }, key.state === "active" ? made("Replace", "rotate", "plain") : null, made("Revoke", "revoke", "plain bad"));
}

function suspendDialog(account, run) {
  return {
    title: `Suspend ${account.name}?`,
    body: [h("p", {}, "All its keys are refused within a second, until you resume it. Nothing is lost.")],
    action: "Suspend",
    danger: true,
    run,
  };
}

function planDialog(account, plans, run) {
  const plan = select(plans, account.plan, { name: "plan" });
  return {
    title: `The plan of ${account.name}`,
    body: [field("Plan", plan, "It applies within a second. Calls of this period are kept.")],
    action: "Change the plan",
    run: (form) => run(form.get("plan")),
  };
}

function emailDialog(account, run) {
  const email = h("input", { name: "email", type: "email", maxlength: "254", value: account.email ?? "", autocomplete: "off" });
  return {
    title: `Who is told of the quota of ${account.name}`,
    body: [field("E-mail address", email, "It gets a message when 80 and 100 % of the quota are used. Empty: nobody.")],
    action: "Change the address",
    run: (form) => run(String(form.get("email")).trim()),
  };
}

function noteDialog(account, run) {
  const note = h("input", { name: "note", maxlength: "200", value: account.note, autocomplete: "off" });
  return {
    title: `Your note on ${account.name}`,
    body: [field("Note", note, "Only operators see it. Accounts can be searched for it.")],
    action: "Change the note",
    run: (form) => run(String(form.get("note")).trim()),
  };
}

function buyDialog(account, run) {
  const calls = h("input", { name: "calls", type: "number", min: "1", step: "1", required: true });
  return {
    title: `Add calls to ${account.name}`,
    body: [field("Calls", calls, `For the period that ends on ${account.period.end}.`)],
    action: "Add them",
    run: (form) => run(Number(form.get("calls"))),
  };
}

function createDialog(run) {
  const name = h("input", { name: "name", maxlength: "64", autocomplete: "off" });
  const ends = h("input", { name: "expires_at", type: "date", min: new Date(Date.now() + DAY).toISOString().slice(0, 10) });
  return {
    title: "Create a key",
    body: [
      field("Name", name, "Optional, such as the program that will use it."),
      field("Ends on", ends, "Optional. From 00:00 UTC of that day it is refused."),
    ],
    action: "Create",
    run: (form) => run({ name: String(form.get("name")).trim(), expires_at: form.get("expires_at") || null }),
  };
}

function revokeDialog(key, run) {
  return {
    title: `Revoke the key ${key.prefix}…?`,
    body: [
      h("p", {}, "It stops working within a second, in every process. This cannot be undone."),
      h("p", { class: "muted" }, key.last_used_at ? h("span", {}, "It was last used on ", time(key.last_used_at), ".") : "It was never used."),
    ],
    action: "Revoke it",
    danger: true,
    run,
  };
}

function rotateDialog(key, run) {
  const overlap = select([["PT1H", "1 hour"], ["PT24H", "1 day"], ["P7D", "1 week"], ["PT0S", "not at all"]], "PT24H", { name: "overlap" });
  return {
    title: `Replace the key ${key.prefix}…`,
    body: [
      h("p", {}, "A new key is valid at once. The old one goes on for a while, so that programs can change over."),
      field("The old key still works for", overlap),
    ],
    action: "Replace it",
    run: (form) => run(form.get("overlap")),
  };
}
