/** Mouse, wheel, touch and keyboard on a chart, told as what they mean: pan, zoom, and the place of the crosshair. */

/**
 * @typedef {object} Actions
 * @property {(part: number) => void} pan by a part of the visible stretch
 * @property {(factor: number, at: number) => void} zoom around a place, 0 left to 1 right
 * @property {(at: number | null) => void} point the crosshair at a place, or nowhere
 * @property {(direction: 1 | -1, isFar: boolean) => void} step the crosshair to the next day
 * @property {(end: "first" | "last") => void} jump the crosshair to an end of what is visible
 * @property {() => void} all show everything
 * @property {() => void} hint say how to zoom with the wheel
 * @property {() => {x: number, width: number}} plot the plot, in pixels of the element
 */

const WHEEL = 0.0016;
const TAP = 6;
/** How many pixels a finger may move in a tap. */

/** Listen on an element. @param {HTMLElement} element @param {Actions} actions */
export function listen(element, actions) {
  const pointers = new Map();
  let moved = 0;
  const placeOf = (clientX) => {
    const { x, width } = actions.plot();
    return (clientX - element.getBoundingClientRect().left - x) / width;
  };
  const drop = (event) => {
    if (pointers.delete(event.pointerId) && event.pointerType !== "mouse" && moved < TAP) actions.point(placeOf(event.clientX));
    element.classList.toggle("dragged", pointers.size > 0);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, event.clientX);
    element.setPointerCapture(event.pointerId);
    element.classList.add("dragged");
  });
  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === "mouse") actions.point(placeOf(event.clientX));
      return;
    }
    moved += Math.abs(event.clientX - before);
    if (pointers.size === 2) pinch(pointers, event, placeOf, actions);
    else actions.pan((before - event.clientX) / actions.plot().width);
    pointers.set(event.pointerId, event.clientX);
    if (event.pointerType === "mouse") actions.point(placeOf(event.clientX));
  });
  element.addEventListener("pointerup", drop);
  element.addEventListener("pointercancel", drop);
  element.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && pointers.size === 0) actions.point(null);
  });
  element.addEventListener("wheel", (event) => onWheel(event, placeOf, actions), { passive: false });
  element.addEventListener("keydown", (event) => onKey(event, actions));
}

function pinch(pointers, event, placeOf, actions) {
  const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
  const before = pointers.get(event.pointerId);
  const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
  if (was > 8 && is > 8) actions.zoom(was / is, placeOf((other + event.clientX) / 2));
}

/** The wheel alone scrolls the page; a pinch on a trackpad comes as a wheel with Ctrl. */
function onWheel(event, placeOf, actions) {
  const isAcross = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (!isAcross && !event.ctrlKey && !event.metaKey) {
    actions.hint();
    return;
  }
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
  if (isAcross) actions.pan((event.deltaX * unit) / actions.plot().width);
  else actions.zoom(Math.exp(event.deltaY * unit * WHEEL), Math.min(Math.max(placeOf(event.clientX), 0), 1));
}

function onKey(event, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    ArrowLeft: () => actions.step(-1, event.shiftKey),
    ArrowRight: () => actions.step(1, event.shiftKey),
    PageUp: () => actions.pan(-0.5),
    PageDown: () => actions.pan(0.5),
    Home: () => actions.jump("first"),
    End: () => actions.jump("last"),
    Escape: () => actions.point(null),
    "+": () => actions.zoom(0.5, 0.5),
    "=": () => actions.zoom(0.5, 0.5),
    "-": () => actions.zoom(2, 0.5),
    0: () => actions.all(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
