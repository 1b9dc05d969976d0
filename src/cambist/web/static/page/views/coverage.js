/** The coverage: which sources publish each currency and metal, since when, and which have one source only. */

import { h, replace } from "../../lib/dom.js";
import { checkNames } from "../../lib/link.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { choice, heading, searchField } from "../parts/behind.js";
import { KINDS, countByKind, coverageRows, findRows, verdict } from "../parts/coverage_rows.js";
import { knownSources } from "../parts/known_sources.js";
import { publishersTable } from "../parts/publishers.js";
import { timeline, timelineAxis } from "../parts/timeline.js";

export const title = t`Coverage`;

/** Show the view; `q` filters by text, `kind` by how well a currency is covered, `source` by a source. */
export async function show(root, params, shell) {
  checkNames(params, ["q", "kind", "source"]);
  const abort = new AbortController();
  const chosen = { q: params.get("q") ?? "", kind: params.get("kind") ?? "", source: params.get("source") ?? "" };
  const list = h("div", { class: "line-list" });
  const status = h("p", { class: "small muted", role: "status" });
  const filters = h("div", { class: "stack" });
  const table = h("div", { class: "coverage-table", hidden: true }, h("div", { class: "coverage-head" }, timelineAxis()), list);
  replace(root, h("div", { class: "stack wide" },
    heading("coverage", title, t`Which sources publish each currency and metal, and since when. Where only one does, nobody confirms its rate.`),
    filters, status, table));

  const [answer, known, reference] = await Promise.all([
    shell.get("/coverage", {}, { signal: abort.signal }), knownSources(shell, abort.signal), shell.reference(),
  ]);
  const rows = endedLast(coverageRows(answer, known, reference));
  const draw = () => {
    shell.setParams(chosen);
    const found = findRows(rows, { text: chosen.q, kind: chosen.kind, source: chosen.source });
    table.hidden = false;
    replace(list, found.length ? found.map((row) => rowItem(row, chosen.source)) : empty());
    replace(status, statusText(found.length, rows.length, known[chosen.source]?.name ?? chosen.source));
  };
  const empty = () => h("div", { class: "empty" }, h("p", {}, t`No currency is like that.`, " ", h("a", { href: routeOf("coverage"), onclick: clear }, t`Show all`)));
  const clear = (event) => {
    event.preventDefault();
    Object.assign(chosen, { q: "", kind: "", source: "" });
    drawFilters();
    draw();
  };
  const drawFilters = () => replace(filters, kindChoice(rows, chosen, draw), h("div", { class: "behind-filters coverage-filters" },
    searchField({
      label: t`Find a currency`, placeholder: t`Code, name or country`, value: chosen.q,
      oninput: (text) => { chosen.q = text; draw(); },
    }),
    sourceSelect(rows, chosen, draw)));
  drawFilters();
  draw();
  return () => abort.abort();
}

function endedLast(rows) {
  return [...rows.filter((row) => row.kind !== "ended"), ...rows.filter((row) => row.kind === "ended")];
}

function statusText(found, all, source) {
  if (source) return t`${found} of ${all} currencies and metals, published by ${source}`;
  return found === all ? t`${all} currencies and metals` : t`${found} of ${all} currencies and metals`;
}

function kindChoice(rows, chosen, draw) {
  const counts = countByKind(rows);
  return choice({
    label: t`How well covered`, value: chosen.kind,
    options: [{ value: "", text: t`All`, count: rows.length }, ...KINDS.map(({ kind, word }) => ({ value: kind, text: word, count: counts[kind] }))],
    onchange: (kind) => { chosen.kind = kind; draw(); },
  });
}

function sourceSelect(rows, chosen, draw) {
  const names = new Map(rows.flatMap((row) => row.sources.map(({ key, name }) => [key, name])));
  const select = h("select", { class: "select", onchange: () => { chosen.source = select.value; draw(); } },
    h("option", { value: "" }, t`All sources`),
    [...names].sort((one, other) => one[1].localeCompare(other[1])).map(([key, name]) => h("option", { value: key, selected: key === chosen.source }, name)));
  return h("label", { class: "field" }, h("span", { class: "label" }, t`Published by`), select);
}

function rowItem(row, marked) {
  const { text, tone } = verdict(row);
  const first = firstDay(row, marked);
  const item = h("details", { class: "line coverage", dataset: { code: row.code } },
    h("summary", {},
      h("b", { class: "coverage-code" }, row.code),
      h("span", { class: "coverage-name" }, row.name),
      h("span", { class: "coverage-verdict" }, h("span", { class: `badge ${tone}` }, text)),
      h("span", { class: "coverage-since small muted" }, first ? t`since ${first.slice(0, 4)}` : t`no history`),
      h("span", { class: "coverage-timeline" }, timeline(row.sources, marked))),
    h("div", { class: "line-detail stack" }));
  item.addEventListener("toggle", () => item.open && replace(item.lastElementChild, detail(row)));
  return item;
}

function firstDay(row, source) {
  const days = row.sources.filter((each) => each.first && (!source || each.key === source)).map((each) => each.first);
  return days.sort()[0] ?? "";
}

function detail(row) {
  return [
    row.law && h("p", {}, t`Its rate is fixed by law: ${row.law}.`),
    row.kind === "one" && h("p", {}, t`One source only: nobody confirms its rate.`),
    row.sources.length ? publishersTable(row.sources, t`Sources of ${row.code}`) : h("p", { class: "muted" }, t`No source publishes it.`),
    h("p", {}, h("a", { href: routeOf("currency", { code: row.code }) }, t`More about ${row.code}`)),
  ];
}
