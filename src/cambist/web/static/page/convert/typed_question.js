/** What is typed into the field of the amount: a number, or a whole question such as "100 usd in eur". No DOM. */

import { readTyped } from "../../lib/typed_number.js";

const BETWEEN = /\s+(?:in|to|into|as|en|nach|a|à)\s+|\s*(?:=|→|->)\s*/iu;
const PART = /^(?<before>[^\d\p{Nd}.,+−-]*?)\s*(?<number>[-+−]?[\d\p{Nd}.,٫٬\s\u00a0\u202f'’]*(?:e[-+]?\d+)?)\s*(?<after>[^\d\p{Nd}.,]*)$/iu;

/**
 * Return what is asked: the amount as it is in an address, empty if it is none, and the codes that were named.
 * @param {string} text
 * @param {string} locale
 * @param {(word: string) => string} codeOf the code that a word means exactly; empty if it means none
 * @returns {{amount: string, isUnsure: boolean, from: string, to: string}}
 */
export function readQuestion(text, locale, codeOf) {
  const alone = readTyped(text, locale);
  if (alone) return { amount: alone.plain, isUnsure: alone.isUnsure, from: "", to: "" };
  const nothing = { amount: "", isUnsure: false, from: "", to: "" };
  const [left, right = "", ...rest] = ` ${text.trim()} `.split(BETWEEN).map((part) => part.trim());
  const { before, number, after } = PART.exec(left)?.groups ?? {};
  const typed = number !== undefined && readTyped(number || "1", locale);
  const words = [before, after].filter(Boolean);
  if (!typed || rest.length || words.length > 1) return nothing;
  const [from, to] = [words[0] ? codeOf(words[0]) : "", right ? codeOf(right) : ""];
  if ((words[0] && !from) || (right && !to) || !(from || to)) return nothing;
  return { amount: typed.plain, isUnsure: typed.isUnsure, from, to };
}
