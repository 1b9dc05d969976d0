"""Where rates come from: `/explain`, `/sources` and `/coverage`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Amount, AsOf, Call, Day, MaxAge, write_day
from cambist.client.endpoints.rates import AgreementRecord


class VoteRecord(Struct, frozen=True):
    """What one source quotes; `age` is in seconds. A `weight` of 0: it is too far from the others, and left out."""

    source: str
    mid: Decimal
    as_of: Timestamp
    age: int
    weight: Decimal


class FixingRecord(Struct, frozen=True, kw_only=True):
    """The fixing of one source, its weight, and its `distance` from the agreed rate in per cent.

    `status` is agreed, early (published before a jump of that day) or held; then `because` says why.
    """

    source: str
    rate: Decimal
    weight: Decimal
    status: str
    distance: Decimal | None = None
    because: str = ""


class VerdictRecord(Struct, frozen=True, kw_only=True):
    """What all sources that publish a code said of a day, in rates of `pair`.

    `status` is agreed, majority, single, disputed, held, none or withdrawn, and `sentence` says it in words. `level` is
    the agreed rate, `other` the rate that most of the rest say, and `settles` what would settle a dispute. If the
    newest fixing is held, `held_since` is the day since when, and `because` says why.
    """

    status: str
    sentence: str
    pair: str
    date: dt.date
    level: Decimal | None = None
    other: Decimal | None = None
    fixings: list[FixingRecord] = []
    settles: str = ""
    held_since: dt.date | None = None
    because: str = ""


class LegRecord(Struct, frozen=True, kw_only=True):
    """One leg of a rate: what one unit of `base` is worth in `quote`, and why.

    `law` quotes the law that decides the rate, if one does; `age` is in seconds. On a past day `nominal` units of the
    base were `published` in the quote, `fixed_on` is the day of that fixing, `carried_days` how far it was carried
    forward, and `because` why. `verdict` is what all sources of a daily rate say.
    """

    base: str
    quote: str
    rate: Decimal
    made: str
    sources: list[str] = []
    through: list[str] = []
    law: str = ""
    as_of: Timestamp | None = None
    age: int | None = None
    received_at: Timestamp | None = None
    published: str = ""
    nominal: int = 1
    unit: str = ""
    rate_type: str = ""
    published_at: Timestamp | None = None
    votes: list[VoteRecord] = []
    fixed_on: dt.date | None = None
    carried_days: int = 0
    because: str = ""
    verdict: VerdictRecord | None = None


class ConvertedRecord(Struct, frozen=True, kw_only=True):
    """An amount, what it is worth, and the rate; `fixed_on` is the day of the fixing of a past rate."""

    amount: Decimal
    result: Decimal
    rate: Decimal
    fixed_on: dt.date | None = None


class PublisherRecord(Struct, frozen=True):
    """A source: its name, and how often it publishes."""

    name: str
    pace: str


class ExplainResponse(Answer, frozen=True, kw_only=True):
    """A rate, and the legs that it was crossed from. `date` is None for the current rate.

    `agreement`, with `verbose`, says by code how many independent sources agree, and how far apart they are.
    `edition` names the state of the history, or of the live prices, that the answer was made from.
    """

    base: str
    date: dt.date | None
    result: dict[str, Decimal]
    updated: Timestamp | None
    legs: list[LegRecord]
    agreement: dict[str, AgreementRecord] | None = None
    edition: str = ""
    converted: ConvertedRecord | None = None
    publishers: dict[str, PublisherRecord] | None = None
    assumed: tuple[str, ...] = ()


class SourceCoverage(Struct, frozen=True):
    """What is stored from a source: the number of pairs, and the first and last day."""

    pairs: int
    first: dt.date | None
    last: dt.date | None


class SourceRecord(Struct, frozen=True, kw_only=True):
    """A source: who it is, and its state.

    `state` is fresh, late, failing, waiting or off, and `why` the reason. `newest` is the newest market time received
    from it, and `lag` the age of that in seconds. `left_out` lists what could not be read of its last answers.
    """

    name: str
    home: str
    terms: str
    licence: str
    redistribution: str
    pace: str
    rate_type: str
    covers: str
    state: str
    why: str
    last_success: Timestamp | None
    newest: Timestamp | None
    lag: int | None
    quoted: int
    quarantined: int
    left_out: list[str]
    history: SourceCoverage
    rate_types: list[str] = []


class UnreachedSources(Struct, frozen=True, kw_only=True):
    """No source can be reached: a sentence for people, the keys of those that were asked, and the commonest reason."""

    sentence: str
    unreached: tuple[str, ...]
    why: str


class SourcesResponse(Answer, frozen=True, kw_only=True):
    """The sources by key, best first; `environment` is sandbox if the prices are simulated.

    `no_network` is there while the service reaches none of them.
    `independent`, with `verbose`, counts the independent sources of each currency and metal.
    """

    environment: str
    updated: Timestamp
    sources: dict[str, SourceRecord]
    no_network: UnreachedSources | None = None
    independent: dict[str, int] | None = None


class PublishedCurrency(Struct, frozen=True, kw_only=True):
    """What one source publishes of a code: the number of pairs, and the first and last day in the archive.

    `votes`: its price is behind the current rate. `current`: it publishes now. `compiled`: it compiles the rates of
    others.
    """

    pairs: int = 0
    first: dt.date | None = None
    last: dt.date | None = None
    votes: bool = False
    current: bool = False
    compiled: bool = False


class CoverageRecord(Struct, frozen=True, kw_only=True):
    """The sources of one currency or metal, best first.

    `independent` counts those that publish it now and do not compile the rates of others. `law` names who fixes its
    rate by law; it is empty if nobody does.
    """

    independent: int
    law: str
    sources: dict[str, PublishedCurrency]


class CoverageResponse(Answer, frozen=True, kw_only=True):
    """The coverage by code."""

    currencies: dict[str, CoverageRecord]


def explain(  # noqa: PLR0913  the parameters of the endpoint
    from_: str,
    to: str,
    *,
    date: Day = None,
    max_age: MaxAge = None,
    rate_type: str | None = None,
    verbose: bool = False,
    amount: Amount | None = None,
    precision: int | None = None,
    as_of: AsOf = None,
    assume: str | None = None,
) -> Call[ExplainResponse]:
    """Return a rate with its sources, now or on a past day; with `rate_type`, one of that type.

    With `amount` it has `converted`, what that is worth, and the names of the sources, in the same call.

    With `date` and `as_of` as the service knew the day then: at an edition or a moment. `assume` is "published" or left
    out.
    """
    parameters = {
        "from": from_,
        "to": to,
        "date": write_day(date),
        "max_age": max_age,
        "rate_type": rate_type,
        "verbose": verbose,
        "amount": amount,
        "precision": precision,
        "as_of": as_of,
        "assume": assume,
    }
    return Call("/explain", ExplainResponse, parameters)


def sources(*, verbose: bool = False) -> Call[SourcesResponse]:
    """Return the sources and their state; with `verbose` also how many sources each currency has."""
    return Call("/sources", SourcesResponse, {"verbose": verbose})


def coverage(code: str | None = None) -> Call[CoverageResponse]:
    """Return which sources publish each currency and metal, or one of them."""
    return Call("/coverage", CoverageResponse, {"code": code})
