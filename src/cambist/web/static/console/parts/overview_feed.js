/** The overview, asked for again and again while the page is visible, for every part of it that shows some of it. */

const OFTEN = 3000;
const SELDOM = 15_000;

/**
 * @param {() => Promise<any>} read
 */
export function watchOverview(read) {
  const listeners = new Set();
  const state = { every: SELDOM, timer: 0, last: null, running: false, asking: false };

  function tell(overview, error) {
    for (const listener of listeners) listener(overview, error);
  }

  async function look() {
    clearTimeout(state.timer);
    if (!state.running || state.asking) return;
    state.asking = true;
    try {
      state.last = await read();
      tell(state.last, null);
    } catch (error) {
      tell(state.last, error);
    }
    state.asking = false;
    if (state.running && !document.hidden) state.timer = setTimeout(look, state.every);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });

  return {
    /** Call a listener with the last overview, if there is one, and with each new one. Returns what ends that. */
    listen(listener) {
      listeners.add(listener);
      if (state.last) listener(state.last, null);
      return () => listeners.delete(listener);
    },
    /** Ask every few seconds, or only for the counts in the navigation. */
    often(often) {
      state.every = often ? OFTEN : SELDOM;
      if (often) look();
    },
    now: look,
    start() {
      state.running = true;
      look();
    },
    stop() {
      state.running = false;
      state.last = null;
      listeners.clear();
      clearTimeout(state.timer);
    },
  };
}
