/** Decisions that are shown with their effect before they are taken: several at once, and sources that are left out. */

import { h } from "../../lib/dom.js";
import { number } from "../../lib/format.js";
import { ask } from "./dialog.js";
import { cell, field, row, table } from "./ui.js";
import { plural } from "./verdict.js";

/** What the service takes at once. */
export const MOST_AT_ONCE = 20;

/** Return an amount per US dollar with at most eight digits. */
export function units(value) {
  return number(String(Number(Number(value).toPrecision(8))));
}

/** Return what is served, in words. */
export function servedText(rate) {
  return rate ? `${units(rate.units)} by ${rate.source} for ${rate.day}` : "nothing";
}

/** Return a decision in words, such as "reject 4.7" or "leave out boj". */
export function decisionText({ decision, level, source }) {
  return source ? `${decision} ${source}` : `${decision} ${units(level)}`;
}

/**
 * Show what decisions would serve, and take them if that is confirmed.
 *
 * @param {import("../app.js").Shell} shell
 * @param {object[]} decisions as the service takes them
 * @returns {Promise<any>} null if nothing was decided
 */
export async function confirmDecisions(shell, decisions) {
  const { previews } = await shell.post("/disputes/preview", { decisions });
  const reason = decisions.some((each) => each.reason) ? null : h("input", { name: "reason", maxlength: "200", autocomplete: "off" });
  return ask({
    title: `Take ${plural(decisions.length, "decision")}?`,
    body: [
      h("p", {}, "Nothing is stored yet. Each decision can be taken back later."),
      effects(previews),
      reason ? field("Reason", reason, "Optional. It is kept with the decisions and in the audit log.") : null,
    ],
    action: decisions.length === 1 ? "Decide" : `Decide all ${decisions.length}`,
    run: (form) => {
      const text = String(form.get("reason") ?? "").trim();
      return shell.post("/disputes/decide", { decisions: decisions.map((each) => ({ ...(text ? { reason: text } : {}), ...each })) });
    },
  });
}

function effects(previews) {
  const columns = [{ label: "Decision" }, { label: "Served now" }, { label: "Would be served" }, { label: "Days that change", class: "num" }];
  const rows = previews.map((each, place) =>
    row(
      String(place),
      h("th", { scope: "row" }, `${each.code}: ${decisionText(each)}`),
      cell(servedText(each.now)),
      cell(servedText(each.serves)),
      cell(String(each.days), "num"),
    ),
  );
  return table({ caption: "What the decisions would serve", columns, rows });
}

/**
 * Ask until when a source is left out for a code, show the effect, and leave it out if that is confirmed.
 *
 * @param {import("../app.js").Shell} shell
 * @param {{source: string, code?: string}} about
 */
export async function leaveOut(shell, { source, code = "" }) {
  const today = new Date().toISOString().slice(0, 10);
  const inputs = {
    code: h("input", { name: "code", required: true, maxlength: "12", value: code, autocomplete: "off", spellcheck: "false", readonly: Boolean(code) }),
    from: h("input", { name: "from", type: "date", required: true, value: today }),
    until: h("input", { name: "until", type: "date", required: true }),
    reason: h("input", { name: "reason", maxlength: "200", autocomplete: "off" }),
  };
  const wanted = await ask({
    title: `Leave ${source} out`,
    body: [
      h("p", {}, "None of its fixings of this code counts on these days. Those of other codes do."),
      field("Code", inputs.code, code ? null : "Such as EUR."),
      field("From", inputs.from),
      field("Until", inputs.until, "The last day without it."),
      field("Reason", inputs.reason, "Optional. It is kept with the decision and in the audit log."),
    ],
    action: "Show the effect",
    run: async (form) => {
      const given = Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()]));
      const decision = { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)), code: given.code.toUpperCase(), source };
      await shell.post("/disputes/preview", { decisions: [decision] });
      return decision;
    },
  });
  if (!wanted) return null;
  const done = await confirmDecisions(shell, [wanted]);
  if (done) shell.say(`${source} is left out for ${wanted.code} until ${wanted.until}.`);
  return done;
}
