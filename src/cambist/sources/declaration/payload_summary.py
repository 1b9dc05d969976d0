"""A summary of a declared source's payload for the dry run: what was parsed, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import product

from cambist.history.fixing import Fixing
from cambist.pricing.anchor import anchor_in
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import FixingAdapter, SourceRequest

_SHOWN = 8
_HIGH_UNITS = ("USD", "EUR", "GBP", "CHF")
_LOW_UNITS = ("JPY", "KRW", "HUF", "IDR", "VND", "INR")
"""A unit of these has always been worth less than a unit of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadSummary:
    """What one payload contains: how many fixings, of which days, up to eight of the newest day, and warnings."""

    fixings: int
    first: date
    last: date
    sample: tuple[str, ...]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]


def summarize_payload(adapter: FixingAdapter, content: bytes, request: SourceRequest) -> PayloadSummary:
    """Parse the answer to a request and summarize it.

    Errors: SourceBroken if it does not match the declaration, NothingPublished if it says that there is nothing.
    """
    fixings = list(adapter.parse(content, request.subject))
    days = sorted({fixing.day for fixing in fixings})
    codes = {code for fixing in fixings for code in (fixing.pair.base, fixing.pair.quote)}
    newest = [fixing for fixing in fixings if fixing.day == days[-1]]
    return PayloadSummary(
        fixings=len(fixings),
        first=days[0],
        last=days[-1],
        sample=tuple(map(format_fixing, newest[:_SHOWN])),
        unknown=tuple(sorted(codes - {*CURRENCIES, *METALS})),
        warnings=(*_day_warnings(adapter, days, request), *_worth_warnings(newest, adapter.source.anchor)),
    )


def format_fixing(fixing: Fixing) -> str:
    """Return a fixing as text, such as `100 JPY = 2.5090 PLN on 2026-10-30`."""
    unit = f" {fixing.unit}" if fixing.unit else ""
    return f"{fixing.nominal}{unit} {fixing.pair.base} = {fixing.value:f} {fixing.pair.quote} on {fixing.day}"


def _day_warnings(adapter: FixingAdapter, days: Sequence[date], request: SourceRequest) -> Iterator[str]:
    outside = [day for day in days if not request.first <= day <= request.last]
    if outside:
        yield f"{len(outside)} of {len(days)} days were not asked for, such as {outside[0]}"
    off = [day for day in days if day.weekday() not in adapter.source.schedule.days]
    if off:
        yield f"{off[0]} is a {off[0]:%A}, a day without publication according to schedule.days"


def _worth_warnings(fixings: Sequence[Fixing], anchor: str) -> Iterator[str]:
    """Warn of a wrong direction or nominal, if it is obvious from well-known currencies."""
    worth = {anchor: Fraction(1)}
    for fixing in fixings:
        own = anchor_in(fixing.pair, anchor)
        is_per_anchor = fixing.pair.base == own
        worth[fixing.pair.other(own)] = 1 / fixing.rate if is_per_anchor else fixing.rate
    for high, low in product(_HIGH_UNITS, _LOW_UNITS):
        if high in worth and low in worth and worth[low] > worth[high]:
            yield f"1 {low} would be worth more than 1 {high}: look at rates.direction and the nominal"
            return
