// The types and methods of the interface, written by tools/typescript_types.py from docs/openapi.json: do not edit.

/** What a method may be given beside its parameters. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Ask for a receipt, which `onAnswer` of the client is then given. */
  readonly receipt?: boolean;
}

export interface Error {
  /** A sentence that names the parameter and its value. */
  readonly error: string;
  readonly code: "account_suspended" | "bad_parameter" | "internal" | "key_ended" | "key_malformed" | "key_missing" | "key_unknown" | "keys_differ" | "lock_ended" | "malformed_request" | "no_rate" | "no_rate_of_type" | "not_in_plan" | "not_known_then" | "quota_spent" | "quota_unknown" | "rate_limited" | "rate_unavailable" | "receipt_unavailable" | "too_busy" | "too_few_sources" | "too_many_failures" | "too_many_waiting" | "unknown_currency" | "unknown_instrument" | "unknown_metal" | "unknown_pair" | "unknown_path" | "wrong_method";
}

/**
 * How many independent sources agree on the rate of a code against the US dollar, or which law decides it.
 *
 * `deviation` is the highest minus the lowest of their rates of `pair`, present if there are several. Where `law` is present the rate follows from that of another code without a source of its own. `status` is what was found of a daily fixing: agreed, majority, single, disputed (then `other` is the rate that the rest say) or held.
 */
export interface AgreementRecord {
  readonly sources: number;
  readonly pair?: string;
  readonly deviation?: string;
  readonly law?: string;
  readonly status?: string;
  readonly other?: string;
}

/**
 * What a publisher said: `nominal` units of `base` are `value` of `quote`, on `date`.
 *
 * A mean has in `days` of how many days it is, and the last of them as its `date`.
 */
export interface PublishedRecord {
  readonly base: string;
  readonly quote: string;
  readonly value: string;
  readonly date: string;
  readonly nominal?: number;
  readonly days?: number;
}

/** The rule of an authority that was applied; `proven` if a published figure of it is reproduced by a test. */
export interface BookingRecord {
  readonly key: string;
  readonly country: string;
  readonly purpose: string;
  readonly law: string;
  readonly rule: string;
  readonly proven: boolean;
}

/** A token that holds the rates of this answer until `ends_at`, for the account that asked. */
export interface LockRecord {
  readonly token: string;
  readonly ends_at: string | number;
}

/** The close of a coin in dollars, the exchanges that it is from, and whether it was crossed between them. */
export interface CloseRecord {
  readonly value: string;
  readonly quote: string;
  readonly sources: readonly (string)[];
  readonly crossed: boolean;
  readonly received_at: string;
}

/**
 * A price: `cost` is the amount at the `rate`, to which `markup` and then `rounding` were added.
 *
 * `below_cost` warns of a price that is lower than its cost. `date` is the day of the fixing of a past rate.
 */
export interface PriceRecord {
  readonly price: number;
  readonly cost: number;
  readonly markup: number;
  readonly rounding: number;
  readonly rate: number;
  readonly below_cost: boolean;
  readonly updated?: string | number;
  readonly fixed_on?: string | null;
}

/**
 * What a rate was in a period, which is `complete` when it has ended.
 *
 * `open` and `close` are the first and the last rate of it, of the days `opened` and `closed`. `days` counts those that the mean is of, and `missing` the Mondays to Fridays without a publication. Where no day of a period is known its mean may be that of `publishers`, as `made` says; the rest is then unknown.
 */
export interface PeriodRecord {
  readonly start: string;
  readonly end: string;
  readonly mean: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly opened: string | null;
  readonly closed: string | null;
  readonly days: number;
  readonly missing: number;
  readonly complete: boolean;
  readonly made?: string;
  readonly publishers?: readonly (string)[];
}

/**
 * A rule: whose rate (`source`, a key of `/sources`), which publication of it (`rule`), and the law.
 *
 * `proven` if a test reproduces a figure that the authority published, such as the `example`. `unanswered` says why a rule is only listed; null if it is answered.
 */
export interface BookingRuleRecord {
  readonly country: string;
  readonly purpose: string;
  readonly source: string | null;
  readonly rule: string | null;
  readonly decimals: string | null;
  readonly law: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly proven: boolean;
  readonly example: string | null;
  readonly unanswered: string | null;
}

/**
 * How amounts of a currency are written and paid.
 *
 * `minor_units` is the number of decimals, `cash_step` the smallest amount that coins pay where that is more, `symbol` the sign that the language writes; null where there is none.
 */
export interface CurrencyDetails {
  readonly minor_units: number | null;
  readonly cash_step: number | null;
  readonly symbol: string | null;
}

/** The first and last day of a currency, the last null if it has not ended; `priced`: it has a rate now. */
export interface CurrencyLife {
  readonly first: string;
  readonly last: string | null;
  readonly priced: boolean;
}

/**
 * One leg of a rate: what one unit of `base` is worth in `quote`, and why.
 *
 * On a past day each leg is a fixing as it was published: `nominal` units of the base were `published` in the quote; a metal's `unit` is present if it is the gram, and `rate_type` if the leg is of the type asked for. `law` quotes the law that decides the rate, if one does. `age` is the age of the market's time `as_of`, in seconds. `fixed_on` is the day of the fixing that a past day uses, `carried_days` how far it was carried forward, and `because` why: weekend, holiday, missing (the source published other rates that day), late, held (what was published since is), or ended. On a live leg `because` is closed if the price is traded and its market is closed now. `verdict` is what all sources of a daily rate say.
 */
export interface LegRecord {
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly made: string;
  readonly sources?: readonly (string)[];
  readonly through?: readonly (string)[];
  readonly law?: string;
  readonly as_of?: string | null;
  readonly age?: number | null;
  readonly received_at?: string | null;
  readonly published?: string;
  readonly nominal?: number;
  readonly unit?: string;
  readonly rate_type?: string;
  readonly published_at?: string | null;
  readonly votes?: readonly (VoteRecord)[];
  readonly fixed_on?: string | null;
  readonly carried_days?: number;
  readonly because?: string;
  readonly verdict?: VerdictRecord | null;
}

/** What one source quotes; `age` is in seconds. A `weight` of 0: it was left out, as too far from the others. */
export interface VoteRecord {
  readonly source: string;
  readonly mid: string;
  readonly as_of: string;
  readonly age: number;
  readonly weight: number;
}

/**
 * What all sources that publish a code said of a day, and what was published of it.
 *
 * `status` is agreed, majority, single, disputed, held, none or withdrawn, or unjudged for a rate of a type that was asked for by name, and `sentence` says it in words. `level` is the agreed rate of `pair`, `other` the rate that most of the rest say. `settles` is what would settle a dispute. If the newest fixing is held, `held_since` is the day since when, and `because` says why.
 */
export interface VerdictRecord {
  readonly status: string;
  readonly sentence: string;
  readonly pair: string;
  readonly date: string;
  readonly level?: string;
  readonly other?: string;
  readonly fixings?: readonly (FixingRecord)[];
  readonly settles?: string;
  readonly held_since?: string | null;
  readonly because?: string;
}

/**
 * The fixing of one source: its `rate` of the verdict's pair, its weight, and what was found of it.
 *
 * `distance` is how far it is from the agreed rate, in per cent. `status` is agreed, early (published before a jump of that day) or held; then `because` says why.
 */
export interface FixingRecord {
  readonly source: string;
  readonly rate: string;
  readonly weight: number;
  readonly status: string;
  readonly distance?: number | null;
  readonly because?: string;
}

/** An amount, what it is worth, and the rate, as at `/convert`; `fixed_on` is that of the rate of a past day. */
export interface ConvertedRecord {
  readonly amount: number;
  readonly result: number;
  readonly rate: number;
  readonly fixed_on?: string | null;
}

/** A source of the legs: its name, and how often it publishes. */
export interface PublisherRecord {
  readonly name: string;
  readonly pace: string;
}

/**
 * A source: who it is, and its state.
 *
 * `state` is fresh, late, failing, waiting or off, and `why` the reason. `newest` is the newest market time received from it, and `lag` the age of that in seconds. `left_out` lists the cells and columns of its last answers that could not be read. `rate_types` are the further types of rates that can be asked for by `rate_type`.
 */
export interface SourceRecord {
  readonly name: string;
  readonly home: string;
  readonly terms: string;
  readonly licence: string;
  readonly redistribution: string;
  readonly pace: string;
  readonly rate_type: string;
  readonly covers: string;
  readonly state: Condition;
  readonly why: string;
  readonly last_success: string | number | null;
  readonly newest: string | number | null;
  readonly lag: number | null;
  readonly quoted: number;
  readonly quarantined: number;
  readonly left_out: readonly (string)[];
  readonly history: SourceCoverage;
  readonly rate_types?: readonly (string)[];
}

/**
 * Whether a source works: `late` has nothing recent, `held` has nothing recent that is believed.
 *
 * `waiting` has nothing yet, `off` is disabled.
 */
