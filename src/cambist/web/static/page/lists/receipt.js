/** A receipt: a compact JWS, which contains the answer that it proves. No DOM; what it says is not checked here. */

import { parseExact } from "../../lib/exact_json.js";

/**
 * Read what a receipt says.
 * @param {string} receipt a compact JWS
 * @returns {{claims: any, answer: any}} the claims, and the answer with every number as a string with all its digits
 */
export function readReceipt(receipt) {
  const claims = JSON.parse(text(receipt.split(".")[1]));
  return { claims, answer: parseExact(text(claims.body)) };
}

function text(encoded) {
  const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
