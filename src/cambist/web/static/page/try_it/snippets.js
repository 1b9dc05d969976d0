/** A request as a command or a program. No DOM. The key is always a placeholder. */

export const PLACEHOLDER = "YOUR_KEY";

/**
 * @typedef {Object} CallToShow
 * @property {string} url without a query
 * @property {[string, string][]} params
 * @property {string} [body] what is posted
 * @property {string} [type] its media type
 */

/** Return a query with commas, slashes and colons as they are: they are allowed there, and easier to read. @param {[string, string][]} params */
export function queryOf(params) {
  return params.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
}

function escaped(text) {
  return encodeURIComponent(text).replace(/%(2C|2F|3A)/g, (code) => decodeURIComponent(code));
}

/** Return the address of a call. @param {CallToShow} call */
export function addressOf({ url, params }) {
  return params.length ? `${url}?${queryOf(params)}` : url;
}

/** @param {CallToShow} call */
export function curl(call) {
  const posted = call.body === undefined ? "" : `-H 'Content-Type: ${call.type}' --data-binary ${shellQuoted(call.body)} `;
  return `curl -i -H 'X-API-Key: ${PLACEHOLDER}' ${posted}${shellQuoted(addressOf(call))}\n`;
}

/** Return the headers of a call, by name. @param {CallToShow} call @returns {[string, string][]} */
function headersOf({ body, type }) {
  return [["X-API-Key", PLACEHOLDER], ...(body === undefined ? [] : [["Content-Type", type]])];
}

/** Write the headers as an object of JavaScript or a dictionary of Python. */
function headersText(call) {
  return `{${headersOf(call).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`).join(", ")}}`;
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {CallToShow} call */
export function pythonHttpx(call) {
  const { url, params, body } = call;
  const given = params.length ? `\n    params=${pythonDict(params, "    ")},` : "";
  const posted = body === undefined ? "" : `\n    content=${pythonBytes(body)},`;
  const method = body === undefined ? "get" : "post";
  const note = body === undefined ? "  # requests has the same get()" : "  # requests has the same post(), with data= in place of content=";
  return `import httpx${note}

response = httpx.${method}(
    ${quoted(url)},${given}${posted}
    headers=${headersText(call)},
)
print(response.status_code)
print(response.text)
`;
}

/** @param {CallToShow} call */
export function pythonStandard(call) {
  const { url, params, body } = call;
  const query = params.length ? `\nurl += "?" + urlencode(${pythonDict(params, "")})` : "";
  const imports = params.length ? "from urllib.parse import urlencode\n" : "";
  const posted = body === undefined ? "" : `body = ${pythonBytes(body)}\n`;
  return `from urllib.error import HTTPError
${imports}from urllib.request import Request, urlopen

url = ${quoted(url)}${query}
${posted}request = Request(url, ${posted && "body, "}headers=${headersText(call)})
try:
    response = urlopen(request)
except HTTPError as error:
    response = error
print(response.status)
print(response.read().decode())
`;
}

/** @param {CallToShow} call */
export function javaScript(call) {
  const { url, params, body } = call;
  const query = params.length ? `\nurl.search = new URLSearchParams(${jsObject(params)});` : "";
  const options = body === undefined ? `{ headers: ${headersText(call)} }`
    : `{\n  method: "POST",\n  headers: ${headersText(call)},\n  body: ${longText(body, " +\n    ")},\n}`;
  return `const url = new URL(${quoted(url)});${query}
const response = await fetch(url, ${options});
console.log(response.status);
console.log(await response.text());
`;
}

/** All ways to write a call: a name for people, and what writes it. @type {{name: string, write: (call: CallToShow) => string}[]} */
export const LANGUAGES = [
  { name: "curl", write: curl },
  { name: "Python", write: pythonStandard },
  { name: "Python, httpx", write: pythonHttpx },
  { name: "JavaScript", write: javaScript },
];

function pythonDict(params, indent) {
  return `{\n${params.map(([name, value]) => `${indent}    ${quoted(name)}: ${quoted(value)},\n`).join("")}${indent}}`;
}

/** What is posted, as bytes: a literal for each of its lines. */
function pythonBytes(body) {
  return `(\n    ${longText(body, "\n    ")}\n).encode()`;
}

function jsObject(params) {
  return `{\n${params.map(([name, value]) => `  ${/^\w+$/.test(name) ? name : quoted(name)}: ${quoted(value)},\n`).join("")}}`;
}

/** A long text as literals, one for each of its lines. */
function longText(text, separator) {
  return text.split(/(?<=\n)/).map(quoted).join(separator) || quoted("");
}

/** A string literal: JSON's are valid in JavaScript and in Python. */
function quoted(text) {
  return JSON.stringify(text);
}
