/** Dialogs: confirm what cannot be undone, fill in a small form, show a key once. */

import { h } from "../../lib/dom.js";
import { errorNote } from "./ui.js";

/**
 * Show a dialog and resolve with what its action returned; with null if it was dismissed.
 *
 * The action runs while the dialog is open: if it is refused, the dialog stays and says why.
 *
 * @param {{title: string, body: (Node | string | null)[], action: string, danger?: boolean, cancel?: string | null,
 *   run?: (form: FormData) => Promise<any>}} dialog
 */
export function ask({ title, body, action, danger = false, cancel = "Cancel", run = async () => true }) {
  const before = document.activeElement;
  const problem = h("div", { class: "dialog-problem", "aria-live": "assertive" });
  const confirm = h("button", { type: "submit", class: danger ? "button danger" : "button" }, action);
  const dismiss = cancel ? h("button", { type: "button", class: "button quiet" }, cancel) : null;
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", { id: "dialog-title" }, title),
    ...body,
    problem,
    h("div", { class: "dialog-actions" }, dismiss, confirm),
  );
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title" }, form);
  return new Promise((resolve) => {
    let result = null;
    dismiss?.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      confirm.disabled = true;
      problem.replaceChildren();
      try {
        result = await run(new FormData(form));
        dialog.close();
      } catch (error) {
        problem.replaceChildren(errorNote(error));
        confirm.disabled = false;
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    (form.querySelector("input, select, textarea") ?? dismiss ?? confirm).focus();
  });
}

/**
 * Show a new key. It is shown this once: closing needs a click, and Escape does not lose it.
 *
 * @param {{key: string, prefix: string}} created
 */
export function showKey(created, account) {
  const copied = h("p", { class: "hint", role: "status" }, "");
  const text = h("output", { class: "key", "aria-label": "The new key" }, created.key);
  const copy = h("button", { type: "button", class: "button quiet" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(created.key);
      copied.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text);
      copied.textContent = "It is selected: copy it with Ctrl+C.";
    }
  });
  const shown = ask({
    title: `The new key of ${account}`,
    body: [
      h("p", { class: "notice warn" }, "Copy it now. It is shown only this once: the database has only its digest."),
      h("div", { class: "key-row" }, text, copy),
      copied,
    ],
    action: "I have copied it",
    cancel: null,
  });
  const dialog = text.closest("dialog");
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  copy.focus();
  return shown;
}
