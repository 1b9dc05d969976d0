/** The page: banner, navigation, the key, and the view of the route. */

import { ApiError, get, getExact, hasKey, key, request, setKey, setOpen, useKeptKey } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { LinkError } from "../lib/link.js";
import { reference } from "../lib/reference.js";
import { parseRoute, routeOf } from "../lib/router.js";
import { language, LANGUAGES, t } from "../lib/texts.js";
import { keyGate } from "./key_gate.js";
import { VIEWS } from "./views.js";

const CONFIG = new URL("../../config.json", import.meta.url);
const config = await loadConfig();
setOpen(config.mode === "open");
useKeptKey();

const nav = h("nav", { class: "views", id: "views", "aria-label": t`Views` });
/** On a narrow screen it opens the navigation, and says which view is shown. */
const menu = h("button", { class: "menu button quiet small", type: "button", "aria-controls": "views", "aria-expanded": "false", onclick: () => openMenu(menu.getAttribute("aria-expanded") === "false") });
const forget = h("button", { class: "button plain small", type: "button", hidden: true, onclick: () => forgetKey("") }, t`Forget key`);
const trouble = h("div", { class: "trouble", role: "alert" });
const root = h("div", { id: "view" });
const main = h("main", { id: "main", class: "frame", tabindex: "-1" }, trouble, root);
let shown = { route: "", stop: null, turn: 0, again: 0 };

const notice = h("p", { class: "frame", role: "status" });
const offline = h("aside", { class: "offline", "aria-label": t`Notice` }, notice);
/** After how many milliseconds a lost connection is tried again. */
const AGAIN_AFTER = 3_000;
/** How often the notice is asked for again, in milliseconds; it costs no call. */
const NOTICE_EVERY = 15_000;

/** Ask how this service is set up; without an answer there is nothing to show but that. */
async function loadConfig() {
  try {
    return await (await fetch(CONFIG, { cache: "no-store" })).json();
  } catch (error) {
    document.body.replaceChildren(h("p", { class: "notice bad", role: "alert" }, t`The service does not answer.`));
    throw error;
  }
}

/** What a view may use: see docs/guides/page.md. */
function shellOf(name, turn) {
  return {
    config, get, getExact, request, hasKey, key, reference,
    setParams: (params) => {
      if (turn !== shown.turn) return; // the visitor is elsewhere by now
      shown.route = routeOf(name, params);
      history.replaceState(null, "", shown.route);
    },
    /** Name in the title what the view shows. @param {string} text */
    setTitle: (text) => { if (turn === shown.turn) document.title = `${text} · Cambist`; },
    fail: tell,
  };
}

