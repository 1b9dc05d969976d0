import assert from "node:assert/strict";
import test from "node:test";

import { readReceipt } from "./static/page/lists/receipt.js";
import { toCsv } from "./static/page/lists/csv.js";

test("cells are quoted where they must be, and none is a formula", () => {
  const rows = [["name", "price"], ["a \"b\", c", 1.5], ["=SUM(A1)", -2], ["@x", undefined], ["-1.5", null]];
  assert.equal(toCsv(rows), "name,price\r\n\"a \"\"b\"\", c\",1.5\r\n'=SUM(A1),-2\r\n'@x,\r\n-1.5,\r\n");
});

test("a receipt has the answer with all its digits", () => {
  const encode = (text) => Buffer.from(text).toString("base64url");
  const body = encode('{"results":{"USD":{"2026-10-30":1.11720000001}},"note":"é"}');
  const receipt = ["{}", JSON.stringify({ body, edition: "1-a-b" })].map(encode).concat("sig").join(".");
  const { claims, answer } = readReceipt(receipt);
  assert.equal(claims.edition, "1-a-b");
  assert.deepEqual(answer, { results: { USD: { "2026-10-30": "1.11720000001" } }, note: "é" });
});
