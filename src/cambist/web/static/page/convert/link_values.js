/** What the converter reads of its link: what cannot be read is kept, and said, until the visitor chooses another. No DOM. */

import { checkNames, spelledCode } from "../../lib/link.js";
import { t } from "../../lib/texts.js";
import { readDay } from "../charts/state.js";
import { weighedMetal } from "./conversion.js";

/** What the converter shows beside its answer where a link says so: see `more.js`. */
export const MORE = ["also", "markup", "rounding", "every", "trend"];

const DECIMALS = /^(1?\d|20)$/;

/**
 * Return what a link says, and a sentence for each of its values that cannot be read. Errors: LinkError.
 * @param {URLSearchParams} params
 * @param {any} tables the reference tables
 * @returns {{values: Object<string, string>, wrong: Map<string, string>}}
 */
export function readLink(params, tables) {
  checkNames(params, ["amount", "from", "to", "precision", "date", "unit", "purity", ...MORE]);
  const values = { from: "EUR", to: "USD", ...Object.fromEntries([...params].filter(([, value]) => value.trim()).map(([name, value]) => [name, value.trim()])) };
  for (const side of ["from", "to"]) values[side] = spelledCode(values[side]);
  const wrong = new Map();
  const { date, precision, unit, purity } = values;
  if (date && readDay(date) === null) wrong.set("date", t`The link asks for the day ${date}, which is none. Choose a day, or none for now.`);
  if (precision && precision !== "currency" && !DECIMALS.test(precision)) wrong.set("precision", t`The link asks for ${precision} decimals. Choose from 0 to 20, or automatic.`);
  if (hasMetal(values, tables) && !weighedMetal(values, tables) && (unit || purity)) wrong.set("unit", t`The link asks for a unit or a purity: those are for a metal beside a currency. Choose another pair.`);
  if (unit && hasMetal(values, tables) && !wrong.has("unit") && !tables.units.some(({ handle }) => handle === unit)) wrong.set("unit", t`The link asks for the unit ${unit}, which is none. Choose one.`);
  if (purity && hasMetal(values, tables) && !wrong.has("unit") && !(Number(purity) && tables.purities[weighedMetal(values, tables)?.code])) wrong.set("purity", t`The link asks for the purity ${purity}, which is none. Choose one.`);
  for (const name of wrong.keys()) values[name] = "";
  return { values, wrong };
}

function hasMetal({ from, to }, tables) {
  return tables.metals.some(({ code }) => code === from || code === to);
}
