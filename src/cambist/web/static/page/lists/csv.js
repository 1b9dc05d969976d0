/** CSV: written for spreadsheets, and read only as far as the page shows it. No DOM. */

/**
 * Write rows as CSV.
 * @param {any[][]} rows the first has the names of the columns
 * @returns {string}
 */
export function toCsv(rows) {
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A text that begins like a formula is quoted, as the service does it. */
function cell(value) {
  const text = value === undefined || value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
