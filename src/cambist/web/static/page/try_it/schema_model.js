/** JSON Schemas of an OpenAPI document as types and lists of fields. No DOM. */

/** So many objects within objects are listed. */
const DEEPEST = 4;

/** @typedef {{name: string, type: string, required: boolean, description: string}} SchemaField `name` is a path such as `rates[].day` */

/** Return what a reference points at, or the schema itself. @param {any} schema @param {any} document */
export function resolved(schema, document) {
  if (!schema?.$ref) return schema ?? {};
  const target = schema.$ref.slice(2).split("/").reduce((inner, name) => inner[name], document);
  return { ...target, ...schema, $ref: undefined };
}

/** Return a type as JSON names it, such as "number", "string (date)", "number[]" or "string | null". @param {any} schema @param {any} document */
export function typeText(schema, document) {
  const { anyOf, type, format, items } = resolved(schema, document);
  if (anyOf) return [...new Set(anyOf.map((each) => typeText(each, document)))].join(" | ");
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "array") return items ? listOf(typeText(items, document)) : "array";
  return format && format !== "binary" ? `${type} (${format})` : type ?? "any";
}

function listOf(type) {
  return type.includes(" ") ? `(${type})[]` : `${type}[]`;
}

/**
 * Return the fields of an object, each followed by those within it.
 * @param {any} schema
 * @param {any} document
 * @returns {SchemaField[]}
 */
export function fieldsOf(schema, document, prefix = "", depth = 1) {
  const { properties = {}, required = [], additionalProperties, items, anyOf } = resolved(schema, document);
  const inner = (each, name) => (depth < DEEPEST ? fieldsOf(each, document, name, depth + 1) : []);
  if (anyOf) return anyOf.flatMap((each) => fieldsOf(each, document, prefix, depth));
  if (items) return fieldsOf(items, document, `${prefix}[]`, depth);
  if (typeof additionalProperties === "object") return inner(additionalProperties, `${prefix}.*`);
  return Object.entries(properties).flatMap(([key, each]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    const { description = "" } = resolved(each, document);
    return [{ name, type: typeText(each, document), required: required.includes(key), description }, ...inner(each, name)];
  });
}

/**
 * Return the errors of an operation: for each status what it means, and its codes with an example.
 * @param {import("./form_model.js").Operation} operation
 * @param {any} document
 * @returns {{status: string, text: string, cases: {code: string, summary: string, error: string}[]}[]}
 */
export function errorsOf({ responses }, document) {
  return Object.entries(responses).filter(([status]) => status !== "200").map(([status, response]) => {
    const { description, content } = resolved(response, document);
    const examples = Object.entries(content?.["application/json"]?.examples ?? {});
    return { status, text: description, cases: examples.map(([code, { summary, value }]) => ({ code, summary, error: value.error })) };
  });
}
