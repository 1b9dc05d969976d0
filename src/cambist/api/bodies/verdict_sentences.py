"""The sentences about a verdict: how many agree, why fixings are held, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp

from cambist.history.code_verdict import CodeVerdict, JudgedFixing
from cambist.pricing.number_format import plain_float
from cambist.verdicts.rules import RULES
from cambist.verdicts.verdict import DayStatus, FixingStatus, Reason

_REASONS = {
    Reason.NONE: "it is far from the agreed rate",
    Reason.REJECTED: "the operator has rejected it",
    Reason.OFF_PEG: "it is off the legal rate, and the agreed rate is not",
    Reason.REPEATED: "its source repeats the same digits while the others move",
    Reason.DAY_LATE: "its source publishes what the others published the day before",
    Reason.JUMP: "it jumps, and nobody else has published that day",
    Reason.CONTRADICTED: "the other sources contradict it",
}
_NEEDS_ANOTHER = (Reason.UNIT, Reason.REJECTED)
"""Reasons that the next fixing of the same source does not take away, however often it repeats itself."""

_MOST_NAMES = 4

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


def says(found: CodeVerdict, other: str) -> str:
    """Return in words how many agree."""
    counted = f"{len(_agreed(found))} of {len(found.fixings)} agree"
    if found.status is DayStatus.SINGLE:
        return f"only {_names(found.fixings)} has published"
    if found.status is DayStatus.HELD:
        return f"what {_names(found.fixings)} published is held, and the rate of before stands"
    if found.status is DayStatus.WITHDRAWN:
        return "withdrawn: the other sources refuted it later, and there is no rate"
    if found.status is DayStatus.NONE:
        return f"what {_names(found.fixings)} published is held, and there is no rate before it"
    if found.status is DayStatus.DISPUTED and other:
        return f"{counted}, others say {other}"
    return counted


def because(fixing: JudgedFixing, found: CodeVerdict) -> str:
    """Return why a fixing does not agree; empty if it does."""
    if fixing.status is FixingStatus.EARLY:
        return "it was published before the jump of that day"
    if fixing.status is not FixingStatus.HELD:
        return ""
    return _unit(fixing, found) if fixing.reason is Reason.UNIT else _REASONS[fixing.reason]


def _unit(fixing: JudgedFixing, found: CodeVerdict) -> str:
    """Return which mistake of a unit a fixing looks like."""
    ratio = abs(fixing.distance) if fixing.distance is not None else 0.0
    factor = min(RULES.units, key=lambda each: abs(exp(ratio) / each - 1))
    if found.level is None or abs(exp(ratio) / factor - 1) > 2 * RULES.unit_tolerance:
        return "it looks as if its two currencies have changed places"
    sense = "more" if (fixing.distance or 0.0) > 0 else "less"
    return f"it is {plain_float(factor)} times {sense}, as if by a mistaken unit"


def held_because(found: CodeVerdict) -> str:
    """Return why the fixings of a day are held, with their sources."""
    by_reason: dict[str, list[JudgedFixing]] = {}
    for each in found.fixings:
        if each.status is FixingStatus.HELD:
            by_reason.setdefault(because(each, found), []).append(each)
    return "; ".join(f"{_names(held)}: {reason}" for reason, held in by_reason.items())


def settled_by(found: CodeVerdict, other: str) -> str:
    """Return what would settle a dispute, or free what is held; empty if nothing is open, or later days have."""
    held = [each for each in found.fixings if each.status is FixingStatus.HELD]
    is_open = found.status in (DayStatus.DISPUTED, DayStatus.HELD, DayStatus.NONE)
    if not is_open or not found.is_newest or not held:
        return ""
    if found.rivals is None or not other:
        return f"the next publication of {_names(held)}, if it is near the agreed rate, or a decision of the operator"
    more = _NUMBERS.get(found.rivals, str(found.rivals))
    originals = f"{more} more original{' that says' if found.rivals == 1 else 's that say'} {other}"
    if all(each.reason in _NEEDS_ANOTHER for each in held):
        return f"{originals}, or a decision of the operator"
    return f"{originals}, or the next publication of {_names(held)}"


def _agreed(found: CodeVerdict) -> list[JudgedFixing]:
    return [each for each in found.fixings if each.status is FixingStatus.AGREED]


def _names(fixings: Iterable[JudgedFixing]) -> str:
    names = [each.source for each in fixings]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
