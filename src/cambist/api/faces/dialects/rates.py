"""The rates that dialects answer, with the digits of Cambist's own endpoints."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from math import isnan

from cambist.api.answer.request_context import RequestContext
from cambist.errors import NoRate
from cambist.history import as_of
from cambist.history.series import read_series
from cambist.pricing.cross_rates import check_crossable, listed_midpoints, midpoints
from cambist.pricing.number_format import SHOWN_DIGITS, TIES_UP
from cambist.pricing.pair import Pair

RatesByDay = Mapping[date, Mapping[str, float]]

_ONE_DAY = timedelta(days=1)


def latest_rates(context: RequestContext, base: str, quotes: Sequence[str] | None = None) -> dict[str, float]:
    """Return the midpoints of now, as `/fetch-one` answers them: of all listed currencies without `quotes`.

    Errors: BadParameter, RateUnavailable.
    """
    if quotes is None:
        found = listed_midpoints(context.book, base)
    else:
        for quote in quotes:
            check_crossable(base, quote)
        context.check_fresh((base, *quotes))
        found = midpoints(context.book, [base], quotes)
    context.check_age(found.as_of, None)
    return _shown(found.quotes, found.values)


def rates_on(context: RequestContext, base: str, quotes: Iterable[str] | None, day: date) -> dict[str, float]:
    """Return the rates of a past day, as `/historical` answers them, of those that have one; all without `quotes`.

    Errors: NoRate if there is none.
    """
    if quotes is None:
        found = as_of.listed_rates(context.matrix, day, base)
    else:
        found = as_of.rates_on(context.matrix, day, base, quotes)
    return _shown(found.codes, found.values)


def daily_rates(
    context: RequestContext, base: str, quotes: Iterable[str], start: date, end: date
) -> dict[date, dict[str, float]]:
    """Return the rates of each calendar day of a period, as `/time-series` answers them; days without one are left out.

    A target without a rate in the whole period is left out. Errors: NoRate if there is no rate at all.
    """
    by_day: dict[date, dict[str, float]] = {}
    refused: NoRate | None = None
    for quote in quotes:
        try:
            series = read_series(context.matrix, Pair(base, quote), start, end)
        except NoRate as error:
            refused = error
            continue
        for offset, value in enumerate(series.values.tolist()):
            if not isnan(value):
                by_day.setdefault(series.first_day + offset * _ONE_DAY, {})[quote] = shown(value)
    if not by_day and refused is not None:
        raise refused
    return dict(sorted(by_day.items()))


def priced_currencies(context: RequestContext, day: date | None = None) -> Collection[str]:
    """Return the codes that have a rate now, or on a past day, sorted. Errors: RateUnavailable, NoRate."""
    if day is None:
        return tuple(listed_midpoints(context.book, "USD").quotes)
    return as_of.listed_rates(context.matrix, day, "USD").codes


def shown(value: float) -> float:
    """Return a rate with the ten significant digits that every answer has."""
    return float(f"{value * TIES_UP:.{SHOWN_DIGITS}g}")


def _shown(codes: Iterable[str], values: Iterable[float]) -> dict[str, float]:
    return {code: shown(value) for code, value in zip(codes, values, strict=True)}
