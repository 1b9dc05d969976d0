/** How a board is shown, besides its lines: read from an address, and written into one. No DOM. */

import { LinkError } from "../../lib/link.js";
import { t } from "../../lib/texts.js";

/** The orders of the pairs, by what the address says. */
export const ORDERS = { hand: t`By hand`, name: t`By name`, change: t`By change` };

/** Since when a price is compared. */
export const SINCE = { today: t`Midnight UTC`, "24h": t`24 hours ago`, here: t`Board was opened` };

/** Moves up to so many basis points may go unmarked. */
export const MOST_FLASH = 10_000;

/**
 * Read the options of a board. Errors: LinkError.
 * @param {URLSearchParams} params
 * @returns {{order: "hand"|"name"|"change", since: "today"|"24h"|"here", flash: number}} `flash` in basis points
 */
export function readOptions(params) {
  const [order, since, flash] = [params.get("order") ?? "hand", params.get("since") ?? "today", params.get("flash") ?? "0"];
  if (!Object.hasOwn(ORDERS, order)) throw new LinkError(t`This link says “order=${order}”. It can be hand, name or change.`);
  if (!Object.hasOwn(SINCE, since)) throw new LinkError(t`This link says “since=${since}”. It can be today, 24h or here.`);
  if (!/^\d{1,5}(\.\d+)?$/.test(flash) || flash > MOST_FLASH) throw new LinkError(t`This link says “flash=${flash}”. It can be a number of basis points from 0 to ${MOST_FLASH}.`);
  return { order, since, flash: Number(flash) };
}

/** Return the parameters of the address: what is as usual is left out. */
export function writtenOptions({ order, since, flash }) {
  return { order: order === "hand" ? "" : order, since: since === "today" ? "" : since, flash: flash || "" };
}
