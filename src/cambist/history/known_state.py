"""The state of the history at an edition, rebuilt for the days and currencies that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from msgspec import Struct

from cambist.errors import NoRate
from cambist.history.as_of import CARRY_DAYS, rates_on
from cambist.history.code_judgement import history_of
from cambist.history.code_rates import Outcomes, anchor_name
from cambist.history.edition import RecordedEdition
from cambist.history.known_fixings import KnownFixings
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import NO_OUTCOMES, build_excerpt, splice_excerpt
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import VerdictBounds
from cambist.pricing.anchor import priced_code
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import CHANGE_DAYS, parities_on

_BLOCK = 8
"""Days: excerpts begin and end with such a block, so that one serves the questions about several days."""

PUBLISHED = "published"
"""The assumption that what was learnt later of a day was known when it was published."""


class Scope(Struct, frozen=True):
    """The days that a question is about, and its pairs; `is_series` if it reads these pairs alone."""

    first: date
    last: date
    pairs: tuple[Pair, ...]
    is_series: bool = False

    @property
    def codes(self) -> frozenset[str] | None:
        """The codes that the answer is made from, with the anchors of their parities; None for all."""
        if not self.is_series:
            return None
        return with_anchors(frozenset(code for pair in self.pairs for code in (pair.base, pair.quote)))


class Window(Struct, frozen=True):
    """The rows of an excerpt, counted from 1970-01-01: from `first` on, `days` of them."""

    first: int
    days: int

    @property
    def read_days(self) -> tuple[date, date]:
        """The first and last day whose fixings are needed: those before the first row are carried into it."""
        return _day(max(self.first - CARRY_DAYS, 0)), _day(self.first + self.days - 1)


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the history: what was known after a delivery, by the rules of an edition.

    `today` is the last day that the state was current. `assumed` names what is not known but assumed. `is_settled` says
    whether a later edition has followed, so that nothing here changes any more.
    """

    edition: RecordedEdition
    delivery: int
    rules: RuleSet
    today: date
    assumed: tuple[str, ...] = ()
    is_settled: bool = True

    @property
    def name(self) -> str:
        """The edition that answers name."""
        return self.edition.name


