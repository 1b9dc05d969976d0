"""Invariants of what is served: the editions of the rate matrix, and the rate book."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isclose
from typing import NamedTuple

from tools.simulation.reference_rates import is_above_law, legal_rate, newest_row
from tools.simulation.reference_verdicts import ReferenceVerdicts
from tools.simulation.violation import require

from cambist.history.code_judgement import day_of
from cambist.history.code_rates import WITHDRAWN
from cambist.history.edition import matrix_digest, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.rate_book import RateBook

EDITION = "no edition without its receipts"
BOOK_ORDER = "a book shown is never older than one shown before"
BOOK_PRICES = "each price served is what is published of the newest day"

_SECOND = timedelta(seconds=1)


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


class ExpectedQuote(NamedTuple):
    """What the book must have of a code: units per dollar, and the source and the time of the market.

    Nobody is the source of what a law fixes.
    """

    units: float
    source: str
    market_time: datetime


class BookPrices:
    """What the rate book must have: of each code what is published of its newest day.

    It is known up to the last time that quotes were made, `today` of then; what was filed since is not served yet.
    """

    def __init__(self, reference: ReferenceVerdicts) -> None:
        self._reference = reference
        self._today: dict[str, int] = {}
        self._filed: set[str] = set()
        self._unknown: set[str] = set()
        self._expected: dict[str, ExpectedQuote | None] = {}

    def put(self, codes: Iterable[str]) -> None:
        """Note of which codes something was filed or decided."""
        self._filed |= set(codes)

    def quoted(self, today: int, *, of_all: bool) -> None:
        """Note that quotes were made, of all codes or of those that have changed."""
        codes = self._reference.codes if of_all else self._filed
        self._today |= dict.fromkeys(codes, today)
        self._unknown |= codes
        self._filed = set()

    def find(self) -> None:
        """Find what the book must have, unless something was filed since."""
        for code in sorted(self._unknown - self._filed):
            self._expected[code] = self._quote(code, self._today[code])
            self._unknown.remove(code)

    def check(self, book: RateBook, received: Mapping[str, Collection[datetime]]) -> None:
        """Check each price of a book, and its time: that of the market, or of the receipt if that was before."""
        self.find()
        for code, expected in sorted(self._expected.items()):
            if code in self._unknown:
                continue
            if expected is None:
                require(code not in book.mids, BOOK_PRICES, f"{code} is in the book, but nothing is published")
                continue
            require(code in book.mids, BOOK_PRICES, f"{code} is not in the book, but {expected} is published")
            units = 1 / book.mids[code]
            is_same = isclose(units, expected.units, rel_tol=1e-9)
            require(is_same, BOOK_PRICES, f"{code} is {units} in the book, but {expected} is published")
            if expected.source:
                as_of = book.leg(code).as_of
                is_timed = _is_timed(expected, as_of, received.get(expected.source, ()))
                require(is_timed, BOOK_PRICES, f"{code} is of {as_of} in the book, not of {expected.market_time}")

    def _quote(self, code: str, today: int) -> ExpectedQuote | None:
        found = self._reference.verdicts(code)
        row = None if found is None else newest_row(found, today)
        legal = legal_rate(code, today)
        of_law = None if legal is None else ExpectedQuote(legal, "", datetime.max.replace(tzinfo=UTC))
        if found is None or row is None or found.published[row] == WITHDRAWN:
            return of_law
        key = found.published[row]
        if legal is not None and not is_above_law(found, row, key, legal):
            return of_law
        source = self._reference.source(key)
        at = datetime.combine(day_of(int(found.days[row])), source.fixed_at, source.zone).astimezone(UTC)
        return ExpectedQuote(found.said(row)[key], key, at)


def _is_timed(expected: ExpectedQuote, as_of: datetime, received: Collection[datetime]) -> bool:
    return abs(as_of - expected.market_time) <= _SECOND or (as_of < expected.market_time and as_of in received)
