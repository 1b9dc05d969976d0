/** A request as curl, Python and JavaScript, one at a time (WAI-ARIA: tabs). */

import { key } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { copyButton } from "./copy_button.js";
import { LANGUAGES, PLACEHOLDER } from "./snippets.js";

export class ProgramTabs {
  constructor() {
    this.chosen = 0;
    this.call = { url: "", params: [] };
    this.code = h("code", {});
    this.tabs = LANGUAGES.map(({ name }, index) => h("button", {
      class: "tab", type: "button", role: "tab", id: `program-${index}`, "aria-controls": "program",
      onclick: () => this.choose(index), onkeydown: (event) => this.press(event),
    }, name));
    /** The key is copied, and shown nowhere. */
    this.withKey = copyButton(t`Copy with your key`, () => this.text.replace(PLACEHOLDER, key()));
    this.panel = h("pre", { class: "try-code", id: "program", role: "tabpanel", tabindex: "0" }, this.code);
    this.element = h("section", { class: "card try-programs", "aria-label": t`The request as a program` },
      h("div", { class: "tabs", role: "tablist", "aria-label": t`Language` }, this.tabs),
      this.panel,
      h("div", { class: "row apart" },
        h("p", { class: "small muted" }, t`Put your key in place of ${h("code", {}, PLACEHOLDER)}.`),
        h("div", { class: "row" }, copyButton(t`Copy`, () => this.text), this.withKey)));
  }

  get text() {
    return LANGUAGES[this.chosen].write(this.call);
  }

  /** @param {import("./snippets.js").CallToShow} call */
  show(call) {
    this.call = call;
    this.choose(this.chosen);
  }

  choose(index) {
    this.chosen = index;
    this.tabs.forEach((tab, each) => {
      tab.setAttribute("aria-selected", String(each === index));
      tab.tabIndex = each === index ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", `program-${index}`);
    this.withKey.hidden = !key();
    replace(this.code, this.text);
  }

  press(event) {
    const last = this.tabs.length - 1;
    const next = { ArrowRight: this.chosen + 1, ArrowLeft: this.chosen - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(next < 0 ? last : next > last ? 0 : next);
    this.tabs[this.chosen].focus();
  }
}
