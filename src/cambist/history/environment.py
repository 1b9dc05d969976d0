"""The environments: the real world, and the sandbox, whose numbers must never be taken for real ones."""

from __future__ import annotations

from enum import StrEnum

from cambist.errors import BoardDamaged, ImageDamaged
from cambist.history.image import RateImage
from cambist.market.book import Book

SIMULATED = "sandbox"
"""The source of everything simulated. No source of the real world may have this key."""


class Environment(StrEnum):
    """What a data folder is for, once and for ever."""

    LIVE = "live"
    SANDBOX = "sandbox"


def check_image(image: RateImage, environment: Environment) -> RateImage:
    """Give the image, if it is of that environment. Errors: ImageDamaged."""
    is_foreign = SIMULATED in image.sources if environment is Environment.LIVE else image.sources != (SIMULATED,)
    if is_foreign:
        raise ImageDamaged(f"The image was not made for a {environment} folder")
    return image


def check_book(book: Book, environment: Environment) -> Book:
    """Give the book, if it is of that environment. Errors: BoardDamaged."""
    is_simulated = [
        SIMULATED in quote.origin.sources for quotes in (book.quotes, book.pairs) for quote in quotes.values()
    ]
    is_foreign = any(is_simulated) if environment is Environment.LIVE else not any(is_simulated)
    if is_foreign:
        raise BoardDamaged(f"The book was not made for a {environment} folder")
    return book