export type Condition = "failing" | "fresh" | "held" | "late" | "off" | "waiting";

/** What is stored from a source: the number of pairs, and the first and last day. */
export interface SourceCoverage {
  readonly pairs: number;
  readonly first: string | null;
  readonly last: string | null;
}

/** No source can be reached: a sentence for people, the keys of those that were asked, and the commonest reason. */
export interface UnreachedSources {
  readonly sentence: string;
  readonly unreached: readonly (string)[];
  readonly why: string;
}

/**
 * The sources of one currency or metal, best first.
 *
 * `independent` counts those that publish it now and do not compile the rates of others: with 1, nobody confirms its rate. `law` names who fixes its rate by law today; it is empty if nobody does. Of each source `pairs` counts the pairs in the archive with this code, `first` and `last` are the first and last day of them, `votes` is true if its price is behind the rate of now, `current` if it publishes now, and `compiled` if it compiles the rates of others.
 */
export interface CoverageRecord {
  readonly independent: number;
  readonly law: string;
  readonly sources: Readonly<Record<string, PublishedCurrency>>;
}

/**
 * What one source publishes of a code: the number of pairs, and the first and last day in the archive.
 *
 * `votes` is true if its price is behind the rate of now. `current` is true if it votes, or if it is switched on and its last fixing is no older than a fortnight, or as old as its reports allow if that is longer. `compiled` is true if it compiles the rates of others.
 */
export interface PublishedCurrency {
  readonly pairs?: number;
  readonly first?: string | null;
  readonly last?: string | null;
  readonly votes?: boolean;
  readonly current?: boolean;
  readonly compiled?: boolean;
}

/**
 * A fixing that a source published for a day, and what it replaced it with; or what is published now instead.
 *
 * A metal's `unit` is the gram if it is priced by the gram; otherwise it is empty. A fixing that was corrected twice is there twice. With `since`, `affected_until` is the last day whose rate it changes, `date` being the first, and `id` its own name. `kind` is verdict if no source has corrected anything, but another fixing of the day is published than before: `cause` says why.
 */
export interface CorrectionRecord {
  readonly date: string;
  readonly source: string;
  readonly base: string;
  readonly quote: string;
  readonly unit: string;
  readonly earlier: PublishedValue;
  readonly corrected: PublishedValue;
  readonly affected_until?: string;
  readonly id?: string;
  readonly kind?: string;
  readonly cause?: CauseRecord;
}

/**
 * What a source published in its digits: `nominal` units of the base cost `value`; and when it was received.
 *
 * Of a verdict `source` is whose fixing was published. Without one `status` is held, and `value` the rate of before that stood; or withdrawn: there is no rate, and `value` is the one that was or is there otherwise.
 */
export interface PublishedValue {
  readonly value: string;
  readonly nominal: number;
  readonly received_at: string;
  readonly source?: string;
  readonly status?: string;
}

/** Why a verdict has changed: the delivery of a source, or a decision of the operator, and when it was learnt. */
export interface CauseRecord {
  readonly received_at: string;
  readonly source?: string;
  readonly decision?: boolean;
}

/**
 * What a source published for the day: `nominal` units of the base cost `value`; and when it was learnt.
 *
 * `delivery` is the number of the delivery, which the first part of an edition counts. `corrects` says whether the source had published another value before. A metal's `unit` is the gram if it is priced by the gram.
 */
export interface VintageRecord {
  readonly source: string;
  readonly base: string;
  readonly quote: string;
  readonly unit: string;
  readonly value: string;
  readonly nominal: number;
  readonly published_at: string | null;
  readonly received_at: string;
  readonly delivery: number;
  readonly corrects: boolean;
}

/** One unit of `base` is priced in `quote`. */
export interface CryptoPair {
  readonly base: string;
  readonly quote: string;
}

/** How far one price has moved. `today` began at midnight UTC. */
export interface PriceMovesRecord {
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly today?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_24h?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_7d?: PriceMoveRecord;
}

/**
 * A price compared with those of a window, which were sampled every five minutes.
 *
 * `open` is the price of `since`, the first of the window, and `change_pct` the change since then in percent. `low` and `high` are the lowest and highest of the sampled prices and this one. All are in the unit of the price; `since` is in milliseconds since 1970.
 */
export interface PriceMoveRecord {
  readonly open: number;
  readonly change_pct: number;
  readonly low: number;
  readonly high: number;
  readonly since: number;
  readonly samples: number;
}

/**
 * Bid and ask of `size` units of the base, and their time in milliseconds since 1970.
 *
 * `fixed_on` is present if a daily fixing is part of the quote: a fixing has no spread, and nobody trades at it.
 */
export interface FxQuoteRecord {
  readonly bid: number;
  readonly ask: number;
  readonly tsp: number;
  readonly size: number;
  /** The day of the oldest daily fixing in the quote; absent if all of it is traded. */
  readonly fixed_on?: string;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly today?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_24h?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_7d?: PriceMoveRecord;
}

/** The last bid and ask of a bar, and the time at which it begins. */
export interface QuoteRow {
  readonly dtm: string | number;
  readonly bid: number;
  readonly ask: number;
}

/** Open, high, low and close of the bid in a bar, and the time at which it begins. */
export interface OhlcRow {
  readonly dtm: string | number;
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
}

/**
 * Bid and ask as decimal strings, for one unit of the pure metal; a ratio has no unit.
 *
 * `tsp` and `dtm` are the market's time of the quote. `cross_rate`: the instrument is not quoted itself, but crossed.
 */
export interface MetalsQuoteRecord {
  readonly bid: string;
  readonly ask: string;
  readonly mid: string;
  readonly spread: string;
  readonly tsp: number;
  readonly dtm: string;
  readonly metal: string;
  readonly target: string;
  readonly unit?: string;
  readonly purity?: string;
  readonly cross_rate: boolean;
  readonly metal_name?: string;
  readonly target_name?: string;
  readonly unit_name?: string;
}

/** The instruments without an answer: unknown, beyond the first ten, or without a fresh quote. */
export interface MetalsQuoteWarnings {
  readonly invalid_instruments?: readonly (string)[];
  readonly ignored_instruments?: readonly (string)[];
  readonly unavailable_instruments?: readonly (string)[];
}

/** An instrument. A ratio has no unit; precious metals have a `purity`, base metals a `grade`. */
export interface InstrumentRecord {
  readonly symbol: string;
  readonly alt: string;
  readonly metal: string;
  readonly name: string;
  readonly category: string;
  readonly target: string;
  readonly target_name: string;
  readonly unit?: string;
  readonly unit_name?: string;
  readonly type: string;
  readonly purity?: string;
  readonly grade?: string;
  readonly grade_name?: string;
  readonly grade_min_purity_pct?: number;
}

/** A stamp, its name, and its fineness in parts per thousand. */
export interface PurityRecord {
  readonly code: string;
  readonly name: string;
  readonly fineness: string;
}

/** The current period, `end` inclusive; without a quota `remaining_quota` is 9007199254740991. */
export interface CurrentPeriod {
  readonly start: string;
  readonly end: string;
  readonly remaining_quota: number;
  readonly usage: number;
}

/** An alert. `fired` counts how often it has fired; one that fires no more has `ended_at`. */
export interface AlertRecord {
  readonly id: number;
  readonly when: When;
  readonly from?: string;
  readonly to?: string;
  readonly level?: number;
  readonly low?: number;
  readonly high?: number;
  readonly change?: string;
  readonly within?: string;
  readonly source?: string;
  readonly date?: string;
  readonly deliver: Way;
  readonly address?: string;
  readonly repeat: boolean;
  readonly note?: string;
  readonly created_at: string | number;
  readonly fired: number;
  readonly ended_at?: string | number;
}

/** The conditions: of the rate of a pair, of a publisher, of past days of a pair, and of the account's quota. */
export type When = "above" | "below" | "corrected" | "moves" | "outside" | "published" | "quota";

/** How an alert is delivered: to a webhook, to the e-mail address of the account, or on the stream. */
export type Way = "email" | "stream" | "webhook";

/**
 * That an alert fired or was tried, and how its delivery went: `attempts` so far, and the last `failure`.
 *
 * `delivered_at` is when the receiver had taken it; `next_attempt` when it is sent again.
 */
export interface AlertEventRecord {
  readonly id: number;
  readonly alert: number;
  readonly at: string | number;
  readonly text: string;
  readonly test: boolean;
  readonly deliver: Way;
  readonly attempts: number;
  readonly delivered_at?: string | number;
  readonly next_attempt?: string | number;
  readonly failure?: string;
}

/**
 * What a position is worth, at the `rate` of one unit, which `explain` explains.
 *
 * `gain` is the worth less the `cost`, and `before` the worth on the earlier day. A rate of now has `updated`, one of a day `fixed_on`. A position without a rate has `error` instead.
 */
