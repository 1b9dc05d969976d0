/** Which codes have a price while there is no network. No DOM. */

/**
 * Return a function that tells the codes with a price; null while there is a network, for then nearly all have one. It
 * asks once, which costs two calls at most.
 * @param {any} shell
 * @param {any} tables the reference tables
 */
export function pricedCodes(shell, tables) {
  let asked = null;
  return async () => {
    if (!shell.config.notice) return null;
    asked ??= ask(shell, tables).catch((error) => { asked = null; throw error; });
    return asked;
  };
}

async function ask(shell, { currencies, metals, minorUnits }) {
  const codes = [...currencies, ...metals].map(({ code }) => code);
  const [{ results }, coins] = await Promise.all([
    shell.get("/fetch-multi", { from: "USD", to: codes.join(","), partial: 1 }),
    // Without a venue there are no coins.
    shell.get("/crypto/currencies").then((answer) => Object.keys(answer.currencies), () => []),
  ]);
  const minor = minorUnits.filter(({ currency }) => currency in results).map(({ code }) => code);
  return new Set([...Object.keys(results), ...minor, ...coins]);
}
