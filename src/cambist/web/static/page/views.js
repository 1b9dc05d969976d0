import { t } from "../lib/texts.js";

/**
 * The views, in the order of the navigation: `views/NAME.js` exports `title` and `show(root, params, shell)`. `styled`: by
 * `views/NAME.css`, or that of another view. `linked`: false outside the navigation; `under`: the link that is marked.
 */
export const VIEWS = [
  { name: "convert", title: t`Convert`, styled: true },
  { name: "charts", title: t`Charts`, styled: true },
  { name: "bars", title: t`Bars`, styled: "charts", linked: false, under: "charts" },
  { name: "board", title: t`Board`, styled: true },
  { name: "alerts", title: t`Alerts`, styled: true },
  { name: "prices", title: t`Prices`, styled: true },
  { name: "metals", title: t`Metals`, styled: "prices" },
  { name: "positions", title: t`Positions`, styled: "prices" },
  { name: "report", title: t`Report`, styled: "prices" },
  { name: "spreadsheets", title: t`Spreadsheets`, styled: "prices", linked: false, under: "report" },
  { name: "sources", title: t`Sources`, styled: true },
  { name: "coverage", title: t`Coverage`, styled: "sources", linked: false, under: "sources" },
  { name: "currency", title: t`Currencies`, styled: "sources", linked: false, under: "sources" },
  { name: "try", title: t`Try it`, styled: true },
];