export interface PositionRecord {
  readonly name?: string;
  readonly asset: string;
  readonly amount: number;
  readonly rate?: number;
  readonly worth?: number;
  readonly updated?: string | number;
  readonly fixed_on?: string | null;
  readonly cost?: number;
  readonly gain?: number;
  readonly before?: number;
  readonly change?: number;
  readonly explain?: string;
  readonly error?: string;
}

/** The sums over the positions that have a rate; of gains over those that have a cost. */
export interface WorthTotals {
  readonly worth: number;
  readonly gain?: number;
  readonly before?: number;
  readonly change?: number;
  readonly missing: number;
}

/** The rate of a currency, and of when it is: a current one has `updated`, one of a day `fixed_on`. */
export interface ListRate {
  readonly rate: number;
  readonly updated?: string | number;
  readonly fixed_on?: string | null;
}

/** The prices of an article by currency. */
export interface ArticleRecord {
  readonly sku: string;
  readonly prices: Readonly<Record<string, ArticlePrice>>;
}

/**
 * A price: `amount` is the article's at the rate, to which `markup` and then `rounding` were added.
 *
 * `kept`: it differs from the last price by so little that this stays. `limited`: it would change by more than is allowed. `below_cost`: it is lower than the article's cost, or than its own price, at the rate.
 */
export interface ArticlePrice {
  readonly price: number;
  readonly amount: number;
  readonly markup: number;
  readonly rounding: number;
  readonly kept?: boolean;
  readonly limited?: boolean;
  readonly below_cost?: boolean;
}

/**
 * What pieces are worth: their metal at bid and ask, and what a shop pays (`buy`) and asks (`sell`) for them.
 *
 * `bid` and `ask` are the price of a gram of pure metal, of the time `updated`.
 */
export interface PieceRecord {
  readonly name?: string;
  readonly metal: string;
  readonly fine_grams: number;
  readonly bid: number;
  readonly ask: number;
  readonly melt_bid: number;
  readonly melt_ask: number;
  readonly buy: number;
  readonly sell: number;
  readonly updated: string | number;
  readonly source: string;
}

/** The sums over all pieces, of amounts that are rounded, as on an invoice. */
export interface ValueTotals {
  readonly melt_bid: number;
  readonly melt_ask: number;
  readonly buy: number;
  readonly sell: number;
}

/**
 * Up to 500 positions, and the currency and day of their worth; now if no day is given.
 *
 * With `since` the worth on that earlier day is told too, and the change.
 */
export interface ValueQuestion {
  readonly positions: readonly (PositionQuestion)[];
  readonly currency?: string;
  readonly date?: string | null;
  readonly since?: string | null;
}

/**
 * An amount of a currency, a metal (in its own unit, the ounce or the tonne) or a coin; below zero it is owed.
 *
 * `cost` is what was paid for it in the currency of the answer; without it, its worth on the day on which it was `bought`.
 */
export interface PositionQuestion {
  readonly asset: string;
  readonly amount: number | string;
  readonly cost?: number | string | null;
  readonly bought?: string | null;
  readonly name?: string | null;
}

/**
 * Articles priced in `from`, and the currencies `to` which they are priced in; 10,000 prices at most.
 *
 * `markup` and `rounding` are those of `/price-list`. A price that differs from the last one by no more than `keep_within` stays as it was, and none changes by more than `max_change`: both are percentages.
 */
export interface PriceListQuestion {
  readonly articles: readonly (ArticleQuestion)[];
  readonly from?: string;
  readonly to: readonly (string)[];
  readonly markup?: string;
  readonly rounding?: string;
  readonly keep_within?: string;
  readonly max_change?: string | null;
  readonly date?: string | null;
}

/** An article, its price, and if you like what it costs you and its last prices by currency. */
export interface ArticleQuestion {
  readonly sku: string;
  readonly price: number | string;
  readonly cost?: number | string | null;
  readonly last?: Readonly<Record<string, number | string>>;
}

/** Up to 1000 kinds of pieces, the currency, and the margin of those that have none of their own. */
export interface MetalsValueQuestion {
  readonly pieces: readonly (PieceQuestion)[];
  readonly currency?: string;
  readonly margin?: string;
}

/**
 * Equal pieces of a metal.
 *
 * `weight` is that of one piece in a `unit` of `/metals/units`, the metal's own if left out, and `deduct` what of it is stones and waste. `purity` is one of `/metals/purities` or parts per thousand. `margin` is a percentage such as `2.5%`, and `making` an amount for the work on one piece.
 */
export interface PieceQuestion {
  readonly metal: string;
  readonly weight: number | string;
  readonly unit?: string | null;
  readonly purity?: string | number | null;
  readonly count?: number;
  readonly deduct?: number | string;
  readonly margin?: string | null;
  readonly making?: number | string;
  readonly name?: string | null;
}

/**
 * What is watched, and how it is delivered.
 *
 * `above` and `below` take a `level` of the rate; `outside` a band from `low` to `high`; `moves` a `change` in percent and the time `within` which it happens; `published` a `source`; `corrected` a pair, and a `date` if it is about one day; `quota` a `change` that is the used part in percent. A webhook has an `address`. With `repeat` it is delivered each time that the condition begins, else once.
 */
export interface AlertDefinition {
  readonly when: When;
  readonly from?: string;
  readonly to?: string;
  readonly level?: number | string | null;
  readonly low?: number | string | null;
  readonly high?: number | string | null;
  readonly change?: string;
  readonly within?: string | null;
  readonly source?: string;
  readonly date?: string | null;
  readonly deliver: Way;
  readonly address?: string;
  readonly repeat?: boolean;
  readonly note?: string;
}

/** The number of an alert of the account. */
export interface AlertQuestion {
  readonly id: number;
}

/** What fetchOne is asked with. */
export interface FetchOneParams {
  /** Source, USD if left out: a currency, a metal or a coin. */
  readonly from?: string;
  /** Target, USD if empty: a currency, a metal or a coin. */
  readonly to?: string;
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
}

