/** One currency or metal: what it is, by which laws it lived, what it is worth, and who says so; or the list of all. */

import { ApiError } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { dayInWords, localTime, number } from "../../lib/format.js";
import { checkNames, spelledCode } from "../../lib/link.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { sentencesOf } from "../convert/sentence.js";
import { facts, heading } from "../parts/behind.js";
import { coverageRows, verdict } from "../parts/coverage_rows.js";
import { currencyChart } from "../parts/currency_chart.js";
import { currencyIndex } from "../parts/currency_index.js";
import { assetWith, endInWords, kindInWords, lawsOf, lifeInWords } from "../parts/currency_words.js";
import { knownSources } from "../parts/known_sources.js";
import { publishersTable } from "../parts/publishers.js";
import { timeline, timelineAxis } from "../parts/timeline.js";
import { verdictsOf } from "../parts/verdict.js";

export const title = t`Currencies`;

/** Show the view; `code` is the currency or metal, without it the list, which `q` searches. */
export async function show(root, params, shell) {
  checkNames(params, ["code", "q"]);
  const code = spelledCode(params.get("code") ?? "");
  const reference = await shell.reference();
  if (!code) return showIndex(root, params, shell, reference);
  const asset = assetWith(reference, code);
  if (!asset) return showUnknown(root, code, await shell.reference(true));
  return showAsset(root, asset, shell, reference);
}

function showIndex(root, params, shell, reference) {
  replace(root, h("div", { class: "stack wide" },
    heading("currency", t`Currencies and metals`, t`Every code that the service knows, also those of the past. Each has a page of its own.`),
    currencyIndex(reference, params.get("q") ?? "", (q) => shell.setParams({ q }))));
}

function showUnknown(root, code, reference) {
  const coin = reference.coins.find((each) => each.code === code);
  const words = coin ? t`${code} is ${coin.name}, a coin. Coins have no page here, but they can be converted.` : t`No currency and no metal has the code ${code}.`;
  replace(root, h("div", { class: "stack wide" }, heading("currency", t`Currencies and metals`),
    h("div", { class: "empty stack" }, h("p", {}, words),
      coin && h("p", {}, h("a", { href: routeOf("convert", { amount: 1, from: code, to: "USD" }) }, t`Convert ${code}`)),
      h("p", {}, h("a", { href: routeOf("currency") }, t`See all currencies`)))));
}

async function showAsset(root, asset, shell, reference) {
  const abort = new AbortController();
  const { code } = asset;
  const price = h("section", { class: "card stack price", "aria-labelledby": "price", "aria-busy": "true" }, h("h2", { id: "price" }, t`Today`), waiting());
  const publishers = h("section", { class: "stack", "aria-labelledby": "publishers" }, h("h2", { id: "publishers" }, t`Who publishes it`), waiting());
  const chart = currencyChart({ from: code, to: against(code) }, reference, shell, abort.signal);
  shell.setTitle(`${asset.name} (${code})`);
  replace(root, h("div", { class: "stack wide currency" },
    heading("currency", asset.name, h("b", {}, code), " · ", kindInWords(asset.kind)),
    ending(asset),
    h("div", { class: "currency-top" },
      h("section", { class: "stack", "aria-labelledby": "facts" }, h("h2", { id: "facts" }, t`Facts`), assetFacts(asset, reference)), price),
    chart.element, laws(asset), publishers));
  const known = knownSources(shell, abort.signal);
  const parts = [
    chart.loaded,
    fillPrice(price, asset, known, shell, abort.signal),
    fillPublishers(publishers, code, known, shell, abort.signal, reference),
  ];
  Promise.all(parts).catch(shell.fail);
  return () => {
    abort.abort();
    chart.stop();
  };
}

/** Return what a currency is shown against: the dollar, and the dollar against the euro. */
function against(code) {
  return code === "USD" ? "EUR" : "USD";
}

function waiting() {
  return h("p", { class: "muted" }, t`Asking…`);
}

function ending(asset) {
  const end = endInWords(asset);
  return end && h("p", { class: "notice" }, end.text, " ", end.law && h("span", { class: "muted" }, end.law, ". "),
    end.successors.map((code) => h("a", { href: routeOf("currency", { code }) }, `${code} `)));
}

