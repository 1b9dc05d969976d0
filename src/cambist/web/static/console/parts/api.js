/**
 * The requests of the console to the operator's port.
 *
 * The session is a cookie that scripts cannot read. Each request that changes something also carries a token that
 * only this page was told, so that no other page can make the browser send it.
 */

/** An error that the service answered with, or the reason why it did not answer. */
export class ConsoleError extends Error {
  /**
   * @param {number} status the HTTP status; 0 if there was no answer
   * @param {string} code the machine-readable reason
   * @param {string} message the reason in words
   * @param {any} [body] the whole answer
   */
  constructor(status, code, message, body) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/**
 * Return functions that ask the operator's port.
 *
 * @param {{base: string, token: () => string, onEnded: () => void}} settings `base` is the path of the console's
 *   interface, `token` returns the session's token, `onEnded` is called when the session is over
 */
export function connect({ base, token, onEnded }) {
  async function ask(method, path, body, { signal, background } = {}) {
    const headers = { Accept: "application/json" };
    if (background) headers["X-Background"] = "1";
    if (method !== "GET") headers["X-CSRF-Token"] = token();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const sent = body === undefined ? undefined : JSON.stringify(body);
    let response;
    try {
      response = await fetch(base + path, { method, headers, body: sent, signal, credentials: "same-origin" });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ConsoleError(0, "unreachable", "The service does not answer. Is it running?");
    }
    const answer = await response.json().catch(() => null);
    if (answer === null && signal?.aborted) throw signal.reason;
    if (response.ok && answer !== null) return answer;
    if (response.ok) throw new ConsoleError(0, "unreachable", "The service broke its answer off. Is it running?");
    if (response.status === 401) onEnded();
    throw new ConsoleError(response.status, answer?.code ?? "", answer?.error ?? `It answered ${response.status}.`, answer ?? {});
  }
  return {
    /**
     * Return the JSON of a path, with query parameters; absent and empty ones are left out. A request in the
     * `background` is made by the page itself: it does not keep the session of an operator who has left from ending.
     */
    get(path, params = {}, options = {}) {
      const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
      const query = new URLSearchParams(given).toString();
      return ask("GET", query ? `${path}?${query}` : path, undefined, options);
    },
    /** Change something and return the answer. */
    send(method, path, body = {}) {
      return ask(method, path, body);
    },
  };
}