/** One rate. */
export interface FetchOneAnswer {
  readonly base: string;
  readonly result: Readonly<Record<string, number>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated: string | number;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fetchMulti is asked with. */
export interface FetchMultiParams {
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Source, USD if left out: a currency or a metal. */
  readonly from?: string;
  /** Targets: currencies or metals. */
  readonly to: string | readonly string[];
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
}

/** Rates in the order of the request. */
export interface FetchMultiAnswer {
  readonly base: string;
  readonly results: Readonly<Record<string, number>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated: string | number;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fetchAll is asked with. */
export interface FetchAllParams {
  /** Source, USD if left out. */
  readonly from?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
}

/** Rates by code. */
export interface FetchAllAnswer {
  readonly base: string;
  readonly results: Readonly<Record<string, number>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated: string | number;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fetchManyToOne is asked with. */
export interface FetchManyToOneParams {
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Sources. */
  readonly from: string | readonly string[];
  /** Target, USD if empty. */
  readonly to: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
}

/** Rates by source, in the order of the request. */
export interface FetchManyToOneAnswer {
  readonly to: string;
  readonly from: Readonly<Record<string, number>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated: string | number;
  readonly calls: number;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fetchMatrix is asked with. */
export interface FetchMatrixParams {
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Sources. */
  readonly from: string | readonly string[];
  /** Targets. */
  readonly to: string | readonly string[];
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
}

/** Rates by source and target, both in the order of the request. */
export interface FetchMatrixAnswer {
  readonly from: readonly (string)[];
  readonly to: readonly (string)[];
  readonly matrix: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated: string | number;
  readonly calls: number;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What convert is asked with. */
export interface ConvertParams {
  /** Source, USD if left out: a currency, a coin or a metal. */
  readonly from?: string;
  /** Target: a currency, a coin or a metal. */
  readonly to: string;
  /** From 0.01 up, with precision=currency any; any number of digits. */
  readonly amount: number | string;
  /** At the rate of this day, UTC; now if left out. */
  readonly date?: string;
  /** Answer as this service knew it then: an edition, or an instant such as 2026-03-06T17:00:00Z. */
  readonly as_of?: string;
  /** With `as_of`: assume that what was learnt later of a day was known when it was published. */
  readonly assume?: "published";
  /** Decimals of the result; `currency`: as the target has them, a coin six digits or more. */
  readonly precision?: number | string;
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** Which publication counts: that day's or the last before it (`day`), the last strictly before, … */
  readonly rule?: "day" | "before" | "gazette-before" | "next" | "month" | "month-end" | "previous-month-end" | "penultimate-wednesday" | "before-penultimate-day" | "previous-mid-month" | "previous-october" | "year-end" | "month-mean" | "year-mean" | "mean-of-month-ends";
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
  /** Hold the rates for a duration such as PT30M, or use those that the token of a lock holds. */
  readonly lock?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
}

/**
 * The amount, and in `result` the converted amount and then the `rate`.
 *
 * A current rate has `updated`. A rate of a past day has `date` and, for currencies and metals, `fixed_on`: the day of the oldest fixing in it, null if the law alone decides.
 */
export interface ConvertAnswer {
  readonly base: string;
  readonly amount: number;
  readonly result: Readonly<Record<string, number>>;
  /** The market's time of the oldest quote used, in the account's format; ISO 8601 by default. */
  readonly updated?: string | number;
  readonly date?: string;
  readonly fixed_on?: string | null;
  /** With `source` or `booking`: the publisher. */
  readonly source?: string;
  /** With `rule` or `booking`: which publication counts. */
  readonly rule?: string;
  /** With `source` or `booking`: what was published, in its direction; two where they are crossed. */
  readonly published?: Readonly<Record<string, readonly (PublishedRecord)[]>>;
  /** With `booking`: the rule of the authority. */
  readonly booking?: BookingRecord;
  readonly lock?: LockRecord;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** With `as_of`: what is not known of that moment but assumed, such as `published`. */
  readonly assumed?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What historical is asked with. */
export interface HistoricalParams {
  /** The day, UTC. */
  readonly date: string;
  /** Source, USD if left out: a currency, a coin, or a metal by the ounce or the tonne. */
  readonly from?: string;
  /** Targets, all if left out. */
  readonly to?: string | readonly string[];
  /** Answer as this service knew it then: an edition, or an instant such as 2026-03-06T17:00:00Z. */
  readonly as_of?: string;
  /** With `as_of`: assume that what was learnt later of a day was known when it was published. */
  readonly assume?: "published";
  /** Refuse (503) a rate that fewer independent sources agree on, and add `agreement`. */
  readonly min_sources?: number;
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** Which publication counts: that day's or the last before it (`day`), the last strictly before, … */
  readonly rule?: "day" | "before" | "gazette-before" | "next" | "month" | "month-end" | "previous-month-end" | "penultimate-wednesday" | "before-penultimate-day" | "previous-mid-month" | "previous-october" | "year-end" | "month-mean" | "year-mean" | "mean-of-month-ends";
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
  /** With a metal as source: the unit of mass, its own if left out. */
  readonly unit?: "gram" | "kilogram" | "metric_tonne" | "grain" | "pennyweight" | "oz_t" | "lb_t" | "oz_av" | "lb_av" | "tael" | "baht" | "tola";
  /** With a precious metal as source: a code of /metals/purities, or parts per thousand; else pure. */
  readonly purity?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
  /** Add `fixings`: true, 1, yes or y. */
  readonly verbose?: string;
}

/**
 * The rates of the day, carried forward over weekends and holidays.
 *
 * `fixed_on` is the day of the oldest fixing among them, and `carried_days` the days between it and the requested day; both are null if the law alone decides. `fixings`, only with `verbose`, has the day of the fixing of each target.
 */
export interface HistoricalAnswer {
  readonly date: string;
  readonly base: string;
  readonly results: Readonly<Record<string, number>>;
  readonly fixed_on: string | null;
  readonly carried_days: number | null;
  readonly unit?: string;
  readonly purity?: string;
  readonly fixings?: Readonly<Record<string, string | null>>;
  /** With `source` or `booking`: the publisher. */
  readonly source?: string;
  /** With `rule` or `booking`: which publication counts. */
  readonly rule?: string;
  /** With `source` or `booking`: what was published, in its direction; two where they are crossed. */
  readonly published?: Readonly<Record<string, readonly (PublishedRecord)[]>>;
  /** With `booking`: the rule of the authority. */
  readonly booking?: BookingRecord;
  /** With `min_sources`: how many independent sources agree on the rate of each code, or which law. */
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** With `as_of`: what is not known of that moment but assumed, such as `published`. */
  readonly assumed?: readonly (string)[];
  /** Of a coin: `close`, its price at midnight UTC; then `source` is `closes`. */
  readonly price?: string;
  /** Of a coin: what was archived. */
  readonly close?: CloseRecord;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What timeSeries is asked with. */
export interface TimeSeriesParams {
  /** Targets, up to ten. */
  readonly to: string | readonly string[];
  /** Source, USD if left out: a currency, a coin, or a metal by the ounce or the tonne. */
  readonly from?: string;
  /** First day; 30 days up to the end if left out. */
  readonly start?: string;
  /** Last day, today if left out or later. */
  readonly end?: string;
  /** Each day, or the close of each week, month or year. */
  readonly interval?: "P1D" | "P1W" | "P1M" | "P1Y";
  /** Answer as this service knew it then: an edition, or an instant such as 2026-03-06T17:00:00Z. */
  readonly as_of?: string;
  /** With `as_of`: assume that what was learnt later of a day was known when it was published. */
  readonly assume?: "published";
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** Which publication counts: that day's or the last before it (`day`), the last strictly before, … */
  readonly rule?: "day" | "before" | "gazette-before" | "next" | "month" | "month-end" | "previous-month-end" | "penultimate-wednesday" | "before-penultimate-day" | "previous-mid-month" | "previous-october" | "year-end" | "month-mean" | "year-mean" | "mean-of-month-ends";
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
  /** With a metal as source: the unit of mass, its own if left out. */
  readonly unit?: "gram" | "kilogram" | "metric_tonne" | "grain" | "pennyweight" | "oz_t" | "lb_t" | "oz_av" | "lb_av" | "tael" | "baht" | "tola";
  /** With a precious metal as source: a code of /metals/purities, or parts per thousand; else pure. */
  readonly purity?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
  /** Add `carried` and `fixed_on`: true, 1, yes or y. */
  readonly verbose?: string;
}

/**
 * Every calendar day that has a rate, in ascending order; with a longer interval the last one of each.
 *
 * `carried`, only with `verbose`, lists the days without a fixing of their own, which use the one before or by a rule another one, and `fixed_on` has the day of that fixing for each; both for several targets by target.
 */
export interface TimeSeriesAnswer {
  readonly start: string;
  readonly end: string;
  readonly interval: string;
  readonly base: string;
  readonly results: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly unit?: string;
  readonly purity?: string;
  /** Of a coin: `close`, its price at midnight UTC; then `source` is `closes`. */
  readonly price?: string;
  readonly carried?: readonly (string)[] | Readonly<Record<string, readonly (string)[]>>;
  readonly fixed_on?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** With `source` or `booking`: the publisher. */
  readonly source?: string;
  /** With `rule` or `booking`: which publication counts. */
  readonly rule?: string;
  /** With `booking`: the rule of the authority. */
  readonly booking?: BookingRecord;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** With `as_of`: what is not known of that moment but assumed, such as `published`. */
  readonly assumed?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What priceList is asked with. */
export interface PriceListParams {
  /** Of the amount. */
  readonly from?: string;
  /** Targets: currencies. */
  readonly to: string | readonly string[];
  /** What is priced, such as 12.50. */
  readonly amount: number | string;
  /** A percentage that is added, such as 2.5%; below zero it is a discount. */
  readonly markup?: string;
  /** currency (minor units, if left out), cash (coins that there are), up, step:0.05, charm:0.99. */
  readonly rounding?: string;
  /** At the rate of this day; now if left out. */
  readonly date?: string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** Which publication counts: that day's or the last before it (`day`), the last strictly before, … */
  readonly rule?: "day" | "before" | "gazette-before" | "next" | "month" | "month-end" | "previous-month-end" | "penultimate-wednesday" | "before-penultimate-day" | "previous-mid-month" | "previous-october" | "year-end" | "month-mean" | "year-mean" | "mean-of-month-ends";
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
  /** Hold the rates for a duration such as PT30M, or use those that the token of a lock holds. */
  readonly lock?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** Name targets without a rate in `unavailable`. */
  readonly partial?: string;
}

/** The prices by target, in the order of the request. */
export interface PriceListAnswer {
  readonly base: string;
  readonly amount: number;
  readonly prices: Readonly<Record<string, PriceRecord>>;
  readonly lock?: LockRecord;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What averages is asked with. */
export interface AveragesParams {
  /** Targets, up to ten. */
  readonly to: string | readonly string[];
  /** Source, USD if left out: a currency, a coin, or a metal by the ounce or the tonne. */
  readonly from?: string;
  /** How long each period is. */
  readonly by?: "week" | "month" | "quarter" | "year";
  /** A day in the first period. */
  readonly start: string;
  /** A day in the last period, today if left out. */
  readonly end?: string;
  /** Of the days on which rates were published, or of all calendar days, carried forward. */
  readonly method?: "published" | "calendar";
  /** The month and day on which a year begins, such as 04-06; 01-01 if left out. */
  readonly year_start?: string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
  /** With a metal as source: the unit of mass, its own if left out. */
  readonly unit?: "gram" | "kilogram" | "metric_tonne" | "grain" | "pennyweight" | "oz_t" | "lb_t" | "oz_av" | "lb_av" | "tael" | "baht" | "tola";
  /** With a precious metal as source: a code of /metals/purities, or parts per thousand; else pure. */
  readonly purity?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
}

/** The periods of each target that have a rate, in ascending order. */
export interface AveragesAnswer {
  readonly base: string;
  readonly by: string;
  readonly method: string;
  readonly results: Readonly<Record<string, readonly (PeriodRecord)[]>>;
  readonly unit?: string;
  readonly purity?: string;
  /** Of a coin: `close`, its price at midnight UTC; then `source` is `closes`. */
  readonly price?: string;
  /** With `source` or `booking`: the publisher. */
  readonly source?: string;
  /** With `booking`: the rule of the authority. */
  readonly booking?: BookingRecord;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The rules by key. */
export interface BookingRulesAnswer {
  readonly "booking-rules": Readonly<Record<string, BookingRuleRecord>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What currencies is asked with. */
export interface CurrenciesParams {
  /** With true, 1, yes or y include currencies that ended or have no rate now, and add `lives`. */
  readonly all?: string;
  /** Add `details`: minor units, cash step and sign of each currency. */
  readonly details?: string;
  /** Names and signs in a language of CLDR, such as de or pt-BR; English if left out. */
  readonly lang?: string;
}

/** Names by code; with `all` also `lives`, and with `details` the details by code. */
export interface CurrenciesAnswer {
  readonly currencies: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, CurrencyDetails>>;
  readonly lives?: Readonly<Record<string, CurrencyLife>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What explain is asked with. */
export interface ExplainParams {
  /** Source, USD if left out. */
  readonly from?: string;
  /** Target: a currency, a metal or a coin. */
  readonly to: string;
  /** The day, UTC; now if left out. */
  readonly date?: string;
  /** Only rates of this type: official, market, offshore, parallel, or a type that a source names. */
  readonly rate_type?: string;
  /** Add what this amount is worth, and who its sources are. */
  readonly amount?: number | string;
  /** Decimals of it; if left out as the target has them. */
  readonly precision?: number | string;
  /** Answer as this service knew it then: an edition, or an instant such as 2026-03-06T17:00:00Z. */
  readonly as_of?: string;
  /** With `as_of`: assume that what was learnt later of a day was known when it was published. */
  readonly assume?: "published";
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** Add `agreement`: true, 1, yes or y. */
  readonly verbose?: string;
}

/**
 * The rate, and the legs that it was crossed from, each with its sources or its law.
 *
 * On a past day the legs are the fixings as they were published, and `updated` is the market's time of the oldest; null if the law alone decides, or if only coins are requested. `agreement` says how many independent sources agree on the rate of each code and how far apart they are, only with `verbose` and without `rate_type`. `converted` and `publishers`, the sources by key, are there with `amount`. `edition` names the state of the history, or of the live prices, that the answer was made from.
 */
export interface ExplainAnswer {
  readonly base: string;
  readonly date: string | null;
  readonly result: Readonly<Record<string, number>>;
  readonly updated: string | number | null;
  readonly legs: readonly (LegRecord)[];
  readonly agreement?: Readonly<Record<string, AgreementRecord>>;
  readonly converted?: ConvertedRecord;
  readonly publishers?: Readonly<Record<string, PublisherRecord>>;
  readonly edition?: string;
  /** With `as_of`: what is not known of that moment but assumed, such as `published`. */
  readonly assumed?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What sources is asked with. */
export interface SourcesParams {
  /** Add `independent`: true, 1, yes or y. */
  readonly verbose?: string;
}

/**
 * The sources by key, best first; `environment` is sandbox if the prices are simulated.
 *
 * `no_network` is there while no source can be reached. `independent`, only with `verbose`, counts for each currency and metal the sources that publish it now and do not compile the rates of others.
 */
export interface SourcesAnswer {
  readonly environment: string;
  readonly updated: string | number;
  readonly sources: Readonly<Record<string, SourceRecord>>;
  readonly independent?: Readonly<Record<string, number>>;
  readonly no_network?: UnreachedSources;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What coverage is asked with. */
export interface CoverageParams {
  /** A currency or a metal; all of them if left out. */
  readonly code?: string;
}

/** The coverage by code. */
export interface CoverageAnswer {
  readonly currencies: Readonly<Record<string, CoverageRecord>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What corrections is asked with. */
export interface CorrectionsParams {
  /** A currency or a metal, USD if left out. */
  readonly from?: string;
  /** The other currency or metal, USD if left out; without both the answer is about all pairs. */
  readonly to?: string;
  /** First day; if left out, as far back as the plan includes. */
  readonly start?: string;
  /** Last day, today if left out or later. */
  readonly end?: string;
  /** The maximum number of corrections. */
  readonly limit?: number;
  /** Instead of a pair: all corrections after this edition, or after the `next` of an answer. */
  readonly since?: string;
}

/**
 * The corrections, newest day first; with `since` in the order in which they were learnt.
 *
 * `next` is the `since` that continues the feed: an edition, or a place before one if there are more corrections. `waiting` is present before the first edition: there can be no corrections yet, and it says what is missing.
 */
export interface CorrectionsAnswer {
  readonly start: string;
  readonly end: string;
  readonly corrections: readonly (CorrectionRecord)[];
  readonly next?: string;
  readonly waiting?: string;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What vintages is asked with. */
export interface VintagesParams {
  /** A currency or a metal, USD if left out. */
  readonly from?: string;
  /** The other currency or metal. */
  readonly to: string;
  /** The day, UTC. */
  readonly date: string;
}

/** Everything that was received for the day, in the order in which it was learnt. */
export interface VintagesAnswer {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly vintages: readonly (VintageRecord)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Names by code. */
export interface CryptoCurrenciesAnswer {
  readonly currencies: Readonly<Record<string, string>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Pairs by name, `BASE/QUOTE`. */
export interface CryptoPairsAnswer {
  readonly pairs: Readonly<Record<string, CryptoPair>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What cryptoFetchPrices is asked with. */
export interface CryptoFetchPricesParams {
  /** Up to ten pairs, BASE/QUOTE. */
  readonly pairs: string | readonly string[];
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
  /** Add how far the price has moved today, in 24 hours and in 7 days: true, 1, yes or y. */
  readonly verbose?: string;
}

/** Midpoints by pair, in the order of the request; `moves`, with `verbose`, has how far each has moved. */
export interface CryptoFetchPricesAnswer {
  readonly prices: Readonly<Record<string, number>>;
  readonly moves?: Readonly<Record<string, PriceMovesRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Pairs by name. */
export interface FxPairsAnswer {
  readonly pairs: Readonly<Record<string, {
  readonly base: string;
  readonly quote: string;
  readonly alt: string;
}>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Names by code. */
export interface FxCurrenciesAnswer {
  readonly currencies: Readonly<Record<string, string>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The number of units of the base that a price is for, by pair without a slash. */
export interface FxPairsQuoteSizesAnswer {
  readonly sizes: Readonly<Record<string, number>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fxPairsHistoricalLimits is asked with. */
export interface FxPairsHistoricalLimitsParams {
  /** The length of a bar: a day, an hour or a minute. */
  readonly interval?: "PT1M" | "PT1H" | "P1D";
  /** The side; both have the same first bar. */
  readonly price?: "bid" | "ask";
}

/** The time of the first bar, by pair without a slash; every pair is included in both directions. */
export interface FxPairsHistoricalLimitsAnswer {
  readonly interval: string;
  readonly price: string;
  readonly pairs: Readonly<Record<string, string | number>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fxQuote is asked with. */
export interface FxQuoteParams {
  /** Up to ten pairs, EURUSD or EUR/USD. */
  readonly pairs: string | readonly string[];
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`. */
  readonly partial?: string;
  /** Add how far the price has moved today, in 24 hours and in 7 days: true, 1, yes or y. */
  readonly verbose?: string;
}

/** Quotes by pair without a slash, in the order of the request. */
export interface FxQuoteAnswer {
  readonly quotes: Readonly<Record<string, FxQuoteRecord>>;
  /** With `partial`: what was requested and cannot be answered, in the order of the request. */
  readonly unavailable?: readonly (string)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fxQuoteTimeSeries is asked with. */
export interface FxQuoteTimeSeriesParams {
  /** The pair, EURUSD or EUR/USD. */
  readonly pair: string;
  /** Bars that begin at or after this time; UTC without an offset. */
  readonly start?: string;
  /** Bars that begin before this time; UTC without an offset. */
  readonly end?: string;
  /** The length of a bar: a day, an hour or a minute. */
  readonly interval?: "PT1M" | "PT1H" | "P1D";
  /** The maximum number of bars. */
  readonly limit?: number;
  /** The format of times in the answer; without it that of the request, or ISO. */
  readonly dtmfmt?: "ISO" | "TSP" | "UTCYMD";
}

/** Bars, newest first. Fewer than `limit`: there are no more. */
export interface FxQuoteTimeSeriesAnswer {
  readonly pair: string;
  readonly interval: string;
  readonly limit: number;
  readonly dtmfmt: string;
  readonly start?: string | number;
  readonly end?: string | number;
  readonly tzOffset: string;
  readonly size: number;
  readonly results: readonly (QuoteRow)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What fxOhlcTimeSeries is asked with. */
export interface FxOhlcTimeSeriesParams {
  /** The pair, EURUSD or EUR/USD. */
  readonly pair: string;
  /** Bars that begin at or after this time; UTC without an offset. */
  readonly start?: string;
  /** Bars that begin before this time; UTC without an offset. */
  readonly end?: string;
  /** The length of a bar: a day, an hour or a minute. */
  readonly interval?: "PT1M" | "PT1H" | "P1D";
  /** The maximum number of bars. */
  readonly limit?: number;
  /** The format of times in the answer; without it that of the request, or ISO. */
  readonly dtmfmt?: "ISO" | "TSP" | "UTCYMD";
}

/** Bars, newest first. Fewer than `limit`: there are no more. */
export interface FxOhlcTimeSeriesAnswer {
  readonly pair: string;
  readonly interval: string;
  readonly limit: number;
  readonly dtmfmt: string;
  readonly start?: string | number;
  readonly end?: string | number;
  readonly tzOffset: string;
  readonly size: number;
  readonly results: readonly (OhlcRow)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What metalsSpot is asked with. */
export interface MetalsSpotParams {
  /** The metal, gold if left out. */
  readonly metal?: "XAU" | "XAG" | "XPT" | "XPD" | "XAL" | "XCU" | "XPB" | "XNI" | "XZN";
  /** The currency, USD if left out. */
  readonly currency?: string;
  /** The unit of mass; if left out `oz_t` for precious metals, `metric_tonne` for base metals. */
  readonly unit?: "gram" | "kilogram" | "metric_tonne" | "grain" | "pennyweight" | "oz_t" | "lb_t" | "oz_av" | "lb_av" | "tael" | "baht" | "tola";
  /** For precious metals: a code of /metals/purities, or a fineness from 1 to 1000 parts per thousand. The pure metal if left out. */
  readonly purity?: string;
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** Add display names and the moves of today, of the last day and week: true, 1, yes or y. */
  readonly verbose?: string;
}

/**
 * The price of one unit, as decimal strings, and its sources.
 *
 * `mid` is exactly between `bid` and `ask`, `spread` their difference. `tsp` and `dtm` are the market's time of the oldest quote in it. `cross_rate`: it is crossed through the US dollar. `source_instrument` is what was quoted.
 */
export interface MetalsSpotAnswer {
  readonly bid: string;
  readonly ask: string;
  readonly mid: string;
  readonly spread: string;
  readonly metal: string;
  readonly currency: string;
  readonly unit: string;
  readonly tsp: number;
  readonly dtm: string;
  readonly cross_rate: boolean;
  readonly source: string;
  readonly source_instrument: string;
  readonly purity?: string;
  readonly purity_name?: string;
  readonly metal_name?: string;
  readonly currency_name?: string;
  readonly unit_name?: string;
  readonly grade?: string;
  readonly grade_name?: string;
  readonly grade_min_purity_pct?: number;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly today?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_24h?: PriceMoveRecord;
  /** With `verbose`: how far the price has moved; absent until it has been sampled for that long. */
  readonly last_7d?: PriceMoveRecord;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What metalsQuote is asked with. */
export interface MetalsQuoteParams {
  /** Up to ten symbols of /metals/instruments; further ones are ignored and named. */
  readonly instruments: string | readonly string[];
  /** Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals. */
  readonly max_age?: string;
  /** Add display names: true, 1, yes or y. */
  readonly verbose?: string;
}

/** Quotes by symbol in the order of the request, and their sources. */
export interface MetalsQuoteAnswer {
  readonly quotes: Readonly<Record<string, MetalsQuoteRecord>>;
  readonly source: string;
  readonly warnings: MetalsQuoteWarnings;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Instruments by symbol, and the sources of the current prices. */
export interface MetalsInstrumentsAnswer {
  readonly instruments: Readonly<Record<string, InstrumentRecord>>;
  readonly source: string;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The purities of each precious metal, the finest first. */
export interface MetalsPuritiesAnswer {
  readonly purities: Readonly<Record<string, readonly (PurityRecord)[]>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Names by handle. */
export interface MetalsUnitsAnswer {
  readonly units: Readonly<Record<string, string>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** Names by code. */
export interface MetalsListAnswer {
  readonly metals: Readonly<Record<string, string>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/**
 * The calls of the last fifteen days, oldest first; the quota; the current period.
 *
 * Without a quota `monthly_quota` is 9007199254740991, and `unlimited` is there and true.
 */
export interface UsageAnswer {
  readonly usage: Readonly<Record<string, number>>;
  readonly monthly_quota: number;
  readonly current_period: CurrentPeriod;
  readonly unlimited?: boolean;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The alerts, oldest first, those that have ended too; and the newest 50 events, newest first. */
export interface AlertsAnswer {
  readonly alerts: readonly (AlertRecord)[];
  readonly events: readonly (AlertEventRecord)[];
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The positions in the order of the request, and their sums; `missing` counts those without a rate. */
export interface ValueAnswer {
  readonly currency: string;
  readonly date?: string | null;
  readonly since?: string | null;
  readonly positions: readonly (PositionRecord)[];
  readonly totals: WorthTotals;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The rates that were used, the articles in the order of the request, and how many prices are below cost. */
export interface PriceListBulkAnswer {
  readonly from: string;
  readonly rates: Readonly<Record<string, ListRate>>;
  readonly articles: readonly (ArticleRecord)[];
  readonly below_cost: number;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The pieces in the order of the request, their sums, and the pure metal in all of them, in grams. */
export interface MetalsValueAnswer {
  readonly currency: string;
  readonly pieces: readonly (PieceRecord)[];
  readonly totals: ValueTotals;
  readonly fine_grams: Readonly<Record<string, number>>;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The alert. With a webhook, `secret` signs what is sent to it; it is shown only here. */
export interface AlertsAddAnswer {
  readonly alert: AlertRecord;
  readonly secret?: string;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The number of the event, whose delivery `/alerts` shows. */
export interface AlertsTestAnswer {
  readonly event: number;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** The alert that was removed. */
export interface AlertsRemoveAnswer {
  readonly removed: number;
  /** Time to answer, in milliseconds. */
  readonly ms: number;
}

/** What convertBulk is asked with. */
export interface ConvertBulkParams {
  /** CSV: what stands before the decimals: point or comma. */
  readonly decimal?: "." | "point" | "," | "comma";
  /** CSV: what stands between two cells: comma, semicolon, tab or pipe. */
  readonly delimiter?: "," | "comma" | ";" | "semicolon" | "\t" | "tab" | "|" | "pipe";
  /** The encoding of the file; spreadsheets in Western Europe often write windows-1252. */
  readonly encoding?: "utf-8" | "utf-16" | "windows-1250" | "windows-1251" | "windows-1252" | "windows-1253" | "windows-1254" | "windows-1257" | "iso-8859-1" | "iso-8859-2" | "iso-8859-15";
  /** How days are written, if not as YYYY-MM-DD: dmy, mdy or ymd, or a form such as DD.MM.YYYY. */
  readonly dates?: string;
  /** Decimals of the results; if left out as each target has them, a coin six digits or more. */
  readonly precision?: number | string;
  /** Only what this source published, crossed within its own table; a key of `/sources`. */
  readonly source?: string;
  /** Which publication counts: that day's or the last before it (`day`), the last strictly before, … */
  readonly rule?: "day" | "before" | "gazette-before" | "next" | "month" | "month-end" | "previous-month-end" | "penultimate-wednesday" | "before-penultimate-day" | "previous-mid-month" | "previous-october" | "year-end" | "month-mean" | "year-mean" | "mean-of-month-ends";
  /** The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`. */
  readonly booking?: string;
}

/** The paths whose answers there are as tables too, and what they are asked with. */
export interface TableQuestions {
  "/fetch-all": FetchAllParams;
  "/historical": HistoricalParams;
  "/time-series": TimeSeriesParams;
  "/price-list": PriceListParams;
  "/averages": AveragesParams;
  "/fx/quote/time-series": FxQuoteTimeSeriesParams;
  "/fx/ohlc/time-series": FxOhlcTimeSeriesParams;
}

/** A method for each endpoint. */
export abstract class Endpoints {
  protected abstract ask<Answer>(path: string, params: object, options: CallOptions): Promise<Answer>;
  protected abstract post<Answer>(path: string, body: unknown, options: CallOptions): Promise<Answer>;
  protected abstract postText(path: string, text: string, params: object, options: CallOptions): Promise<string>;

