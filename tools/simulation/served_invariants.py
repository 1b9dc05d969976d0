"""Invariants of what is served: the editions of the rate matrix, and the rate book."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from math import isclose
from typing import NamedTuple

from tools.simulation.reference_rates import Said, legal_rate
from tools.simulation.violation import require

from cambist.history.edition import matrix_digest, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.rate_book import RateBook
from cambist.sources.base import Source

EDITION = "no edition without its deliveries"
BOOK_ORDER = "a book shown is never older than one shown before"
BOOK_PRICES = "no wrong price served"

_SECOND = timedelta(seconds=1)


def check_edition(matrix: RateMatrix, recorded: Sequence[tuple[str, int]], deliveries: Collection[int]) -> None:
    """Check that the edition of a matrix is recorded, is what the matrix says, and that its deliveries are stored."""
    name = parse_edition_name(matrix.edition)
    require(name is not None, EDITION, f"the matrix has no edition: [{matrix.edition}]")
    if name is None:
        return
    require((matrix.edition, name.delivery) in recorded, EDITION, f"{matrix.edition} is shown, but not recorded")
    require(matrix_digest(matrix).startswith(name.digest), EDITION, f"{matrix.edition} is not what the matrix says")
    known = not name.delivery or name.delivery in deliveries
    require(known, EDITION, f"{matrix.edition} names delivery {name.delivery}, which is not stored")


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


class Expected(NamedTuple):
    """What a book must say of a code: the day of what was published last, its source, and units per dollar."""

    day: date
    said: Said


def check_book(
    book: RateBook,
    expected: Mapping[str, Expected | None],
    sources: Mapping[str, Source],
    received: Mapping[str, Collection[datetime]],
    today: date,
) -> None:
    """Check that each quote of a book is what was published last of its code: what the matrix has of its newest day.

    Its time is that of the market; or that of its delivery, if it was received before. `received` are the times of the
    deliveries of each source.
    """
    for code, mid in sorted(book.mids.items()):
        of_code = expected.get(code)
        if of_code is None:
            is_nothing = code in expected and legal_rate(code, today) is None
            require(not is_nothing, BOOK_PRICES, f"{code} is {1 / mid} in the book, but nothing is published of it")
            continue
        day, said = of_code
        units = 1 / mid
        is_said = isclose(units, said.units, rel_tol=1e-9)
        require(is_said, BOOK_PRICES, f"{code} is {units} in the book, not {said.units} as {said.source} said on {day}")
        source = sources[said.source]
        market_time = datetime.combine(day, source.fixed_at, source.zone).astimezone(UTC)
        as_of = book.leg(code).as_of
        is_timed = abs(as_of - market_time) <= _SECOND or (
            as_of < market_time and as_of in received.get(said.source, ())
        )
        require(is_timed, BOOK_PRICES, f"{code} is of {as_of} in the book, but of {market_time}")
