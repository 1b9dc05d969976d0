/** JSON with line breaks; every number keeps the digits that were sent. No DOM. */

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Return a JSON text with one member a line. A text that is not JSON is returned as it is.
 * @param {string} text
 * @returns {string}
 */
export function prettyJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let [written, depth, before] = ["", 0, ""];
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (before === "{" || before === "[");
    if (!isEmpty && (isEnd || before === "{" || before === "[" || before === ",")) written += `\n${"  ".repeat(depth)}`;
    written += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return written;
}

const SHOWN = /^(x-calls-cost|etag|cache-control|retry-after|content-type|vary|cambist-.*)$/;

/**
 * Return the headers of an answer that matter to a client, by name.
 * @param {Iterable<[string, string]>} headers
 * @returns {[string, string][]}
 */
export function headersToShow(headers) {
  return [...headers].filter(([name]) => SHOWN.test(name)).sort(([one], [other]) => (one < other ? -1 : 1));
}
