"""Shelves: a book and the live answers made from it, for the accounts that see the same book in the same form.

A plan may see every book or a new one each so many seconds; an account may want its times in another form. Book and
answers are replaced together, so an answer of an old book can only land where nobody looks any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cambist.accounts.account import DatetimeFormat
from cambist.api.response_cache import ResponseCache
from cambist.pricing.rate_book import RateBook


@dataclass(slots=True)
class BookResponses:
    """What one kind of account sees; `state` is replaced whole, so a thread that reads it needs no lock."""

    refresh: float
    form: DatetimeFormat
    state: tuple[RateBook, ResponseCache]
    taken_at: float = field(default=0.0)
    form_name: str = field(init=False)
    """The form of times as a plain text: an enumeration's hash is slow, and this one is taken on every request."""

    def __post_init__(self) -> None:
        self.form_name = str(self.form.value)

    def take(self, book: RateBook, now: float) -> None:
        """Show a new book from now on."""
        self.taken_at = now
        self.state = (book, ResponseCache())

    def forget(self) -> None:
        """Drop the answers."""
        self.state = (self.state[0], ResponseCache())


class BookResponsesByKind:
    """All shelves of a worker, made when the first account needs one."""

    def __init__(self, book: RateBook, now: float) -> None:
        self._book = book
        self._now = now
        self._shelves: dict[tuple[float, DatetimeFormat], BookResponses] = {}

    def get(self, refresh: float, form: DatetimeFormat) -> BookResponses:
        """Give the shelf of a kind of account."""
        kind = (refresh, form)
        if kind not in self._shelves:
            self._shelves[kind] = BookResponses(refresh, form, (self._book, ResponseCache()), self._now)
        return self._shelves[kind]

    def apply_book(self, book: RateBook, now: float) -> None:
        """Show a new book at once where every book is seen; elsewhere when it is due."""
        self._book, self._now = book, now
        self.tick(now)

    def tick(self, now: float) -> None:
        """Show the newest book where it is due."""
        for shelf in list(self._shelves.values()):
            is_due = not 0 <= now - shelf.taken_at < shelf.refresh
            if shelf.state[0] is not self._book and is_due:
                shelf.take(self._book, now)

    def forget(self) -> None:
        """Drop all answers: what they were made of beside the book is another now."""
        for shelf in list(self._shelves.values()):
            shelf.forget()
