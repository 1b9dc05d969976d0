import assert from "node:assert/strict";
import test from "node:test";

import { PriceStream } from "./static/lib/stream.js";
import { backOff, isFinal, stateInWords } from "./static/lib/stream_retry.js";

/** A browser in which nothing happens by itself: sockets receive what a test sends, and timers fire when time is moved. */
class Platform {
  sockets = [];
  timers = [];
  time = 1_000_000;
  now = () => this.time;
  random = () => 1;
  open = (url) => {
    const socket = { url, sent: [], closed: false, send: (text) => socket.sent.push(JSON.parse(text)), close: () => (socket.closed = true) };
    this.sockets.push(socket);
    return socket;
  };
  setTimer = (then, ms) => this.timers.push({ at: this.time + ms, then }) && this.timers.at(-1);
  clearTimer = (timer) => (this.timers = this.timers.filter((each) => each !== timer));
  get socket() {
    return this.sockets.at(-1);
  }
  receive(message) {
    this.socket.onmessage({ data: JSON.stringify(message) });
  }
  pass(ms) {
    const end = this.time + ms;
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.time = next.at;
      this.clearTimer(next);
      next.then();
    }
    this.time = end;
  }
}

function started(pairs = ["EUR/USD"]) {
  const seen = { prices: [], states: [], ignored: [], clocks: [] };
  const platform = new Platform();
  const stream = new PriceStream({
    url: "ws://here", key: () => "cmb_x", platform,
    onprice: (price) => seen.prices.push(price), onstate: (state) => seen.states.push(state),
    onsubscribed: (ignored, text) => seen.ignored.push([ignored, text]), onclock: (ms) => seen.clocks.push(ms),
  });
  stream.subscribe(pairs);
  return { stream, platform, seen };
}

function live(pairs) {
  const all = started(pairs);
  authenticate(all.platform);
  return all;
}

function authenticate(platform) {
  platform.receive({ op: "connect", status: 200, tsp: platform.time + 250 });
  platform.receive({ op: "auth", status: 200, tsp: platform.time });
}

const names = (seen) => seen.states.map(({ name }) => name);

test("the key is the first message, and the pairs the second", () => {
  const { platform, seen } = live(["EUR/USD", "XAU/USD"]);
  assert.deepEqual(platform.socket.sent, [
    { op: "auth", key: "cmb_x" }, { op: "subscribe", stream: "fx", pairs: ["EUR/USD", "XAU/USD"] },
  ]);
  assert.deepEqual(names(seen), ["connecting", "live"]);
  assert.equal(seen.clocks[0], 250);
});

test("prices are handed on as they are", () => {
  const { platform, seen } = live();
  const price = { op: "price", sym: "EURUSD", bid: "1.10", ask: "1.11", tsp: 1 };
  platform.receive(price);
  assert.deepEqual(seen.prices, [price]);
});

test("a lost connection is made again, with the pairs of now", () => {
  const { stream, platform, seen } = live();
  platform.pass(9_000);
  platform.socket.onclose();
  assert.deepEqual(seen.states.at(-1), { name: "waiting", reason: "", retryAt: platform.time + 1000 });
  stream.subscribe(["BTC/USD"]);
  platform.pass(1000);
  assert.equal(platform.sockets.length, 2);
  authenticate(platform);
  assert.deepEqual(platform.socket.sent.at(-1).pairs, ["BTC/USD"]);
  assert.equal(names(seen).at(-1), "live");
});

test("attempts that fail wait longer and longer, and a steady connection begins anew", () => {
  const { platform, seen } = started();
  const waits = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    platform.socket.onclose();
    waits.push(seen.states.at(-1).retryAt - platform.time);
    platform.pass(waits.at(-1));
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  authenticate(platform);
  platform.pass(5000);
  platform.socket.onclose();
  assert.equal(seen.states.at(-1).retryAt - platform.time, 1000);
});

test("a refused key is not tried again", () => {
  const { platform, seen } = started();
  platform.receive({ op: "connect", status: 200, tsp: 1 });
  platform.receive({ op: "auth", status: 401, tsp: 1, msg: "The API key is unknown here" });
  platform.socket.onclose();
  assert.deepEqual(seen.states.at(-1), { name: "refused", reason: "The API key is unknown here", retryAt: 0 });
  platform.pass(600_000);
  assert.equal(platform.sockets.length, 1);
});

test("too many connections is a refusal that passes", () => {
  const { platform, seen } = started();
  platform.receive({ op: "connect", status: 200, tsp: 1 });
  platform.receive({ op: "auth", status: 429, tsp: 1, msg: "all are open" });
  platform.socket.onclose();
  assert.equal(names(seen).at(-1), "waiting");
  assert.equal(seen.states.at(-1).reason, "all are open");
});

test("pairs that the service does not have are named", () => {
  const { platform, seen } = live(["EUR/USD", "NO/WAY"]);
  platform.receive({ op: "subscribe", status: 200, tsp: 1, msg: "Subscribed", ignored: ["NO/WAY"] });
  platform.receive({ op: "subscribe", status: 400, tsp: 1, msg: "No valid pairs" });
  assert.deepEqual(seen.ignored, [[["NO/WAY"], ""], [["EUR/USD", "NO/WAY"], "No valid pairs"]]);
});

test("a silent connection is asked, and replaced if it does not answer", () => {
  const { platform, seen } = live();
  platform.pass(10_000);
  assert.deepEqual(platform.socket.sent.at(-1), { op: "status" });
  platform.receive({ op: "status", status: 200, tsp: platform.time });
  platform.pass(5_000);
  assert.equal(names(seen).at(-1), "live");
  platform.pass(10_000);
  assert.equal(names(seen).at(-1), "waiting");
  assert.equal(platform.sockets[0].closed, true);
});

test("a connection that never opens is given up", () => {
  const { platform, seen } = started();
  platform.pass(10_000);
  assert.equal(names(seen).at(-1), "waiting");
});

test("nothing comes from a socket that was replaced or closed", () => {
  const { stream, platform, seen } = live();
  const old = platform.socket;
  stream.close();
  old.onmessage({ data: '{"op":"price","sym":"EURUSD"}' });
  old.onclose();
  assert.equal(seen.prices.length, 0);
  assert.equal(names(seen).at(-1), "closed");
  assert.equal(platform.timers.length, 0);
});

test("an empty list ends the subscription", () => {
  const { stream, platform } = live();
  stream.subscribe([]);
  assert.deepEqual(platform.socket.sent.at(-1), { op: "unsubscribe", stream: "fx" });
});

test("waits are spread by a quarter", () => {
  assert.equal(backOff(0, 0), 750);
  assert.equal(backOff(0, 1), 1000);
  assert.equal(backOff(50, 1), 30_000);
});

test("states are said in words", () => {
  assert.equal(stateInWords({ name: "waiting", reason: "", retryAt: 3_500 }, 2_000), "Reconnecting in 2 s.");
  assert.equal(stateInWords({ name: "refused", reason: "No key", retryAt: 0 }, 0), "The stream refused the connection. No key.");
  assert.equal(stateInWords({ name: "live", reason: "", retryAt: 0 }, 0), "Live");
  assert.deepEqual([401, 403, 429, 503].map(isFinal), [true, true, false, false]);
});
