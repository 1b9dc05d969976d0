/** The static tables of the service: currencies, coins, metals, units, purities, events. */

let loading = null;

/** Return a promise of `data/reference.json`, which is loaded once. */
export function reference() {
  loading ??= fetch(new URL("../data/reference.json", import.meta.url)).then((answer) => answer.json());
  loading.catch(() => { loading = null; });
  return loading;
}
