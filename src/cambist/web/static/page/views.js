/**
 * The views, in the order of the navigation: `views/NAME.js` exports `title` and `show(root, params, shell)`. `styled`: by
 * `views/NAME.css`, or that of another view. `linked`: false outside the navigation; `under`: the link that is marked.
 */
export const VIEWS = [
  { name: "convert", title: "Convert", styled: true },
  { name: "charts", title: "Charts", styled: true },
  { name: "bars", title: "Bars", styled: "charts", linked: false, under: "charts" },
  { name: "board", title: "Board", styled: true },
  { name: "alerts", title: "Alerts", styled: true },
  { name: "prices", title: "Prices", styled: true },
  { name: "metals", title: "Metals", styled: "prices" },
  { name: "positions", title: "Positions", styled: "prices" },
  { name: "report", title: "Report", styled: "prices" },
  { name: "sources", title: "Sources", styled: true },
  { name: "coverage", title: "Coverage", styled: "sources", linked: false, under: "sources" },
  { name: "currency", title: "Currencies", styled: "sources", linked: false, under: "sources" },
  { name: "try", title: "Try it", styled: true },
];
