/** Make elements. No text is ever parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element.
 * @param {string} tag
 * @param {Object<string, any>|null} [props] attributes; `on…` are handlers, `class` the classes, `dataset` an object;
 *   true is an attribute without a value; null, undefined and false leave an attribute out
 * @param {...any} children nodes, texts, numbers, or arrays of them; null, undefined and false are left out
 * @returns {HTMLElement}
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * Make an SVG element.
 * @param {string} tag
 * @param {Object<string, any>|null} [attributes] as of `h`
 * @param {...any} children as of `h`
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Replace everything in an element.
 * @param {Element} element
 * @param {...any} children as of `h`
 */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  element.append(...nodes(children));
  return element;
}

function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "value" && "value" in element) element.value = value;
  else if (name === "style") throw new TypeError("The policy of the page refuses style attributes: use classes");
  else element.setAttribute(name, value === true ? "" : String(value));
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
