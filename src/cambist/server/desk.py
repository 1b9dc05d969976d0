"""The desk: what all requests of a worker read, replaced piece by piece when there is news."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from cambist.accounts.account import Account
from cambist.accounts.api_key import Digest
from cambist.history.image import RateImage
from cambist.market.book import Book
from cambist.server.answers import KeptAnswers
from cambist.server.view import View


def utc_now() -> datetime:
    """Read the clock, at the edge."""
    return datetime.now(UTC)


class Desk:
    """Book, image and accounts as this worker has them now, and the answers that follow from them.

    Each is one attribute that is replaced whole, so a thread that reads it needs no lock. Whoever makes an answer to
    keep takes the shelf (`live` or `closed`) before the view: then an answer of an old book can only land on the old
    shelf, which nobody looks at again.
    """

    def __init__(
        self,
        book: Book,
        image: RateImage,
        accounts: Mapping[Digest, Account],
        clock: Callable[[], datetime] = utc_now,
        longest_age: timedelta | None = None,
    ) -> None:
        self._book = book
        self._image = image
        self._accounts = accounts
        self._clock = clock
        self._longest_age = longest_age
        self.live = KeptAnswers()
        self.closed = KeptAnswers()

    def view(self) -> View:
        """Give one request its consistent state of the world."""
        return View(self._book, self._image, self._clock(), self._longest_age)

    def accounts(self) -> Mapping[Digest, Account]:
        """Give the accounts by key."""
        return self._accounts

    def take_book(self, book: Book) -> None:
        """Serve a new book from now on."""
        self._book = book
        self.live = KeptAnswers()

    def take_image(self, image: RateImage) -> None:
        """Serve a new image from now on."""
        self._image = image
        self.closed = KeptAnswers()

    def take_accounts(self, accounts: Mapping[Digest, Account]) -> None:
        """Let in who has a key now, and nobody else."""
        self._accounts = accounts

    def forget_live(self) -> None:
        """Drop live answers, so that none outlives the age that is allowed by more than a moment."""
        self.live = KeptAnswers()
