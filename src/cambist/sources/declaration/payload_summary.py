"""A dry run: what an own source's answer was read as, and what looks odd about it. Nothing is asked or kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import product

from cambist.history.fixing import Fixing
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES
from cambist.sources.base import FixingAdapter, SourceRequest

_SHOWN = 8
_DEAR = ("USD", "EUR", "GBP", "CHF")
_CHEAP = ("JPY", "KRW", "HUF", "IDR", "VND", "INR")
"""A unit of these has been worth less than one of the dear for as long as anybody publishes rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadSummary:
    """What one answer was read as: how much, of which days, up to eight rates of the newest day, and what is odd."""

    fixings: int
    first: date
    last: date
    sample: tuple[str, ...]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]


def summarize_payload(adapter: FixingAdapter, content: bytes, request: SourceRequest) -> PayloadSummary:
    """Read an answer to an inquiry and say what was found.

    Errors: SourceBroken where it cannot be read as declared, NothingPublished where it says that there is nothing.
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
    """Write a fixing as people say it."""
    unit = f" {fixing.unit}" if fixing.unit else ""
    return f"{fixing.nominal}{unit} {fixing.pair.base} = {fixing.value:f} {fixing.pair.quote} on {fixing.day}"


def _day_warnings(adapter: FixingAdapter, days: Sequence[date], request: SourceRequest) -> Iterator[str]:
    outside = [day for day in days if not request.first <= day <= request.last]
    if outside:
        yield f"{len(outside)} of {len(days)} days were not asked for, such as {outside[0]}"
    off = [day for day in days if day.weekday() not in adapter.source.schedule.days]
    if off:
        yield f"{off[0]} is a {off[0]:%A}, on which schedule.days says that nothing is published"


def _worth_warnings(fixings: Sequence[Fixing], anchor: str) -> Iterator[str]:
    """Find a direction or a nominal that was declared wrongly, as far as every dealer would."""
    worth = {anchor: Fraction(1)}
    for fixing in fixings:
        is_per_anchor = fixing.pair.base == anchor
        worth[fixing.pair.other(anchor)] = 1 / fixing.rate if is_per_anchor else fixing.rate
    for dear, cheap in product(_DEAR, _CHEAP):
        if dear in worth and cheap in worth and worth[cheap] > worth[dear]:
            yield f"1 {cheap} would be worth more than 1 {dear}: look at rates.direction and the nominal"
            return
