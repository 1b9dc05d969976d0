/** What a link of the page asks for. What is not understood is said, and never left out in silence. No DOM. */

import { t } from "./texts.js";

/** A link that cannot be followed as it is; the message is a sentence for people. */
export class LinkError extends Error {
  constructor(message) {
    super(message);
    this.name = "LinkError";
  }
}

/**
 * Refuse a link with parameters that a view does not know, or that it says twice. Errors: LinkError.
 * @param {URLSearchParams} params
 * @param {string[]} known
 */
export function checkNames(params, known) {
  const names = [...params.keys()].filter((name) => name !== "api_key");
  const odd = names.find((name) => !known.includes(name));
  if (odd !== undefined) throw new LinkError(t`This link says ${shown(odd, params.get(odd))}, which this view does not understand.`);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new LinkError(t`This link says “${twice}” twice. Which one is meant?`);
}

/** Refuse a value of a link. Errors: LinkError. @param {string} name @param {string} value @param {string} why such as "is no day", in the visitor's language */
export function refuse(name, value, why) {
  throw new LinkError(t`This link says ${shown(name, value)}, which ${why}.`);
}

/**
 * Return the code that a text spells: in upper case, but left alone in mixed case, because `GBp` is a hundredth of `GBP`.
 * @param {string} text
 */
export function spelledCode(text) {
  const [code, upper] = [text.trim(), text.trim().toUpperCase()];
  const isCurrency = [code.toLowerCase(), upper.slice(0, 1) + code.slice(1).toLowerCase()].includes(code);
  return isCurrency ? upper : code;
}

function shown(name, value) {
  const text = `${name}=${value}`;
  return t`“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`;
}
