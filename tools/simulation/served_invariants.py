"""Invariants of what is served: the rate matrix, its editions, and the rate book."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from math import isclose, isnan
from typing import NamedTuple

from tools.simulation.archive_invariants import Place, SettledValue
from tools.simulation.reference_rates import CARRIED_DAYS, ReferenceRates
from tools.simulation.violation import require

from cambist.history.edition import matrix_digest, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT
from cambist.pricing.rate_book import RateBook
from cambist.sources.base import Source

MATRIX = "the matrix equals one built from the archive"
EDITION = "no edition without its receipts"
BOOK_ORDER = "a book shown is never older than one shown before"
BOOK_PRICES = "no wrong price served"

_EXACT = 1e-12
_QUORUM = 3
_COMPARED = timedelta(days=7)
_SECOND = timedelta(seconds=1)

_NEAR, _FAR = 0.03, 0.06
_DAY = timedelta(days=1)


def check_matrix(
    matrix: RateMatrix,
    sources: Sequence[Source],
    newest: Mapping[Place, SettledValue],
    codes: Sequence[str],
    today: date,
) -> None:
    """Check the days that have fixings, and those after them, against rates that were computed plainly."""
    reference = ReferenceRates(sources, newest)
    days = sorted({date.fromisoformat(day) for _, _, _, day in newest})
    if not days:
        return
    first, last = days[0] - _DAY, min(max(days[-1], today) + (CARRIED_DAYS + 2) * _DAY, matrix.last_day)
    for offset in range((last - first).days + 1):
        day = first + offset * _DAY
        for code in codes:
            _check_cell(matrix, reference, code, day)


def _check_cell(matrix: RateMatrix, reference: ReferenceRates, code: str, day: date) -> None:
    expected = reference.rate(code, day)
    value = matrix.cell(day, code) if code in matrix.columns else float("nan")
    if expected is None:
        require(isnan(value), MATRIX, f"{code} on {day} is {value}, but no source has it")
        return
    require(isclose(value, expected[0], rel_tol=_EXACT), MATRIX, f"{code} on {day} is {value}, not {expected[0]}")
    place = matrix.row(day) * len(matrix.codes) + matrix.columns[code]
    age = matrix.ages[place]
    require(age == expected[1], MATRIX, f"{code} on {day} is carried for {age} days, not {expected[1]}")


def check_edition(matrix: RateMatrix, recorded: Sequence[tuple[str, int]], receipts: Sequence[int]) -> None:
    """Check that the edition of a matrix is recorded, is what the matrix says, and that its receipts are stored."""
    name = parse_edition_name(matrix.edition)
    require(name is not None, EDITION, f"the matrix has no edition: [{matrix.edition}]")
    if name is None:
        return
    require((matrix.edition, name.receipt) in recorded, EDITION, f"{matrix.edition} is shown, but not recorded")
    require(matrix_digest(matrix).startswith(name.digest), EDITION, f"{matrix.edition} is not what the matrix says")
    known = not name.receipt or name.receipt in receipts
    require(known, EDITION, f"{matrix.edition} names receipt {name.receipt}, which is not stored")


class BookOrder:
    """The order of the books that one node has shown: by the leader's epoch, and then by version."""

    def __init__(self) -> None:
        self._last: tuple[int, int] = (0, 0)

    def check(self, order: tuple[int, int]) -> bool:
        """Check a book that is shown now; return whether it is a new one."""
        require(order >= self._last, BOOK_ORDER, f"the book {order} is shown after {self._last}")
        is_new = order > self._last
        self._last = order
        return is_new


def check_book(
    book: RateBook,
    sources: Sequence[Source],
    newest: Mapping[Place, SettledValue],
    received: Mapping[str, Collection[datetime]],
) -> None:
    """Check that each quote of a book is the newest word of one of the sources about its code.

    Its time is that of the market; or that of its receipt, if it was received before. `received` are the times of the
    receipts of each source.
    """
    words = _newest_words(sources, newest)
    for code, mid in sorted(book.mids.items()):
        if code == PIVOT or code not in words:
            continue
        units = 1 / mid
        said = [word for word in words[code] if isclose(units, word.units, rel_tol=1e-9)]
        require(said, BOOK_PRICES, f"{code} is {units} in the book, which no source says: {words[code]}")
        as_of = book.leg(code).as_of
        is_timed = any(_is_timed(word, as_of, received.get(word.source, ())) for word in said)
        require(is_timed, BOOK_PRICES, f"{code} is of {as_of} in the book, but of {[word.day for word in said]}")
        _check_agreed(code, units, words[code])


def _is_timed(word: LastWord, as_of: datetime, received: Collection[datetime]) -> bool:
    return abs(as_of - word.market_time) <= _SECOND or (as_of < word.market_time and as_of in received)


def _check_agreed(code: str, units: float, words: Sequence[LastWord]) -> None:
    """Check that a price is near the others if three or more sources have it, most of them near each other."""
    newest = max(word.day for word in words)
    recent = sorted(word.units for word in words if newest - word.day <= _COMPARED)
    middle = recent[len(recent) // 2]
    near = [each for each in recent if abs(each / middle - 1) < _NEAR]
    if len(recent) >= _QUORUM and 2 * len(near) > len(recent):
        is_near = abs(units / middle - 1) < _FAR
        require(is_near, BOOK_PRICES, f"{code} is {units} in the book, but most sources say {middle}")


class LastWord(NamedTuple):
    """What a source said last about a code, in units per dollar, the day, and the time of the market."""

    source: str
    units: float
    day: date
    market_time: datetime


def _newest_words(sources: Sequence[Source], newest: Mapping[Place, SettledValue]) -> dict[str, list[LastWord]]:
    """Return what each source said last about each code, both legs of the same day."""
    found: dict[str, list[LastWord]] = {}
    for source in sources:
        of_source = {place: value for place, value in newest.items() if place[0] == source.key}
        by_code: dict[str, dict[str, float]] = {}
        for (_, base, quote, on), (nominal, value) in of_source.items():
            rate = float(value) / nominal
            code, units = (quote, rate) if base == source.anchor else (base, 1 / rate)
            by_code.setdefault(code, {})[on] = units
        dollars = by_code.get(PIVOT, {})
        for code, values in by_code.items():
            last = max(values)
            day = date.fromisoformat(last)
            at = datetime.combine(day, source.fixed_at, source.zone).astimezone(UTC)
            if source.anchor == PIVOT:
                found.setdefault(code, []).append(LastWord(source.key, values[last], day, at))
            elif code == PIVOT:
                found.setdefault(source.anchor, []).append(LastWord(source.key, 1 / values[last], day, at))
            elif last in dollars:
                found.setdefault(code, []).append(LastWord(source.key, values[last] / dollars[last], day, at))
    return found
