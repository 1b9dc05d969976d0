/** The reference at /docs: open to all, and with a key its forms can be sent. */

import { key, setKey, setOpen, useKeptKey } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { LinkError } from "../lib/link.js";
import { parseRoute, routeOf } from "../lib/router.js";
import { language, t } from "../lib/texts.js";
import { keyForm } from "./key_gate.js";
import { loadReference, Reference } from "./try_it/reference.js";

/** The service as the browser sees it, also behind a proxy that strips a prefix. */
const ROOT = new URL("../../../", import.meta.url);

const root = document.getElementById("reference");
const main = h("main", { id: "main", class: "frame", tabindex: "-1" });
const trouble = h("div", { class: "trouble", role: "alert" });
const aside = h("section", { class: "card stack", "aria-label": t`API key` });
const loaded = await load();
setOpen(loaded.config.mode === "open");
useKeptKey();

async function load() {
  try {
    return await loadReference();
  } catch (error) {
    replace(root, h("p", { class: "notice bad", role: "alert" }, error.message));
    throw error;
  }
}

function header() {
  const icon = h("img", { src: new URL("icon.svg", import.meta.url).href, alt: "", width: 26, height: 26 });
  const home = loaded.config.mode === "off" ? "#/" : ROOT.href;
  return h("header", { class: "top" }, h("div", { class: "frame" },
    h("a", { class: "brand", href: home }, icon, "Cambist"), h("h1", { class: "docs-title" }, t`API reference`),
    h("a", { class: "small", href: new URL("openapi.json", ROOT).href }, "OpenAPI")));
}

/** The key, which stays in the memory of the tab, unless the visitor lets the tab keep it. */
function showKey() {
  const forget = () => {
    setKey("");
    showKey();
    reference.programs.show(reference.programs.call);
  };
  const entered = () => {
    showKey();
    reference.programs.show(reference.programs.call);
    aside.querySelector("button").focus({ preventScroll: true });
  };
  aside.hidden = loaded.config.mode === "open";
  replace(aside, key()
    ? h("div", { class: "row apart" }, h("p", {}, t`Your key is sent with each request.`), h("button", { class: "button quiet small", type: "button", onclick: forget }, t`Forget key`))
    : keyForm({ environment: loaded.config.environment, onkey: entered }));
}

/** The document says in English that prices are simulated. */
const banner = document.querySelector(".sandbox p");
if (banner && language !== "en") replace(banner, h("strong", {}, t`Sandbox.`), " ", t`All prices on this page are simulated: none of them is from a market.`);
const skip = h("a", { class: "skip button", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, t`Skip to the content`);
replace(root, skip, header(), main);
main.append(trouble);
const hrefOf = (path, params = []) => routeOf(path.slice(1), new URLSearchParams(params));
const reference = new Reference(main, loaded, {
  hrefOf, aside,
  setAddress: (path, params, isNew) => history[isNew ? "pushState" : "replaceState"](null, "", hrefOf(path, params)),
  setTitle: (path) => { document.title = `${path === "/" ? t`API reference` : path} · Cambist`; },
});

/** Show what the address asks for, or say what of it is not understood. */
function render() {
  const { name, params } = parseRoute(location.hash);
  replace(trouble);
  try {
    reference.choose(`/${name}`, params);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    replace(trouble, h("p", { class: "notice bad" }, error.message));
    const isKnown = loaded.operations.some(({ path }) => path === `/${name}`);
    reference.choose(isKnown ? `/${name}` : "/", new URLSearchParams());
  }
}

showKey();
addEventListener("popstate", render);
render();