  /**
   * One rate.
   *
   * Return the rate between two currencies, metals or coins.
   *
   * Either side may be left out and is then the US dollar; without both the request is refused (400).
   *
   * Precious metals are priced by the troy ounce, base metals by the tonne. Coins are not priced in metals.
   *
   * With `rate_type` it is the newest fixing of that type, crossed with the current rate of the other side.
   *
   * Cost: one call.
   */
  fetchOne(params: FetchOneParams = {}, options: CallOptions = {}): Promise<FetchOneAnswer> {
    return this.ask("/fetch-one", params, options);
  }

  /**
   * Several rates from one currency.
   *
   * Return the rates from one currency or metal to each of several.
   *
   * Precious metals are priced by the troy ounce, base metals by the tonne.
   *
   * With `rate_type` they are the newest fixings of that type, crossed with the current rate of the source.
   *
   * Cost: one call; from a metal one more for each target, and another for each that it has no instrument in.
   */
  fetchMulti(params: FetchMultiParams, options: CallOptions = {}): Promise<FetchMultiAnswer> {
    return this.ask("/fetch-multi", params, options);
  }

  /**
   * All rates from one currency.
   *
   * Return the rates from one currency to all that have a rate now, including itself.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  fetchAll(params: FetchAllParams = {}, options: CallOptions = {}): Promise<FetchAllAnswer> {
    return this.ask("/fetch-all", params, options);
  }

  /**
   * Several rates to one currency.
   *
   * Return the rates from each of several currencies to one.
   *
   * Cost: one call for each rate in the answer.
   */
  fetchManyToOne(params: FetchManyToOneParams, options: CallOptions = {}): Promise<FetchManyToOneAnswer> {
    return this.ask("/fetch-many-to-one", params, options);
  }

