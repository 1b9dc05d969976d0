/** Calls of the API. The key of the visitor lives in this module alone: in the memory of the tab, and if the visitor wishes in its session. */

import { parseExact } from "./exact_json.js";
import { plainSentence } from "./format.js";
import { t } from "./texts.js";

/** Where the service is: this module is served at `<root>page/<hash>/lib/api.js`. */
const ROOT = new URL("../../../", import.meta.url);

const KEPT = "cambist-key";

let currentKey = "";
let isOpen = false;

/** An error, or no answer: then `status` is 0. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code such as "no_rate"
   * @param {string} message a sentence of the service
   */
  constructor(status, code, message) {
    super(plainSentence(message));
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    /** What was written, and the code that the service thinks was meant; null if it says nothing. */
    this.meant = /for \[(?<wrong>[^\]]+)\] did you mean (?<code>\w+)/.exec(message)?.groups ?? null;
  }
}

/** Call without keys, if the operator lets everybody. @param {boolean} open */
export function setOpen(open) {
  isOpen = open;
}

/** Use a key from now on; an empty one forgets it, also where it was kept. @param {string} key */
export function setKey(key) {
  currentKey = key.trim();
  if (!currentKey) sessionStorage.removeItem(KEPT);
}

/** Keep the key until the tab is closed, so that it survives that the page is loaded again. */
export function keepKey() {
  sessionStorage.setItem(KEPT, currentKey);
}

/** Use the key that was kept in this tab, if one was. */
export function useKeptKey() {
  currentKey = sessionStorage.getItem(KEPT) ?? "";
}

/** Return the visitor's key; empty if there is none. It belongs into requests, never into the document. */
export function key() {
  return currentKey;
}

/** Return whether the API can be called: with a key, or because the page is open. */
export function hasKey() {
  return isOpen || currentKey !== "";
}

/** Return the address of a path of the API, without a key. @param {string} path @param {any} [params] */
export function address(path, params) {
  const url = new URL(path.replace(/^\//, ""), ROOT);
  url.search = new URLSearchParams(given(params)).toString();
  return url;
}

/**
 * Ask an endpoint, and return its JSON. Errors: ApiError; AbortError if `signal` ends it.
 * @param {string} path such as "/convert"
 * @param {Object<string, any>|URLSearchParams} [params] empty ones are left out
 * @param {{signal?: AbortSignal}} [options]
 */
export async function get(path, params, options) {
  return (await request(path, params, options)).json();
}

/** As `get`, with every number as a string with all its digits. */
export async function getExact(path, params, options) {
  return parseExact(await (await request(path, params, options)).text());
}

/** As `get`, but return the response itself, which was a success. */
export async function request(path, params, options) {
  const response = await send(path, params, options);
  if (response.ok) return response;
  throw await refusal(response);
}

/** As `request`, but a refusal is returned as well. Errors: ApiError if the service cannot be reached. */
export async function send(path, params, { signal, body, type = "application/json", accept = "application/json" } = {}) {
  const headers = currentKey ? { "X-API-Key": currentKey } : isOpen ? { "Cambist-Page": "1" } : {};
  if (body !== undefined) Object.assign(headers, { "Content-Type": type, Accept: accept });
  try {
    return await fetch(address(path, params), { method: body === undefined ? "GET" : "POST", headers, body, signal, credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", t`The service cannot be reached. Is it running?`);
  }
}

/** Return the error that a response is. @param {Response} response */
export async function refusal(response) {
  try {
    const { error, code } = await response.json();
    return new ApiError(response.status, code, error);
  } catch {
    return new ApiError(response.status, "unreadable", t`The service answered with the status ${String(response.status)}.`);
  }
}

function given(params) {
  const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params ?? {});
  return entries.filter(([, value]) => value !== undefined && value !== null && value !== "");
}
