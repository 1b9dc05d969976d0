/** The endpoints of an OpenAPI document as forms. No DOM. */

import { t } from "../../lib/texts.js";

/**
 * @typedef {Object} Field
 * @property {string} name
 * @property {string} description
 * @property {boolean} required
 * @property {"text"|"number"|"date"|"choice"|"flag"} type
 * @property {string[]} choices
 * @property {string} standard what the service uses if it is left out; may be empty
 * @property {string} hint an example of what can be written
 * @property {string} initial what the form begins with
 * @property {number|undefined} minimum
 * @property {number|undefined} maximum
 *
 * @typedef {{path: string, tag: string, summary: string, description: string, cost: string, fields: Field[]}} Operation
 */

/**
 * Return the operations of a document, in its order.
 * @param {any} document
 * @returns {Operation[]}
 */
export function operationsOf(document) {
  return Object.entries(document.paths).filter(([, methods]) => methods.get).map(([path, { get }]) => {
    const [description, cost = ""] = (get.description ?? "").split(/\n\nCost: /);
    return { path, tag: get.tags[0], summary: get.summary, description, cost, fields: (get.parameters ?? []).map(fieldOf) };
  });
}

/** Return the operations by tag. @param {Operation[]} operations @returns {[string, Operation[]][]} */
export function groupsOf(operations) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((tag) => [tag, operations.filter((each) => each.tag === tag)]);
}

/** @returns {Field} */
function fieldOf({ name, description, required, schema, example }) {
  return {
    name, description, required, type: typeOf(schema), choices: schema.enum ?? [],
    standard: text(schema.default), hint: text(example ?? schema.examples?.[0]),
    initial: text(example), minimum: schema.minimum, maximum: schema.maximum,
  };
}

function typeOf(schema) {
  if (schema.enum) return "choice";
  if (schema.default === "false" || schema.type === "boolean") return "flag";
  if (schema.type === "number" || schema.type === "integer") return "number";
  return schema.format === "date" ? "date" : "text";
}

function text(value) {
  return value === undefined || value === null ? "" : String(value);
}

/**
 * Return what a form begins with: what an address says, or else the examples.
 * @param {Operation} operation
 * @param {URLSearchParams} given the parameters of the address; with any field of the form in it, it says all of it
 * @returns {Object<string, string>}
 */
export function initialValues({ fields }, given) {
  const isGiven = fields.some(({ name }) => given.has(name));
  return Object.fromEntries(fields.map(({ name, initial }) => [name, isGiven ? given.get(name) ?? "" : initial]));
}

/**
 * Return the parameters of a request, in the order of the form; empty ones are left out.
 * @param {Operation} operation
 * @param {Object<string, string>} values
 * @returns {[string, string][]}
 */
export function requestParams({ fields }, values) {
  return fields.map(({ name }) => [name, (values[name] ?? "").trim()]).filter(([, value]) => value !== "");
}

/** Return why a control cannot show a value of a link; empty if it can. @param {Field} field @param {string|null} value */
export function wrongValue({ type, choices }, value) {
  if (!value) return "";
  if (type === "choice" && !choices.includes(value)) return t`is none of ${choices.join(", ")}`;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value);
  return type === "date" && !isDay ? t`is no day: a day is written as 2024-02-29` : "";
}
