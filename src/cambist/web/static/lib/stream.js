/**
 * A client of the price stream: it sends the key, subscribes, and connects again whenever the connection is lost.
 *
 * No DOM. The messages are those of docs/reference/stream.md.
 */

import { plainSentence } from "./format.js";
import { backOff, isFinal } from "./stream_retry.js";
import { t } from "./texts.js";

/** After so long without a message the client asks for the status, and after so long without an answer it reconnects. */
const QUIET_MS = 10_000;
const ANSWER_MS = 5_000;
/** A connection that has lasted so long was a good one: the next loss begins with the shortest wait. */
const STEADY_MS = 5_000;

/**
 * @typedef {Object} StreamState
 * @property {"connecting"|"live"|"waiting"|"refused"|"closed"} name "waiting": connects again at `retryAt`; "refused":
 *   the service said no, and will say no again
 * @property {string} reason why, in the words of the service; may be empty
 * @property {number} retryAt milliseconds since 1970; 0 unless the state is "waiting"
 */

export class PriceStream {
  /**
   * @param {Object} options
   * @param {string} options.url
   * @param {"fx"|"fx1s"} [options.stream] every change, or at most one a second for each pair
   * @param {() => string} options.key asked for at each connection, so that nothing keeps it
   * @param {(price: {sym: string, bid: string, ask: string, tsp: number, fixed_on?: string}) => void} options.onprice
   * @param {(state: StreamState) => void} options.onstate
   * @param {(ignored: string[], text: string) => void} [options.onsubscribed] the pairs that the service does not have;
   *   `text` is its sentence if it refused all
   * @param {(ms: number) => void} [options.onclock] how far the clock of the service is ahead of this one
   * @param {{open: (url: string) => WebSocket, now: () => number, setTimer: Function, clearTimer: Function,
   *   random: () => number}} [options.platform] for tests
   */
  constructor({ url, stream = "fx", key, onprice, onstate, onsubscribed = () => {}, onclock = () => {}, platform = BROWSER }) {
    Object.assign(this, { url, stream, key, onprice, onstate, onsubscribed, onclock, platform });
    this.pairs = [];
    this.attempt = 0;
    this.socket = null;
    this.timer = null;
    this.refusal = null;
    this.state = { name: "closed", reason: "", retryAt: 0 };
  }

  /** Receive the prices of these pairs, and of no others. Connects if that is necessary. @param {string[]} pairs */
  subscribe(pairs) {
    this.pairs = [...pairs];
    if (this.state.name === "live") this.sendPairs();
    else if (this.state.name === "closed") this.connect();
  }

  /** Connect now instead of waiting, also after a refusal. */
  connect() {
    this.stopTimer();
    this.drop();
    this.refusal = null;
    this.become("connecting");
    const socket = this.platform.open(this.url);
    this.socket = socket;
    this.wait(QUIET_MS, () => this.lost(t`The stream does not answer`));
    socket.onmessage = ({ data }) => socket === this.socket && this.receive(data);
    socket.onclose = () => socket === this.socket && this.lost(this.refusal?.text ?? "");
    socket.onerror = () => {}; // a close always follows
  }

  /** End the connection, for good. */
  close() {
    this.stopTimer();
    this.drop();
    this.become("closed");
  }

  receive(data) {
    const message = JSON.parse(data);
    this.lastMessage = this.platform.now();
    if (message.op === "price") {
      this.onprice(message);
      return;
    }
    if (message.tsp) this.onclock(message.tsp - this.lastMessage);
    const handlers = { connect: this.authenticate, auth: this.authenticated, subscribe: this.subscribed, error: this.failed };
    handlers[message.op]?.call(this, message);
  }

  authenticate(message) {
    if (message.status === 200) this.send({ op: "auth", key: this.key() });
    else this.failed(message);
  }

  authenticated(message) {
    if (message.status !== 200) {
      this.failed(message);
      return;
    }
    this.liveSince = this.lastMessage;
    this.become("live");
    this.sendPairs();
    this.watch();
  }

  subscribed({ status, msg, ignored = [] }) {
    if (status === 400) this.onsubscribed(this.pairs, plainSentence(msg));
    else this.onsubscribed(ignored, status === 200 ? "" : plainSentence(msg));
  }

  /** Keep why the service refuses; it closes the connection then. */
  failed({ status, msg }) {
    this.refusal = { status, text: plainSentence(msg) };
  }

  /** Subscribe to all pairs: the list replaces the one before. An empty list ends the stream's subscription. */
  sendPairs() {
    const { pairs, stream } = this;
    this.send(pairs.length ? { op: "subscribe", stream, pairs } : { op: "unsubscribe", stream });
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** Ask for the status when it has been quiet: a browser does not notice a connection that died silently. */
  watch() {
    const quiet = this.platform.now() - this.lastMessage;
    if (quiet < QUIET_MS) {
      this.wait(QUIET_MS - quiet, () => this.watch());
      return;
    }
    this.send({ op: "status" });
    const askedAt = this.platform.now();
    this.wait(ANSWER_MS, () => {
      if (this.lastMessage >= askedAt) this.watch();
      else this.lost(t`The stream does not answer`);
    });
  }

  lost(reason) {
    const wasSteady = this.state.name === "live" && this.platform.now() - this.liveSince >= STEADY_MS;
    this.stopTimer();
    this.drop();
    if (this.refusal && isFinal(this.refusal.status)) {
      this.become("refused", reason);
      return;
    }
    this.attempt = wasSteady ? 0 : this.attempt;
    const pause = backOff(this.attempt, this.platform.random());
    this.attempt += 1;
    this.wait(pause, () => this.connect());
    this.become("waiting", reason, this.platform.now() + pause);
  }

  /** Forget the socket: nothing that it still receives counts. */
  drop() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  become(name, reason = "", retryAt = 0) {
    this.state = { name, reason, retryAt };
    this.onstate(this.state);
  }

  wait(ms, then) {
    this.stopTimer();
    this.timer = this.platform.setTimer(then, ms);
  }

  stopTimer() {
    if (this.timer !== null) this.platform.clearTimer(this.timer);
    this.timer = null;
  }
}

const BROWSER = {
  open: (url) => new WebSocket(url),
  now: () => Date.now(),
  setTimer: (then, ms) => setTimeout(then, ms),
  clearTimer: (timer) => clearTimeout(timer),
  random: () => Math.random(),
};
