/** Alerts: what the visitor's account is told of, what has fired, and a form for another one. */

import { h, replace } from "../../lib/dom.js";
import { localTime } from "../../lib/format.js";
import { checkNames } from "../../lib/link.js";
import { post } from "../../lib/posting.js";
import { alertForm } from "../alerts/alert_form.js";
import { aboutAlert } from "../alerts/alert_words.js";

export const title = "Alerts";

/** How long after a test the list is asked for again, in milliseconds. */
const DELIVERED_AFTER = 4000;

/** Show the view; it takes no parameters but the pair of the form, from and to. */
export async function show(root, params, shell) {
  checkNames(params, ["from", "to"]);
  const tables = await shell.reference(true);
  const list = h("section", { class: "stack", "aria-live": "polite" });
  let timer = 0;
  const refresh = async () => {
    try {
      replace(list, listOf(await shell.get("/alerts"), act));
    } catch (error) {
      shell.fail(error);
    }
  };
  const act = async (what, id) => {
    try {
      await post(`/alerts/${what}`, { id });
      await refresh();
      if (what === "test") timer = setTimeout(refresh, DELIVERED_AFTER);
    } catch (error) {
      shell.fail(error);
    }
  };
  replace(root, h("div", { class: "stack wide" },
    h("h1", {}, "Alerts"),
    h("p", { class: "lead" }, "Be told once when a rate passes a level, a publisher has published, or a past day is corrected."),
    alertForm({ from: params.get("from") || "EUR", to: params.get("to") || "USD" }, tables, shell, refresh), list));
  await refresh();
  return () => clearTimeout(timer);
}

function listOf({ alerts, events }, act) {
  if (!alerts.length && !events.length) return h("div", { class: "empty" }, h("p", {}, "Nothing is watched yet."));
  return [
    h("h2", {}, "Watched"),
    h("div", { class: "scroll" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, ["When", "Told by", "Fired", "Try or end it"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, alerts.map((alert) => h("tr", {},
        h("th", { scope: "row" }, aboutAlert(alert), alert.note && h("div", { class: "muted small" }, alert.note)),
        h("td", {}, alert.address ? new URL(alert.address).host : alert.deliver),
        h("td", {}, String(alert.fired), alert.ended_at && h("span", { class: "muted small" }, ", ended")),
        h("td", { class: "row" },
          h("button", { class: "button quiet small", type: "button", onclick: () => act("test", alert.id) }, "Test"),
          h("button", { class: "button plain small", type: "button", onclick: () => act("remove", alert.id) }, "Remove"))))))),
    h("h2", {}, "What has fired"),
    events.length === 0 ? h("p", { class: "muted" }, "Nothing yet.")
      : h("ul", { class: "plain-list stack" }, events.map((event) => h("li", {}, localTime(event.at), " ", event.text, " ", state(event)))),
  ];
}

function state(event) {
  if (event.delivered_at) return h("span", { class: "badge good" }, "delivered");
  if (event.next_attempt) return h("span", { class: "badge warn" }, event.failure ? `tried again: ${event.failure}` : "on its way");
  return h("span", { class: "badge bad" }, `given up: ${event.failure ?? ""}`);
}
