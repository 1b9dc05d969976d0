"""The verdict on a code of one day, derived again from the fixings around it, to show why a rate is what it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp, isnan

import numpy as np

from cambist.history.archive import PairFilter
from cambist.history.as_of import CARRY_DAYS
from cambist.history.code_judgement import day_number, day_of, history_of, judge_rates
from cambist.history.code_rates import NO_COLUMN, WITHDRAWN_COLUMN, CodeRates, code_rates
from cambist.history.known_fixings import KnownFixings
from cambist.history.known_state import PUBLISHED, Mark, Window, verdict_bounds
from cambist.history.rule_set import RuleSet
from cambist.history.source_rates import pairs_of
from cambist.history.verdict_log import Decision, VerdictBounds, holding
from cambist.pricing.pair import PIVOT, Pair
from cambist.verdicts.explanation import DayVerdict, explain_day
from cambist.verdicts.facts import Ints
from cambist.verdicts.verdict import DayStatus, FixingStatus, Reason

_BEFORE, _AFTER = 420, 45
"""So many days before and after a day are read: what is usual is measured before, and what came after decides too."""

_NO_VALUE = (DayStatus.NONE, DayStatus.HELD, DayStatus.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class JudgedFixing:
    """A fixing and what became of it. `distance` is how far it is from the agreed rate (log), None without one."""

    source: str
    units: float
    weight: float
    distance: float | None
    status: FixingStatus
    reason: Reason


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """The verdict on the fixings of a code of a day, the last ones up to the day that was asked for.

    Rates are in units per pivot, None without one. `source` is the one whose fixing is published, empty if none is.
    `held_since` is the first of the days on which all fixings were held, up to this one. `rivals` says how many more
    originals would have to say the `other` rate to change the verdict; None if nothing else is open any more.
    `is_newest` is whether nothing later is known.
    """

    code: str
    day: date
    status: DayStatus
    level: float | None
    other: float | None
    source: str
    fixings: tuple[JudgedFixing, ...]
    held_since: date | None
    rivals: int | None
    is_newest: bool


def window_around(day: date) -> Window:
    """Return the days whose fixings decide the verdict on a day."""
    first = max(day_number(day) - _BEFORE, 0)
    return Window(first, day_number(day) + _AFTER + 1 - first)


def wants_code(rules: RuleSet, code: str) -> PairFilter:
    """Return which pairs of which sources the rates of a code are made from."""
    codes = frozenset((code, PIVOT))
    wanted = {rule.key: pairs_of(rule.anchor, codes) for rule in rules.sources}
    nothing = frozenset[Pair]()
    return lambda source, pair: pair in wanted.get(source, nothing)


def bounds_around(mark: Mark, code: str, day: date) -> VerdictBounds:
    """Return which verdicts a mark knew of a code and the days around one."""
    return verdict_bounds(mark, frozenset((code,)), window_around(day))


def rates_at(fixings: KnownFixings, mark: Mark, code: str) -> CodeRates | None:
    """Return the rates of a code by all sources as a mark knew them; None if there are none."""
    until = day_number(mark.today) if PUBLISHED in mark.assumed else None
    series = fixings.at(mark.delivery, until)
    return code_rates(code, [history_of(rule, series.get(rule.key, ())) for rule in mark.rules.sources])


def verdict_of(
    rates: CodeRates, day: date, decisions: Iterable[Decision], outcomes: Mapping[int, str]
) -> CodeVerdict | None:
    """Return the verdict on the last fixings up to a day; None if there are none of the two weeks before it.

    What was published is what the log of verdicts says in its `outcomes`.
    """
    row = int(np.searchsorted(rates.days, day_number(day), side="right")) - 1
    if row < 0 or day_of(int(rates.days[row])) + timedelta(days=CARRY_DAYS) < day:
        return None
    decided = [each for each in holding(decisions) if each.code == rates.code]
    found = judge_rates(rates, decided)
    published = rates.published(outcomes)
    column, verdict = int(published[row]), explain_day(found, row)
    status = _status(verdict, column)
    is_open = row == len(rates.days) - 1
    return CodeVerdict(
        code=rates.code,
        day=day_of(int(rates.days[row])),
        status=status,
        level=None if status is DayStatus.WITHDRAWN else _units(verdict.level),
        other=_other(verdict, is_open=is_open),
        source=rates.histories[column].key if column >= 0 else "",
        fixings=_fixings(rates, verdict, row),
        held_since=_held_since(rates, published, row) if status is DayStatus.HELD else None,
        rivals=verdict.originals_needed if is_open else None,
        is_newest=is_open,
    )


def _status(verdict: DayVerdict, column: int) -> DayStatus:
    """Return the status of a day; where the log says that something else was published, that holds."""
    if column == WITHDRAWN_COLUMN:
        return DayStatus.WITHDRAWN
    if column == NO_COLUMN:
        return verdict.status if verdict.status in _NO_VALUE else DayStatus.HELD
    if verdict.status in _NO_VALUE:
        return DayStatus.SINGLE if len(verdict.fixings) == 1 else DayStatus.DISPUTED
    return verdict.status


def _other(verdict: DayVerdict, *, is_open: bool) -> float | None:
    """Return what most of the rest say, or else the level that the day may still turn out to have."""
    if verdict.other is None and verdict.alternatives and is_open:
        return _units(verdict.alternatives[0].level)
    return _units(verdict.other)


def _fixings(rates: CodeRates, verdict: DayVerdict, row: int) -> tuple[JudgedFixing, ...]:
    columns = {history.key: column for column, history in enumerate(rates.histories)}
    return tuple(
        JudgedFixing(
            source=each.source,
            units=float(rates.units[row, columns[each.source]]),
            weight=each.weight,
            distance=None if isnan(each.distance) else each.distance,
            status=each.status,
            reason=each.reason,
        )
        for each in verdict.fixings
    )


def _held_since(rates: CodeRates, published: Ints, row: int) -> date:
    """Return the first of the days up to a row on which nothing was published."""
    said = np.flatnonzero(published[: row + 1] != NO_COLUMN)
    return day_of(int(rates.days[said[-1] + 1 if len(said) else 0]))


def _units(level: float | None) -> float | None:
    return None if level is None else exp(level)
