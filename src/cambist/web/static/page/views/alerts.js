/** Alerts: what the visitor's account is told of, what has fired, and a form for another one. */

import { h, replace } from "../../lib/dom.js";
import { localTime, number } from "../../lib/format.js";
import { checkNames } from "../../lib/link.js";
import { post } from "../../lib/posting.js";
import { t } from "../../lib/texts.js";
import { alertForm, DELIVERIES, LINKED, readFilled } from "../alerts/alert_form.js";
import { aboutAlert } from "../alerts/alert_words.js";

export const title = t`Alerts`;

/** How long after a test the list is asked for again, in milliseconds. */
const DELIVERED_AFTER = 4000;

/** Show the view; its parameters fill in the form. */
export async function show(root, params, shell) {
  checkNames(params, LINKED);
  const filled = readFilled(params);
  const list = h("section", { class: "stack", "aria-live": "polite", tabindex: "-1", "aria-label": t`Watched` });
  let timer = 0;
  const refresh = async () => {
    try {
      const found = await shell.get("/alerts");
      const { activeElement: focused } = document;
      const wasInside = list.contains(focused);
      replace(list, listOf(found, act));
      if (wasInside) ([...list.querySelectorAll("button")].find(({ ariaLabel }) => ariaLabel === focused.ariaLabel) ?? list).focus({ preventScroll: true });
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
    h("h1", {}, title),
    h("p", { class: "lead" }, t`Be told once when a rate passes a level, a publisher has published, or a past day is corrected.`),
    alertForm(filled, shell, refresh), list));
  await refresh();
  return () => clearTimeout(timer);
}

function listOf({ alerts, events }, act) {
  if (!alerts.length && !events.length) return h("div", { class: "empty" }, h("p", {}, t`Nothing is watched yet.`));
  return [
    h("h2", {}, t`Watched`),
    h("div", { class: "scroll" }, h("table", { class: "table" },
      h("thead", {}, h("tr", {}, [t`When`, t`Told by`, t`Fired`, t`Try or end it`].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, alerts.map((alert) => watchedRow(alert, act))))),
    h("h2", {}, t`What has fired`),
    events.length === 0 ? h("p", { class: "muted" }, t`Nothing yet.`)
      : h("ul", { class: "plain-list stack" }, events.map((event) => h("li", {}, localTime(event.at), " ", event.text, " ", state(event)))),
  ];
}

function watchedRow(alert, act) {
  const about = aboutAlert(alert);
  const button = (kind, text, name, what) => h("button", { class: `button ${kind} small`, type: "button", "aria-label": name, onclick: () => act(what, alert.id) }, text);
  return h("tr", {},
    h("th", { scope: "row" }, about, alert.note && h("div", { class: "muted small" }, alert.note)),
    h("td", {}, alert.address ? new URL(alert.address).host : DELIVERIES[alert.deliver]),
    h("td", {}, number(alert.fired), alert.ended_at && h("div", { class: "muted small" }, t`ended`)),
    h("td", {}, h("div", { class: "row" },
      button("quiet", t`Test`, t`Test ${about}`, "test"), button("plain", t`Remove`, t`Remove ${about}`, "remove"))));
}

function state(event) {
  if (event.delivered_at) return h("span", { class: "badge good" }, t`delivered`);
  if (event.next_attempt) return h("span", { class: "badge warn" }, event.failure ? t`tried again: ${event.failure}` : t`on its way`);
  return h("span", { class: "badge bad" }, t`given up: ${event.failure ?? ""}`);
}
