import assert from "node:assert/strict";
import test from "node:test";

import { formulasFor, isCode, isDay } from "./static/page/sheets/formulas.js";

const asked = { root: "https://rates.example", from: "EUR", to: "USD", start: "2026-10-01", end: "2026-10-30", key: true };
const of = (more) => Object.fromEntries(formulasFor({ ...asked, ...more }).map(({ kind, text }) => [kind, text]));

test("a formula takes the key from its cell, and has none without", () => {
  assert.equal(of({ program: "libreoffice" }).now, '=NUMBERVALUE(REGEX(WEBSERVICE("https://rates.example/fetch-one?from=EUR&to=USD&api_key="&$B$1);".*""USD"":([0-9.]+).*";"$1");".")');
  assert.equal(of({ program: "excel", key: false }).now, '=NUMBERVALUE(TEXTBEFORE(TEXTAFTER(WEBSERVICE("https://rates.example/fetch-one?from=EUR&to=USD"),"""USD"":"),"}"),".")');
  assert.equal(of({ program: "google" }).day, '=INDEX(IMPORTDATA("https://rates.example/historical.csv?date=2026-10-01&from=EUR&to=USD&api_key="&$B$1,",","en_US"),2,4)');
});

test("a day in a cell is written without a format that has other letters in other languages", () => {
  const day = 'YEAR(A2)&"-"&TEXT(MONTH(A2),"00")&"-"&TEXT(DAY(A2),"00")';
  assert.equal(of({ program: "google", key: false }).cell, `=INDEX(IMPORTDATA("https://rates.example/historical.csv?from=EUR&to=USD&date="&${day},",","en_US"),2,4)`);
  assert.ok(of({ program: "libreoffice" }).cell.includes(`${day.replaceAll(",", ";")}&"&api_key="&$B$1`));
});

test("there is a formula for each day and period that is given, and no other", () => {
  const kinds = (more) => formulasFor({ ...asked, ...more }).map(({ kind }) => kind);
  assert.deepEqual(kinds({ program: "excel" }), ["now", "day", "cell", "days"]);
  assert.deepEqual(kinds({ program: "libreoffice" }), ["now", "day", "cell", "address"]);
  assert.deepEqual(kinds({ program: "google", end: "" }), ["now", "day", "cell"]);
  assert.deepEqual(kinds({ program: "google", start: "", end: "" }), ["now", "cell"]);
});

test("what could leave the text of a formula is no code and no day", () => {
  assert.deepEqual(["EUR", "xau", "1INCH", 'E"', "", "EUR&x", "E"].map(isCode), [true, true, true, false, false, false, false]);
  assert.deepEqual(["2026-10-01", "2026-1-1", '2026-10-01"'].map(isDay), [true, false, false]);
});
