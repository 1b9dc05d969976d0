// The errors of the client. Every message is a sentence.

/** The root of all errors of the client. */
export class CambistError extends Error {
  override readonly name: string = "CambistError";
}

/** Nothing answers at the address, or what answers is not Cambist. */
export class ConnectionFailed extends CambistError {
  override readonly name: string = "ConnectionFailed";
}

/** The service refuses the request. */
export class ServiceError extends CambistError {
  override readonly name: string = "ServiceError";

  /**
   * `status` is the HTTP status, `code` the word for the error, such as `unknown_currency`, and `retryAfter` the
   * seconds after which the same request may succeed, undefined if the service does not say.
   */
  constructor(
    sentence: string,
    readonly status: number,
    readonly code: string = "",
    readonly retryAfter: number | undefined = undefined,
  ) {
    super(sentence);
  }
}

/** A parameter is missing, malformed or out of range. */
export class BadRequest extends ServiceError {
  override readonly name: string = "BadRequest";
}

/** No currency, coin, metal, pair or instrument has this name. */
export class UnknownSymbol extends BadRequest {
  override readonly name = "UnknownSymbol";
}

/** The API key does not identify an active account. */
export class KeyRefused extends ServiceError {
  override readonly name = "KeyRefused";
}

/** The plan does not include the endpoint, or history that old. */
export class NotInPlan extends ServiceError {
  override readonly name = "NotInPlan";
}

/** There is no rate on that day, or no such path. */
export class NotFound extends ServiceError {
  override readonly name = "NotFound";
}

/** Too many requests in a short time. */
export class RateLimited extends ServiceError {
  override readonly name: string = "RateLimited";
}

/** The calls of the period are spent. */
export class QuotaSpent extends RateLimited {
  override readonly name = "QuotaSpent";
}

/** A rate is missing or too old now; a later request may succeed. */
export class Unavailable extends ServiceError {
  override readonly name = "Unavailable";
}

type Refusal = new (sentence: string, status: number, code?: string, retryAfter?: number) => ServiceError;

const BY_STATUS: Readonly<Record<number, Refusal>> = {
  400: BadRequest,
  401: KeyRefused,
  403: NotInPlan,
  404: NotFound,
  429: RateLimited,
  503: Unavailable,
};

/** Make the error that a refusal of the service is. */
export function refusal(sentence: string, status: number, code: string, retryAfter?: number): ServiceError {
  let kind = BY_STATUS[status] ?? ServiceError;
  if (code.startsWith("unknown_") && status === 400) kind = UnknownSymbol;
  if (code === "quota_spent") kind = QuotaSpent;
  return new kind(sentence, status, code, retryAfter);
}
