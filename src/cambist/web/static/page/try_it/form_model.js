/** The endpoints of an OpenAPI document as forms. No DOM. */

import { t } from "../../lib/texts.js";

/**
 * @typedef {Object} Field
 * @property {string} name
 * @property {string} description
 * @property {boolean} required
 * @property {"text"|"number"|"date"|"choice"|"flag"} type
 * @property {any} schema
 * @property {string[]} choices
 * @property {string} standard what the service uses if it is left out; may be empty
 * @property {string} hint an example of what can be written
 * @property {string} initial what the form begins with
 * @property {number|undefined} minimum
 * @property {number|undefined} maximum
 *
 * @typedef {{type: string, example: string, schema: any, types: string[]}} Body `types` are all media types that may be sent
 *
 * @typedef {Object} Operation
 * @property {string} path
 * @property {"GET"|"POST"} method
 * @property {string} tag
 * @property {string} summary
 * @property {string[]} description its paragraphs
 * @property {string} cost
 * @property {Field[]} fields
 * @property {Body|null} body what is posted
 * @property {any} responses as the document has them
 */

/**
 * Return the operations of a document, in its order. A path has one method.
 * @param {any} document
 * @returns {Operation[]}
 */
export function operationsOf(document) {
  return Object.entries(document.paths).map(([path, methods]) => {
    const [[method, { tags, summary, description = "", parameters = [], requestBody, responses }]] = Object.entries(methods);
    const paragraphs = description.split("\n\n");
    const cost = paragraphs.find((each) => each.startsWith("Cost: ")) ?? "";
    return {
      path, method: method.toUpperCase(), tag: tags[0], summary, description: paragraphs.filter((each) => each && each !== cost),
      cost: cost.slice("Cost: ".length), fields: parameters.map(fieldOf), body: requestBody ? bodyOf(requestBody.content) : null, responses,
    };
  });
}

/** Return the operations by tag. @param {Operation[]} operations @returns {[string, Operation[]][]} */
export function groupsOf(operations) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((tag) => [tag, operations.filter((each) => each.tag === tag)]);
}

/** Return the operations that have every word of a text, in their path, summary or description. @param {Operation[]} operations @param {string} text */
export function found(operations, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const said = ({ path, method, tag, summary, description, fields }) =>
    [method, path, tag, summary, ...description, ...fields.map(({ name }) => name)].join(" ").toLowerCase();
  return operations.filter((each) => words.every((word) => said(each).includes(word)));
}

/** @returns {Field} */
function fieldOf({ name, description, required, schema, example }) {
  return {
    name, description, required, schema, type: typeOf(schema), choices: schema.enum ?? [],
    standard: text(schema.default), hint: text(example ?? schema.examples?.[0]),
    initial: text(example), minimum: schema.minimum, maximum: schema.maximum,
  };
}

/** The first media type is the one that the form sends. @returns {Body} */
function bodyOf(content) {
  const [[type, { schema, example }]] = Object.entries(content);
  return { type, schema, example: typeof example === "string" ? example.replaceAll("\r\n", "\n") : JSON.stringify(example, null, 2), types: Object.keys(content) };
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

/** Return a value as it can be read: a tab would be seen as nothing. @param {string} value */
export function visible(value) {
  return value.trim() ? value : JSON.stringify(value);
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
  const said = ({ type, name }) => (type === "choice" ? values[name] ?? "" : (values[name] ?? "").trim());
  return fields.map((field) => [field.name, said(field)]).filter(([, value]) => value !== "");
}

/** Return why a control cannot show a value of a link; empty if it can. @param {Field} field @param {string|null} value */
export function wrongValue({ type, choices }, value) {
  if (!value) return "";
  if (type === "choice" && !choices.includes(value)) return t`is none of ${choices.join(", ")}`;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value);
  return type === "date" && !isDay ? t`is no day: a day is written as 2024-02-29` : "";
}
