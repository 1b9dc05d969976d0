/** A text field with line numbers that shows an error at its line. */

import { h } from "../../lib/dom.js";
import { lineCount, lineRange } from "./plan_text.js";

/**
 * @param {{label: string, text: string, onInput: () => void}} settings
 * @returns {{element: HTMLElement, area: HTMLTextAreaElement, mark: (problem: {line: number | null, text: string} | null) => void}}
 */
export function editor({ label, text, onInput }) {
  const area = h("textarea", {
    class: "editor-text",
    "aria-label": label,
    "aria-describedby": "editor-problem",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
  });
  area.value = text;
  const numbers = h("div", { class: "editor-numbers", "aria-hidden": "true" });
  const band = h("div", { class: "editor-band", "aria-hidden": "true", hidden: true });
  const message = h("div", { class: "editor-problem", id: "editor-problem", role: "status" });
  const state = { problem: null, lines: 0 };

  function number() {
    const lines = lineCount(area.value);
    if (lines === state.lines) return;
    state.lines = lines;
    numbers.replaceChildren(...Array.from({ length: lines }, (_, index) => h("span", {}, String(index + 1))));
  }
  /** Lines are as high as the style sheet says, and are never wrapped. */
  function place() {
    const height = Number.parseFloat(getComputedStyle(area).lineHeight);
    const padding = Number.parseFloat(getComputedStyle(area).paddingTop);
    numbers.style.transform = `translateY(${-area.scrollTop}px)`;
    const line = state.problem?.line;
    band.hidden = !line;
    if (!line) return message.style.removeProperty("--at");
    const top = padding + (line - 1) * height - area.scrollTop;
    band.style.transform = `translateY(${top}px)`;
    band.style.blockSize = `${height}px`;
    message.style.setProperty("--at", `${Math.min(Math.max(top, 0), area.clientHeight - height)}px`);
  }
  function mark(problem) {
    state.problem = problem;
    if (problem) area.setAttribute("aria-invalid", "true");
    else area.removeAttribute("aria-invalid");
    for (const [index, each] of [...numbers.children].entries()) {
      each.classList.toggle("wrong", index + 1 === problem?.line);
    }
    message.replaceChildren(...(problem ? problemOf(problem, () => goTo(problem.line)) : [h("p", { class: "good" }, "No error found.")]));
    place();
  }
  function goTo(line) {
    area.focus();
    area.setSelectionRange(...lineRange(area.value, line));
    area.scrollTop = Math.max(0, (line - 4) * Number.parseFloat(getComputedStyle(area).lineHeight));
  }
  area.addEventListener("scroll", place);
  area.addEventListener("input", () => {
    number();
    onInput();
  });
  number();
  const box = h("div", { class: "editor-box" }, numbers, h("div", { class: "editor-field" }, band, area));
  return { element: h("div", { class: "editor" }, box, message), area, mark };
}

function problemOf({ line, text }, goTo) {
  if (!line) return [h("p", {}, text)];
  const link = h("button", { type: "button", class: "button plain bad", onclick: goTo }, `Line ${line}`);
  return [link, h("p", {}, text)];
}
