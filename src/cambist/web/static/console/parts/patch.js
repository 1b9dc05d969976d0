/**
 * Change the children of an element into others, and touch only what differs.
 *
 * A view that is refreshed every few seconds keeps its focus, its selection, its scroll position and its open
 * `<details>` that way, and nothing flickers. Nodes are matched by `data-key`, or else by position and tag.
 * Event handlers are not carried over: a view that is patched listens on its root (see `onAction`).
 */

/**
 * @param {Element} root the element to change
 * @param {...(Node | string)} children what it shall contain
 */
export function patch(root, ...children) {
  const wanted = children.flat(9).filter((child) => child !== null && child !== undefined && child !== false);
  const nodes = wanted.map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
  patchNodes(root, nodes);
}

function patchNodes(root, wanted) {
  const keyed = new Map([...root.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let here = root.firstChild;
  for (const node of wanted) {
    const key = keyOf(node);
    const old = key ? keyed.get(key) : here && !keyOf(here) ? here : null;
    if (old && isAlike(old, node)) {
      if (old !== here) root.insertBefore(old, here);
      patchNode(old, node);
      here = old.nextSibling;
    } else {
      root.insertBefore(node, here);
      if (old && !key) {
        here = old.nextSibling;
        old.remove();
      }
    }
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

function isAlike(old, node) {
  return old.nodeType === node.nodeType && old.nodeName === node.nodeName;
}

function patchNode(old, node) {
  if (!(old instanceof Element)) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  patchAttributes(old, node);
  patchNodes(old, [...node.childNodes]);
}

/** An open `<details>` is the reader's choice: it stays open. */
function patchAttributes(old, node) {
  for (const { name } of [...old.attributes]) {
    if (!node.hasAttribute(name) && name !== "open" && name !== "style") old.removeAttribute(name);
  }
  for (const { name, value } of node.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style.cssText !== node.style.cssText) old.style.cssText = node.style.cssText;
}

/**
 * Call a handler by the name in `data-action` of what was clicked within an element.
 *
 * @param {Element} root
 * @param {Record<string, (element: HTMLElement) => void>} handlers
 */
export function onAction(root, handlers) {
  root.addEventListener("click", (event) => {
    const element = event.target instanceof Element ? event.target.closest("[data-action]") : null;
    if (element instanceof HTMLElement && root.contains(element)) handlers[element.dataset.action]?.(element);
  });
}
