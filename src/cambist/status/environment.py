"""The environment of a data directory: live, or the sandbox, whose simulated prices must never pass for real ones."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from cambist.errors import RateBookDamaged, RateMatrixDamaged

if TYPE_CHECKING:  # commands that ask a service do without them
    from cambist.history.rate_matrix import RateMatrix
    from cambist.pricing.quoted_book import QuotedBook
    from cambist.pricing.rate_book import RateBook

B = TypeVar("B", "RateBook", "QuotedBook")

SIMULATED = "sandbox"
"""The source key of all simulated prices. No real source may have it."""


class Environment(StrEnum):
    """What a data directory is for. It is set when the directory is created, and never changes."""

    LIVE = "live"
    SANDBOX = "sandbox"


def check_rate_matrix(matrix: RateMatrix, environment: Environment) -> RateMatrix:
    """Return the matrix if it belongs to the environment. Errors: RateMatrixDamaged."""
    is_foreign = SIMULATED in matrix.sources if environment is Environment.LIVE else matrix.sources != (SIMULATED,)
    if is_foreign:
        raise RateMatrixDamaged(f"The rate matrix was not built for a [{environment}] data directory")
    return matrix


def check_rate_book(book: B, environment: Environment) -> B:
    """Return the rate book if it belongs to the environment. Errors: RateBookDamaged."""
    is_simulated = SIMULATED in book.sources
    if is_simulated is (environment is Environment.LIVE):
        raise RateBookDamaged(f"The rate book was not built for a [{environment}] data directory")
    return book