def window_of(scope: Scope) -> Window:
    """Return the rows that a question needs.

    They reach two weeks back, for which sources are used, and ahead, for why a fixing was carried forward. A series
    needs its own days alone.
    """
    if scope.is_series:
        return Window((scope.first - FIRST_DAY).days, (scope.last - scope.first).days + 1)
    first, last = ((day - FIRST_DAY).days // _BLOCK * _BLOCK for day in (scope.first, scope.last))
    start = max(first - CARRY_DAYS, 0)
    return Window(start, last + _BLOCK + CARRY_DAYS - start)


def wants(rules: RuleSet, codes: frozenset[str] | None) -> Callable[[str, Pair], bool]:
    """Return which pairs of which sources are needed for the rates of these codes, or of all."""
    anchors = {rule.key: rule.anchor for rule in rules.sources}

    def is_wanted(source: str, pair: Pair) -> bool:
        anchor = anchors.get(source)
        if anchor is None or codes is None:
            return anchor is not None
        return priced_code(pair, anchor) in codes or PIVOT in (pair.base, pair.quote)

    return is_wanted


@cache
def with_anchors(codes: frozenset[str]) -> frozenset[str]:
    """Return the codes, and all that they were ever tied to by law."""
    found, new = codes, codes
    while new:
        new = frozenset(anchor for code in new for anchor in _anchors().get(code, ())) - found
        found |= new
    return found


@cache
def _anchors() -> dict[str, set[str]]:
    anchors: dict[str, set[str]] = {}
    for day in CHANGE_DAYS:
        for parity in parities_on(day):
            anchors.setdefault(parity.code, set()).add(parity.anchor)
    return anchors


def verdict_bounds(mark: Mark, codes: frozenset[str] | None, window: Window) -> VerdictBounds:
    """Return which verdicts a mark knew of some codes and days: those of its edition, or by its last delivery."""
    days = max(window.first - CARRY_DAYS, 0), window.first + window.days - 1
    if codes is not None:
        codes |= {anchor_name(rule.anchor, rule.key) for rule in mark.rules.sources}
    if PUBLISHED in mark.assumed:
        return VerdictBounds(codes=codes, days=days)
    is_of_edition = mark.delivery == mark.edition.delivery and mark.edition.last_verdict is not None
    last = mark.edition.last_verdict if is_of_edition else None
    return VerdictBounds(last, None if is_of_edition else mark.delivery, codes, days)


def changed_outcomes(before: Mapping[str, Outcomes], after: Mapping[str, Outcomes]) -> set[date]:
    """Return the days on which some outcome is another one."""
    nothing: Outcomes = {}
    return {
        _day(day)
        for code in before.keys() | after.keys()
        for day, _ in before.get(code, nothing).items() ^ after.get(code, nothing).items()
    }


def excerpt_at(
    fixings: KnownFixings, mark: Mark, window: Window, outcomes: Mapping[str, Outcomes] = NO_OUTCOMES
) -> RateMatrix:
    """Return these rows of the rate matrix of a mark, with the outcomes that it knew."""
    until = (mark.today - FIRST_DAY).days if PUBLISHED in mark.assumed else None
    series = fixings.at(mark.delivery, until)
    histories = [history_of(rule, series.get(rule.key, ())) for rule in mark.rules.sources]
    return _of_mark(build_excerpt(histories, window.first, window.days, outcomes), mark)


def windows_to_rebuild(received: Iterable[date], window: Window) -> list[Window]:
    """Return the parts of a window that fixings of some days decide: each is carried forward for two weeks."""
    found: list[Window] = []
    end = window.first + window.days
    for day in received:
        row = (day - FIRST_DAY).days
        first, last = max(row, window.first), min(row + CARRY_DAYS + 1, end)
        if found and first <= found[-1].first + found[-1].days:
            first = found.pop().first
        if first < last:
            found.append(Window(first, last - first))
    return found


def spliced_excerpt(
    current: RateMatrix, mark: Mark, window: Window, codes: Iterable[str], parts: Iterable[RateMatrix]
) -> RateMatrix:
    """Return these rows of the rate matrix of a mark: those of `current`, with the rebuilt rows of `parts`."""
    return _of_mark(splice_excerpt(current, window.first, window.days, codes, parts), mark)


def _of_mark(built: RateMatrix, mark: Mark) -> RateMatrix:
    rules = mark.rules.sources
    last_rows = mark.edition.last_rows or (0,)
    return replace(
        built,
        last_fixing=_day(max(last_rows)),
        last_fixings=tuple(_day(row) for row in last_rows),
        fixed_at=tuple((rule.zone, rule.fixed_at) for rule in rules),
        edition=mark.name,
        is_excerpt=True,
    )


def first_delivery_with(fixings: KnownFixings, mark: Mark, pair: Pair, day: date) -> int | None:
    """Return the first delivery after a mark with which a pair has a rate on a day, by the mark's rules.

    None if there is none. What is known stays known, so the first is found by halving.
    """
    window = window_of(Scope(day, day, (pair,), is_series=True))
    deliveries = fixings.deliveries_after(mark.delivery)

    def is_known(delivery: int) -> bool:
        at = replace(mark, delivery=delivery, assumed=())
        return has_rate(excerpt_at(fixings, at, window), pair, day)

    if not deliveries or not is_known(deliveries[-1]):
        return None
    low, high = 0, len(deliveries) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_known(deliveries[middle]) else (middle + 1, high)
    return deliveries[low]


def has_rate(matrix: RateMatrix, pair: Pair, day: date) -> bool:
    """Return whether a day has a rate of a pair."""
    try:
        rates_on(matrix, day, pair.base, [pair.quote])
    except NoRate:
        return False
    return True


def _day(row: int) -> date:
    return FIRST_DAY + timedelta(days=row)
