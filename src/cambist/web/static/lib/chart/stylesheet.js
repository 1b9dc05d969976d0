/** The stylesheet of charts, linked when the first chart is drawn. */

const HREF = new URL("./chart.css", import.meta.url).href;

/** Link `chart.css` in the document, once. */
export function linkStylesheet() {
  if ([...document.styleSheets].some((sheet) => sheet.href === HREF)) return;
  if (document.querySelector("link[data-charts]")) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = HREF;
  link.dataset.charts = "";
  document.head.append(link);
}
