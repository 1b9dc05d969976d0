/** The section that says where the values come from. What a day is made of is asked for by a button. */

import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { onDemand } from "./on_demand.js";

/**
 * Return the section. @param {any} shell
 * @param {() => import("./explained.js").PairOnDay[]} chosen what the button asks about @param {AbortSignal} signal
 */
export function provenance(shell, chosen, signal) {
  const answer = h("div", { class: "stack", "aria-live": "polite" });
  const ask = async () => {
    replace(answer, h("p", { class: "muted" }, t`Asking…`));
    try {
      const { explained } = await onDemand(() => import("./explained.js"));
      const found = await explained(shell, chosen(), signal);
      if (!signal.aborted) replace(answer, found);
    } catch (error) {
      replace(answer, h("p", { class: "muted" }, error.message));
    }
  };
  return h("section", { class: "stack", "aria-label": t`Where the values come from` },
    h("h2", {}, t`Where the values come from`),
    h("p", { class: "muted" }, t`Daily midpoints of ${h("code", {}, "/time-series")}: what central banks and other sources published for the day, crossed through the US dollar. A weekend or holiday has the value of the day before, which is dashed; a break in the line is a time without any value.`),
    h("div", { class: "row" },
      h("button", { class: "button quiet", type: "button", onclick: ask }, t`Explain the last day shown`),
      h("span", { class: "muted small" }, t`1 call for each pair`)),
    answer);
}
