/** Drawing that follows the width of an element. */

/**
 * Call `draw(width)` when the element has a width and whenever it changes.
 * @param {HTMLElement} element @param {(width: number) => void} draw @returns {() => void} ends it
 */
export function drawToFit(element, draw) {
  let drawn = 0;
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === drawn || width === 0) return;
    drawn = width;
    draw(width);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
