import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { found, groupsOf, initialValues, operationsOf, requestParams, visible, wrongValue } from "./static/page/try_it/form_model.js";
import { headersToShow, prettyJson } from "./static/page/try_it/pretty_json.js";
import { errorsOf, fieldsOf, typeText } from "./static/page/try_it/schema_model.js";
import { addressOf, curl, javaScript, LANGUAGES, pythonHttpx, pythonStandard } from "./static/page/try_it/snippets.js";

const DOCUMENT = JSON.parse(readFileSync("docs/openapi.json"));
const OPERATIONS = operationsOf(DOCUMENT);
const operation = (path) => OPERATIONS.find((each) => each.path === path);
const field = (path, name) => operation(path).fields.find((each) => each.name === name);

test("every endpoint has a form and says what it costs", () => {
  assert.deepEqual(OPERATIONS.map(({ path }) => path), Object.keys(DOCUMENT.paths));
  for (const { path, method, cost, summary, description, fields, body } of OPERATIONS) {
    const declared = DOCUMENT.paths[path][method.toLowerCase()];
    assert.ok(cost && summary && description.length, path);
    assert.ok(!description.some((each) => each.startsWith("Cost:")), path);
    assert.equal(fields.length, (declared.parameters ?? []).length);
    assert.equal(body !== null, method === "POST", path);
  }
  assert.deepEqual(groupsOf(OPERATIONS).flatMap(([, each]) => each).length, OPERATIONS.length);
});

test("what is posted begins with the example of the document", () => {
  const value = operation("/value").body;
  assert.equal(value.type, "application/json");
  assert.deepEqual(JSON.parse(value.example), DOCUMENT.paths["/value"].post.requestBody.content["application/json"].example);
  assert.deepEqual([operation("/convert/bulk").body.type, operation("/convert/bulk").body.example.includes("\r")], ["text/csv", false]);
});

test("endpoints are found by the words of their path, their text and their parameters", () => {
  const paths = (text) => found(OPERATIONS, text).map(({ path }) => path);
  assert.deepEqual(paths("ohlc"), ["/fx/ohlc/time-series"]);
  assert.ok(paths("POST csv file").includes("/convert/bulk"));
  assert.ok(paths("min_sources").includes("/convert"));
  assert.deepEqual([paths("").length, paths("nothing-has-this").length], [OPERATIONS.length, 0]);
});

test("types are those of JSON", () => {
  const type = (schema) => typeText(schema, { components: { schemas: { A: { type: "object" } } } });
  assert.deepEqual(
    [{ type: "number" }, { type: "string", format: "date" }, { type: "array", items: { anyOf: [{ type: "number" }, { type: "null" }] } },
      { type: ["integer", "string"] }, { $ref: "#/components/schemas/A" }, { type: "array", items: { $ref: "#/components/schemas/A" } }, {}].map(type),
    ["number", "string (date)", "(number | null)[]", "integer | string", "object", "object[]", "any"]);
});

test("the fields of an answer are listed with those within them", () => {
  const { schema } = DOCUMENT.paths["/value"].post.responses[200].content["application/json"];
  const fields = fieldsOf(schema, DOCUMENT);
  const names = fields.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 4), ["currency", "date", "since", "positions"]);
  assert.ok(names.includes("positions[].asset") && names.at(-1) === "ms");
  assert.equal(new Set(names).size, names.length);
  assert.ok(fields.find(({ name }) => name === "currency").required && !fields.find(({ name }) => name === "date").required);
});

test("a schema that contains itself ends", () => {
  const nested = { type: "object", properties: { inner: { $ref: "#/components/schemas/N" } } };
  assert.deepEqual(fieldsOf(nested, { components: { schemas: { N: nested } } }).map(({ name }) => name.split(".").length), [1, 2, 3, 4]);
});

test("every error of every endpoint has its codes", () => {
  for (const each of OPERATIONS) {
    const errors = errorsOf(each, DOCUMENT);
    assert.equal(errors.length, Object.keys(each.responses).length - 1);
    for (const { status, text, cases } of errors) assert.ok(text && cases.length && cases.every(({ code, error }) => code && error), `${each.path} ${status}`);
  }
});

test("a tab is shown as one can read it", () => {
  assert.deepEqual([visible(","), visible("\t")], [",", '"\\t"']);
  const bulk = operation("/convert/bulk");
  assert.deepEqual(requestParams(bulk, { delimiter: "\t" }), [["delimiter", "\t"]]);
});

