/** The sources: which work, how new their data is, and on which terms they publish. */

import { ApiError } from "../../lib/api.js";
import { h, replace } from "../../lib/dom.js";
import { age, dayInWords, localTime } from "../../lib/format.js";
import { checkNames } from "../../lib/link.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { choice, facts, heading, outside, searchField, stateBadge } from "../parts/behind.js";
import { STATES, countByState, findSources, orderedSources } from "../parts/source_states.js";

export const title = t`Sources`;

/** Show the view; `q` filters by text, `state` by state, `source` opens one. */
export async function show(root, params, shell) {
  checkNames(params, ["q", "state", "source"]);
  const abort = new AbortController();
  const chosen = { q: params.get("q") ?? "", state: params.get("state") ?? "", source: params.get("source") ?? "" };
  const list = h("div", { class: "line-list" });
  const status = h("p", { class: "small muted", role: "status" });
  const filters = h("div", { class: "behind-filters" });
  let sources = [];

  const titled = () => {
    shell.setParams(chosen);
    shell.setTitle(sources.find(({ key }) => key === chosen.source)?.name ?? title);
  };
  const draw = () => {
    titled();
    const found = findSources(sources, { text: chosen.q, state: chosen.state });
    const ontoggle = (key, isOpen) => {
      if (isOpen) chosen.source = key;
      else if (chosen.source === key) chosen.source = "";
      titled();
    };
    replace(list, found.length ? found.map((each) => sourceItem(each, each.key === chosen.source, ontoggle)) : empty(clear));
    replace(status, countText(found.length, sources.length));
  };
  const clear = () => { Object.assign(chosen, { q: "", state: "" }); drawFilters(); draw(); };
  const drawFilters = () => replace(filters, stateChoice(sources, chosen, draw), searchField({
    label: t`Find a source`, placeholder: t`Name, country or what it covers`, value: chosen.q,
    oninput: (text) => { chosen.q = text; draw(); },
  }));
  const load = async () => {
    const answer = await askSources(shell, abort.signal);
    if (!answer) { replace(list, nothingYet()); return; }
    sources = orderedSources(answer);
    network.hidden = !answer.no_network;
    replace(network, answer.no_network && unreached(answer.no_network));
    replace(asOf, t`State as of ${localTime(answer.updated)}.`, " ");
    drawFilters();
    draw();
  };
  const asOf = h("span", {});
  const network = h("div", { hidden: true });
  const refresh = h("button", { class: "button plain", type: "button", onclick: () => load().catch(shell.fail) }, t`Refresh`);
  replace(root, h("div", { class: "stack wide" },
    heading("sources", title, t`Who publishes the numbers, whether they arrive, and on which terms. What is wrong comes first.`), network,
    filters, h("div", { class: "row apart" }, status, h("p", { class: "small muted" }, asOf, refresh)), list));
  await load();
  return () => abort.abort();
}

