"""Verdicts as answers show them: how many agree, what each source says and why it is held, and what would settle it."""

from __future__ import annotations

from datetime import date
from math import exp

from msgspec import Struct

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.verdict_sentences import because, held_because, says, settled_by
from cambist.errors import RateUnavailable, StoreBusy
from cambist.history.code_verdict import CodeVerdict, JudgedFixing
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.verdicts.verdict import DayStatus

_DIGITS = 4


class FixingRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fixing of one source: its `rate` of the verdict's pair, its weight, and what was found of it.

    `distance` is how far it is from the agreed rate, in per cent. `status` is agreed, early (published before a jump of
    that day) or held; then `because` says why.
    """

    source: str
    rate: str
    weight: float
    status: str
    distance: float | None = None
    because: str = ""


class VerdictRecord(Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"day": "date"}):
    """What all sources that publish a code said of a day, and what was published of it.

    `status` is agreed, majority, single, disputed, held, none or withdrawn, or unjudged for a rate of a type that was
    asked for by name, and `sentence` says it in words. `level` is the agreed rate of `pair`, `other` the rate that most
    of the rest say. `settles` is what would settle a dispute. If the newest fixing is held, `held_since` is the day
    since when, and `because` says why.
    """

    status: str
    sentence: str
    pair: str
    day: date
    level: str = ""
    other: str = ""
    fixings: tuple[FixingRecord, ...] = ()
    settles: str = ""
    held_since: date | None = None
    because: str = ""


def unjudged(pair: Pair, day: date) -> VerdictRecord:
    """Return what stands in place of a verdict on a rate of a type of its own."""
    sentence = "rates of this type are not judged: each is served as its source published it"
    return VerdictRecord(status="unjudged", sentence=sentence, pair=str(pair), day=day)


def verdict_on(context: RequestContext, code: str, pair: Pair, day: date) -> VerdictRecord | None:
    """Return the verdict behind a code's rate of a past day, if it has one. Errors: RateUnavailable, StoreBusy."""
    found = context.verdict(code, day) if code else None
    return None if found is None else verdict_record(found, pair)


def verdict_now(context: RequestContext, code: str, pair: Pair) -> VerdictRecord | None:
    """Return the verdict behind a code's current rate, if it has one."""
    found = current_verdict(context, code) if code else None
    return None if found is None else verdict_record(found, pair)


def current_verdict(context: RequestContext, code: str) -> CodeVerdict | None:
    """Return the verdict on the newest fixings of a code, if there is one.

    A database that does not answer is no reason to refuse a rate that is known: then there is none.
    """
    try:
        return context.verdict(code, context.today)
    except (RateUnavailable, StoreBusy):
        return None


def verdict_record(found: CodeVerdict, pair: Pair) -> VerdictRecord:
    """Return a verdict as answers show it, in the direction of a pair if that is the code's against the pivot."""
    shown = pair if {pair.base, pair.quote} == {found.code, PIVOT} else Pair(PIVOT, found.code)
    is_inverse = shown.quote == PIVOT
    level, other = (shown_rate(each, shown, found.code) for each in (found.level, found.other))
    return VerdictRecord(
        status=status_name(found),
        sentence=says(found, other),
        pair=str(shown),
        day=found.day,
        level=level,
        other=other,
        fixings=tuple(_fixing(each, found, shown, is_inverse=is_inverse) for each in found.fixings),
        settles=settled_by(found, other),
        held_since=found.held_since,
        because=held_because(found) if found.status is DayStatus.HELD else "",
    )


def status_name(found: CodeVerdict) -> str:
    """Return the status of a verdict as answers name it."""
    return found.status.name.lower()


def shown_rate(units: float | None, pair: Pair, code: str) -> str:
    """Return a rate in units of a code per pivot as one of a pair, if it is of these two; empty if there is none."""
    if units is None:
        return ""
    return plain_float(1 / units if pair == Pair(code, PIVOT) else units)


def _fixing(each: JudgedFixing, found: CodeVerdict, pair: Pair, *, is_inverse: bool) -> FixingRecord:
    distance = each.distance if found.level is not None else None
    return FixingRecord(
        source=each.source,
        rate=shown_rate(each.units, pair, found.code),
        weight=round(each.weight, _DIGITS),
        status=each.status.name.lower(),
        distance=None if distance is None else _percent(-distance if is_inverse else distance),
        because=because(each, found),
    )


def _percent(distance: float) -> float:
    return round((exp(distance) - 1) * 100, _DIGITS)
