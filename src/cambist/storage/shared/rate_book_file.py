"""The files through which the current rate book is published to all processes of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from cambist.errors import RateBookDamaged
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote, Vote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book.buffers import BookBuffers, EncodedBook
from cambist.storage.shared.rate_book.publisher import RateBookPublisher
from cambist.storage.shared.rate_book.reader import RateBookReader
from cambist.storage.shared.rate_book.votes import VotesReader, VotesWriter

_OLD_FILE = "book.json"
"""The file of older versions."""


_BOOK, _VOTES = "rates.book", "rates.votes"


def stored_rate_book(folder: Path) -> RateBook | None:
    """Return the book that was published last in a folder in which nothing may be written. Errors: RateBookDamaged."""
    return RateBookReader(folder / _BOOK).current()


def stored_votes(folder: Path) -> Callable[[str], tuple[Vote, ...]]:
    """Return what reads the votes behind a quote, in a folder in which nothing may be written."""
    return VotesReader(folder / _VOTES).of


class RateBookFile:
    """The current rate book and the votes behind it, for their publisher and their readers.

    A price that is no decimal of eighteen digits is rounded to them. Quotes are read without their votes, which their
    publisher writes once a second, with `flush_votes`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._buffers = BookBuffers(folder / _BOOK)
        self._publisher = RateBookPublisher(self._buffers)
        self._reader = RateBookReader(folder / _BOOK)
        self._votes_writer = VotesWriter(folder / _VOTES)
        self._votes = VotesReader(folder / _VOTES)
        self._is_old_file_removed = False
        self.changes = data_changes(folder)

    def publish(self, book: QuotedBook, leader_epoch: int = 0) -> None:
        """Replace the current book, and notify the readers; on several machines with the epoch of the leader.

        Errors: Unwritable.
        """
        self._publisher.publish(book, leader_epoch)
        self._after_publication(book.quotes, book.pairs)

    def publish_columns(self, book: RateBook) -> None:
        """Replace the current book by one whose columns are written already; it has no votes. Errors: Unwritable."""
        self._publisher.publish_columns(book)
        self._after_publication()

    def _after_publication(self, *quotes: Mapping[str, Quote] | Mapping[Pair, Quote]) -> None:
        self.changes.notify(Topic.BOOK)
        self._votes_writer.publish(*quotes)
        if not self._is_old_file_removed:
            (self._folder / _OLD_FILE).unlink(missing_ok=True)
            self._is_old_file_removed = True

    def encoded(self) -> EncodedBook | None:
        """Return the current book as bytes, for other nodes; None if there is none that can be read."""
        return self._reader.encoded()

    def publish_encoded(self, book: EncodedBook) -> None:
        """Replace the current book by one that another process has published, and notify the readers.

        Errors: Unwritable.
        """
        self._buffers.write(book)
        self.changes.notify(Topic.BOOK)

    def flush_votes(self) -> None:
        """Write the votes behind the last book. Only the first book's are written by `publish`. Errors: Unwritable."""
        self._votes_writer.flush()

    def published_at(self) -> float | None:
        """Return when the current book was published, in seconds since 1970; None before the first book."""
        return self._reader.published_at()

    def age_order(self) -> tuple[int, int] | None:
        """Return the leader's epoch and the version of the current book: of two books, the lower one is the older.

        None if there is no book that can be read.
        """
        return self._reader.age_order()

    def current(self) -> RateBook | None:
        """Return the book that was published last, also by a service that has ended; None before the first book.

        Errors: RateBookDamaged.
        """
        return self._reader.current()

    def votes(self, code: str) -> tuple[Vote, ...]:
        """Return the votes behind the quote of a code, which may be a second older than it."""
        return self._votes.of(code)

    def current_with_votes(self) -> QuotedBook | None:
        """Return the book that was published last, with the votes behind its quotes. Errors: RateBookDamaged."""
        book, votes = self.current(), self._votes.all()
        if book is None:
            return None
        try:
            quoted = book.quoted()
        except (IndexError, OverflowError) as error:
            raise RateBookDamaged(
                f"The rate book in {self._folder} has a quote that cannot be read: {error}"
            ) from error
        return replace(
            quoted,
            quotes={code: _with_votes(quote, votes.get(code, ())) for code, quote in quoted.quotes.items()},
            pairs={pair: _with_votes(quote, votes.get(str(pair), ())) for pair, quote in quoted.pairs.items()},
        )


def _with_votes(quote: Quote, votes: tuple[Vote, ...]) -> Quote:
    return replace(quote, origin=structs.replace(quote.origin, votes=votes)) if votes else quote
