/** A chart with its names, its days and where it is from, as a file: loaded when somebody saves it. */

import { dayText } from "../../lib/chart/chart.js";
import { t } from "../../lib/texts.js";
import { sourcesOf } from "./explained.js";
import { pngOf } from "./png.js";
import { saveFile } from "./save.js";

/**
 * Let the visitor save a chart as PNG. The sources of the last day cost a call for each pair; where they are refused, it is saved without them.
 * @param {string} name of the file @param {SVGElement} picture
 * @param {{names: string[], view: import("../../lib/chart/layout.js").View, pairs?: import("./explained.js").PairOnDay[], note?: string}} about
 *   `note` says where a chart is from that has no `pairs` with days
 * @param {any} shell @param {AbortSignal} signal @returns {Promise<string>} what was done, in a sentence
 */
export async function saveChart(name, picture, { names, view, pairs = [], note = "" }, shell, signal) {
  const stretch = t`${dayText(Math.ceil(view.from))} to ${dayText(Math.floor(view.to))}`;
  const above = view.percent ? t`${stretch}, change in percent` : stretch;
  let [sources, trouble] = [[], ""];
  try {
    sources = await sourcesOf(shell, pairs, signal);
  } catch (error) {
    trouble = error.message;
  }
  const origin = sources.length ? t`Source on ${dayText(pairs[0].day)}: ${sources.join(", ")}, Cambist` : note || t`Source: Cambist`;
  const simulated = shell.config.environment === "sandbox" ? [t`Sandbox: these prices are simulated, none of them is from a market.`] : [];
  saveFile(name, await pngOf(picture, names, [above], [origin, ...simulated]));
  return trouble ? t`The picture is saved without its sources: ${trouble}` : t`The picture is saved.`;
}
