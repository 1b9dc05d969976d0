/** The operator's console: its session, its navigation, and the view that the address names. */

import { h } from "../lib/dom.js";
import { connect } from "./parts/api.js";
import { ask } from "./parts/dialog.js";
import { brand, navigation } from "./parts/navigation.js";
import { watchOverview } from "./parts/overview_feed.js";
import { parseRoute, routeOf } from "./parts/routes.js";
import { signedOut } from "./parts/signed_out.js";
import { loading } from "./parts/ui.js";

/**
 * What a view is given.
 *
 * @typedef {object} Shell
 * @property {{environment: string, version: string}} session
 * @property {(path: string, params?: object, options?: {background?: boolean}) => Promise<any>} get
 * @property {(path: string, body?: object) => Promise<any>} post
 * @property {(params: Record<string, string>) => void} setParams change the address without showing the view again
 * @property {(params: Record<string, string>) => void} pushParams the same, as a step that Back undoes
 * @property {(name: string, params?: Record<string, string>) => void} go show another view
 * @property {(text: string) => void} say announce what was done
 * @property {(listener: (overview: any, error: Error | null) => void) => () => void} onOverview
 * @property {() => void} refreshOverview
 * @property {AbortSignal} signal is aborted when the view is left
 */

const main = document.getElementById("main");
const bar = document.getElementById("bar");
const message = document.getElementById("message");
const state = { csrf: "", session: null, leave: () => {}, controller: new AbortController(), hide: 0 };

const api = connect({ base: "/console/api", token: () => state.csrf, onEnded: end });
const feed = watchOverview(() => api.get("/overview", {}, { background: true }));

function end() {
  if (!state.session && document.body.dataset.state === "signed-out") return;
  const had = Boolean(state.session);
  state.session = null;
  state.csrf = "";
  leaveView();
  feed.stop();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  delete message.dataset.shown;
  document.body.dataset.state = "signed-out";
  document.title = "Signed out · Cambist console";
  bar.replaceChildren(h("div", { class: "frame" }, brand()));
  main.replaceChildren(signedOut(had, start));
  main.querySelector("h1").focus();
}

function say(text) {
  clearTimeout(state.hide);
  message.textContent = text;
  message.dataset.shown = "";
  state.hide = setTimeout(() => delete message.dataset.shown, 6000);
}

function leaveView() {
  state.controller.abort();
  state.controller = new AbortController();
  state.leave();
  state.leave = () => {};
}

function shellOf(route, signal) {
  return {
    session: state.session,
    signal,
    say,
    get: (path, params, options) => api.get(path, params, { signal, ...options }),
    post: (path, body) => api.send("POST", path, body),
    setParams: (params) => history.replaceState(null, "", routeOf(route.name, params)),
    pushParams: (params) => history.pushState(null, "", routeOf(route.name, params)),
    go: (name, params) => location.assign(routeOf(name, params)),
    onOverview: feed.listen,
    refreshOverview: feed.now,
  };
}

async function showRoute() {
  if (!state.session) return;
  leaveView();
  const route = parseRoute(location.hash, state.session.environment);
  const { signal } = state.controller;
  feed.often(route.name === "overview");
  state.navigation.mark(route.name);
  main.replaceChildren(loading());
  try {
    const view = await import(`./views/${route.name}.js`);
    if (signal.aborted) return;
    document.title = `${view.title} · Cambist console`;
    const root = h("div", { class: `view view-${route.name}` });
    const leave = await view.show(root, route.params, shellOf(route, signal));
    if (signal.aborted) return void leave?.();
    state.leave = leave ?? (() => {});
    main.replaceChildren(root);
    if (state.shownBefore) root.querySelector("h1")?.focus({ preventScroll: true });
    if (state.shownBefore) window.scrollTo(0, 0);
    state.shownBefore = true;
  } catch (error) {
    if (!signal.aborted && state.session) showFailure(error);
  }
}

function showFailure(error) {
  const again = h("button", { type: "button", class: "button quiet", onclick: showRoute }, "Try again");
  main.replaceChildren(
    h("div", { class: "view" }, h("h1", { tabindex: "-1" }, "This view cannot be shown"), h("p", {}, error.message), again),
  );
}

async function signOut() {
  const sure = await ask({
    title: "Sign out?",
    body: [h("p", {}, "To sign in again, run cambist console on the machine of the service.")],
    action: "Sign out",
    run: () => api.send("POST", "/sign-out"),
  });
  if (sure) end();
}

async function start() {
  try {
    const session = await api.get("/session");
    state.csrf = session.csrf;
    state.session = session;
  } catch (error) {
    if (error.status !== 401) showFailure(error);
    return;
  }
  document.body.dataset.state = "signed-in";
  document.getElementById("sandbox").hidden = state.session.environment !== "sandbox";
  document.getElementById("version").textContent = `Cambist ${state.session.version}`;
  state.navigation = navigation(bar, state.session, signOut);
  feed.listen((overview) => overview && state.navigation.count(overview));
  feed.start();
  await showRoute();
}

window.addEventListener("hashchange", showRoute);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
start();
