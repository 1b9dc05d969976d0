"""What one request sees: one book and one image throughout, and the moment it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from msgspec import Meta

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.usage import UsageRecord
from cambist.errors import RateUnavailable
from cambist.history.image import RateImage
from cambist.history.report import Bulletin
from cambist.market.book import Book

Updated = Annotated[
    str | int,
    Meta(description="The market's time of the oldest quote used, in the account's format; ISO 8601 by default."),
]


@dataclass(frozen=True, slots=True)
class View:
    """A consistent state of the world for one answer.

    `longest_age` is the operator's limit for live rates, `form` how the account wants times, `reach` the first day that
    its plan includes; `usage` is there for the endpoints that ask for it. `bulletin` is the last word on the sources.
    """

    book: Book
    image: RateImage
    now: datetime
    longest_age: timedelta | None = None
    form: DatetimeFormat = DatetimeFormat.ISO
    reach: date = date.min
    usage: UsageRecord | None = None
    bulletin: Bulletin | None = None

    @property
    def today(self) -> date:
        """The day it is, UTC."""
        return self.now.date()

    def updated(self, as_of: datetime, max_age: timedelta | None) -> str | int:
        """Write the market time of the oldest quote in an answer, if it is fresh enough.

        Errors: RateUnavailable when it is older than the client or the operator allows.
        """
        limits = [limit for limit in (max_age, self.longest_age) if limit is not None]
        if limits and self.now - as_of > min(limits):
            raise RateUnavailable(f"The newest rate is of [{written(as_of)}], older than allowed")
        return written(as_of, self.form)


def written(moment: datetime, form: DatetimeFormat = DatetimeFormat.ISO) -> str | int:
    """Write a moment as an account wants it."""
    if form is DatetimeFormat.UNIX_MS:
        return round(moment.timestamp() * 1000)
    return moment.astimezone(UTC).strftime(
        "%Y-%m-%d %H:%M:%S" if form is DatetimeFormat.SPACED else "%Y-%m-%dT%H:%M:%SZ"
    )
