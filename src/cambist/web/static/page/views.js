/**
 * The views of the page, in the order of the navigation: one line each.
 *
 * `name` is the route and the module `views/NAME.js`, which exports `title` and `show(root, params, shell)`.
 * `styled`: there is a `views/NAME.css` too, or the name of the view whose styles it shares. `linked`: false for a view
 * that others link to, outside the navigation; `under` is the view whose link is marked for it.
 */
export const VIEWS = [
  { name: "convert", title: "Convert", styled: true },
  { name: "charts", title: "Charts", styled: true },
  { name: "bars", title: "Bars", styled: "charts", linked: false, under: "charts" },
  { name: "board", title: "Board", styled: true },
  { name: "alerts", title: "Alerts", styled: true },
  { name: "prices", title: "Price list", styled: true },
  { name: "metals", title: "Metals", styled: "prices" },
  { name: "positions", title: "Positions", styled: "prices" },
  { name: "report", title: "Report", styled: "prices" },
  { name: "sources", title: "Sources", styled: true },
  { name: "coverage", title: "Coverage", styled: "sources", linked: false, under: "sources" },
  { name: "currency", title: "Currencies", styled: "sources", linked: false, under: "sources" },
  { name: "try", title: "Try it", styled: true },
];
