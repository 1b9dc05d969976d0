// The stream of prices over a WebSocket, which connects again by itself.

import { CambistError, ConnectionFailed, refusal } from "./errors.js";

/** A price: decimals are texts with the digits that the service has. */
export interface StreamPrice {
  readonly op: "price";
  readonly sym: string;
  readonly bid: string;
  readonly ask: string;
  /** The market's time, in milliseconds since 1970. */
  readonly tsp: number;
  /** The day of the fixing, if the price is made from one. */
  readonly fixed_on?: string;
}

export interface StreamOptions {
  /** The address of the stream, such as `ws://127.0.0.1:8001`. */
  readonly url: string;
  readonly key?: string;
  readonly pairs: readonly string[];
  /** `fx`: every change, if left out; `fx1s`: at most one a second for each pair. */
  readonly stream?: "fx" | "fx1s";
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the first new attempt, doubled with each that fails, up to `longestPause`. */
  readonly firstPause?: number;
  readonly longestPause?: number;
  /** Milliseconds without an answer to `status` until a connection counts as cut. */
  readonly silence?: number;
  /** Called each time that prices begin, with the pairs that the service does not know. */
  readonly onSubscribed?: (ignored: readonly string[]) => void;
  /** Used in place of the `WebSocket` of the platform; Node has one from version 22 on. */
  readonly WebSocket?: SocketMaker;
}

/** What the stream needs of a WebSocket: the class of browsers, of Node 22, and of the package ws have it. */
export type SocketMaker = new (url: string) => Socket;
export interface Socket {
  send(text: string): void;
  close(code?: number): void;
  onmessage: ((event: { data: any }) => unknown) | null; // eslint-disable-line -- classes differ in the type of data
  onclose: ((event: { code: number }) => unknown) | null;
  onerror: ((event: any) => unknown) | null;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
const SILENCE = 30_000;
const REFUSED = 400;
const TOO_MANY = 429;
const FAILED = 500;

interface Reply {
  readonly op: string;
  readonly status?: number;
  readonly msg?: string;
  readonly ignored?: readonly string[];
}

/**
 * An endless iteration of prices: `for await (const price of client.stream({…}))`.
 *
 * After a cut it connects again, with growing pauses. Of each pair the newest price waits for a reader that is slow.
 * It ends with a ServiceError if the service refuses key, plan or pairs, and without one if the loop is left.
 */
export class PriceStream implements AsyncIterable<StreamPrice> {
  readonly #options: StreamOptions;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamPrice, void, undefined> {
    const { firstPause = FIRST_PAUSE, longestPause = LONGEST_PAUSE, signal } = this.#options;
    let pause = firstPause;
    while (!signal?.aborted) {
      const connection = new Connection(this.#options);
      const end = (): void => connection.close();
      signal?.addEventListener("abort", end, { once: true });
      try {
        for await (const price of connection.prices()) {
          pause = firstPause;
          yield price;
        }
      } finally {
        signal?.removeEventListener("abort", end);
        connection.close();
      }
      // Half of the pause is random, so that clients do not come back all at once.
      await sleep(pause * (0.5 + Math.random() / 2), signal);
      pause = Math.min(2 * pause, longestPause);
    }
  }
}

/** One connection. Its prices end when it is cut, and throw what the service refuses. */
class Connection {
  readonly #options: StreamOptions;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, StreamPrice>();
  #error: CambistError | undefined;
  #isOver = false;
  #wake: () => void = () => {};
  #watch: ReturnType<typeof setInterval>;
  #heard = Date.now();

  constructor(options: StreamOptions) {
    this.#options = options;
    const Maker = options.WebSocket ?? (globalThis as { WebSocket?: SocketMaker }).WebSocket;
    if (Maker === undefined) throw new ConnectionFailed("There is no WebSocket here: give the stream one");
    this.#socket = new Maker(options.url);
    this.#socket.onmessage = (event) => this.#receive(String(event.data));
    this.#socket.onclose = () => this.#end();
    this.#socket.onerror = () => this.#end(); // in Node 20 no close follows where nothing answers
    const silence = options.silence ?? SILENCE;
    this.#watch = setInterval(() => this.#checkSilence(silence), silence / 4);
  }

  async *prices(): AsyncGenerator<StreamPrice, void, undefined> {
    for (;;) {
      const [next] = this.#waiting;
      if (next !== undefined) {
        this.#waiting.delete(next[0]);
        yield next[1];
      } else if (this.#error !== undefined) {
        throw this.#error;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((wake) => (this.#wake = wake));
      }
    }
  }

  close(): void {
    const isOpen = !this.#isOver;
    this.#end();
    if (isOpen) this.#socket.close(1000);
  }

  #end(error?: CambistError): void {
    clearInterval(this.#watch);
    this.#isOver = true;
    this.#error ??= error;
    this.#wake();
  }

  /** Ask for the status if nothing came for a while, and take a connection without an answer to that as cut. */
  #checkSilence(silence: number): void {
    const quiet = Date.now() - this.#heard;
    if (quiet >= silence) this.close();
    else if (quiet >= silence / 2) this.#send({ op: "status" });
  }

  #receive(text: string): void {
    if (this.#isOver) return;
    this.#heard = Date.now();
    const message = read(text);
    if (message === undefined) return this.#fail(new ConnectionFailed("What answers is no stream of Cambist"));
    if (message.op === "price") {
      const price = message as unknown as StreamPrice;
      this.#waiting.set(price.sym, price);
      return this.#wake();
    }
    const { status = 0, msg = "" } = message;
    // The status of prices may be 503 while none arrive: that is an answer. So is a fault of the service a cut.
    if (message.op === "status") return;
    if (status >= FAILED) return this.close();
    if (status >= REFUSED) return this.#fail(refusal(msg, status, status === TOO_MANY ? "rate_limited" : ""));
    this.#answer(message);
  }

  #answer(message: Reply): void {
    const { key, pairs, stream = "fx", onSubscribed } = this.#options;
    const subscription = { op: "subscribe", stream, pairs };
    if (message.op === "connect") this.#send(key === undefined ? subscription : { op: "auth", key });
    else if (message.op === "auth") this.#send(subscription);
    else if (message.op === "subscribe") onSubscribed?.(message.ignored ?? []);
    else if (message.op === "shutdown") this.close();
  }

  #send(message: object): void {
    try {
      this.#socket.send(JSON.stringify(message));
    } catch {
      this.close(); // it is not open any more
    }
  }

  #fail(error: CambistError): void {
    this.#end(error);
    this.#socket.close(1000);
  }
}

function read(text: string): Reply | undefined {
  try {
    const found = JSON.parse(text) as Reply | null;
    return typeof found?.op === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

function sleep(pause: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pause);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