test("parameters become fields of their kind", () => {
  assert.deepEqual(["from", "amount", "date", "precision"].map((name) => field("/convert", name).type), ["text", "number", "date", "text"]);
  assert.deepEqual([field("/convert", "precision").minimum, field("/convert", "precision").maximum], [0, 20]);
  assert.equal(field("/metals/spot", "unit").type, "choice");
  assert.ok(field("/metals/spot", "unit").choices.includes("gram"));
  assert.equal(field("/metals/spot", "verbose").type, "flag");
  assert.deepEqual([field("/convert", "to").required, field("/convert", "date").required], [true, false]);
  assert.equal(field("/convert", "from").standard, "USD");
  assert.equal(field("/convert", "date").hint, "2024-02-29");
});

test("every form begins with all that is required", () => {
  for (const each of OPERATIONS) {
    const values = initialValues(each, new URLSearchParams());
    for (const { name, required } of each.fields) assert.ok(!required || values[name], `${each.path} ${name}`);
  }
});

test("an address says the whole form", () => {
  const convert = operation("/convert");
  const values = initialValues(convert, new URLSearchParams("endpoint=/convert&to=JPY&amount=1"));
  assert.deepEqual(requestParams(convert, values), [["to", "JPY"], ["amount", "1"]]);
});

test("what a control cannot show of an address is named", () => {
  const [day, unit] = [field("/convert", "date"), field("/metals/spot", "unit")];
  for (const value of ["", null, "2024-02-29"]) assert.equal(wrongValue(day, value), "");
  for (const value of ["2020-13-01", "2023-02-29", "foo", "1"]) assert.match(wrongValue(day, value), /is no day/);
  assert.equal(wrongValue(unit, "gram"), "");
  assert.match(wrongValue(unit, "grams"), /is none of .*gram/);
});

test("a request has no empty parameters, and keeps the order of the form", () => {
  assert.deepEqual(requestParams(operation("/convert"), { amount: " 5 ", to: "USD", date: "" }), [["to", "USD"], ["amount", "5"]]);
});

const CALL = { url: "http://here/convert", params: [["from", "EUR"], ["to", "USD,JPY"], ["note", "it's \"a\" \\ & b"]] };

test("an address is readable, and quotes are safe in a shell", () => {
  assert.equal(addressOf({ url: "http://here/x", params: [] }), "http://here/x");
  assert.equal(addressOf({ url: "http://here/x", params: [["pairs", "BTC/USD,ETH/BTC"], ["at", "12:30 +"]] }), "http://here/x?pairs=BTC/USD,ETH/BTC&at=12:30%20%2B");
  assert.match(curl(CALL), /'http:\/\/here\/convert\?from=EUR&to=USD,JPY&note=it'\\''s%20%22a%22%20%5C%20%26%20b'/);
});

test("programs are written with their parameters and without a key", () => {
  for (const { write } of LANGUAGES) assert.match(write(CALL), /YOUR_KEY/);
  assert.match(pythonHttpx(CALL), /"from": "EUR",/);
  assert.match(pythonStandard(CALL), /"note": "it's \\"a\\" \\\\ & b"/);
  assert.match(javaScript(CALL), /to: "USD,JPY",/);
  assert.doesNotMatch(pythonStandard({ url: "http://here/x", params: [] }), /urlencode/);
});

test("what is posted is in each program, with its media type", () => {
  const call = { url: "http://here/value", params: [], body: '{\n  "note": "it\'s"\n}', type: "application/json" };
  for (const { write } of LANGUAGES) assert.match(write(call), /application\/json/);
  assert.match(curl(call), /--data-binary '\{\n {2}"note": "it'\\''s"\n\}' 'http:\/\/here\/value'/);
  assert.match(pythonStandard(call), /Request\(url, body, headers=/);
  assert.match(pythonHttpx(call), /httpx\.post\(/);
  assert.match(javaScript(call), /method: "POST"/);
});

test("an answer keeps its digits", () => {
  const text = '{"result":{"USD":1.16000000000000000001,"n":-1.50},"list":[1,{"a":[]}],"none":{},"s":"a,{b}: \\"c\\"","t":true,"z":null}';
  assert.equal(prettyJson(text), `{
  "result": {
    "USD": 1.16000000000000000001,
    "n": -1.50
  },
  "list": [
    1,
    {
      "a": []
    }
  ],
  "none": {},
  "s": "a,{b}: \\"c\\"",
  "t": true,
  "z": null
}`);
  assert.equal(prettyJson("<html>, no: JSON"), "<html>, no: JSON");
});

test("headers that matter are shown", () => {
  const headers = Object.entries({ "x-calls-cost": "1", date: "x", "cambist-environment": "sandbox", server: "x", etag: "y" });
  assert.deepEqual(headersToShow(headers).map(([name]) => name), ["cambist-environment", "etag", "x-calls-cost"]);
});
