// A client that sends everything as soon as the socket is open, with the API of browsers.
"use strict";

const WebSocket = require("ws");

const PAIRS = ["EURUSD", "XAUUSD", "BTCUSD"];

const socket = new WebSocket(process.argv[2]);
const ops = [];
const symbols = new Set();

setTimeout(() => fail(`gave up after 20 s with ${JSON.stringify(ops)}`), 20000).unref();

function fail(what) {
  console.error(what);
  process.exit(1);
}

socket.onopen = () => {
  socket.send(JSON.stringify({ op: "auth", key: process.env.CAMBIST_KEY }));
  socket.send(JSON.stringify({ op: "subscribe", stream: "fx", pairs: PAIRS }));
};

socket.onmessage = (event) => {
  const frame = JSON.parse(event.data);
  if (ops[ops.length - 1] !== frame.op) ops.push(frame.op);
  if (frame.op === "price") symbols.add(frame.sym);
  else if (frame.status !== 200) fail(`${frame.op} has the status ${frame.status}: ${frame.msg}`);
  if (symbols.size === PAIRS.length) socket.close();
};

socket.onerror = (event) => fail(event.message);

socket.onclose = (event) => {
  const told = ops.join(" ");
  if (told !== "connect auth subscribe price") fail(`was told: ${told}; closed with ${event.code}`);
  if (PAIRS.some((pair) => !symbols.has(pair))) fail(`no price of each, but of ${[...symbols].join(" ")}`);
  console.log(JSON.stringify({ ops, symbols: [...symbols].sort(), code: event.code }));
};
