/** The form for another alert. What it asks for follows from the condition that is chosen. */

import { assetPicker } from "../../lib/asset_picker.js";
import { h, replace } from "../../lib/dom.js";
import { LinkError, spelledCode } from "../../lib/link.js";
import { post } from "../../lib/posting.js";
import { locale, t } from "../../lib/texts.js";
import { readTyped, typedAs } from "../../lib/typed_number.js";
import { span } from "./alert_words.js";

const CONDITIONS = {
  above: { words: t`A rate rises above a level`, fields: ["pair", "level"] },
  below: { words: t`A rate falls below a level`, fields: ["pair", "level"] },
  outside: { words: t`A rate leaves a band`, fields: ["pair", "low", "high"] },
  moves: { words: t`A rate moves by a percentage`, fields: ["pair", "change", "within"] },
  published: { words: t`A publisher has published`, fields: ["source"] },
  corrected: { words: t`A past rate is corrected`, fields: ["pair", "date"] },
  quota: { words: t`Much of the quota is used`, fields: ["change"] },
};
const NUMBERS = ["level", "low", "high", "change"];
const TIMES = ["PT15M", "PT1H", "PT24H", "P7D"];
/** How an alert is delivered, in words. */
export const DELIVERIES = { webhook: t`A webhook`, email: t`E-mail to the account`, stream: t`The stream` };
const LABELS = {
  level: t`Level`, low: t`Lowest`, high: t`Highest`, change: t`Percent`, within: t`Within`, source: t`Publisher, such as ecb`, date: t`Day (none: any)`,
};

/** What a link may fill in. The address of a webhook is not among it, because it may contain a secret. */
export const LINKED = ["when", "from", "to", ...Object.keys(LABELS), "deliver", "note", "repeat"];

/**
 * Read what a link fills in. Errors: LinkError for a choice that there is not.
 * @param {URLSearchParams} params
 * @returns {Object<string, string>}
 */
export function readFilled(params) {
  const filled = Object.fromEntries(params);
  for (const [name, choices] of Object.entries({ when: Object.keys(CONDITIONS), within: TIMES, deliver: Object.keys(DELIVERIES), repeat: ["1"] })) {
    const value = params.get(name) || choices[0];
    if (!choices.includes(value)) throw new LinkError(t`This link says “${`${name}=${value}`}”. It can be: ${choices.join(", ")}.`);
  }
  return { ...filled, from: spelledCode(filled.from || "EUR"), to: spelledCode(filled.to || "USD") };
}

/**
 * Make the form.
 * @param {Object<string, string>} filled what it begins with, as of `readFilled`
 * @param {any} shell
 * @param {() => void} onadded
 * @returns {HTMLElement}
 */
export function alertForm(filled, shell, onadded) {
  const inputs = fieldsOf(filled, write);
  const places = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, wrapped(name, input)]));
  const error = h("p", { class: "error", role: "alert" });
  const said = h("p", { class: "notice", role: "status", hidden: true });
  const when = select("when", choose, Object.entries(CONDITIONS).map(([value, { words }]) => [value, words]), filled.when);
  const deliver = select("deliver", choose, Object.entries(DELIVERIES), filled.deliver);
  const address = h("input", { class: "input", id: "alert-address", type: "url", placeholder: "https://…" });
  const addressField = h("div", { class: "field" }, h("label", { for: "alert-address" }, t`Address`), address);
  const repeat = h("input", { id: "alert-repeat", type: "checkbox" });
  repeat.checked = filled.repeat === "1";
  const note = h("input", { class: "input", id: "alert-note", maxlength: "200", value: filled.note ?? "" });

  function isAsked(name) {
    return CONDITIONS[when.value].fields.includes(["from", "to"].includes(name) ? "pair" : name);
  }

  function choose() {
    for (const [name, place] of Object.entries(places)) place.hidden = !isAsked(name);
    addressField.hidden = deliver.value !== "webhook";
    replace(error);
  }

  /** Write what is filled in into the address, so that a link and a reload keep it. */
  function write() {
    const shown = Object.entries(inputs).filter(([name]) => isAsked(name));
    const values = shown.map(([name, { value }]) => [name, NUMBERS.includes(name) ? typed(value) : value.trim()]);
    shell.setParams({ when: when.value, ...Object.fromEntries(values), deliver: deliver.value, note: note.value.trim(), repeat: repeat.checked ? "1" : "" });
  }

  async function submit(event) {
    event.preventDefault();
    replace(error);
    said.hidden = true;
    const question = { when: when.value, ...asked(inputs, CONDITIONS[when.value].fields), deliver: deliver.value, repeat: repeat.checked };
    if (deliver.value === "webhook") question.address = address.value.trim();
    if (note.value.trim()) question.note = note.value.trim();
    try {
      const { alert, secret } = await post("/alerts/add", question);
      replace(said, t`Alert ${String(alert.id)} is watched.`, secret && [" ", t`The secret that signs its messages, shown only now: ${h("code", {}, secret)}`]);
      said.hidden = false;
      onadded();
    } catch (failure) {
      replace(error, failure.message);
      if (failure.status === 401) shell.fail(failure);
    }
  }

  choose();
  return h("form", { class: "card stack", onsubmit: submit, onchange: write },
    h("div", { class: "alert-fields" },
      h("div", { class: "field alert-when" }, h("label", { for: when.id }, t`Tell me when`), when), Object.values(places)),
    h("div", { class: "alert-fields" },
      h("div", { class: "field" }, h("label", { for: deliver.id }, t`By`), deliver), addressField,
      h("div", { class: "field" }, h("label", { for: "alert-note" }, t`Note`), note)),
    h("label", { class: "row", for: "alert-repeat" }, repeat, t`Each time, not only once`),
    error, h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t`Watch`)), said);
}

function select(name, onchange, choices, value) {
  const element = h("select", { class: "select", id: `alert-${name}`, onchange }, choices.map(([each, words]) => h("option", { value: each }, words)));
  if (value) element.value = value;
  return element;
}

function fieldsOf(filled, onchange) {
  const text = (name, more = {}) => h("input", { class: "input", id: `alert-${name}`, autocomplete: "off", value: filled[name] ?? "", ...more });
  return {
    from: assetPicker({ label: t`From`, value: filled.from, onchange }), to: assetPicker({ label: t`To`, value: filled.to, onchange }),
    ...Object.fromEntries(NUMBERS.map((name) => [name, text(name, { inputmode: "decimal", value: typedAs(filled[name] ?? "", locale) })])),
    within: select("within", onchange, TIMES.map((time) => [time, span(time)]), filled.within),
    source: text("source", { spellcheck: "false" }), date: text("date", { type: "date", min: "1970-01-01" }),
  };
}

function wrapped(name, input) {
  if (name === "from" || name === "to") return input;
  return h("div", { class: "field" }, h("label", { for: input.id }, LABELS[name]), input);
}

/** Return what the visible fields ask for; an empty day is left out. */
function asked(inputs, fields) {
  const found = {};
  for (const name of fields) {
    if (name === "pair") Object.assign(found, { from: inputs.from.value, to: inputs.to.value });
    else if (name === "change") found.change = `${typed(inputs.change.value)}%`;
    else if (NUMBERS.includes(name)) found[name] = typed(inputs[name].value);
    else if (inputs[name].value) found[name] = inputs[name].value.trim();
  }
  return found;
}

/** Return a number as the API takes it; what is none stays as it is, and is refused. */
function typed(text) {
  const bare = text.replace("%", "").trim();
  return readTyped(bare, locale)?.plain ?? bare;
}