function build() {
  const linked = VIEWS.filter(({ linked = true }) => linked);
  replace(nav, linked.map(({ name, title }) => h("a", { href: routeOf(name), dataset: { view: name } }, title)));
  const skip = h("a", { class: "skip button", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, t`Skip to the content`);
  document.body.replaceChildren(skip, ...banner(), offline, header(), main, footer());
  showNotice();
}

function banner() {
  if (config.environment !== "sandbox") return [];
  const text = h("p", { class: "frame" }, h("strong", {}, t`Sandbox.`), " ", t`All prices on this page are simulated: none of them is from a market.`);
  return [h("aside", { class: "sandbox", "aria-label": t`Sandbox` }, text)];
}

/** Show what the service tells on every view, such as that there is no network; without that nothing. */
function showNotice() {
  if (notice.textContent !== config.notice) replace(notice, config.notice);
  offline.hidden = !config.notice;
}

async function renewNotice() {
  if (document.hidden) return;
  const answer = await fetch(CONFIG, { cache: "no-store" }).then((response) => response.json(), () => config);
  config.notice = answer.notice;
  showNotice();
}

function header() {
  const icon = h("img", { src: new URL("icon.svg", import.meta.url).href, alt: "", width: 26, height: 26 });
  return h("header", { class: "top" }, h("div", { class: "frame" },
    h("a", { class: "brand", href: routeOf(VIEWS[0]?.name ?? "") }, icon, "Cambist"), menu, nav, forget));
}

function footer() {
  return h("footer", { class: "bottom" }, h("div", { class: "frame" },
    h("a", { href: new URL("../../../docs", import.meta.url).href }, t`API reference`),
    h("span", {}, `Cambist ${config.version}`), h("span", {}, t`Times are yours; point at one for UTC.`), languages()));
}

/** The choice of a language, which is kept in the address. */
function languages() {
  const speak = () => { location.search = new URLSearchParams({ lang: choice.value }); };
  const choice = h("select", { class: "small", "aria-label": t`Language`, onchange: speak },
    Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  return choice.length > 1 && choice;
}

function openMenu(isOpen) {
  menu.setAttribute("aria-expanded", String(isOpen));
}

/** Show the view of the address; without a key that is needed, ask for one. */
async function render() {
  const { name, params } = parseRoute(location.hash);
  const view = name ? VIEWS.find((each) => each.name === name) : VIEWS[0];
  const turn = (shown.turn += 1);
  leave();
  shown.route = location.hash;
  replace(trouble);
  forget.hidden = !key();
  mark(view?.under ?? view?.name);
  openMenu(false);
  replace(menu, view?.title ?? t`Menu`);
  main.ariaBusy = String(hasKey() && Boolean(view));
  if (!hasKey() || !view) {
    replace(root, hasKey() ? wrongLink(VIEWS[0], { message: t`There is no view “${name}”.` }) : keyGate({ environment: config.environment, message: shown.message, onkey: entered }));
    shown.message = "";
    root.querySelector("#key")?.focus({ preventScroll: true });
    return;
  }
  try {
    const [{ show, title }] = await Promise.all([import(`./views/${view.name}.js${shown.again ? `?again=${shown.again}` : ""}`), view.styled && style(view.styled === true ? view.name : view.styled)]);
    if (turn !== shown.turn) return;
    document.title = `${title} · Cambist`;
    const place = h("div", { class: `view-${view.name}` });
    replace(root, place);
    const stop = await show(place, params, shellOf(view.name, turn));
    if (turn === shown.turn) shown.stop = stop;
    else stop?.();
  } catch (error) {
    if (turn !== shown.turn) return;
    if (error instanceof TypeError && /import|module/i.test(error.message)) missing();
    else if (error instanceof LinkError) replace(root, wrongLink(view, error));
    else tell(error);
  } finally {
    if (turn === shown.turn) main.ariaBusy = "false";
  }
}

/** Say what of a link is not understood: nothing is shown that it may not have asked for. */
function wrongLink({ name, title }, error) {
  return h("div", { class: "empty stack" }, h("h1", {}, title), h("p", { role: "alert" }, error.message),
    h("p", {}, h("a", { href: routeOf(name) }, t`Open “${title}” without it`)));
}

function leave() {
  shown.stop?.();
  shown.stop = null;
  replace(root);
}

function mark(name) {
  for (const link of nav.children) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Load the styles of a view, once; resolves when they apply, so that nothing moves afterwards. */
function style(name) {
  const id = `style-${name}`;
  if (document.getElementById(id)) return null;
  return new Promise((done) => {
    const href = new URL(`./views/${name}.css`, import.meta.url).href;
    document.head.append(h("link", { id, rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

/** Say in words what went wrong. A key that is refused is forgotten, and asked for again. */
function tell(error) {
  if (error?.name === "AbortError") return;
  if (error instanceof ApiError && error.status === 401 && config.mode !== "open") {
    forgetKey(error.message);
    return;
  }
  replace(trouble, h("p", { class: "notice bad" }, error?.message ?? String(error)));
  if (!(error instanceof ApiError)) console.error(error);
}

/** A module of a view did not come: the connection is lost, and is tried again, or the service has other modules now. */
async function missing() {
  const turn = shown.turn;
  let wasLost = false;
  for (;;) {
    const answer = await fetch(CONFIG, { cache: "no-store" }).catch(() => null);
    if (turn !== shown.turn) return;
    if (answer?.ok) break;
    wasLost = true;
    replace(trouble, h("p", { class: "notice bad" }, t`Connection lost. It is tried again every few seconds.`));
    await new Promise((done) => { setTimeout(done, AGAIN_AFTER); });
  }
  if (wasLost) {
    shown.again += 1;
    await render();
    return;
  }
  replace(trouble, h("p", { class: "notice bad" }, t`The service was updated.`, " ",
    h("button", { class: "button quiet small", type: "button", onclick: () => location.reload() }, t`Reload the page`)));
}

function forgetKey(message) {
  setKey("");
  shown.message = message;
  render();
}

/** The key came from the visitor: it is kept while the tab is open if that was wished. */
function entered() {
  render().then(() => main.focus({ preventScroll: true }));
}

addEventListener("hashchange", () => {
  if (location.hash !== shown.route) render();
});
addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof ApiError || event.reason?.name === "AbortError") {
    event.preventDefault();
    tell(event.reason);
  }
});
build();
setInterval(renewNotice, NOTICE_EVERY);
await render();