  /**
   * Every rate between two lists of currencies.
   *
   * Return every rate between two lists of currencies, at most 10,000.
   *
   * Cost: one call for each rate in the answer, also if source and target are the same.
   */
  fetchMatrix(params: FetchMatrixParams, options: CallOptions = {}): Promise<FetchMatrixAnswer> {
    return this.ask("/fetch-matrix", params, options);
  }

  /**
   * Convert an amount.
   *
   * Convert an amount at the exact rate. The result and the `rate` are each rounded once, half up.
   *
   * With `date` the rate of that day is used, the same as at `/historical`; for a coin its price at midnight UTC. With `rate_type` it is a fixing of that type, with `source` what one source published; `rule` says which day of publication counts, and `booking` names an authority's rule for both. With `lock` the rate has 15 digits, and is the same until the lock ends.
   *
   * Cost: one call.
   */
  convert(params: ConvertParams, options: CallOptions = {}): Promise<ConvertAnswer> {
    return this.ask("/convert", params, options);
  }

  /**
   * Rates of a past day.
   *
   * Return the rates of a past day.
   *
   * On a day without a fixing, such as a weekend or a holiday, the last one before it is used, at most 14 days back. With `rate_type` the rates are made of fixings of that type, with `source` of what one source published; `rule` says which day of publication counts, and `booking` names an authority's rule for both. The rates of a metal are by its own unit, or by `unit` and `purity`. A coin has its price at midnight UTC, since this service runs, and it is never carried forward.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  historical(params: HistoricalParams, options: CallOptions = {}): Promise<HistoricalAnswer> {
    return this.ask("/historical", params, options);
  }

  /**
   * Daily rates from one currency to up to ten.
   *
   * Return the rates of each day of a period, the same as at `/historical`; days without a rate are left out.
   *
   * With `rate_type` the rates are made of fixings of that type, with `source` of the days on which one source published them, with `rule` or `booking` those that count for each day. A longer interval has the last rate of each week, month or year. The rates of a metal are by its own unit, or by `unit` and `purity`. A coin has the days whose close was archived.
   *
   * Cost: one call for each target in the answer.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  timeSeries(params: TimeSeriesParams, options: CallOptions = {}): Promise<TimeSeriesAnswer> {
    return this.ask("/time-series", params, options);
  }

  /**
   * A price in many currencies.
   *
   * Return the amount in each target, marked up and rounded; cost, mark-up and rounding are shown apart.
   *
   * Cost: one call for each target in the answer.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  priceList(params: PriceListParams, options: CallOptions = {}): Promise<PriceListAnswer> {
    return this.ask("/price-list", params, options);
  }

  /**
   * Averages of weeks, months, quarters and years.
   *
   * Return mean, first, highest, lowest and last rate of each period, and how many days it is made of.
   *
   * With `source` they are of what one source published. With `booking` the mean is the one that the authority wants, which rounds it; the periods are then its months or years. Those of a coin are of its closes.
   *
   * Cost: one call for each target in the answer.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  averages(params: AveragesParams, options: CallOptions = {}): Promise<AveragesAnswer> {
    return this.ask("/averages", params, options);
  }

  /**
   * Rules of authorities.
   *
   * Return all rules, also those that are not answered here, with the reason.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  bookingRules(options: CallOptions = {}): Promise<BookingRulesAnswer> {
    return this.ask("/booking-rules", {}, options);
  }

  /**
   * All currencies.
   *
   * Return the currencies that have a rate now, or with `all` every currency.
   *
   * A currency that has ended keeps a rate if the law fixed one, and its past rates are at `/historical`. With `all` there are also the minor units that exchanges quote prices in, such as `GBp`. With `lang` names are those of CLDR, where it has one.
   *
   * Cost: one call.
   */
  currencies(params: CurrenciesParams = {}, options: CallOptions = {}): Promise<CurrenciesAnswer> {
    return this.ask("/currencies", params, options);
  }

