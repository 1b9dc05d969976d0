/** The form for another alert. What it asks for follows from the condition that is chosen. */

import { assetPicker } from "../../lib/asset_picker.js";
import { h, replace } from "../../lib/dom.js";
import { post } from "../../lib/posting.js";
import { locale } from "../../lib/texts.js";
import { readTyped } from "../../lib/typed_number.js";

const CONDITIONS = {
  above: { words: "A rate rises above a level", fields: ["pair", "level"] },
  below: { words: "A rate falls below a level", fields: ["pair", "level"] },
  outside: { words: "A rate leaves a band", fields: ["pair", "low", "high"] },
  moves: { words: "A rate moves by a percentage", fields: ["pair", "change", "within"] },
  published: { words: "A publisher has published", fields: ["source"] },
  corrected: { words: "A past rate is corrected", fields: ["pair", "date"] },
  quota: { words: "Much of the quota is used", fields: ["change"] },
};
const TIMES = { PT15M: "15 minutes", PT1H: "an hour", PT24H: "a day", P7D: "a week" };
const LABELS = { level: "Level", low: "From", high: "To", change: "Percent", source: "Publisher, such as ecb", date: "Day (none: any)" };

/**
 * Make the form.
 * @param {{from: string, to: string}} pair that it begins with
 * @param {any} tables the reference tables
 * @param {any} shell
 * @param {() => void} onadded
 * @returns {HTMLElement}
 */
export function alertForm({ from, to }, tables, shell, onadded) {
  const inputs = fieldsOf(from, to);
  const places = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, wrapped(name, input)]));
  const error = h("p", { class: "error", role: "alert" });
  const said = h("p", { class: "notice", hidden: true });
  const options = Object.entries(CONDITIONS).map(([value, { words }]) => h("option", { value }, words));
  const when = h("select", { class: "select", id: "alert-when", onchange: choose }, options);
  const deliver = h("select", { class: "select", id: "alert-deliver", onchange: choose },
    [["webhook", "A webhook"], ["email", "E-mail to the account"], ["stream", "The stream"]].map(([value, words]) => h("option", { value }, words)));
  const address = h("input", { class: "input", id: "alert-address", type: "url", placeholder: "https://…" });
  const addressField = h("div", { class: "field" }, h("label", { for: "alert-address" }, "Address"), address);
  const repeat = h("input", { id: "alert-repeat", type: "checkbox" });
  const note = h("input", { class: "input", id: "alert-note", maxlength: "200" });

  function choose() {
    const { fields } = CONDITIONS[when.value];
    for (const [name, place] of Object.entries(places)) place.hidden = !fields.includes(["from", "to"].includes(name) ? "pair" : name);
    addressField.hidden = deliver.value !== "webhook";
    replace(error);
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
      replace(said, `Alert ${alert.id} is watched.`, secret && [" The secret that signs its messages, shown only now: ", h("code", {}, secret)]);
      said.hidden = false;
      onadded();
    } catch (failure) {
      replace(error, failure.message);
      if (failure.status === 401) shell.fail(failure);
    }
  }

  choose();
  return h("form", { class: "card stack", onsubmit: submit },
    h("div", { class: "alert-fields" },
      h("div", { class: "field" }, h("label", { for: "alert-when" }, "Tell me when"), when), Object.values(places)),
    h("div", { class: "alert-fields" },
      h("div", { class: "field" }, h("label", { for: "alert-deliver" }, "By"), deliver), addressField,
      h("div", { class: "field" }, h("label", { for: "alert-note" }, "Note"), note)),
    h("label", { class: "row", for: "alert-repeat" }, repeat, "Each time, not only once"),
    error, h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, "Watch")), said);
}

function fieldsOf(from, to) {
  const text = (name, more = {}) => h("input", { class: "input", id: `alert-${name}`, autocomplete: "off", ...more });
  const within = h("select", { class: "select", id: "alert-within" }, Object.entries(TIMES).map(([value, words]) => h("option", { value }, words)));
  return {
    from: assetPicker({ label: "From", value: from }), to: assetPicker({ label: "To", value: to }),
    ...Object.fromEntries(["level", "low", "high", "change"].map((name) => [name, text(name, { inputmode: "decimal" })])),
    within, source: text("source", { spellcheck: "false" }), date: text("date", { type: "date", min: "1970-01-01" }),
  };
}

function wrapped(name, input) {
  if (name === "from" || name === "to") return input;
  return h("div", { class: "field" }, h("label", { for: input.id }, LABELS[name] ?? "Within"), input);
}

/** Return what the visible fields ask for; an empty day is left out. */
function asked(inputs, fields) {
  const found = {};
  for (const name of fields) {
    if (name === "pair") Object.assign(found, { from: inputs.from.value, to: inputs.to.value });
    else if (["level", "low", "high"].includes(name)) found[name] = typed(inputs[name].value);
    else if (name === "change") found.change = `${typed(inputs.change.value.replace("%", ""))}%`;
    else if (inputs[name].value) found[name] = inputs[name].value.trim();
  }
  return found;
}

/** Return a number as the API takes it; what is none stays as it is, and is refused. */
function typed(text) {
  return readTyped(text, locale)?.plain ?? text;
}
