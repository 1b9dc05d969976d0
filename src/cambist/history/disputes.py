"""Finding disputes: the codes of whose newest days the sources say different things."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np

from cambist.history.as_of import CARRY_DAYS
from cambist.history.code_judgement import day_number, day_of
from cambist.history.code_rates import CodeRates
from cambist.history.dispute import MOST, Dispute, Disputes, HeldFixings, SaidRate, ServedRate
from cambist.history.judging import Judging
from cambist.history.standing import NewestFixing, Standing, rounded
from cambist.verdicts.rules import RULES
from cambist.verdicts.verdict import Reason

_JUDGED_AT_ONCE = 4
_OUTCOME_DAYS = 60

_WHY = {
    Reason.REJECTED: "you rejected it",
    Reason.UNIT: "it is wrong by the factor of a unit",
    Reason.OFF_PEG: "it is far from the legal peg",
    Reason.REPEATED: "its source repeats the same digits while the others move",
    Reason.DAY_LATE: "its source publishes the rates of the day before",
    Reason.JUMP: "it jumps, and nobody else has confirmed that yet",
    Reason.CONTRADICTED: "the others contradict it",
}


def judge_contested(judging: Judging, today: date, most: int | None = _JUDGED_AT_ONCE) -> bool:
    """Judge codes that may be disputed and were not judged since a start, at most so many; return whether all are.

    Others, whose sources agree on their newest days, are never judged for this.
    """
    judged = 0
    for code in judging.unjudged():
        if _may_be_contested(judging, code, today):
            if judged == most:
                return False
            judging.standing(code)
            judged += 1
        else:
            judging.peaceful.add(code)
    return True


def open_disputes(judging: Judging, today: date, *, complete: bool = True) -> Disputes:
    """Return the disputes of all codes that were judged."""
    found = [
        dispute
        for code, standing in judging.standings.items()
        if (dispute := dispute_of(code, standing, today)) is not None
    ]
    found.sort(key=lambda each: (each.since, each.code))
    return Disputes(tuple(found[:MOST]), len(found), judging.judged.decision, complete)


def dispute_of(code: str, standing: Standing, today: date) -> Dispute | None:
    """Return the dispute about a code; None if there is none, or if it was published last more than two weeks ago."""
    if standing.since is None or not _is_recent(standing.verdict.day, today):
        return None
    return described(code, standing, standing.since, today)


def described(code: str, standing: Standing, since: int, today: date) -> Dispute:
    """Return what holds of a code, as a dispute since a day."""
    verdict = standing.verdict
    return Dispute(
        code=code,
        since=day_of(since),
        day=day_of(verdict.day),
        status=verdict.status.name.lower(),
        served=served_rate(standing, today),
        other=None if verdict.other is None else rounded(verdict.other),
        originals_needed=verdict.originals_needed,
        fixings=tuple(_said(each) for each in standing.newest),
    )


def served_rate(standing: Standing, today: date) -> ServedRate | None:
    """Return what is served of a code; None if that is nothing, or too old."""
    verdict = standing.verdict
    if verdict.source is None or verdict.source_day is None or standing.units is None:
        return None
    if not _is_recent(verdict.source_day, today):
        return None
    return ServedRate(verdict.source, day_of(verdict.source_day), standing.units)


def held_fixings(judging: Judging) -> dict[str, HeldFixings]:
    """Return the held fixings of each source that has any. Its newest fixings are those of its last two weeks."""
    first = {key: history.last_row - CARRY_DAYS for key, history in judging.histories.items()}
    since: dict[str, dict[str, int]] = {}
    for code, standing in judging.standings.items():
        for each in standing.newest:
            if each.held_since is not None and each.day >= first.get(each.source, 0):
                since.setdefault(each.source, {})[code] = each.held_since
    return {
        source: HeldFixings(
            count=len(of_codes),
            since=day_of(min(of_codes.values())),
            all=of_codes.keys() >= _codes_since(judging, source, first[source]),
        )
        for source, of_codes in since.items()
    }


def _codes_since(judging: Judging, source: str, day: int) -> set[str]:
    """Return the codes of which a source has published a fixing since a day."""
    lines = ((code, judging.histories[source].line(code)) for code in judging.codes_of(source))
    return {code for code, line in lines if line is not None and line[0][-1] >= day}


def _said(each: NewestFixing) -> SaidRate:
    percent = None if each.distance is None else round(100 * float(np.expm1(each.distance)), 4)
    status, why = each.status.name.lower(), _WHY.get(each.reason, "")
    return SaidRate(each.source, day_of(each.day), each.units, status, why, round(each.weight, 4), percent)


def _may_be_contested(judging: Judging, code: str, today: date) -> bool:
    """Return whether a code may be disputed or have held fixings: cheaper than to judge it, and never wrongly False.

    Where another than the preferred source is published, the log says so. Otherwise fixings of one day are apart, or a
    last fixing before it is as far away as a jump.
    """
    newest = day_number(today) - CARRY_DAYS
    rates = judging.rates(code, newest - CARRY_DAYS)
    if rates is None or rates.days[-1] < newest:
        return False
    if judging.is_decided(code) or any(day >= newest - _OUTCOME_DAYS for day in judging.outcomes.get(code, ())):
        return True
    return any(high - low > most for low, high, most in _spans(rates))


def _spans(rates: CodeRates) -> Iterator[tuple[float, float, float]]:
    """Yield the ends (log) of what sources say, by day and of all that still stands, with what is no distance."""
    levels = np.log(rates.units)
    rows = {int(np.flatnonzero(~np.isnan(of_source))[-1]) for of_source in levels.T if not np.isnan(of_source).all()}
    for row in rows:
        yield float(np.nanmin(levels[row])), float(np.nanmax(levels[row])), RULES.same_least
    carried = levels[rates.days >= rates.days[-1] - RULES.carried_days]
    yield float(np.nanmin(carried)), float(np.nanmax(carried)), RULES.same_least + RULES.jump_least


def _is_recent(day: int, today: date) -> bool:
    return day >= day_number(today) - CARRY_DAYS