  /**
   * Where a rate comes from.
   *
   * Explain a rate: the sources, weights and ages of each side, its pegs, and why a fixing was carried forward.
   *
   * With `amount` it says too what that is worth, so that one call has both.
   *
   * Cost: one call.
   */
  explain(params: ExplainParams, options: CallOptions = {}): Promise<ExplainAnswer> {
    return this.ask("/explain", params, options);
  }

  /**
   * Status of the sources.
   *
   * Return every source with its state, its last success, its lag and its coverage.
   *
   * Cost: one call.
   */
  sources(params: SourcesParams = {}, options: CallOptions = {}): Promise<SourcesAnswer> {
    return this.ask("/sources", params, options);
  }

  /**
   * The sources of each currency.
   *
   * Return which sources publish each currency and metal, since which day, and how many independent ones do now.
   *
   * Cost: one call.
   */
  coverage(params: CoverageParams = {}, options: CallOptions = {}): Promise<CoverageAnswer> {
    return this.ask("/coverage", params, options);
  }

  /**
   * What sources have corrected.
   *
   * Return what sources corrected of the fixings behind a pair, newest day first; without a pair the newest of all.
   *
   * These are fixings of the pair itself, and of each code against the dollar or against the currency that the source quotes it in, such as the euro at the ECB. A sandbox has none. A past day of which another source's fixing is published than before is there too, of `kind` verdict, with its `cause`. With `since` it is a feed of all corrections of all sources, oldest first; `/corrections.atom` is the same as an Atom feed.
   *
   * Cost: one call.
   */
  corrections(params: CorrectionsParams = {}, options: CallOptions = {}): Promise<CorrectionsAnswer> {
    return this.ask("/corrections", params, options);
  }

  /**
   * All fixings received for a day.
   *
   * Return all that sources published for a day about a pair, the corrections too, and when each was received.
   *
   * These are fixings of the pair itself, and of each code against the dollar or against the currency that the source quotes it in. Nothing is carried forward from another day. A sandbox has none.
   *
   * Cost: one call.
   */
  vintages(params: VintagesParams, options: CallOptions = {}): Promise<VintagesAnswer> {
    return this.ask("/vintages", params, options);
  }

  /**
   * All coins.
   *
   * Return every coin that a venue trades, including stablecoins; before any venue was heard every known coin.
   *
   * Cost: one call.
   */
  cryptoCurrencies(options: CallOptions = {}): Promise<CryptoCurrenciesAnswer> {
    return this.ask("/crypto/currencies", {}, options);
  }

  /**
   * All pairs of coins.
   *
   * Return every pair with a coin that a venue trades, except leveraged tokens.
   *
   * Before any venue was heard it is every known coin against the US dollar.
   *
   * Cost: one call.
   */
  cryptoPairs(options: CallOptions = {}): Promise<CryptoPairsAnswer> {
    return this.ask("/crypto/pairs", {}, options);
  }

  /**
   * Prices of pairs of coins.
   *
   * Return the median midpoint of the venues for each pair.
   *
   * A listed pair that no venue has quoted lately is crossed from the pairs in which its coins are traded.
   *
   * Cost: one call.
   */
  cryptoFetchPrices(params: CryptoFetchPricesParams, options: CallOptions = {}): Promise<CryptoFetchPricesAnswer> {
    return this.ask("/crypto/fetch-prices", params, options);
  }

