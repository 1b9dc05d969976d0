/** The two kinds of charts. */

import { h } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";

/** Return the links between the daily rates and the bars. @param {"charts" | "bars"} current */
export function chartTabs(current) {
  const tab = (name, text) => h("a", { class: "tab", href: `#/${name}`, "aria-current": name === current ? "page" : null }, text);
  return h("nav", { class: "tabs", "aria-label": t`Kind of chart` }, tab("charts", t`Daily rates`), tab("bars", t`Bars`));
}
