/** When to connect to the stream again, and how to say it. No DOM. */

import { t } from "./texts.js";

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Return how long to wait before the next attempt: twice as long each time, up to half a minute. A random part
 * spreads the clients of a service that has restarted.
 * @param {number} attempt 0 for the first one after a good connection
 * @param {number} random from 0 to 1
 * @returns {number} milliseconds
 */
export function backOff(attempt, random) {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(longest * (0.75 + 0.25 * random));
}

/** Return whether the service will refuse the same key again: 429 passes, a bad key or plan does not. @param {number} status */
export function isFinal(status) {
  return status === 401 || status === 403;
}

/**
 * Return the state of a stream in words.
 * @param {{name: string, reason: string, retryAt: number}} state
 * @param {number} now milliseconds since 1970
 */
export function stateInWords({ name, reason, retryAt }, now) {
  const why = reason ? ` ${reason.replace(/\.?$/, ".")}` : "";
  if (name === "waiting") return t`Reconnecting in ${Math.max(1, Math.ceil((retryAt - now) / 1000))} s.` + why;
  if (name === "refused") return t`The stream refused the connection.` + why;
  return { connecting: t`Connecting…`, live: t`Live`, closed: t`Not connected` }[name];
}
