/**
 * The views of the page, in the order of the navigation: one line each.
 *
 * `name` is the route and the module `views/NAME.js`, which exports `title` and `show(root, params, shell)`.
 * `styled`: there is a `views/NAME.css` too. `linked`: false for a view that others link to, outside the navigation.
 */
export const VIEWS = [
];
