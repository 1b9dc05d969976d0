"""The desk: what all requests of a worker read, replaced piece by piece when there is news."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from time import time

from cambist.accounts.account import DatetimeFormat, Holder
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.history.bars import NO_BARS, Bars
from cambist.history.image import RateImage
from cambist.history.report import Bulletin
from cambist.history.words import Words
from cambist.market.book import Book
from cambist.metals.mass import STANDARD, Units
from cambist.reference.assets import AssetKind
from cambist.server.answers import KeptAnswers
from cambist.server.shelf import Shelves
from cambist.server.subscribers import Subscribers, subscribers
from cambist.server.view import Closes, View, no_closes

Clock = Callable[[], float]
"""Seconds since 1970, as `time.time` gives them."""


def utc_now() -> datetime:
    """Read the clock, at the edge."""
    return datetime.now(UTC)


class Desk:
    """Image, accounts and plans as this worker has them now, and the shelves with the books that they see.

    Each is one attribute that is replaced whole, so a thread that reads it needs no lock. Whoever makes an answer to
    keep takes the answers before the image: then one made of an old image can only land where nobody looks any more.
    """

    def __init__(
        self,
        book: Book,
        image: RateImage,
        holders: Mapping[Digest, Holder],
        plans: Mapping[str, Plan],
        clock: Clock = time,
        longest_age: timedelta | None = None,
    ) -> None:
        self._image = image
        self._holders = holders
        self._plans = plans
        self._longest_age = longest_age
        self.ages: Mapping[AssetKind, timedelta] = {}
        """How old a price that trades may be, by what it is of; empty for however old."""
        self.words: Words | None = None
        """Where fixings are read as they were published."""
        self.closes: Closes = no_closes
        """Where the closes of coins are read."""
        self.bars: Bars = NO_BARS
        """Where bars are read."""
        self.units: Units = STANDARD
        """The units of mass that metals are priced by."""
        self._bulletin: Bulletin | None = None
        self.clock = clock
        self.closed = KeptAnswers()
        self.shelves = Shelves(book, clock())
        self._subscribers = subscribers(holders, plans, self.shelves)

    def view(self, book: Book, now: float, form: DatetimeFormat = DatetimeFormat.ISO) -> View:
        """Give one request its consistent state of the world."""
        moment = datetime.fromtimestamp(now, UTC)
        return View(
            book,
            self._image,
            moment,
            self._longest_age,
            form,
            bulletin=self._bulletin,
            ages=self.ages,
            closes=self.closes,
            words=self.words,
            units=self.units,
            bars=self.bars,
        )

    def subscribers(self) -> Subscribers:
        """Give who may come in, by key."""
        return self._subscribers

    def take_book(self, book: Book) -> None:
        """Serve a new book from now on, to each plan as often as it may see one."""
        self.shelves.take_book(book, self.clock())

    def take_image(self, image: RateImage) -> None:
        """Serve a new image from now on."""
        self._image = image
        self.closed = KeptAnswers()
        self.shelves.forget()

    def take_bulletin(self, bulletin: Bulletin | None) -> None:
        """Show another bulletin on the sources from now on."""
        self._bulletin = bulletin

    def take_accounts(self, holders: Mapping[Digest, Holder]) -> None:
        """Let in who has a key now, and nobody else."""
        self._holders = holders
        self._subscribers = subscribers(holders, self._plans, self.shelves)

    def take_plans(self, plans: Mapping[str, Plan]) -> None:
        """Measure everybody by other plans from now on."""
        self._plans = plans
        self._subscribers = subscribers(self._holders, plans, self.shelves)

    def tick(self) -> None:
        """Do what is due now and then: books that plans may see by now."""
        self.shelves.tick(self.clock())
