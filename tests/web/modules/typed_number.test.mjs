import assert from "node:assert/strict";
import test from "node:test";

import { readTyped, typedAs } from "./static/lib/typed_number.js";
import { readQuestion } from "./static/page/convert/typed_question.js";

const CASES = [
  // typed, in English, in German
  ["100", "100", "100"],
  ["1234,50", "1234.50", "1234.50"],
  ["1,234.50", "1234.50", "1234.50"],
  ["1.234,50", "1234.50", "1234.50"],
  ["1 234", "1234", "1234"],
  ["1\u202f234,5", "1234.5", "1234.5"],
  ["1'234.50", "1234.50", "1234.50"],
  ["1,234,567", "1234567", "1234567"],
  ["1.234.567", "1234567", "1234567"],
  ["12,34,567.89", "1234567.89", "1234567.89"],
  ["1,234", "1234", "1.234"],
  ["1.234", "1.234", "1234"],
  ["0.123", "0.123", "0.123"],
  ["0,123", "0.123", "0.123"],
  ["1234.567", "1234.567", "1234.567"],
  ["12,5", "12.5", "12.5"],
  [".5", "0.5", "0.5"],
  ["-12,50", "-12.50", "-12.50"],
  ["−3", "-3", "-3"],
  ["+3", "3", "3"],
  ["1.5e-7", "0.00000015", "0.00000015"],
  ["1e3", "1000", "1000"],
  ["1E 16", "10000000000000000", "10000000000000000"],
  ["١٢٣", "123", "123"],
  ["١٬٢٣٤٫٥", "1234.5", "1234.5"],
  ["۱۲۳", "123", "123"],
  ["१२३", "123", "123"],
  ["１２３．５", "123.5", "123.5"],
];

test("a number is read as who typed it meant it", () => {
  for (const [typed, english, german] of CASES) {
    assert.equal(readTyped(typed, "en-GB")?.plain, english, `${typed} in English`);
    assert.equal(readTyped(typed, "de-DE")?.plain, german, `${typed} in German`);
  }
});

test("only a separator before three digits may have been meant otherwise", () => {
  const unsure = CASES.map(([typed]) => typed).filter((typed) => readTyped(typed, "en").isUnsure);
  assert.deepEqual(unsure, ["1,234", "1.234"]);
});

test("what is no number, or groups wrongly, is none", () => {
  for (const typed of ["", "x", "1,23,4", "1.2.3", "1,2345,678", "1,234.5,6", "12 usd", "--1", ",", "1,234.567.890,1", "1e", "1.234,567,890"]) {
    assert.equal(readTyped(typed, "en-GB"), null, typed);
  }
});

test("a number that is written for a language is read as the same there", () => {
  for (const locale of ["en-GB", "de-DE", "fr-FR", "ar-EG", "de-CH", "hi-IN", "ja-JP"]) {
    for (const plain of ["1.234", "1234.5", "0.001", "-12.50", "1000000", "0.00000015"]) {
      assert.equal(readTyped(typedAs(plain, locale), locale).plain, plain, `${plain} in ${locale}`);
    }
  }
});

test("a whole question is read, and what is not understood is none", () => {
  const codes = { usd: "USD", eur: "EUR", "€": "EUR", "$": "USD", gold: "XAU", yen: "JPY" };
  const read = (text) => Object.values(readQuestion(text, "en", (word) => codes[word.toLowerCase()] ?? ""));
  assert.deepEqual(read("100 usd in eur"), ["100", false, "USD", "EUR"]);
  assert.deepEqual(read("100 USD to yen"), ["100", false, "USD", "JPY"]);
  assert.deepEqual(read("€1,234.50"), ["1234.50", false, "EUR", ""]);
  assert.deepEqual(read("$ 5 = €"), ["5", false, "USD", "EUR"]);
  assert.deepEqual(read("2,5 gold"), ["2.5", false, "XAU", ""]);
  assert.deepEqual(read("12 in eur"), ["12", false, "", "EUR"]);
  assert.deepEqual(read("usd in eur"), ["1", false, "USD", "EUR"]);
  for (const text of ["100 nonsense", "100 usd in nonsense", "usd 100 eur", "100 usd in eur in yen", "x", "", "1,2,3 usd"]) {
    assert.deepEqual(read(text), ["", false, "", ""], text);
  }
});
