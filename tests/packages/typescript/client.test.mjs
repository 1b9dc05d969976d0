// The client in Node, against the sandbox that the environment names.

import assert from "node:assert/strict";
import { test } from "node:test";

const { CLIENT, URL: url, STREAM: streamUrl, KEY: key } = process.env;
const cambist = await import(CLIENT);
const client = new cambist.Cambist({ url, key });
const CENTS = /^\d+(\.\d\d?)?$/; // numbers have no trailing zeros

test("a rate is a number", async () => {
  const { base, result, updated } = await client.fetchOne({ from: "EUR", to: "USD" });
  assert.equal(base, "EUR");
  assert.ok(result.USD > 0.5 && result.USD < 2);
  assert.match(updated, /^\d{4}-\d\d-\d\dT/);
});

test("lists are joined, and what is left out is not sent", async () => {
  const { results } = await client.fetchMulti({ from: "EUR", to: ["USD", "GBP"], min_sources: undefined });
  assert.deepEqual(Object.keys(results).sort(), ["GBP", "USD"]);
});

test("an amount of more digits than a number has is sent as it is written", async () => {
  let text = "";
  const heard = async (...asked) => {
    const response = await fetch(...asked);
    text = await response.clone().text();
    return response;
  };
  const hearing = new cambist.Cambist({ url, key, fetch: heard });
  await hearing.convert({ from: "EUR", to: "EUR", amount: "9007199254740993.25" });
  assert.match(text, /"amount": ?9007199254740993\.25\b/);
});

test("an amount is converted to the cent", async () => {
  const { result } = await client.convert({ from: "EUR", to: "USD", amount: 100 });
  assert.match(String(result.USD), CENTS);
});

test("questions are posted, and files of amounts too", async () => {
  const { positions } = await client.value({ positions: [{ asset: "XAU", amount: "2" }], currency: "EUR" });
  assert.equal(positions[0].asset, "XAU");
  assert.ok(positions[0].worth > 0);
  const rows = (await client.convertBulk("amount,from,to\r\n17,EUR,USD\r\n18,EUR,ABC\r\n")).trim().split("\r\n");
  assert.equal(rows.length, 3);
  assert.match(rows[1], /^17,EUR,USD,\d+(\.\d\d?)?,/);
  assert.match(rows[2], /ABC/);
});

test("a table is text, or bytes", async () => {
  const asked = { date: "2024-03-01", from: "EUR", to: "USD,GBP" };
  assert.match(await client.table("/historical", "csv", asked), /USD/);
  const workbook = new Uint8Array(await client.table("/historical", "xlsx", asked));
  assert.deepEqual([...workbook.slice(0, 2)], [0x50, 0x4b]);
});

test("what comes beside an answer is told, with a receipt if one is asked for", async () => {
  const seen = [];
  const watched = new cambist.Cambist({ url: `${url}/`, key, onAnswer: (details) => seen.push(details) });
  await watched.historical({ date: "2024-03-01", from: "EUR", to: "USD" }, { receipt: true });
  await watched.metalsUnits();
  assert.equal(seen[0].path, "/historical");
  assert.equal(seen[0].callsCost, 1);
  assert.ok(seen[0].edition);
  assert.equal(seen[0].receipt.split(".").length, 3);
  assert.equal(seen[1].receipt, undefined);
});

test("each refusal is an error of its kind, with the sentence of the service", async () => {
  const { UnknownSymbol, BadRequest, KeyRefused, NotFound, CambistError } = cambist;
  await assert.rejects(client.fetchOne({ to: "ZZZ" }), (error) => {
    assert.ok(error instanceof UnknownSymbol && error instanceof BadRequest && error instanceof CambistError);
    assert.deepEqual([error.status, error.code, error.name], [400, "unknown_currency", "UnknownSymbol"]);
    assert.match(error.message, /\[ZZZ\]/);
    return true;
  });
  await assert.rejects(client.convert({ to: "USD", amount: "much" }), { name: "BadRequest", code: "bad_parameter" });
  await assert.rejects(client.historical({ date: "1970-01-02", from: "PLN", to: "CZK" }), NotFound);
  const stranger = new cambist.Cambist({ url, key: "cmb_nonsense" });
  await assert.rejects(stranger.fetchOne({ to: "EUR" }), KeyRefused);
});

