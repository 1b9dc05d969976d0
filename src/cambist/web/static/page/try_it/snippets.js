/** A request as a command or a program. No DOM. The key is always a placeholder. */

export const PLACEHOLDER = "YOUR_KEY";

/**
 * @typedef {{url: string, params: [string, string][]}} CallToShow `url` without a query
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
  return `curl -i -H 'X-API-Key: ${PLACEHOLDER}' ${shellQuoted(addressOf(call))}\n`;
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {CallToShow} call */
export function pythonHttpx({ url, params }) {
  const given = params.length ? `\n    params=${pythonDict(params, "    ")},` : "";
  return `import httpx  # requests has the same get()

response = httpx.get(
    ${quoted(url)},${given}
    headers={"X-API-Key": "${PLACEHOLDER}"},
)
print(response.status_code)
print(response.text)
`;
}

/** @param {CallToShow} call */
export function pythonStandard({ url, params }) {
  const query = params.length ? `\nurl += "?" + urlencode(${pythonDict(params, "")})` : "";
  const imports = params.length ? "from urllib.parse import urlencode\n" : "";
  return `from urllib.error import HTTPError
${imports}from urllib.request import Request, urlopen

url = ${quoted(url)}${query}
request = Request(url, headers={"X-API-Key": "${PLACEHOLDER}"})
try:
    response = urlopen(request)
except HTTPError as error:
    response = error
print(response.status)
print(response.read().decode())
`;
}

/** @param {CallToShow} call */
export function javaScript({ url, params }) {
  const query = params.length ? `\nurl.search = new URLSearchParams(${jsObject(params)});` : "";
  return `const url = new URL(${quoted(url)});${query}
const response = await fetch(url, { headers: { "X-API-Key": "${PLACEHOLDER}" } });
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

function jsObject(params) {
  return `{\n${params.map(([name, value]) => `  ${/^\w+$/.test(name) ? name : quoted(name)}: ${quoted(value)},\n`).join("")}}`;
}

/** A string literal: JSON's are valid in JavaScript and in Python. */
function quoted(text) {
  return JSON.stringify(text);
}
