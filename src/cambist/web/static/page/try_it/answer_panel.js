/** The answer to a request: status, cost, headers, and the body with its digits. */

import { h, replace } from "../../lib/dom.js";
import { t } from "../../lib/texts.js";
import { copyButton } from "./copy_button.js";
import { headersToShow, prettyJson } from "./pretty_json.js";

/** More lines than these are drawn only when asked for. */
const MOST_LINES = 1_000;

const STATUSES = {
  200: "OK", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
  409: "Conflict", 413: "Content Too Large", 429: "Too Many Requests", 503: "Service Unavailable",
};

export class AnswerPanel {
  constructor() {
    this.text = "";
    this.status = h("p", { class: "row try-status", role: "status" });
    this.headers = h("dl", { class: "try-headers" });
    this.code = h("code", {});
    this.body = h("pre", { class: "try-code try-answer", tabindex: "0", role: "region", "aria-label": t`Body of the answer` }, this.code);
    this.more = h("button", { class: "button plain", type: "button", hidden: true, onclick: () => this.writeAll() });
    this.copy = copyButton(t`Copy`, () => this.text);
    this.element = h("section", { class: "card stack", "aria-labelledby": "answer" },
      h("div", { class: "row apart" }, h("div", { class: "row" }, h("h2", { id: "answer" }, t`Answer`), this.status), this.copy),
      this.headers, this.body, this.more);
    this.clear();
  }

  clear() {
    replace(this.status);
    replace(this.headers);
    this.write(t`Nothing was sent yet.`, "");
    this.element.classList.add("unsent");
  }

  wait() {
    replace(this.status, t`Waiting for the answer…`);
  }

  /** @param {string} message why there is no answer */
  fail(message) {
    this.clear();
    replace(this.status, h("span", { class: "badge bad" }, message));
  }

  /** @param {Response} response @param {string} text its body */
  show(response, text) {
    const { status, headers } = response;
    const words = `${status} ${STATUSES[status] ?? response.statusText}`;
    replace(this.status, h("span", { class: `badge ${response.ok ? "good" : "bad"}` }, words),
      h("span", { class: "badge" }, costText(headers.get("x-calls-cost"))));
    replace(this.headers, headersToShow(headers).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    this.element.classList.remove("unsent");
    this.write(prettyJson(text), text);
  }

  write(pretty, text) {
    this.text = text;
    this.copy.hidden = !text;
    const lines = pretty.split("\n");
    this.whole = pretty;
    this.more.hidden = lines.length <= MOST_LINES;
    replace(this.more, t`Show all ${lines.length} lines`);
    replace(this.code, this.more.hidden ? pretty : `${lines.slice(0, MOST_LINES).join("\n")}\n…`);
    this.body.scrollTop = 0;
  }

  writeAll() {
    this.more.hidden = true;
    replace(this.code, this.whole);
    this.body.focus();
  }
}

/** Say what an answer cost. @param {string|null} cost its header */
function costText(cost) {
  if (cost === null) return t`cost no call`;
  return cost === "1" ? t`cost 1 call` : t`cost ${Number(cost)} calls`;
}