test("where nothing or something else answers, the connection has failed", async () => {
  const other = (body, status) => new cambist.Cambist({ url, fetch: async () => new Response(body, { status }) });
  const nowhere = new cambist.Cambist({ url: "http://127.0.0.1:9" });
  const never = (_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)));
  const slow = new cambist.Cambist({ url, timeout: 20, fetch: never });
  for (const one of [nowhere, other("<html>", 200), other("<html>", 502), slow]) {
    await assert.rejects(one.currencies(), cambist.ConnectionFailed);
  }
  await assert.rejects(other('{"error": "Wait", "code": "quota_spent"}', 429).usage(), cambist.QuotaSpent);
  assert.throws(() => new cambist.Cambist({ url: "127.0.0.1:8000" }), TypeError);
});

test("a call ends when its signal says so", async () => {
  await assert.rejects(client.fetchOne({ to: "EUR" }, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("the stream has prices in exact digits, and ends when the loop is left", async () => {
  const ignored = [];
  const pairs = ["BTC/USD", "NOPE"];
  for await (const price of client.stream({ url: streamUrl, pairs, onSubscribed: (them) => ignored.push(...them) })) {
    assert.equal(price.sym, "BTCUSD");
    assert.match(price.bid, /^\d+(\.\d+)?$/);
    assert.ok(Number(price.ask) >= Number(price.bid));
    break;
  }
  assert.deepEqual(ignored, ["NOPE"]);
});

test("the stream connects again after a cut", async () => {
  const made = [];
  class Cut extends WebSocket {
    constructor(address) {
      super(address);
      made.push(this);
    }
  }
  let count = 0;
  for await (const _ of client.stream({ url: streamUrl, pairs: ["BTC/USD"], firstPause: 1, WebSocket: Cut })) {
    count += 1;
    if (made.length === 3) break;
    made.at(-1).close();
  }
  assert.equal(made.length, 3);
  assert.ok(count >= 3);
});

test("the stream connects again where nothing answers, until its signal says so", async () => {
  const ending = new AbortController();
  let attempts = 0;
  class Counted extends WebSocket {
    constructor(address) {
      super(address);
      attempts += 1;
      if (attempts === 3) ending.abort();
    }
  }
  const { signal } = ending;
  const asked = { url: "ws://127.0.0.1:9", pairs: ["BTC/USD"], firstPause: 1, WebSocket: Counted, signal };
  for await (const _ of client.stream(asked)) assert.fail("nothing answers");
  assert.equal(attempts, 3);
});

test("the stream ends with what the service refuses", async () => {
  const first = (stream) => stream[Symbol.asyncIterator]().next();
  const stranger = new cambist.Cambist({ url, key: "cmb_nonsense" });
  await assert.rejects(first(stranger.stream({ url: streamUrl, pairs: ["BTC/USD"] })), cambist.KeyRefused);
  await assert.rejects(first(client.stream({ url: streamUrl, pairs: ["NOPE"] })), cambist.BadRequest);
});

test("a connection on which nothing comes any more counts as cut", async () => {
  const sent = [];
  let made = 0;
  class Silent {
    constructor() {
      made += 1;
      setTimeout(() => this.onmessage({ data: '{"op":"connect","status":200}' }));
      const price = '{"op":"price","sym":"BTCUSD","bid":"1.10","ask":"1.2"}';
      if (made === 2) setTimeout(() => this.onmessage({ data: price }), 5);
    }
    send(text) {
      sent.push(JSON.parse(text).op);
    }
    close() {}
  }
  const stream = client.stream({ url: streamUrl, pairs: ["BTC/USD"], silence: 40, firstPause: 1, WebSocket: Silent });
  for await (const price of stream) {
    assert.equal(price.bid, "1.10");
    break;
  }
  assert.deepEqual(sent.slice(0, 2), ["auth", "status"]);
  assert.equal(made, 2);
});
