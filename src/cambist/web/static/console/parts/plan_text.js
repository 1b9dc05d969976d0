/** Positions in the text of the plans file. Pure. */

/** Return where a line begins and ends in a text; lines count from 1, and one beyond the text is its last. */
export function lineRange(text, line) {
  const lines = text.split("\n");
  const wanted = Math.min(Math.max(line, 1), lines.length);
  const start = lines.slice(0, wanted - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return [start, start + lines[wanted - 1].length];
}

/** Return how many lines a text has, as an editor counts them. */
export function lineCount(text) {
  return text.split("\n").length;
}

/** Return an error without the name of the file and the line in front of it, which are shown at the line itself. */
export function withoutPlace(error) {
  return error.replace(/^[^\s:]+(?:, line \d+)?: /, "");
}