function assetFacts(asset, reference) {
  if (asset.isMetal) {
    const unit = reference.units.find((each) => each.handle === asset.unit)?.name ?? asset.unit;
    const purities = reference.purities[asset.code] ?? [];
    const grade = reference.grades[asset.code];
    return facts([
      [t`Quoted by`, unit],
      [t`Purities`, purities.length > 0 && purities.map((purity) => `${purity.name} (${number(purity.fineness)}‰)`).join(", ")],
      [t`Grade`, grade && t`${grade.name}, at least ${number(grade.min_purity_pct)} %`],
    ]);
  }
  return facts([
    [t`Money`, lifeInWords(asset)],
    [t`Minor units`, decimals(asset.minor_units)],
    [asset.countries.length === 1 ? t`Country` : t`Countries`, asset.countries.join(", ")],
  ]);
}

function laws(asset) {
  const found = lawsOf(asset);
  if (!found.length) return null;
  return h("section", { class: "stack", "aria-labelledby": "laws" }, h("h2", { id: "laws" }, t`Pegs and redenominations`),
    h("ol", { class: "laws" }, found.map(({ day, until, title: what, text, law }) => h("li", {},
      h("span", { class: "law-day" }, lawDays(day, until)),
      h("span", { class: "law-text" }, h("b", {}, what), h("span", { class: "figure" }, text), h("span", { class: "muted small" }, law))))));
}

function lawDays(day, until) {
  const time = (each) => h("time", { datetime: each }, dayInWords(each));
  if (!until) return time(day);
  return until === "today" ? t`${time(day)} until today` : t`${time(day)} to ${time(until)}`;
}

function decimals(count) {
  if (count === null) return t`none`;
  return count === 1 ? t`1 decimal` : t`${count} decimals`;
}

async function fillPrice(card, asset, known, shell, signal) {
  const { code } = asset;
  const to = against(code);
  const links = h("p", { class: "row" },
    h("a", { class: "button quiet", href: routeOf("convert", { amount: 100, from: code, to }) }, t`Convert ${code}`),
    h("a", { class: "button quiet", href: routeOf("charts", { pairs: `${code}/${to}` }) }, t`Chart`));
  // What ended without one successor has no rate: nobody need be asked.
  const children = asset.last_day && !asset.successor
    ? h("p", {}, t`No rate now: no law fixes what it is worth today.`)
    : await priceOf(code, to, known, shell, signal);
  card.removeAttribute("aria-busy");
  replace(card, h("h2", { id: "price" }, t`Today`), children, links);
}

async function priceOf(code, to, known, shell, signal) {
  try {
    const answer = await shell.getExact("/explain", { from: code, to }, { signal });
    return [
      h("p", { class: "price-figure figure" }, h("bdi", { dir: "ltr" },
        h("span", { class: "muted" }, `${number(1)} ${code} = `), h("span", {}, number(answer.result[to])), h("span", { class: "muted" }, ` ${to}`))),
      h("ul", { class: "sentences small muted" }, sentencesOf(answer.legs, await known, new Date()).map((each) => h("li", {}, `${each}.`))),
      answer.updated && h("p", { class: "small muted" }, t`As of ${localTime(answer.updated)}.`),
      verdictsOf(answer.legs),
    ];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    return h("p", {}, t`No rate now: ${error.message}.`);
  }
}

async function fillPublishers(section, code, known, shell, signal, reference) {
  const [answer, sources] = await Promise.all([shell.get("/coverage", { code }, { signal }), known]);
  const [row] = coverageRows(answer, sources, reference);
  const { text, tone } = verdict(row);
  replace(section,
    h("div", { class: "row" }, h("h2", { id: "publishers" }, t`Who publishes it`), h("span", { class: `badge ${tone}` }, text)),
    row.kind === "one" && h("p", {}, t`One source only: nobody confirms its rate.`),
    row.law && !row.until && h("p", {}, t`Its rate is fixed by law: ${row.law}.`),
    row.sources.length
      ? [h("div", {}, timelineAxis(), timeline(row.sources)), publishersTable(row.sources, t`Sources of ${code}`)]
      : h("p", { class: "muted" }, t`No source has published it here. ${h("code", {}, "cambist backfill")} fetches what sources published before.`));
}
