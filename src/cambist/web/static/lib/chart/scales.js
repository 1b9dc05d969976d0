/** Scales and the ticks of a value axis. No DOM. */

/** @typedef {{from: number, to: number, place: (value: number) => number, value: (place: number) => number}} Scale */

/**
 * Return the scale that takes `from`..`to` to the pixels `start`..`end`, by their logarithms if `log`.
 * @param {number} from @param {number} to @param {number} start @param {number} end @param {boolean} [log] @returns {Scale}
 */
export function makeScale(from, to, start, end, log = false) {
  const into = log ? Math.log : (value) => value;
  const back = log ? Math.exp : (value) => value;
  const [low, high] = [into(from), into(to)];
  const ratio = high === low ? 0 : (end - start) / (high - low);
  return {
    from,
    to,
    place: (value) => start + (into(value) - low) * ratio,
    value: (place) => (ratio === 0 ? from : back(low + (place - start) / ratio)),
  };
}

/** Return a round step (1, 2, 2.5 or 5 times a power of ten) of at least `least`. @param {number} least */
export function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/**
 * Return round values between two values, at most `count` of them, and their step.
 * @param {number} from @param {number} to @param {number} count @returns {{values: number[], step: number}}
 */
export function linearTicks(from, to, count) {
  if (!(to > from)) return { values: [from], step: Math.abs(from) || 1 };
  const step = roundStep((to - from) / Math.max(count, 1));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const values = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { values, step };
}

/**
 * Return values for a log axis: powers of ten if there are many decades, else 1, 2 and 5 of each, else round steps.
 * @param {number} from @param {number} to @param {number} count @returns {{values: number[], step: number}}
 */
export function logTicks(from, to, count) {
  const decades = Math.log10(to / from);
  if (decades < 1) return linearTicks(from, to, count);
  const factors = decades * 3 <= count ? [1, 2, 5] : decades * 2 <= count ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(count, 1)));
  const values = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += 1) {
    if (power % every !== 0) continue;
    for (const factor of factors) values.push(Number(`${factor}e${power}`));
  }
  return { values: values.filter((value) => value >= from && value <= to), step: 0 };
}

/**
 * Return the text of a tick: as many decimals as its step needs; far from one as a power of ten. `step` 0: of its own.
 * @param {number} value @param {number} step @returns {string}
 */
export function tickLabel(value, step) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return powerLabel(value, step);
  if (step === 0) return String(Number(value.toPrecision(12)));
  return value.toFixed(decimalsOf(step));
}

/** Return how many decimals a round step needs. @param {number} step */
export function decimalsOf(step) {
  const power = Math.floor(Math.log10(step) + 1e-9);
  const isWhole = Math.abs(step / 10 ** power - Math.round(step / 10 ** power)) < 1e-6;
  return Math.max(0, -power + (isWhole ? 0 : 1));
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function powerLabel(value, step) {
  const power = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  const digits = step === 0 ? 0 : decimalsOf(step / 10 ** power);
  const mantissa = (value / 10 ** power).toFixed(Math.min(digits, 6));
  const raised = String(power).replace("-", "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[+digit]);
  return mantissa === "1" ? `10${raised}` : `${mantissa}×10${raised}`;
}