  /**
   * All pairs of currencies.
   *
   * Return every pair of currencies that have a rate now, in both directions.
   *
   * A pair that is not traded itself is crossed through the US dollar.
   *
   * Cost: one call.
   */
  fxPairs(options: CallOptions = {}): Promise<FxPairsAnswer> {
    return this.ask("/fx/pairs", {}, options);
  }

  /**
   * All currencies that pairs are made of.
   *
   * Return the currencies that have a rate now.
   *
   * Cost: one call.
   */
  fxCurrencies(options: CallOptions = {}): Promise<FxCurrenciesAnswer> {
    return this.ask("/fx/currencies", {}, options);
  }

  /**
   * Quote sizes above one unit.
   *
   * Return the pairs whose prices are for more than one unit of a weak base currency; all others are for one.
   *
   * Cost: one call.
   */
  fxPairsQuoteSizes(options: CallOptions = {}): Promise<FxPairsQuoteSizesAnswer> {
    return this.ask("/fx/pairs/quote-sizes", {}, options);
  }

  /**
   * First bar of each pair.
   *
   * Return the time of the first bar of each pair: its first tick here, or as far back as bars are kept.
   *
   * Earlier days have no bars. Their fixings are at `/historical` and `/time-series`.
   *
   * Cost: one call.
   */
  fxPairsHistoricalLimits(params: FxPairsHistoricalLimitsParams = {}, options: CallOptions = {}): Promise<FxPairsHistoricalLimitsAnswer> {
    return this.ask("/fx/pairs/historical-limits", params, options);
  }

  /**
   * Bid and ask of pairs of currencies.
   *
   * Return bid and ask of each pair. A pair that is not quoted itself is crossed, with a wider spread than its legs.
   *
   * While its market is open, a traded price must be fresh. A currency that is not traded is quoted at its daily fixing for up to 14 days, with the day in `fixed_on`.
   *
   * Cost: one call.
   */
  fxQuote(params: FxQuoteParams, options: CallOptions = {}): Promise<FxQuoteAnswer> {
    return this.ask("/fx/quote", params, options);
  }

  /**
   * Bars: last bid and ask.
   *
   * Return the last bid and ask of each bar in which the pair was quoted, newest first.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  fxQuoteTimeSeries(params: FxQuoteTimeSeriesParams, options: CallOptions = {}): Promise<FxQuoteTimeSeriesAnswer> {
    return this.ask("/fx/quote/time-series", params, options);
  }

  /**
   * Bars: open, high, low and close.
   *
   * Return open, high, low and close of the bid for each bar in which the pair was quoted, newest first.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  fxOhlcTimeSeries(params: FxOhlcTimeSeriesParams, options: CallOptions = {}): Promise<FxOhlcTimeSeriesAnswer> {
    return this.ask("/fx/ohlc/time-series", params, options);
  }

  /**
   * Price of a weight of metal.
   *
   * Return the price of a metal: its quote in the currency, or its quote in dollars converted.
   *
   * Unit and purity scale the price exactly. While the market is closed, the price is its last one, with its own time.
   *
   * Cost: one call; two if the price is crossed.
   */
  metalsSpot(params: MetalsSpotParams = {}, options: CallOptions = {}): Promise<MetalsSpotAnswer> {
    return this.ask("/metals/spot", params, options);
  }

  /**
   * Bid and ask of metals instruments.
   *
   * Return the latest bid and ask of each instrument in its own unit, purity and currency.
   *
   * The request is refused only if no instrument is valid, or if none of the valid ones has a fresh quote.
   *
   * Cost: one call.
   */
  metalsQuote(params: MetalsQuoteParams, options: CallOptions = {}): Promise<MetalsQuoteAnswer> {
    return this.ask("/metals/quote", params, options);
  }

  /**
   * All metals instruments.
   *
   * Return every metal in dollars and in each currency in which it is quoted directly, and the common ratios.
   *
   * Cost: one call.
   */
  metalsInstruments(options: CallOptions = {}): Promise<MetalsInstrumentsAnswer> {
    return this.ask("/metals/instruments", {}, options);
  }

  /**
   * Purities of precious metals.
   *
   * Return the purities of each precious metal. Base metals have grades instead.
   *
   * Cost: one call.
   */
  metalsPurities(options: CallOptions = {}): Promise<MetalsPuritiesAnswer> {
    return this.ask("/metals/purities", {}, options);
  }

  /**
   * Units of mass.
   *
   * Return all units. The names of the tael and the baht, which have several definitions, include their grams.
   *
   * Cost: one call.
   */
  metalsUnits(options: CallOptions = {}): Promise<MetalsUnitsAnswer> {
    return this.ask("/metals/units", {}, options);
  }

  /**
   * All metals.
   *
   * Return all metals, the precious ones first.
   *
   * Cost: one call.
   */
  metalsList(options: CallOptions = {}): Promise<MetalsListAnswer> {
    return this.ask("/metals/list", {}, options);
  }

  /**
   * Calls spent and left.
   *
   * Return the calls that the account has spent. This call is not yet included.
   *
   * Cost: one call.
   *
   * As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in `Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, `tab`, `pipe`).
   */
  usage(options: CallOptions = {}): Promise<UsageAnswer> {
    return this.ask("/usage", {}, options);
  }

  /**
   * What the account is told of.
   *
   * Return the alerts of the account, and how the delivery of what has fired went.
   *
   * Cost: one call.
   */
  alerts(options: CallOptions = {}): Promise<AlertsAnswer> {
    return this.ask("/alerts", {}, options);
  }

  /**
   * What positions are worth.
   *
   * Return what positions are worth in a currency, now or on a day. Nothing is stored.
   *
   * Each is converted as at `/convert`, with the decimals of the currency; sums are of the rounded amounts. Positions without a rate are named, and cost nothing; if none has one, the request is refused.
   *
   * Cost: For each asset one call, with `since` another, and one for each day of buying that is its cost.
   */
  value(question: ValueQuestion, options: CallOptions = {}): Promise<ValueAnswer> {
    return this.post("/value", question, options);
  }

  /**
   * A list of articles in many currencies.
   *
   * Return every article in every currency: converted, marked up, rounded, and kept near to its last price.
   *
   * Cost: One call for each currency, however many articles there are.
   */
  priceListBulk(question: PriceListQuestion, options: CallOptions = {}): Promise<PriceListBulkAnswer> {
    return this.post("/price-list/bulk", question, options);
  }

  /**
   * What pieces of metal are worth.
   *
   * Return what pieces are worth: their metal at bid and ask, and with margin and making charge a shop's prices.
   *
   * Amounts are rounded to the minor units of the currency, each once; totals are sums of the rounded amounts.
   *
   * Cost: For each metal one call, two if its price is crossed, as at `/metals/spot`.
   */
  metalsValue(question: MetalsValueQuestion, options: CallOptions = {}): Promise<MetalsValueAnswer> {
    return this.post("/metals/value", question, options);
  }

  /**
   * Be told when something happens.
   *
   * Create an alert of the account, and return it.
   *
   * It fires when its condition begins: once, or with `repeat` each time, at most once a minute. A condition that is met already fires at once. What fires is delivered within seconds, and is tried again for three days.
   *
   * Cost: One call.
   */
  alertsAdd(question: AlertDefinition, options: CallOptions = {}): Promise<AlertsAddAnswer> {
    return this.post("/alerts/add", question, options);
  }

  /**
   * Try the delivery of an alert.
   *
   * Deliver a message that says that it is a test, by the way of an alert, within seconds.
   *
   * Cost: One call.
   */
  alertsTest(question: AlertQuestion, options: CallOptions = {}): Promise<AlertsTestAnswer> {
    return this.post("/alerts/test", question, options);
  }

  /**
   * Remove an alert.
   *
   * Remove an alert of the account, with all that it would still send.
   *
   * Cost: Nothing.
   */
  alertsRemove(question: AlertQuestion, options: CallOptions = {}): Promise<AlertsRemoveAnswer> {
    return this.post("/alerts/remove", question, options);
  }

  /**
   * Convert the rows of a CSV file.
   *
   * Convert many amounts: a CSV file in, the same file with results out, row by row, each as at `/convert`. The first line names the columns: `amount`, `from`, `to` and, if you like, `date`; others are passed through. Four columns are added: `result`, `rate`, `as_of` (the time of the rate, or the day of its fixing) and `error`, which says why a row has no result. A file may have a megabyte; its delimiter is found. Without a declaration amounts have a decimal point, days are `YYYY-MM-DD`, and bytes are UTF-8; a row that can be read in two ways is refused.
   *
   * Cost: one call for each row that is answered.
   */
  convertBulk(text: string, params: ConvertBulkParams = {}, options: CallOptions = {}): Promise<string> {
    return this.postText("/convert/bulk", text, params, options);
  }
}
