/** Overview: whether the service works, and if not, what to look at first. */

import { h } from "../../lib/dom.js";
import { age } from "../../lib/format.js";
import { patch } from "../parts/patch.js";
import { badge, card, cell, count, heading, loading, row, share, table, time } from "../parts/ui.js";
import { bytes, plural, verdict } from "../parts/verdict.js";

export const title = "Overview";

/** @param {HTMLElement} root @param {URLSearchParams} params @param {import("../app.js").Shell} shell */
export async function show(root, params, shell) {
  const body = h("div", { class: "overview" }, loading());
  const announced = h("p", { class: "visually-hidden", "aria-live": "polite" });
  root.append(heading("Overview"), announced, body);
  return shell.onOverview((overview, error) => {
    if (overview) patch(body, ...overviewOf(overview, error));
    else if (error) patch(body, silence(error));
    const headline = overview && !error ? verdict(overview).headline : "The service does not answer";
    if (announced.textContent !== headline) announced.textContent = headline;
  });
}

function overviewOf(overview, error) {
  return [
    error ? silence(error) : null,
    banner(verdict(overview), overview),
    h("div", { class: "figures", "data-key": "figures" }, ...figures(overview)),
    processTable(overview.processes ?? []),
  ];
}

function silence(error) {
  return h("p", { class: "notice bad", "data-key": "silence" }, `${error.message} What follows is the last that was known.`);
}

function banner({ level, headline, findings }, overview) {
  const items = findings.map(({ level: each, text, link }) =>
    h("li", { class: each }, h("span", {}, text), link ? h("a", { href: link[0] }, link[1]) : null),
  );
  return h(
    "section",
    { class: `verdict ${level}`, "data-key": "verdict" },
    h("h2", {}, headline),
    items.length ? h("ul", {}, ...items) : null,
    h("p", { class: "hint" }, "As of ", time(overview.at)),
  );
}

/** One figure: what it is, the one number that matters, and two or three lines behind it. */
function figure(name, value, ...lines) {
  return h(
    "section",
    { class: "card figure", "data-key": name },
    h("h2", {}, name),
    h("p", { class: "figure-value num" }, value),
    ...lines.filter(Boolean).map((line) => h("p", { class: "figure-line" }, line)),
  );
}

function figures(overview) {
  return [
    bookFigure(overview.book),
    streamFigure(overview.stream),
    sourcesFigure(overview),
    disputesFigure(overview),
    matrixFigure(overview.matrix),
    diskFigure(overview.disk),
    figure(
      "Calls today",
      count(overview.calls_today),
      h("a", { href: "#/accounts" }, plural(overview.accounts, "account")),
      h("a", { href: "#/usage" }, "Usage by day and endpoint"),
    ),
    problemsFigure(overview),
    figure("Version", overview.version, `Python ${overview.python}`, `Environment: ${overview.environment}`),
  ];
}

function problemsFigure({ problems_open: open, problems_acknowledged: known }) {
  const link = h("a", { href: "#/problems" }, "Problems, and what has ended");
  return figure("Problems", open ? `${count(open)} open` : "none", known ? `${count(known)} acknowledged` : null, link);
}

function bookFigure(book) {
  if (!book) return figure("Rate book", "none", "No rate book was published yet");
  const pace = book.per_second === null ? "Newest rate book" : `${book.per_second.toFixed(1)} rate books a second`;
  const oldest = book.oldest ? h("span", {}, "Oldest price: ", book.oldest, " of ", time(book.oldest_at)) : null;
  return figure("Rate book", `${shortAge(book.age_seconds)} old`, oldest, pace, `${count(book.quotes)} quotes, version ${count(book.version)}`);
}

/** Below ten seconds the tenths matter: rate books come several times a second. */
function shortAge(seconds) {
  return seconds < 10 ? `${Math.max(0, seconds).toFixed(1)} seconds` : age(seconds);
}

function streamFigure(stream) {
  if (!stream) return figure("Stream", "off", "No stream has reported");
  const pace = stream.frames_per_second === null ? "" : `${stream.frames_per_second.toFixed(1)} prices a second`;
  const lost = stream.lost ? `${count(stream.lost)} lost` : "none lost";
  return figure(
    "Stream",
    stream.listens ? `${count(stream.connections)} open` : "silent",
    `${count(stream.subscribers)} subscribed to ${count(stream.pairs)} pairs`,
    [pace, lost].filter(Boolean).join(", "),
  );
}

function sourcesFigure({ sources, environment }) {
  if (!sources) {
    return figure("Sources", environment === "sandbox" ? "simulated" : "none", "No source is asked");
  }
  const asked = sources.fresh + sources.late + sources.held + sources.failing + sources.waiting;
  const others = [["late", sources.late], ["held", sources.held], ["failing", sources.failing], ["waiting", sources.waiting], ["off", sources.off]]
    .filter(([, number]) => number)
    .map(([word, number]) => `${number} ${word}`);
  return figure(
    "Sources",
    `${sources.fresh} of ${asked} fresh`,
    others.join(", "),
    h("a", { href: "#/sources" }, "State of each source"),
  );
}

function disputesFigure({ environment, disputes_open: open }) {
  if (environment === "sandbox") return null;
  const link = h("a", { href: "#/disputes" }, open ? "Decide about them" : "See decisions");
  return figure("Disputes", open ? `${count(open)} open` : "none", "Codes that sources disagree about", link);
}

function matrixFigure(matrix) {
  if (!matrix) return figure("History", "none", "The rate matrix is not built yet");
  return figure("History", `to ${matrix.last_day}`, `${count(matrix.currencies)} currencies, ${bytes(matrix.bytes)}`, h("span", {}, "Written ", time(matrix.written_at)));
}

function diskFigure(disk) {
  if (!disk) return figure("Disk", "–");
  const used = disk.total_bytes - disk.free_bytes;
  const low = disk.free_bytes < 0.1 * disk.total_bytes;
  return figure(
    "Disk",
    `${bytes(disk.free_bytes)} free`,
    share(used, disk.total_bytes, low ? "bad" : ""),
    `of ${bytes(disk.total_bytes)}; ${bytes(disk.used_bytes)} is Cambist's`,
    h("code", { class: "path" }, disk.folder),
  );
}

function processTable(processes) {
  const rows = processes.map((process) =>
    row(
      process.name,
      h("th", { scope: "row" }, process.name),
      cell(process.working ? badge("works", "good") : badge("does not work", "bad")),
      cell(process.note),
    ),
  );
  const columns = [{ label: "Process" }, { label: "State" }, { label: "What is known" }];
  const found = card({ title: "Processes" }, table({ caption: "Processes", columns, rows, empty: "No process has reported." }));
  found.dataset.key = "processes";
  return found;
}
