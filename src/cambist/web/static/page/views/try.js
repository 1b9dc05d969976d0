/** The reference as a view of the page: each endpoint with a form, the request as programs, the answer, and what it costs. */

import { h } from "../../lib/dom.js";
import { routeOf } from "../../lib/router.js";
import { t } from "../../lib/texts.js";
import { loadReference, Reference } from "../try_it/reference.js";

export const title = t`Try it`;

let loading = null;

export async function show(root, params, shell) {
  loading ??= loadReference();
  loading.catch(() => { loading = null; });
  const loaded = await loading;
  const entries = (path, given = []) => [["endpoint", path], ...given];
  root.append(h("h1", { tabindex: "-1", class: "try-title" }, title));
  const reference = new Reference(root, loaded, {
    hrefOf: (path, given) => routeOf("try", new URLSearchParams(entries(path, given))),
    setAddress: (path, given) => shell.setParams(new URLSearchParams(entries(path, given))),
    setTitle: (path) => shell.setTitle(path === "/" ? title : t`Try ${path}`),
    aside: false,
  });
  const path = params.get("endpoint") || loaded.operations[0].path;
  params.delete("endpoint");
  reference.choose(path, params);
  return () => reference.stop();
}
