/** The addresses of the views: `#/usage?account=shop`. Pure. */

/** The views in the navigation, in this order: name and label. */
export const VIEWS = [
  ["overview", "Overview"],
  ["problems", "Problems"],
  ["accounts", "Accounts"],
  ["plans", "Plans"],
  ["usage", "Usage"],
  ["sources", "Sources"],
  ["disputes", "Disputes"],
  ["sandbox", "Faults"],
  ["audit", "Audit log"],
];

/** The views that are shown under another one's entry. */
export const PARENTS = { account: "accounts", runbook: "problems" };

/** The views that exist only in one environment. */
const ONLY_IN = { sandbox: "sandbox", disputes: "live" };

/** Whether a view exists in an environment. */
export function isIn(name, environment) {
  return (ONLY_IN[name] ?? environment) === environment;
}

/**
 * Return the view and the parameters of an address; the overview for an unknown one.
 *
 * @returns {{name: string, params: URLSearchParams}}
 */
export function parseRoute(hash, environment) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const known = VIEWS.some(([name]) => name === path) || path in PARENTS;
  const name = known && isIn(path, environment) ? path : "overview";
  return { name, params: new URLSearchParams(query) };
}

/** Return the address of a view; empty parameters are left out. */
export function routeOf(name, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given).toString();
  return query ? `#/${name}?${query}` : `#/${name}`;
}
