/** Questions that are posted, and their answers. */

import { refusal, send } from "./api.js";

/**
 * Post a question, and return the JSON of its answer. Errors: ApiError.
 * @param {string} path such as "/alerts/add"
 * @param {any} question
 */
export async function post(path, question) {
  const response = await send(path, {}, { body: JSON.stringify(question) });
  if (response.ok) return response.json();
  throw await refusal(response);
}

/**
 * Post a question, and return its answer as a text. Errors: ApiError.
 * @param {string} path such as "/receipts"
 * @param {any} question
 */
export async function postText(path, question) {
  const response = await send(path, {}, { body: JSON.stringify(question), accept: "*/*" });
  if (response.ok) return response.text();
  throw await refusal(response);
}

/**
 * Post a file, the terms beside it as parameters, and return the JSON of the answer. Errors: ApiError.
 * @param {string} path such as "/value"
 * @param {any} params empty ones are left out
 * @param {string|Blob} file CSV as a text, or an XLSX workbook
 */
export async function postFile(path, params, file) {
  const type = typeof file === "string" ? "text/csv; charset=utf-8" : "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const response = await send(path, params, { body: file, type });
  if (response.ok) return response.json();
  throw await refusal(response);
}