/** Return the answer of `/sources`; null while no source has been asked. */
async function askSources(shell, signal) {
  try {
    return await shell.get("/sources", {}, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return null;
    throw error;
  }
}

function countText(found, all) {
  if (found < all) return t`${found} of ${all} sources`;
  return all === 1 ? t`1 source` : t`${all} sources`;
}

function nothingYet() {
  return h("div", { class: "empty stack" },
    h("p", {}, t`No source has been asked yet: the service has just started, or it answers from stored data only.`),
    h("p", {}, t`${h("code", {}, "cambist backfill")} fetches what they published before; ${h("code", {}, "make sandbox")} serves simulated prices.`),
    h("p", {}, h("a", { href: routeOf("coverage") }, t`See what is stored of each source`)));
}

/** Say once why sources are not reached, and what can be done. */
function unreached({ sentence, unreached: keys, why }) {
  return h("div", { class: "notice stack" },
    h("p", {}, `${sentence}.`),
    h("p", { class: "small muted" }, keys.length === 1
      ? t`1 source was asked, and none was reached (mostly: ${why}). It is asked again by itself.`
      : t`${keys.length} sources were asked, and none was reached (mostly: ${why}). They are asked again by themselves.`, " ",
    t`${h("code", {}, "cambist doctor")} checks this machine; ${h("code", {}, "make sandbox")} serves simulated prices without a network.`));
}

function stateChoice(sources, chosen, draw) {
  const counts = countByState(sources);
  const options = STATES.filter(({ state }) => counts[state] || state === chosen.state)
    .map(({ state, word }) => ({ value: state, text: word, count: counts[state] }));
  return choice({
    label: t`State`, value: chosen.state, options: [{ value: "", text: t`All`, count: sources.length }, ...options],
    onchange: (state) => { chosen.state = state; draw(); },
  });
}

function sourceItem(source, isOpen, ontoggle) {
  const item = h("details", { class: "line source", open: isOpen, dataset: { source: source.key } },
    h("summary", {},
      h("span", { class: "source-state" }, stateBadge(source.state)),
      h("span", { class: "source-name" }, h("b", {}, source.name), h("span", { class: "muted small" }, source.covers)),
      h("span", { class: "source-age" }, newest(source)),
      h("span", { class: "source-since small muted" }, source.history.first ? t`since ${source.history.first.slice(0, 4)}` : t`no history`),
      h("span", { class: `source-terms small ${source.redistribution === "forbidden" ? "bad" : "muted"}` }, REDISTRIBUTION[source.redistribution] ?? source.redistribution),
      source.why && h("span", { class: `source-why small ${source.state === "failing" ? "bad" : "muted"}` }, source.why)),
    h("div", { class: "line-detail" }));
  const fill = () => item.open && replace(item.lastElementChild, detail(source));
  item.addEventListener("toggle", () => { fill(); ontoggle(source.key, item.open); });
  fill();
  return item;
}

const REDISTRIBUTION = { allowed: t`may be passed on`, unclear: t`terms unclear`, forbidden: t`not to be passed on` };

function newest(source) {
  if (source.newest === null) return h("span", { class: "muted" }, t`nothing yet`);
  return [h("span", {}, t`${age(source.lag)} old`), h("span", { class: "small muted" }, localTime(source.newest))];
}

function detail(source) {
  const { history } = source;
  return [
    facts([
      [t`Publishes`, t`${source.covers}; ${source.rate_type} rates, ${source.pace}`],
      [t`Archive`, history.first ? archiveText(history) : t`No fixings are archived`],
      [t`In the rates of now`, source.quoted === 1 ? t`1 code` : t`${source.quoted} codes`],
      [t`Last answer`, source.last_success !== null && localTime(source.last_success)],
      [t`Held`, source.quarantined > 0 && t`${source.quarantined} of its newest fixings`],
      [t`Could not be read`, source.left_out.length > 0 && h("ul", {}, source.left_out.map((each) => h("li", {}, each)))],
      [t`Licence`, source.licence],
      [t`Redistribution`, REDISTRIBUTION[source.redistribution] ?? source.redistribution],
    ]),
    h("p", { class: "row" },
      source.home && outside(source.home, t`Home page`), source.terms && outside(source.terms, t`Terms`),
      h("a", { href: routeOf("coverage", { source: source.key }) }, t`Currencies that it publishes`),
      h("code", { class: "muted" }, source.key)),
  ];
}

function archiveText({ pairs, first, last }) {
  const [from, to] = [first, last].map((day) => dayInWords(day));
  return pairs === 1 ? t`1 pair, ${from} to ${to}` : t`${pairs} pairs, ${from} to ${to}`;
}

function empty(clear) {
  return h("div", { class: "empty stack" }, h("p", {}, t`No source is like that.`),
    h("p", {}, h("button", { class: "button quiet", type: "button", onclick: clear }, t`Show all sources`)));
}
