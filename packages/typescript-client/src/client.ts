// The client: it asks over `fetch`, and reads answers and refusals.

import { ConnectionFailed, refusal } from "./errors.js";
import { Endpoints, type CallOptions, type TableQuestions } from "./interface.js";
import { PriceStream, type StreamOptions } from "./stream.js";

/** What came with an answer beside its body. */
export interface AnswerDetails {
  readonly path: string;
  /** What the answer cost, in calls; undefined if the service did not say. */
  readonly callsCost: number | undefined;
  /** The state of the history, or of the live prices, that the answer was made from. */
  readonly edition: string | undefined;
  /** The parameters that the endpoint does not accept. */
  readonly ignored: string | undefined;
  /** The receipt, a compact JWS, if one was asked for. */
  readonly receipt: string | undefined;
}

export interface ClientOptions {
  /** The address of the service, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** An API key; the open page needs none. */
  readonly key?: string;
  /** Milliseconds after which a call is given up: 30,000 if left out. */
  readonly timeout?: number;
  /** Used in place of the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** Called with what came beside each answer. */
  readonly onAnswer?: (details: AnswerDetails) => void;
}

/** The forms of tables that are text; the others are bytes. */
export type TextFormat = "csv" | "ndjson";
export type BinaryFormat = "xlsx" | "arrow" | "parquet";

const TIMEOUT = 30_000;

/** A client of a service. Each endpoint is a method; errors are in `errors.ts`. */
export class Cambist extends Endpoints {
  readonly #url: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    super();
    if (!/^https?:\/\//.test(options.url)) throw new TypeError(`[${options.url}] is no address with http or https`);
    this.#url = options.url.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Return an answer as a table: text for `csv` and `ndjson`, bytes for the others. */
  table<Path extends keyof TableQuestions>(
    path: Path,
    format: TextFormat,
    params: TableQuestions[Path],
    options?: CallOptions,
  ): Promise<string>;
  table<Path extends keyof TableQuestions>(
    path: Path,
    format: BinaryFormat,
    params: TableQuestions[Path],
    options?: CallOptions,
  ): Promise<ArrayBuffer>;
  table(
    path: string,
    format: TextFormat | BinaryFormat,
    params: object,
    options: CallOptions = {},
  ): Promise<string | ArrayBuffer> {
    const isText = format === "csv" || format === "ndjson";
    const read = (response: Response): Promise<string | ArrayBuffer> =>
      isText ? response.text() : response.arrayBuffer();
    return this.#send(`${path}.${format}`, params, {}, options, read);
  }

  /**
   * Return a stream of prices. It connects with the key of this client.
   *
   * `url` is the address of the stream, such as `ws://127.0.0.1:8001`, which has a port of its own.
   */
  stream(options: Omit<StreamOptions, "key">): PriceStream {
    const { key } = this.#options;
    return new PriceStream(key === undefined ? options : { ...options, key });
  }

  protected override ask<Answer>(path: string, params: object, options: CallOptions): Promise<Answer> {
    return this.#send(path, params, {}, options, readJson<Answer>);
  }

  protected override post<Answer>(path: string, body: unknown, options: CallOptions): Promise<Answer> {
    const headers = { "Content-Type": "application/json" };
    return this.#send(path, {}, { method: "POST", headers, body: JSON.stringify(body) }, options, readJson<Answer>);
  }

  protected override postText(path: string, text: string, params: object, options: CallOptions): Promise<string> {
    const headers = { "Content-Type": "text/csv; charset=utf-8" };
    const read = (response: Response): Promise<string> => response.text();
    return this.#send(path, params, { method: "POST", headers, body: text }, options, read);
  }

  async #send<Answer>(
    path: string,
    params: object,
    init: { method?: string; headers?: Record<string, string>; body?: string },
    options: CallOptions,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { key, fetch: given, timeout = TIMEOUT, onAnswer } = this.#options;
    const headers = { ...init.headers, ...(key === undefined ? {} : { "X-API-Key": key }) };
    const ending = new AbortController();
    const end = (): void => ending.abort(options.signal?.reason);
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", end, { once: true });
    const timer = setTimeout(() => ending.abort(new ConnectionFailed(`No answer in ${timeout} ms`)), timeout);
    try {
      const target = this.#url + path + query(params, options.receipt === true);
      // A `fetch` of the platform must be called without a receiver of ours.
      const response = await (given ?? globalThis.fetch)(target, { ...init, headers, signal: ending.signal });
      if (!response.ok) throw await refused(response);
      onAnswer?.(detailsOf(path, response));
      return await read(response);
    } catch (error) {
      if (ending.signal.aborted) throw ending.signal.reason;
      if (error instanceof TypeError) throw new ConnectionFailed(`Nothing answers at ${this.#url}`, { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", end);
    }
  }
}

/** Return the query of parameters, of which those that are undefined are left out and lists are joined. */
function query(params: object, isReceipt: boolean): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(params) as [string, unknown][]) {
    if (value !== undefined) found.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  if (isReceipt) found.set("receipt", "1");
  const text = found.toString();
  return text && `?${text}`;
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    if (error instanceof SyntaxError) throw new ConnectionFailed("What answers is not Cambist", { cause: error });
    throw error;
  }
}

async function refused(response: Response): Promise<Error> {
  let body: { error?: unknown; code?: unknown } | null;
  try {
    body = (await response.json()) as typeof body;
  } catch {
    body = null;
  }
  if (typeof body?.error !== "string") return new ConnectionFailed(`What answers with ${response.status} is not Cambist`);
  const wait = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  const code = typeof body.code === "string" ? body.code : "";
  return refusal(body.error, response.status, code, Number.isNaN(wait) ? undefined : wait);
}

function detailsOf(path: string, response: Response): AnswerDetails {
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
  const cost = header("X-Calls-Cost");
  return {
    path,
    callsCost: cost === undefined ? undefined : Number(cost),
    edition: header("Cambist-Edition"),
    ignored: header("Cambist-Ignored"),
    receipt: header("Cambist-Receipt"),
  };
}
