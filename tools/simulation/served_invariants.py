"""Invariants of what is served: the editions of the rate matrix, and the rate book."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from math import isclose
from typing import NamedTuple

from tools.simulation.newest_values import NewestValues, SettledValue
from tools.simulation.violation import require

from cambist.history.edition import matrix_digest, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT
from cambist.pricing.rate_book import RateBook
from cambist.sources.base import Source

EDITION = "no edition without its receipts"
BOOK_ORDER = "a book shown is never older than one shown before"
BOOK_PRICES = "no wrong price served"

_QUORUM = 3
_COMPARED = timedelta(days=7)
_SECOND = timedelta(seconds=1)

_NEAR, _FAR = 0.03, 0.06


def check_edition(matrix: RateMatrix, recorded: Sequence[tuple[str, int]], receipts: Collection[int]) -> None:
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
    book: RateBook, last_words: Iterable[Sequence[LastWord]], received: Mapping[str, Collection[datetime]]
) -> None:
    """Check that each quote of a book is the newest word of one of the sources about its code.

    Its time is that of the market; or that of its receipt, if it was received before. `last_words` are those of each
    source, `received` the times of its receipts.
    """
    words: dict[str, list[LastWord]] = {}
    for of_source in last_words:
        for word in of_source:
            words.setdefault(word.code, []).append(word)
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

    code: str
    source: str
    units: float
    day: date
    market_time: datetime


def last_words(source: Source, newest: NewestValues) -> list[LastWord]:
    """Return what a source said last about each code, both legs of the same day."""
    values = newest.of(source.key)
    found = []
    for (base, quote), on in newest.last_days.get(source.key, {}).items():
        code = quote if base == source.anchor else base
        units = _units(source, base, values[source.key, base, quote, on])
        if source.anchor != PIVOT:
            dollars = _dollars(source, newest, on)
            if dollars is None:
                continue
            code, units = (source.anchor, 1 / units) if code == PIVOT else (code, units / dollars)
        day = date.fromisoformat(on)
        at = datetime.combine(day, source.fixed_at, source.zone).astimezone(UTC)
        found.append(LastWord(code, source.key, units, day, at))
    return found


def _dollars(source: Source, newest: NewestValues, on: str) -> float | None:
    """Return what a source said of dollars on a day, per unit of its anchor."""
    for base, quote in ((source.anchor, PIVOT), (PIVOT, source.anchor)):
        value = newest.get((source.key, base, quote, on))
        if value is not None:
            return _units(source, base, value)
    return None


def _units(source: Source, base: str, value: SettledValue) -> float:
    """Return the units of the other side per unit of the anchor."""
    rate = float(value[1]) / value[0]
    return rate if base == source.anchor else 1 / rate
