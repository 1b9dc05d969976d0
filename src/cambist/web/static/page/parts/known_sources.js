/** The sources by key, for their names and states. */

import { ApiError } from "../../lib/api.js";
import { orderedSources } from "./source_states.js";

/**
 * Return the sources of `/sources`; none while no source has been asked, as where the service asks none.
 * @param {any} shell
 * @param {AbortSignal} signal
 * @returns {Promise<Object<string, any>>}
 */
export async function knownSources(shell, signal) {
  try {
    return Object.fromEntries(orderedSources(await shell.get("/sources", {}, { signal })).map((source) => [source.key, source]));
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return {};
    throw error;
  }
}
