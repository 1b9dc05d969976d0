/** Modules that are only loaded when they are needed. */

import { t } from "../../lib/texts.js";

/** Return a module. Errors: Error with a sentence for people. @template T @param {() => Promise<T>} load @returns {Promise<T>} */
export async function onDemand(load) {
  try {
    return await load();
  } catch {
    throw new Error(t`A part of this page could not be loaded. Try again, or reload the page.`);
  }
}
