/** The pieces of Markdown that descriptions use: headings, tables, programs, `code` and **words**. */

import { h } from "../../lib/dom.js";

/** Texts of the service are English in every language of the page. */
const ENGLISH = { lang: "en", dir: "auto" };

/** Return a line as nodes, with what is between backticks as code. @param {string} text */
export function inlineCode(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : strong(part)));
}

function strong(text) {
  return text.split("**").map((part, index) => (index % 2 ? h("strong", {}, part) : part));
}

/** Return a text of the service as a paragraph. @param {string} text @param {string} [classes] */
export function paragraph(text, classes) {
  return h("p", { ...ENGLISH, class: classes }, inlineCode(text));
}

/** Return the blocks of a text as elements. @param {string} text */
export function markdown(text) {
  return text.split(/\n{2,}/).filter((block) => block.trim()).map(blockOf);
}

function blockOf(block) {
  if (block.startsWith("## ")) return h("h3", ENGLISH, block.slice(3));
  if (block.startsWith("    ")) return h("pre", { tabindex: "0", class: "try-code" }, h("code", {}, block.replace(/^ {4}/gm, "").trimEnd()));
  return block.startsWith("|") ? tableOf(block) : paragraph(block.replaceAll("\n", " "));
}

function tableOf(block) {
  const [head, , ...rows] = block.trim().split("\n").map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
  return h("div", { class: "scroll", tabindex: "0" }, h("table", { ...ENGLISH, class: "table" },
    h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, cell)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inlineCode(cell))))))));
}
