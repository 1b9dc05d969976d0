/** The formulas that put rates into cells, as each program writes them. No DOM. */

/** The cell that the formulas take the API key from, and the one with the day. */
export const [KEY_CELL, DAY_CELL] = ["B1", "A2"];

export const PROGRAMS = { libreoffice: "LibreOffice Calc", excel: "Excel 365", google: "Google Sheets" };

/** How a code is written; what is not may not get into a formula. */
const CODE = /^[A-Za-z0-9]{2,15}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Return whether a text can be a code. @param {string} text */
export const isCode = (text) => CODE.test(text);

/** Return whether a text can be a day. @param {string} text */
export const isDay = (text) => DAY.test(text);

/**
 * Return the formulas for a pair: of now, of the day in a cell, and of what days are given. The kind `address` is no formula
 * but the address of a table, for a program that has no formula for tables.
 * @param {{program: string, root: string, from: string, to: string, start?: string, end?: string, key?: boolean}} asked codes
 *   and days as `isCode` and `isDay` accept them; `root` is the address of the service without a slash at its end
 * @returns {{kind: "now"|"day"|"cell"|"days"|"address", text: string}[]}
 */
export function formulasFor(asked) {
  const { program, from, to, start, end } = asked;
  const { live, past, table } = FORMS[program];
  const pair = `from=${from}&to=${to}`;
  const found = [{ kind: "now", text: live(asked, pair) }];
  if (start) found.push({ kind: "day", text: past(asked, [`date=${start}&${pair}`]) });
  found.push({ kind: "cell", text: past(asked, [`${pair}&date=`, dayOf(program)]) });
  if (start && end) found.push(table(asked, `${pair}&start=${start}&end=${end}`));
  return found;
}

const FORMS = {
  libreoffice: {
    live: (asked, query) => inLibreOffice(asked, url(asked, "/fetch-one", [query])),
    past: (asked, parts) => inLibreOffice(asked, url(asked, "/historical", parts)),
    table: (asked, query) => ({ kind: "address", text: `${asked.root}/time-series.csv?${query}${asked.key ? "&api_key=KEY" : ""}` }),
  },
  excel: {
    live: (asked, query) => inExcel(asked, url(asked, "/fetch-one", [query])),
    past: (asked, parts) => inExcel(asked, url(asked, "/historical", parts)),
    table: (asked, query) => ({ kind: "days", text: `=LET(rows,TEXTSPLIT(WEBSERVICE(${url(asked, "/time-series.csv", [query])}),",",UNICHAR(10),TRUE),`
      + `HSTACK(DATEVALUE(DROP(CHOOSECOLS(rows,1),1)),NUMBERVALUE(DROP(CHOOSECOLS(rows,4),1),".")))` }),
  },
  google: {
    live: (asked, query) => inGoogle(url(asked, "/price-list.csv", [`${query}&amount=1`]), 8),
    past: (asked, parts) => inGoogle(url(asked, "/historical.csv", parts), 4),
    table: (asked, query) => ({ kind: "days", text: `=${imported(url(asked, "/time-series.csv", [query]))}` }),
  },
};

const inLibreOffice = ({ to }, address) => `=NUMBERVALUE(REGEX(WEBSERVICE(${address});".*""${to}"":([0-9.]+).*";"$1");".")`;
const inExcel = ({ to }, address) => `=NUMBERVALUE(TEXTBEFORE(TEXTAFTER(WEBSERVICE(${address}),"""${to}"":"),"}"),".")`;
const inGoogle = (address, column) => `=INDEX(${imported(address)},2,${column})`;
const imported = (address) => `IMPORTDATA(${address},",","en_US")`;

/** Write a day as the API reads it, in any language of the program: a format such as yyyy has other letters in some. */
function dayOf(program) {
  const next = program === "libreoffice" ? ";" : ",";
  const digits = (part) => `TEXT(${part}(${DAY_CELL})${next}"00")`;
  return `YEAR(${DAY_CELL})&"-"&${digits("MONTH")}&"-"&${digits("DAY")}`;
}

/** Write an address as an expression: what is asked is a text and perhaps an expression, and the key is in its cell. */
function url({ root, key }, path, [query, expression]) {
  const parts = [`"${root}${path}?${query}"`];
  if (expression) parts.push(expression);
  if (key) parts.push('"&api_key="', `$${KEY_CELL[0]}$${KEY_CELL.slice(1)}`);
  return parts.join("&").replace('"&"', "");
}
