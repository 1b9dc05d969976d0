"""Compare the answers of sources with what is expected of them, and with each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from math import isnan
from statistics import median

from msgspec import Struct

from cambist.admin.source_check.answers import CheckedAnswer
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_history import SourceHistory
from cambist.pricing.agreement import TOLERANCE
from cambist.pricing.anchor import priced_code
from cambist.pricing.source_kind import Pace
from cambist.sources.base import Source

_CARRY = timedelta(days=14)
_LATE_AFTER = {Pace.REALTIME: 4, Pace.INTRADAY: 5, Pace.DAILY: 10, Pace.MONTHLY: 62}
"""Days: how old the newest rate may be, a long holiday included."""

_DIGITS = 4


class Verdict(StrEnum):
    """What a check found: `differs` if something was read that is not as expected."""

    AS_EXPECTED = "as expected"
    DIFFERS = "differs"
    FAILED = "failed"


class CheckedSource(Struct, frozen=True, kw_only=True):
    """What one source sent, beside what is expected. No field contains a key.

    `missing` are listed codes that did not come, `unlisted` codes that came and are not listed; both are empty if one
    request asks for some of the codes only. `apart` has the deviation from the median of the others in per cent, by
    code, where it is more than 5 %; `compared` counts the codes that others have too.
    """

    key: str
    name: str
    verdict: Verdict
    remarks: tuple[str, ...]
    url: str
    status: str
    content_type: str
    bytes: int
    seconds: float
    fixings: int
    newest: date | None
    codes: tuple[str, ...]
    missing: tuple[str, ...]
    unlisted: tuple[str, ...]
    compared: int
    apart: dict[str, float]
    left_out: tuple[str, ...]


NewestRates = Mapping[str, tuple[date, float]]
"""The newest day and units per pivot by code."""


def newest_rates(source: Source, answer: CheckedAnswer) -> dict[str, tuple[date, float]]:
    """Return a source's newest rate of each code against the pivot, with its day."""
    own = SourceHistory(source.anchor, [fixing for fixing in answer.fixings if not fixing.rate_type], source.key)
    lines = {code: line for code in own.codes if (line := own.line(code)) is not None}
    return {
        code: (FIRST_DAY + timedelta(days=int(rows[-1])), float(units[-1])) for code, (rows, units) in lines.items()
    }


def compare(
    source: Source, answer: CheckedAnswer, expected: Sequence[str], others: Iterable[NewestRates], today: date
) -> CheckedSource:
    """Return what is to be said of a source's answer; `others` are the rates of the other sources."""
    rates = newest_rates(source, answer)
    codes = sorted({priced_code(fixing.pair, source.anchor) for fixing in answer.fixings if not fixing.rate_type})
    is_comparable = bool(expected) and answer.is_whole and bool(codes)
    missing = tuple(sorted(set(expected) - set(codes))) if is_comparable else ()
    unlisted = tuple(sorted(set(codes) - set(expected))) if is_comparable else ()
    compared, apart = _apart(rates, list(others))
    remarks = tuple(_remarks(source, answer, missing, apart, today))
    return CheckedSource(
        key=source.key,
        name=source.name,
        verdict=Verdict.FAILED if answer.error else Verdict.DIFFERS if remarks else Verdict.AS_EXPECTED,
        remarks=(answer.error,) if answer.error else remarks,
        url=answer.url,
        status=answer.reason,
        content_type=answer.content_type,
        bytes=len(answer.content),
        seconds=answer.seconds,
        fixings=len(answer.fixings) or len(answer.ticks),
        newest=answer.newest,
        codes=tuple(codes),
        missing=missing,
        unlisted=unlisted,
        compared=compared,
        apart=apart,
        left_out=answer.left_out,
    )


def _apart(rates: NewestRates, others: Sequence[NewestRates]) -> tuple[int, dict[str, float]]:
    """Return how many codes others have too, and in per cent how far those are that are not near their median."""
    compared, apart = 0, dict[str, float]()
    for code, (day, units) in rates.items():
        near = [each[code][1] for each in others if code in each and abs(each[code][0] - day) <= _CARRY]
        if not near or isnan(units):
            continue
        compared += 1
        deviation = units / median(near) - 1
        if abs(deviation) > TOLERANCE:
            apart[code] = round(deviation * 100, _DIGITS)
    return compared, dict(sorted(apart.items()))


def _remarks(
    source: Source, answer: CheckedAnswer, missing: Sequence[str], apart: Mapping[str, float], today: date
) -> Iterable[str]:
    if not answer.fixings and not answer.ticks:
        yield "nothing could be read"
    if answer.newest is not None and answer.newest < today - timedelta(days=_LATE_AFTER[source.pace]):
        yield f"the newest rate is of {answer.newest}"
    early = [fixing.day for fixing in answer.fixings if fixing.day < source.first_day]
    if early:
        yield f"a rate is of {min(early)}, before the first day {source.first_day}"
    if missing:
        yield f"missing: {', '.join(missing)}"
    for code, deviation in apart.items():
        yield f"{code} is {deviation:+.1f} % from the median of the others"
    for sentence in answer.left_out:
        yield f"left out: {sentence}"
