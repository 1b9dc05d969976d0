"""Version 2's `providers`: the rates of one publisher in place of the agreed ones, and the list of publishers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

import numpy as np

from cambist.api.bodies.publisher_rates import PublisherRates, RateChoice
from cambist.api.bodies.publisher_series import published_series
from cambist.api.bodies.source_tables import reports
from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_json import encode_plainly
from cambist.api.faces.dialects.rates import DatedRates, shown
from cambist.errors import BadParameter, NoRate
from cambist.history.day_rules import DayRule
from cambist.pricing.pair import Pair


def provider_rates(request: DialectRequest, codes: Iterable[str]) -> PublisherRates:
    """Return the rates of the publisher in `providers`. Errors: BadParameter for several, and for an unknown one."""
    text = request.query["providers"].strip().lower()
    if "," in text:
        sentence = "the rates of several are not mixed here. Name one, or none for the rate that all of them agree on"
        raise BadParameter(f"Invalid providers: [{text}], {sentence}")
    return PublisherRates(request.context, RateChoice(text, DayRule.DAY), codes)


def provided_on(rates: PublisherRates, base: str, targets: Iterable[str], day: date, *, is_named: bool) -> DatedRates:
    """Return what a publisher said last on or before a day, of the targets that it has. Errors: RateUnavailable."""
    values: dict[str, float] = {}
    days: dict[str, date] = {}
    for code in targets:
        try:
            found = rates.counted(Pair(base, code), rates.choice.counting(day), nearest=False)
        except NoRate:
            continue
        values[code], days[code] = shown(float(found.rate)), found.day
    return DatedRates(values, days, is_named)


def provided_between(
    rates: PublisherRates, base: str, targets: Iterable[str], start: date, end: date
) -> dict[date, dict[str, float]]:
    """Return a publisher's rates on the days on which it published them. Errors: NoRate if there is none at all."""
    by_day: dict[date, dict[str, float]] = {}
    refused: NoRate | None = None
    for code in targets:
        try:
            series = published_series(rates, Pair(base, code), start, end)
        except NoRate as error:
            refused = error
            continue
        for offset in np.flatnonzero(~np.isnan(series.values)).tolist():
            day = series.first_day + timedelta(days=offset)
            by_day.setdefault(day, {})[code] = shown(series.values[offset])
    if not by_day and refused is not None:
        raise refused
    return dict(sorted(by_day.items()))


def providers(request: DialectRequest) -> DialectAnswer:
    """Answer `/v2/providers`: the publishers of tables of daily rates, and the days of which theirs are stored."""
    return DialectAnswer(encode_plainly(list(_described(request))))


def _described(request: DialectRequest) -> Iterator[dict[str, object]]:
    for report in sorted(reports(request.context), key=lambda each: each.key):
        if report.anchor:
            yield {
                "key": report.key.upper(),
                "name": report.name,
                "base": report.anchor,
                "website": report.home,
                "terms": report.terms,
                "start_date": report.first,
                "end_date": report.last,
            }
