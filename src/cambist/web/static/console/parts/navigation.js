/** The navigation: the views, with a count where something waits there. */

import { h } from "../../lib/dom.js";
import { isIn, PARENTS, VIEWS } from "./routes.js";

/**
 * Fill the bar, and return what marks the current view and shows the counts.
 *
 * @param {HTMLElement} bar
 * @param {{environment: string, version: string}} session
 * @param {() => void} signOut
 */
export function navigation(bar, session, signOut) {
  const links = new Map();
  for (const [name, label] of VIEWS.filter(([each]) => isIn(each, session.environment))) {
    const waiting = h("span", { class: "nav-count", hidden: true });
    links.set(name, { link: h("a", { href: `#/${name}` }, label, waiting), waiting });
  }
  const nav = h("nav", { class: "views", "aria-label": "Views" }, [...links.values()].map(({ link }) => link));
  const leave = h("button", { type: "button", class: "button plain", onclick: signOut }, "Sign out");
  bar.replaceChildren(h("div", { class: "frame" }, brand(), nav, leave));
  return {
    mark(name) {
      for (const [each, { link }] of links) {
        const isCurrent = each === (PARENTS[name] ?? name);
        if (!isCurrent) {
          link.removeAttribute("aria-current");
          continue;
        }
        link.setAttribute("aria-current", "page");
        // Where the views do not fit side by side, they scroll within the bar.
        nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
      }
    },
    count(overview) {
      show(links.get("problems"), overview.problems_open, "open");
      show(links.get("disputes"), overview.disputes_open, "open");
      show(links.get("sources"), overview.sources?.failing, "failing");
    },
  };
}

function show(entry, number, meaning) {
  if (!entry) return;
  entry.waiting.hidden = !number;
  entry.waiting.replaceChildren(String(number ?? ""), h("span", { class: "visually-hidden" }, ` ${meaning}`));
}

/** The name of the page, as on the public one. */
export function brand() {
  const icon = h("img", { src: new URL("../icon.svg", import.meta.url).href, alt: "", width: 26, height: 26 });
  return h("a", { class: "brand", href: "#/overview" }, icon, "Cambist", h("span", { class: "brand-part" }, "Console"));
}
