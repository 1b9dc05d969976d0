/** The last 24 hours of a source as columns: how many requests failed, how long they took, what was held. Pure. */

/** @typedef {{start: string, polls: number, answers: number, failures: number, mean: number | null, slowest: number, held: number}} Slot */

/** Return the slots of a source, from the columns of the answer. */
export function slotsOf(starts, columns) {
  return starts.map((start, place) => ({
    start,
    polls: columns.polls[place],
    answers: columns.answers[place],
    failures: columns.failures[place],
    mean: columns.mean_ms[place],
    slowest: columns.slowest_ms[place],
    held: columns.held[place],
  }));
}

/** Return how a slot is drawn: its part of the height of the busiest, of that the part that failed, and its latency. */
export function columnsOf(slots) {
  const busiest = Math.max(1, ...slots.map(countOf));
  const slowest = Math.max(1, ...slots.map(({ mean }) => mean ?? 0));
  return slots.map((slot) => {
    const count = countOf(slot);
    // A single request of a quiet half hour is seen, too: shares are square roots.
    const height = Math.sqrt(count / busiest);
    return { height, failed: count ? Math.min(1, slot.failures / count) * height : 0, latency: (slot.mean ?? 0) / slowest, held: slot.held > 0 };
  });
}

/** Requests and failures of a slot; a source that is only listened to has prices that were heard. */
function countOf({ polls, answers, failures }) {
  return Math.max(polls, answers, failures);
}

/** Return a slot in words. */
export function slotText(slot) {
  const from = new Date(slot.start).toISOString().slice(11, 16);
  return `${from} UTC: ${countsText(slot)}`;
}

/** Return all slots in words. */
export function dayText(slots) {
  const sum = (name) => slots.reduce((total, slot) => total + slot[name], 0);
  const polls = sum("polls");
  const took = slots.reduce((total, slot) => total + (slot.mean ?? 0) * slot.polls, 0);
  const most = (name) => Math.max(0, ...slots.map((slot) => slot[name]));
  return countsText({ polls, answers: sum("answers"), failures: sum("failures"), mean: polls ? took / polls : null, slowest: most("slowest"), held: most("held") });
}

function countsText({ polls, answers, failures, mean, slowest, held }) {
  if (!polls && !answers && !failures && !held) return "nothing";
  const asked = polls ? `${grouped(polls)} ${polls === 1 ? "request" : "requests"}` : "";
  const heard = !polls && answers ? `${grouped(answers)} answers heard` : "";
  const times = polls ? `${duration(mean)} on average, ${duration(slowest)} at most` : "";
  return [asked, heard, failures ? `${grouped(failures)} failed` : "none failed", times, held ? `${grouped(held)} held` : ""].filter(Boolean).join(", ");
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function duration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
