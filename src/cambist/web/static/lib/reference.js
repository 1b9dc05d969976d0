/** The static tables of the service: currencies, coins, metals, units, purities, grades, events. */

/** @type {Map<string, Promise<any>>} */
const loading = new Map();

/**
 * Return a promise of the tables, which are loaded once. See `completed`. The coins are only among them if they are asked
 * for: they are half of all bytes.
 * @param {boolean} [withCoins]
 */
export async function reference(withCoins = false) {
  if (!withCoins) return load("reference", completed);
  const [tables, coins] = await Promise.all([reference(), load("coins", (all) => all)]);
  return { ...tables, coins };
}

function load(name, complete) {
  if (!loading.has(name)) {
    const loaded = fetch(new URL(`../data/${name}.json`, import.meta.url)).then((answer) => answer.json()).then(complete);
    loaded.catch(() => loading.delete(name));
    loading.set(name, loaded);
  }
  return loading.get(name);
}

/**
 * Complete the tables with what follows from them: of a currency all `lives`, the oldest first, its `pegs`, its
 * `redenominations` and its `euro` rate; and the `events`, which are days on which a unit, a peg or the euro changed a
 * currency, by day: `{day, code, kind, text, law}`. A kind is "redenomination", "peg-begun", "peg-ended" or "euro".
 * @param {any} tables
 */
export function completed(tables) {
  const [changes, allPegs, rates] = [tables.redenominations, tables.pegs, tables.euro_rates].map(rows);
  const currencies = rows(tables.currencies).map((currency) => {
    const { code } = currency;
    return {
      ...currency, lives: lives(currency), pegs: allPegs.filter((peg) => peg.code === code),
      redenominations: changes.filter((change) => change.old === code || change.new === code),
      euro: rates.find((rate) => rate.code === code) ?? null,
    };
  });
  const events = currencies.flatMap((currency) => [...redenominations(currency), ...pegs(currency), ...euro(currency)]);
  events.sort((one, other) => (one.day + one.code < other.day + other.code ? -1 : 1));
  return { coins: [], ...tables, minorUnits: tables.minor_units, currencies, events };
}

/** Return the records of a table that has a list for each field. */
function rows(table) {
  const names = Object.keys(table);
  return table[names[0]].map((_, row) => Object.fromEntries(names.map((name) => [name, table[name][row]])));
}

/** Only a code that was used again has its lives in the tables. */
function lives({ lives: all, first_day, last_day }) {
  return all || [{ first_day, last_day }];
}

function redenominations({ code, redenominations: changes }) {
  return changes.map((change) => ({
    day: change.first_day, code, kind: "redenomination",
    text: `${change.factor} ${change.old} became 1 ${change.new}`, law: change.authority,
  }));
}

function pegs({ pegs: all }) {
  return all.flatMap(({ code, anchor, factor, authority: law, first_day, last_day }) => {
    const fixed = `${factor} ${code} for 1 ${anchor}`;
    const ended = last_day ? [{ day: last_day, code, kind: "peg-ended", text: `Peg ended: ${fixed}`, law }] : [];
    return [{ day: first_day, code, kind: "peg-begun", text: `Peg begun: ${fixed}`, law }, ...ended];
  });
}

function euro({ euro: rate }) {
  if (!rate) return [];
  return [{ day: rate.fixed_on, code: rate.code, kind: "euro", text: `Euro: ${rate.rate} ${rate.code} for 1 EUR`, law: rate.authority }];
}
