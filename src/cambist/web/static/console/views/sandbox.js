/** Faults: what goes wrong with the simulated market, as switches. */

import { h } from "../../lib/dom.js";
import { dayBefore } from "../parts/calls.js";
import { patch } from "../parts/patch.js";
import { card, errorNote, field, heading, time } from "../parts/ui.js";

export const title = "Faults";

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const view = { faults: await shell.get("/faults") };
  const problem = h("div", {});
  const codes = h("datalist", { id: "codes" }, ...view.faults.codes.map((code) => h("option", { value: code })));
  const parts = [staleCard, slowCard, outlierCard, missingCard].map((make) => make(change));
  const clear = h("button", { type: "button", class: "button quiet" }, "End all faults");

  /** Send a change, and show the faults as they are then. Returns whether it was accepted. */
  async function change(path, body, said) {
    try {
      view.faults = await shell.post(`/faults/${path}`, body);
      problem.replaceChildren();
      shell.say(said);
      return true;
    } catch (error) {
      problem.replaceChildren(errorNote(error));
      return false;
    } finally {
      draw();
    }
  }
  function draw() {
    for (const part of parts) part.draw(view.faults);
    clear.disabled = !hasFaults(view.faults);
  }
  clear.addEventListener("click", () => change("clear", {}, "Nothing goes wrong now."));
  root.append(
    heading("Faults", "What goes wrong with the simulated market, to test clients. A quote shows it within a second, a missing day within a few.", clear),
    codes,
    problem,
    h("div", { class: "faults" }, ...parts.map(({ element }) => element)),
  );
  draw();
}

function hasFaults({ stale, slow, outlier, missing }) {
  return stale === "all" || stale.length > 0 || slow > 0 || Object.keys(outlier).length > 0 || missing.length > 0;
}

/** A switch: a checkbox that says what is on. */
function switchOf(label, onChange) {
  const input = h("input", { type: "checkbox", role: "switch", class: "switch" });
  input.addEventListener("change", () => onChange(input.checked));
  return { input, element: h("label", { class: "switch-row" }, input, h("span", {}, label)) };
}

/** What is on, each with a button that ends it. */
function endings(root, entries, end) {
  const items = entries.map(([key, label]) =>
    h("li", { "data-key": key }, h("span", {}, label), h("button", { type: "button", class: "chip-end", dataset: { ends: key }, "aria-label": `End: ${label}` }, "×")),
  );
  patch(root, ...items);
  root.onclick = ({ target }) => {
    if (target instanceof HTMLElement && target.dataset.ends) end(target.dataset.ends);
  };
}

function form(onSubmit, ...children) {
  const made = h("form", { class: "fault-form" }, ...children);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await onSubmit()) made.reset();
  });
  return made;
}

function codeInput() {
  return h("input", { required: true, list: "codes", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", placeholder: "EUR" });
}

function submit(label) {
  return h("button", { type: "submit", class: "button quiet" }, label);
}

function staleCard(change) {
  const all = switchOf("All quotes stand still", (on) => change("stale", { codes: on ? "all" : [] }, on ? "All quotes stand still." : "Quotes move again."));
  const code = codeInput();
  const chosen = h("ul", { class: "chips" });
  const since = h("p", { class: "hint" });
  const state = { codes: [] };
  const add = () => {
    const name = code.value.trim().toUpperCase();
    return change("stale", { codes: [...new Set([...state.codes, name])] }, `${name} stands still.`);
  };
  const single = form(add, field("Only this code", code), submit("Freeze it"));
  const element = card({ title: "Stale quotes" }, all.element, single, chosen, since);
  return {
    element,
    draw({ stale, since: at }) {
      state.codes = stale === "all" ? [] : stale;
      all.input.checked = stale === "all";
      single.hidden = stale === "all";
      endings(chosen, state.codes.map((each) => [each, each]), (each) =>
        change("stale", { codes: state.codes.filter((other) => other !== each) }, `${each} moves again.`));
      since.replaceChildren(...(stale.length && at ? ["Since ", time(at)] : []));
    },
  };
}

function slowCard(change) {
  const seconds = h("input", { type: "number", min: "0.1", max: "86400", step: "any", value: "30", required: true });
  const late = switchOf("All quotes are late", (on) => {
    const by = on ? Math.max(Number(seconds.value) || 30, 0.1) : 0;
    return change("slow", { seconds: by }, on ? `All quotes are ${by} seconds late.` : "Quotes are in time again.");
  });
  seconds.addEventListener("change", () => {
    if (late.input.checked && seconds.reportValidity()) change("slow", { seconds: Number(seconds.value) }, `All quotes are ${seconds.value} seconds late.`);
  });
  return {
    element: card({ title: "Slow quotes" }, late.element, field("Seconds", seconds)),
    draw({ slow }) {
      late.input.checked = slow > 0;
      if (slow > 0) seconds.value = String(slow);
    },
  };
}

function outlierCard(change) {
  const code = codeInput();
  const factor = h("input", { type: "number", min: "0", step: "any", value: "1.5", required: true });
  const chosen = h("ul", { class: "chips" });
  const set = () => {
    const name = code.value.trim().toUpperCase();
    return change("outlier", { code: name, factor: Number(factor.value) }, `${name} is multiplied by ${factor.value}.`);
  };
  return {
    element: card({ title: "Wrong prices" }, form(set, field("Code", code), field("Price times", factor), submit("Distort it")), chosen),
    draw({ outlier }) {
      endings(chosen, Object.entries(outlier).map(([name, by]) => [name, `${name} × ${by}`]), (name) =>
        change("outlier", { code: name, factor: 1 }, `${name} has its own price again.`));
    },
  };
}

function missingCard(change) {
  const day = h("input", { type: "date", required: true, max: new Date().toISOString().slice(0, 10), value: dayBefore(new Date().toISOString().slice(0, 10), 1) });
  const chosen = h("ul", { class: "chips" });
  const state = { days: [] };
  const add = () => change("missing", { days: [...new Set([...state.days, day.value])].sort() }, `${day.value} has no fixings.`);
  return {
    element: card({ title: "Missing days" }, form(add, field("Day without fixings", day), submit("Remove its fixings")), chosen),
    draw({ missing }) {
      state.days = missing;
      endings(chosen, missing.map((each) => [each, each]), (each) =>
        change("missing", { days: missing.filter((other) => other !== each) }, `${each} has its fixings again.`));
    },
  };
}
