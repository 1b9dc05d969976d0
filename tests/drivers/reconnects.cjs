// A client that reconnects: when it is disconnected, it connects and subscribes again, and ends with its first price.
"use strict";

const WebSocket = require("ws");

const cuts = [];
let connections = 0;
let refusals = 0;

setTimeout(() => fail(`gave up after 20 s with ${connections} connections, ${refusals} refusals`), 20000).unref();

function fail(what) {
  console.error(what);
  process.exit(1);
}

function print(line) {
  console.log(JSON.stringify(line));
}

function connect() {
  const ws = new WebSocket(process.argv[2]);
  let number = 0;
  let isPriced = false;

  ws.on("open", () => {
    connections += 1;
    number = connections;
    print({ event: "connection", number });
    ws.send(JSON.stringify({ op: "auth", key: process.env.CAMBIST_KEY }));
    ws.send(JSON.stringify({ op: "subscribe", stream: "fx", pairs: ["BTCUSD"] }));
  });

  ws.on("message", (data) => {
    const frame = JSON.parse(data);
    if (frame.op !== "price" && frame.status !== 200) fail(`${frame.op}: ${frame.status}, ${frame.msg}`);
    if (frame.op !== "price" || isPriced) return;
    isPriced = true;
    print({ event: "price", number, bid: frame.bid, ask: frame.ask, tsp: frame.tsp });
    if (number === 2) ws.close();
  });

  // `close` follows, after a refused connection and after a lost one.
  ws.on("error", () => {});

  ws.on("close", (code) => {
    if (number === 2 && isPriced) return print({ event: "end", connections, refusals, cuts, code });
    if (number === 0) refusals += 1;
    else cuts.push(code);
    setTimeout(connect, 100);
  });
}

connect();
