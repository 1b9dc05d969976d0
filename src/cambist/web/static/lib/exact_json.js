/** JSON whose numbers stay as they were sent: a float64 would lose the last digits of a long one. */

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Parse JSON; every number becomes a string with all its digits.
 * @param {string} text
 * @returns {any}
 */
export function parseExact(text) {
  return JSON.parse(text.replace(TOKENS, (token) => (token[0] === '"' ? token : `"${token}"`)));
}
