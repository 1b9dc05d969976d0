// A client that compares the exact texts of replies and the order of the fields of a price.
"use strict";

const assert = require("assert");
const WebSocket = require("ws");

const ANSWER = ["msg", "op", "status", "tsp"];
const PRICE = ["op", "sym", "bid", "ask", "tsp"];

const ws = new WebSocket(process.argv[2]);
const inbox = [];
const texts = [];
const prices = {};
let wake = () => {};

setTimeout(() => fail(`gave up after 20 s with ${JSON.stringify(texts)}`), 20000).unref();

function fail(what) {
  console.error(what);
  process.exit(1);
}

ws.on("message", (data, isBinary) => {
  inbox.push({ text: data.toString(), isBinary });
  wake();
});
ws.on("error", (error) => fail(error.message));
ws.on("close", (code) => {
  if (code !== 1000) fail(`closed with ${code}`);
  console.log(JSON.stringify({ texts, prices, code }));
});

async function receive() {
  while (inbox.length === 0) await new Promise((resolve) => (wake = resolve));
  const { text, isBinary } = inbox.shift();
  assert.strictEqual(isBinary, false);
  assert.ok(/"tsp":[1-9]\d{12}[,}]/.test(text), `no whole milliseconds: ${text}`);
  return JSON.parse(text);
}

function checkPrice(frame, symbol) {
  assert.deepStrictEqual(Object.keys(frame), PRICE);
  assert.deepStrictEqual([frame.op, frame.sym], ["price", symbol]);
  assert.ok(Number.isInteger(frame.tsp));
  for (const side of [frame.bid, frame.ask]) {
    assert.strictEqual(typeof side, "string");
    assert.ok(/^\d+(\.\d+)?$/.test(side), `not a plain number: ${side}`);
  }
  prices[symbol] = (prices[symbol] || 0) + 1;
}

// Prices of earlier subscriptions may come before the reply.
async function request(message, op, status, text) {
  if (message) ws.send(JSON.stringify(message));
  let frame = await receive();
  for (; frame.op === "price"; frame = await receive()) checkPrice(frame, frame.sym);
  assert.deepStrictEqual(Object.keys(frame).sort(), ANSWER);
  assert.deepStrictEqual([frame.op, frame.status], [op, status]);
  if (text instanceof RegExp) assert.ok(text.test(frame.msg), `no ${text} in: ${frame.msg}`);
  else assert.strictEqual(frame.msg, text);
  assert.ok(Math.abs(frame.tsp - Date.now()) < 60000, `wrong time ${frame.tsp}`);
  texts.push(frame.msg);
}

async function main() {
  await request(null, "connect", 200, /./);
  await request({ op: "auth", key: process.env.CAMBIST_KEY }, "auth", 200, "Authenticated OK");
  await request({ op: "subscribe", stream: "fx1s", pairs: ["EURUSD"] }, "subscribe", 200, "Subscribed to 1 stream");
  checkPrice(await receive(), "EURUSD");
  await request({ op: "subscribe", stream: "fx", pairs: ["BTCUSD"] }, "subscribe", 200, "Subscribed to 2 streams");
  await request({ op: "subscribe", stream: "fx", pairs: ["ZZZZZZ"] }, "subscribe", 400, /No valid pairs/);
  await request({ op: "unsubscribe", stream: "fx1s" }, "unsubscribe", 200, /./);
  for (let count = 0; count < 5; count += 1) checkPrice(await receive(), "BTCUSD");
  ws.close(1000);
}

main().catch((error) => fail(error.stack));
