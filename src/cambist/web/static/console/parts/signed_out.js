/** What is shown without a session: how to sign in. */

import { h } from "../../lib/dom.js";

/**
 * @param {boolean} ended whether there was a session before
 * @param {() => void} again look for a session once more
 */
export function signedOut(ended, again) {
  return h(
    "div",
    { class: "signed-out card" },
    h("h1", { tabindex: "-1" }, ended ? "Your session has ended" : "Sign in to the console"),
    h("p", {}, "On the machine of the service, run:"),
    h("pre", { class: "command" }, h("code", {}, "cambist console")),
    h("p", {}, "Open the link that it prints. It works once."),
    h("p", { class: "hint" }, "A session ends after half an hour without a request, after twelve hours, and when the service starts again."),
    h("button", { type: "button", class: "button quiet", onclick: again }, "I have signed in: look again"),
  );
}
