/** The list of sources: order, filter, and whether one has answered. Pure. */

/** The states, those that need an operator first. */
export const ORDER = ["failing", "late", "held", "waiting", "fresh", "off"];

/** Return the sources with those first that need an operator, otherwise in their own order. */
export function sorted(sources) {
  return [...sources].sort((one, other) => ORDER.indexOf(one.condition) - ORDER.indexOf(other.condition));
}

/** Return whether a source is in a state (any if empty) and has each word of a text in what describes it. */
export function matches(source, condition, text) {
  if (condition && source.condition !== condition) return false;
  const described = `${source.key} ${source.name} ${source.covers}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => described.includes(word));
}

/** Return "answered" or "failed" if the source did so at or after a time, "" if neither yet. */
export function hasAnswered(source, askedAt) {
  const since = Date.parse(askedAt);
  const [success, failure] = [source.last_success, source.last_failure].map((each) => (each ? Date.parse(each) : -1));
  if (success >= since && success >= failure) return "answered";
  return failure >= since ? "failed" : "";
}
