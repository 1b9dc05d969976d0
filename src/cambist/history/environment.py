"""The environments: the real world, and the sandbox, whose numbers must never be taken for real ones."""

from __future__ import annotations

from enum import StrEnum

from cambist.errors import RateBookDamaged, RateMatrixDamaged
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.rate_book import RateBook

SIMULATED = "sandbox"
"""The source of everything simulated. No source of the real world may have this key."""


class Environment(StrEnum):
    """What a data folder is for, once and for ever."""

    LIVE = "live"
    SANDBOX = "sandbox"


def check_rate_matrix(matrix: RateMatrix, environment: Environment) -> RateMatrix:
    """Give the image, if it is of that environment. Errors: RateMatrixDamaged."""
    is_foreign = SIMULATED in matrix.sources if environment is Environment.LIVE else matrix.sources != (SIMULATED,)
    if is_foreign:
        raise RateMatrixDamaged(f"The image was not made for a {environment} folder")
    return matrix


def check_rate_book(book: RateBook, environment: Environment) -> RateBook:
    """Give the book, if it is of that environment. Errors: RateBookDamaged."""
    is_simulated = [
        SIMULATED in quote.origin.sources for quotes in (book.quotes, book.pairs) for quote in quotes.values()
    ]
    is_foreign = any(is_simulated) if environment is Environment.LIVE else not any(is_simulated)
    if is_foreign:
        raise RateBookDamaged(f"The book was not made for a {environment} folder")
    return book
