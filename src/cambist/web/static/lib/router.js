/** Routes in the fragment of the address: `#/convert?amount=100&from=EUR`. */

/**
 * Parse a fragment.
 * @param {string} hash such as "#/convert?amount=100"
 * @returns {{name: string, params: URLSearchParams}} the name is empty if there is none
 */
export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { name: path.replace(/\/$/, ""), params: new URLSearchParams(query) };
}

/**
 * Write a fragment; empty parameters are left out, and a key is never written.
 * @param {string} name
 * @param {Object<string, any>|URLSearchParams} [params]
 */
export function routeOf(name, params) {
  const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params ?? {});
  const kept = entries.filter(([key, value]) => key !== "api_key" && value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(kept).toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#/${name}${query ? `?${query}` : ""}`;
}
