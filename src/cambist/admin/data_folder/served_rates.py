"""What a service has to serve when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cambist.errors import RateBookDamaged
from cambist.storage.shared.rate_book_file import stored_rate_book


@dataclass(frozen=True, slots=True)
class ServedRates:
    """How many codes the last rate book has a quote of, and its newest market time."""

    codes: int
    as_of: datetime


def read_served_rates(folder: Path) -> ServedRates | None:
    """Return what the last rate book of a data folder has; None if there is none that can be read."""
    try:
        book = stored_rate_book(folder)
    except RateBookDamaged:
        return None
    return None if book is None else ServedRates(len(book.quotes), book.as_of)
