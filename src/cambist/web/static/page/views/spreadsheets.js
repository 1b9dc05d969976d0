/** Formulas for spreadsheets: a form for a pair and days, and what to paste into a cell. Nothing is asked here. */

import { address } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { dayInWords } from "../../lib/format.js";
import { checkNames, refuse, spelledCode } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { DAY_CELL, formulasFor, isCode, isDay, KEY_CELL, PROGRAMS } from "../sheets/formulas.js";
import { copyButton } from "../try_it/copy_button.js";

export const title = t`Spreadsheets`;

const NAMES = ["program", "from", "to", "start", "end", "key"];
const NOTES = {
  libreoffice: t`LibreOffice asks once whether the document may load external content.`,
  excel: t`Excel for Windows. Where Excel separates arguments with semicolons, write them in place of the commas.`,
  google: t`Google fetches the address itself, so the service must be reachable from the internet.`,
};

/** Show the view. */
export function show(root, params, shell) {
  checkNames(params, NAMES);
  const filled = readFilled(params);
  const input = (name, type = "text") => h("input", { class: "input", id: `sheet-${name}`, type, value: filled[name], autocomplete: "off", spellcheck: "false" });
  const program = h("select", { class: "select", id: "sheet-program" }, Object.entries(PROGRAMS).map(([value, words]) => h("option", { value }, words)));
  program.value = filled.program;
  const inputs = { program, from: input("from"), to: input("to"), start: input("start", "date"), end: input("end", "date") };
  const labels = { program: t`Program`, from: t`From`, to: t`To`, start: t`First day`, end: t`Last day` };
  const key = h("input", { id: "sheet-key", type: "checkbox" });
  key.checked = filled.key === "1";
  const list = h("section", { class: "stack", "aria-live": "polite", "aria-label": t`Formulas` });

  function update() {
    const wanted = Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value.trim()]));
    const asked = { ...wanted, from: spelledCode(wanted.from), to: spelledCode(wanted.to), key: key.checked };
    shell.setParams({ ...asked, key: key.checked ? "1" : "0" });
    replace(list, listOf(asked));
  }

  update();
  replace(root, h("div", { class: "stack wide" },
    h("h1", {}, title),
    h("p", { class: "lead" }, t`Copy a formula into a cell, and the spreadsheet asks this service for the rate. Each time it is computed it costs what its request costs.`),
    h("form", { class: "card stack", oninput: update, onsubmit: (event) => event.preventDefault() },
      h("div", { class: "list-terms" }, Object.entries(inputs).map(([name, element]) => h("div", { class: "field" }, h("label", { for: element.id }, labels[name]), element))),
      h("label", { class: "row", for: "sheet-key" }, key, t`With an API key, which is in cell ${KEY_CELL}`)),
    list));
}

/** Read what a link fills in. Errors: LinkError. */
function readFilled(params) {
  const filled = { program: "libreoffice", from: "EUR", to: "USD", start: "", end: "", key: "1", ...Object.fromEntries(params) };
  if (!(filled.program in PROGRAMS)) refuse("program", filled.program, t`is no program; it can be ${Object.keys(PROGRAMS).join(", ")}`);
  for (const name of ["start", "end"]) if (filled[name] && !isDay(filled[name])) refuse(name, filled[name], t`is no day: a day is written as 2024-02-29`);
  return filled;
}

function listOf(asked) {
  const odd = [asked.from, asked.to].find((code) => !isCode(code));
  if (odd !== undefined) return h("p", { class: "error", role: "alert" }, t`A code is needed, such as EUR or XAU: “${odd}” is none.`);
  if (asked.start && asked.end && asked.end < asked.start) return h("p", { class: "error", role: "alert" }, t`The last day lies before the first.`);
  const words = {
    now: t`The rate of now`, day: asked.start && t`The rate of ${dayInWords(asked.start)}`, cell: t`The rate of the day in cell ${DAY_CELL}`,
    days: t`The rates of all days, with their dates`, address: t`The rates of all days: the address for Sheet › External Links, with your key in place of KEY`,
  };
  const root = address("/").href.replace(/\/$/, "");
  return [
    ...formulasFor({ ...asked, root }).map(({ kind, text }) => h("div", { class: "card stack" },
      h("div", { class: "row apart" }, h("h2", {}, words[kind]), copyButton(t`Copy`, () => text)), h("pre", { class: "sheet-formula" }, h("code", {}, text)))),
    h("p", { class: "small muted" }, NOTES[asked.program]),
    asked.key && h("p", { class: "small muted" }, t`Whoever gets the file gets the key: use that of an account of its own on a small plan.`),
  ];
}
