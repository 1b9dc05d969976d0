import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { groupsOf, initialValues, operationsOf, requestParams, wrongValue } from "./static/page/try_it/form_model.js";
import { headersToShow, prettyJson } from "./static/page/try_it/pretty_json.js";
import { addressOf, curl, javaScript, LANGUAGES, pythonHttpx, pythonStandard } from "./static/page/try_it/snippets.js";

const DOCUMENT = JSON.parse(readFileSync("docs/openapi.json"));
const OPERATIONS = operationsOf(DOCUMENT);
const operation = (path) => OPERATIONS.find((each) => each.path === path);
const field = (path, name) => operation(path).fields.find((each) => each.name === name);

test("every endpoint has a form and says what it costs", () => {
  assert.deepEqual(OPERATIONS.map(({ path }) => path), Object.keys(DOCUMENT.paths).filter((path) => DOCUMENT.paths[path].get));
  for (const { path, cost, summary, fields } of OPERATIONS) {
    assert.ok(cost && summary, path);
    assert.equal(fields.length, (DOCUMENT.paths[path].get.parameters ?? []).length);
  }
  assert.deepEqual(groupsOf(OPERATIONS).flatMap(([, each]) => each).length, OPERATIONS.length);
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
