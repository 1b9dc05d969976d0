import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, plural, verdict } from "./console/parts/verdict.js";

const FINE = {
  ready: true,
  problems: [],
  processes: [{ name: "ingest", working: true, note: "" }],
  sources: { fresh: 30, late: 0, held: 0, failing: 0, waiting: 0, off: 4 },
  disputes_open: 0,
  disk: { free_bytes: 60, total_bytes: 100 },
};

test("a service without problems works", () => {
  assert.deepEqual(verdict(FINE), { level: "good", headline: "Everything works", findings: [] });
});

test("what can wait until the morning is no problem", () => {
  const found = verdict({ ...FINE, disputes_open: 1, sources: { ...FINE.sources, late: 2 } });
  assert.equal(found.level, "warn");
  assert.equal(found.headline, "It works. 2 things to look at");
  assert.deepEqual(found.findings.map(({ text }) => text), ["2 sources are late", "Sources disagree about 1 code"]);
  assert.deepEqual(found.findings[1].link, ["#/disputes", "Decide"]);
});

test("spent quotas are findings that lead to the accounts", () => {
  const found = verdict({ ...FINE, quotas: { over: 1, near: 2 } });
  assert.equal(found.headline, "It works. 2 things to look at");
  assert.deepEqual(found.findings.map(({ link }) => link[0]), ["#/accounts?state=over&order=calls", "#/accounts?state=near&order=quota"]);
  assert.match(found.findings[0].text, /^1 account over the quota/);
  assert.equal(verdict({ ...FINE, quotas: { over: 0, near: 0 } }).level, "good");
});

test("a problem leads to its section of the runbook", () => {
  const kinds = { "ingest has been silent for 93 s": "ingest", "no source answers": "network", "the API answers with 500": "process", "no node leads the ingest": "node" };
  for (const [text, kind] of Object.entries(kinds)) {
    assert.equal(verdict({ ...FINE, ready: false, problems: [text] }).findings[0].link[0], `#/runbook?kind=${kind}`);
  }
});

test("problems come first", () => {
  const ended = [{ name: "stream", working: false, note: "ended 5 s ago" }];
  const found = verdict({ ...FINE, disputes_open: 3, ready: false, problems: ["no source answers"], processes: ended });
  assert.equal(found.headline, "2 problems to solve");
  assert.deepEqual(found.findings.map(({ level }) => level), ["bad", "bad", "warn"]);
  assert.equal(found.findings[0].text, "No source answers");
  assert.equal(found.findings[1].text, "The process stream does not work: ended 5 s ago");
});

test("a process is named once, though health checks and its own report both tell of it", () => {
  const ended = [
    { name: "API workers", working: false, note: "the API answers with 500" },
    { name: "ingest", working: false, note: "silent: last reported 93 s ago" },
  ];
  const problems = ["the API answers with 500", "ingest has been silent for 93 s"];
  assert.equal(verdict({ ...FINE, ready: false, problems, processes: ended }).findings.length, 2);
});

test("a service that is not ready is never said to work", () => {
  assert.equal(verdict({ ...FINE, ready: false }).level, "bad");
});

test("a disk that is nearly full is a finding, at a tenth it is none", () => {
  assert.equal(verdict({ ...FINE, disk: { free_bytes: 10, total_bytes: 100 } }).level, "good");
  const full = verdict({ ...FINE, disk: { free_bytes: 9, total_bytes: 100 } });
  assert.equal(full.findings[0].text, "Only 9 % of the disk is free");
});

test("rates that are days old are a finding, over a long weekend they are none", () => {
  const of = (newest_at) => verdict({ ...FINE, at: "2026-11-03T08:00:00Z", book: { newest_at } });
  assert.equal(of("2026-10-30T13:15:00Z").level, "good");
  assert.equal(of("2026-10-30T07:15:00Z").findings[0].text, "The newest rate is of 2026-10-30: no source has delivered a newer one");
});

test("a sandbox has no sources to fail", () => {
  assert.equal(verdict({ ...FINE, sources: null }).level, "good");
});

test("sizes are in the unit that tells them", () => {
  assert.deepEqual([0, 999, 1000, 84_000_000, 8_400_000, 310_000_000_000, null].map(bytes), ["0 B", "999 B", "1.0 kB", "84 MB", "8.4 MB", "310 GB", "–"]);
  assert.deepEqual([plural(1, "source"), plural(0, "source")], ["1 source", "0 sources"]);
});
