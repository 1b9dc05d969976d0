"""Rates of past days: `/historical` and `/time-series`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from msgspec import Struct

from cambist.client import frames
from cambist.client.answers import Answer, ResponseHeaders, Timestamp
from cambist.client.call import AsOf, Call, Codes, Day, Parts, split_codes, write_day
from cambist.client.endpoints.booking import BookingRecord, PublishedRecord
from cambist.client.endpoints.rates import AgreementRecord

MAX_TARGETS = 10
"""How many targets `/time-series` takes."""


class CloseRecord(Struct, frozen=True):
    """The close of a coin in dollars, the exchanges that it is from, and whether it was crossed between them."""

    value: Decimal
    quote: str
    sources: list[str]
    crossed: bool
    received_at: Timestamp


class HistoricalResponse(Answer, frozen=True, kw_only=True):
    """The rates of a day, carried forward over weekends and holidays.

    `fixed_on` is the day of the oldest fixing among them and `carried_days` the days since then; both are None if the
    law alone decides. `fixings`, with `verbose`, has the day of the fixing of each target.
    """

    date: dt.date
    base: str
    results: dict[str, Decimal]
    fixed_on: dt.date | None
    carried_days: int | None
    assumed: tuple[str, ...] = ()
    fixings: dict[str, dt.date | None] | None = None
    unit: str = ""
    purity: str = ""
    price: str = ""
    close: CloseRecord | None = None
    source: str = ""
    rule: str = ""
    published: dict[str, list[PublishedRecord]] | None = None
    booking: BookingRecord | None = None
    agreement: dict[str, AgreementRecord] | None = None
    unavailable: tuple[str, ...] = ()


class ManyToOneOfDay(Answer, frozen=True, kw_only=True):
    """The rates of a day from several currencies to one, in `results` by what they are from.

    `fixed_on` is the day of the oldest fixing among them, None if the law alone decides.
    """

    date: dt.date
    to: str
    results: dict[str, Decimal]
    fixed_on: dt.date | None


class TimeSeriesResponse(Answer, frozen=True, kw_only=True):
    """The rates of every calendar day that has one, in ascending order, by target.

    `carried`, with `verbose`, lists the days without a fixing of their own, and `fixed_on` has the days of the fixings
    that they use; both for several targets by target.
    """

    start: dt.date
    end: dt.date
    interval: str
    base: str
    results: dict[str, dict[dt.date, Decimal]]
    carried: list[dt.date] | dict[str, list[dt.date]] | None = None
    fixed_on: dict[str, dt.date | dict[str, dt.date]] | None = None
    unit: str = ""
    purity: str = ""
    price: str = ""
    source: str = ""
    rule: str = ""
    booking: BookingRecord | None = None
    assumed: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the pairs and the period, without the thousands of rates: a notebook shows this."""
        days = max(map(len, self.results.values()), default=0)
        return f"<TimeSeriesResponse {self.base} to {', '.join(self.results)}: {self.start} to {self.end}, {days} days>"

    def to_pandas(self, *, exact: bool = False) -> Any:
        """Return a pandas DataFrame by day with a column for each target: of float64, or of Decimal if `exact`.

        Errors: PackageMissing.
        """
        return frames.to_pandas(self.results, exact=exact)

    def to_polars(self) -> Any:
        """Return a polars DataFrame with a column `date`, and one for each target, of decimals with all digits.

        Errors: PackageMissing.
        """
        return frames.to_polars(self.results)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return an Arrow stream with a column `date`, and one for each target, of decimals with all digits.

        Libraries that read Arrow call this. Errors: PackageMissing.
        """
        return frames.arrow_stream(self.results, requested_schema)


def historical(  # noqa: PLR0913  the parameters of an endpoint
    date: dt.date | str,
    from_: str = "USD",
    to: Codes | None = None,
    *,
    partial: bool = False,
    verbose: bool = False,
    min_sources: int | None = None,
    rate_type: str | None = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
    as_of: AsOf = None,
    assume: str | None = None,
    unit: str | None = None,
    purity: str | int | None = None,
) -> Call[HistoricalResponse]:
    """Return the rates of a past day, in all currencies if there is no `to`.

    With `min_sources`, rates that fewer independent sources agree on are refused. With `rate_type`, such as `parallel`,
    they are fixings of that type. `source`, `rule` and `booking` choose a publisher's rate and its day. With `as_of` as
    the service knew it then; `assume` is "published" or left out. `unit` and `purity` are of a metal.
    """
    parameters = {
        "date": write_day(date),
        "from": from_,
        "to": to,
        "partial": partial,
        "verbose": verbose,
        "min_sources": min_sources,
        "rate_type": rate_type,
        "source": source,
        "rule": rule,
        "booking": booking,
        "as_of": as_of,
        "assume": assume,
        "unit": unit,
        "purity": purity,
    }
    return Call("/historical", HistoricalResponse, parameters)


def time_series(  # noqa: PLR0913  the parameters of an endpoint
    from_: str,
    to: Codes,
    start: Day = None,
    end: Day = None,
    *,
    partial: bool = False,
    interval: str | None = None,
    verbose: bool = False,
    rate_type: str | None = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
    as_of: AsOf = None,
    assume: str | None = None,
    unit: str | None = None,
    purity: str | int | None = None,
) -> Call[TimeSeriesResponse]:
    """Return the rate of each day of a period.

    Without `end` it ends today, and without `start` it has 30 days. The `interval` "P1W", "P1M" or "P1Y" has the
    last rate of each week, month or year. With `rate_type` the rates are of that type, with `source` of one source.
    `rule` and `booking` choose which publication counts for each day.

    With `as_of` as the service knew it then; `assume` is "published" or left out. `unit` and `purity` are of a metal.
    """
    period = {"start": write_day(start), "end": write_day(end), "interval": interval, "partial": partial}
    chosen = {"rate_type": rate_type, "source": source, "rule": rule, "booking": booking}
    known = {"as_of": as_of, "assume": assume, "verbose": verbose, "unit": unit, "purity": purity}
    parameters = {"from": from_, "to": to, **period, **chosen, **known}
    return Call("/time-series", TimeSeriesResponse, parameters)


def historical_many_to_one(date: dt.date | str, from_: Codes, to: str) -> Parts[HistoricalResponse, ManyToOneOfDay]:
    """Return the rates of a past day from several currencies, coins or metals to one. Each costs a call.

    Of now they are those of `fetch_many_to_one`.
    """
    first, *others = [historical(date, code, to) for code in split_codes(from_) or [","]]  # the service refuses none
    return Parts(first, lambda _found: others, _join_sources)


def _join_sources(parts: list[HistoricalResponse]) -> ManyToOneOfDay:
    days = [each.fixed_on for each in parts if each.fixed_on]
    (to,) = parts[0].results
    return ManyToOneOfDay(
        date=parts[0].date,
        to=to,
        results={each.base: each.results[to] for each in parts},
        fixed_on=min(days, default=None),
        ms=sum(each.ms for each in parts),
        headers=_headers_of(parts),
    )


def series(
    from_: str, to: Codes, start: Day = None, end: Day = None, *, partial: bool = False
) -> Parts[TimeSeriesResponse, TimeSeriesResponse]:
    """Return the rate of each day of a period, for `to_pandas()`, `to_polars()` and libraries that read Arrow.

    Without `end` it ends today, and without `start` it has 30 days. More than ten targets are asked for in several
    calls, whose answers are joined.
    """
    targets = split_codes(to)
    first = time_series(from_, targets[:MAX_TARGETS], start, end, partial=partial)

    def rest(found: TimeSeriesResponse) -> list[Call[TimeSeriesResponse]]:
        places = range(MAX_TARGETS, len(targets), MAX_TARGETS)
        parts = [targets[place : place + MAX_TARGETS] for place in places]
        return [time_series(from_, part, found.start, found.end, partial=partial) for part in parts]

    return Parts(first, rest, _join_series)


def _join_series(parts: list[TimeSeriesResponse]) -> TimeSeriesResponse:
    """Return the series of several targets of one period as one."""
    first = parts[0]
    return TimeSeriesResponse(
        start=first.start,
        end=first.end,
        interval=first.interval,
        base=first.base,
        results={code: rates for part in parts for code, rates in part.results.items()},
        unavailable=tuple(code for part in parts for code in part.unavailable),
        ms=sum(part.ms for part in parts),
        headers=_headers_of(parts),
    )


def _headers_of(parts: Sequence[Answer]) -> ResponseHeaders:
    first = parts[0].headers
    cost = sum(each.headers.calls_cost for each in parts)
    return ResponseHeaders(environment=first.environment, calls_cost=cost, ignored=first.ignored)
