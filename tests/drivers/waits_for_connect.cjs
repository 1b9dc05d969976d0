// A client that sends nothing before the greeting, and fails on an unknown op.
"use strict";

const WebSocket = require("ws");

const OPS = ["connect", "auth", "subscribe", "unsubscribe", "status", "shutdown", "price", "error"];
const PAIRS = ["EURUSD", "XAUUSD", "BTCUSD"];

const ws = new WebSocket(process.argv[2]);
const ops = [];
const prices = {};

setTimeout(() => fail(`gave up after 20 s with ${JSON.stringify(ops)}`), 20000).unref();

function fail(what) {
  console.error(what);
  process.exit(1);
}

function send(frame) {
  ws.send(JSON.stringify(frame));
}

function checkPrice(frame) {
  if (!PAIRS.includes(frame.sym)) throw new Error(`a price of ${frame.sym}, which nobody asked for`);
  if (typeof frame.bid !== "string" || typeof frame.ask !== "string") throw new Error("a side is not a string");
  if (!(Number(frame.bid) <= Number(frame.ask))) throw new Error(`${frame.sym} is ${frame.bid} to ${frame.ask}`);
  prices[frame.sym] = [frame.bid, frame.ask];
  if (Object.keys(prices).length === PAIRS.length) ws.close();
}

ws.on("message", (data) => {
  const frame = JSON.parse(data);
  if (!OPS.includes(frame.op)) throw new Error(`unknown op: ${frame.op}`);
  if (ops[ops.length - 1] !== frame.op) ops.push(frame.op);
  if (frame.op === "price") return checkPrice(frame);
  if (frame.status !== 200) fail(`${frame.op} has the status ${frame.status}: ${frame.msg}`);
  if (frame.op === "connect") send({ op: "auth", key: process.env.CAMBIST_KEY });
  if (frame.op === "auth") send({ op: "subscribe", stream: "fx", pairs: PAIRS });
});

ws.on("error", (error) => fail(error.message));

ws.on("close", (code) => {
  if (Object.keys(prices).length < PAIRS.length) fail(`closed with ${code} too early`);
  console.log(JSON.stringify({ ops, prices, code }));
});
