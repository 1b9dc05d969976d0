"""What one request sees: one book and one image throughout, and the moment it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from msgspec import Meta

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.usage import UsageRecord
from cambist.api.expiry import Expiry
from cambist.errors import RateUnavailable
from cambist.history.bars import NO_BARS, BarStore
from cambist.history.fixing import ReceivedFixing
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.freshness import first_stale_code, fresh_for
from cambist.pricing.metals.mass import STANDARD, Units
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_ms
from cambist.reference.assets import AssetKind
from cambist.status.source_report import SourceReports

Updated = Annotated[
    str | int,
    Meta(description="The market's time of the oldest quote used, in the account's format; ISO 8601 by default."),
]

_LONGEST_KEPT = timedelta(minutes=1)
"""No answer made of the book is kept for longer: an expiry beyond need not be noted."""

ReadClose = Callable[[str, date], ReceivedFixing | None]
"""Gives what a coin closed at on a day. Errors: RateUnavailable where the archive cannot be asked now."""


def no_closes(_coin: str, _day: date) -> None:
    """Where nothing is archived no coin has a close."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A consistent state of the world for one answer.

    `longest_age` is the operator's limit for live rates, `form` how the account wants times, `reach` the first day that
    its plan includes; `usage` is there for the endpoints that ask for it. `source_reports` says how each source does,
    `ages` how old a price that trades may be, by what it is of. `units` are the units of mass as the operator has them.
    `closes` reads what a coin closed at, `words` what a source published, `bars` how pairs were quoted. `expiry` is
    when what was found fresh in this view may be so no longer.
    """

    book: RateBook
    matrix: RateMatrix
    now: datetime
    longest_age: timedelta | None = None
    form: DatetimeFormat = DatetimeFormat.ISO
    reach: date = date.min
    usage: UsageRecord | None = None
    source_reports: SourceReports | None = None
    ages: Mapping[AssetKind, timedelta] = field(default_factory=dict)
    closes: ReadClose = no_closes
    words: FixingLookup | None = None
    units: Units = field(default_factory=lambda: STANDARD)
    bars: BarStore = NO_BARS
    expiry: Expiry = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expiry", Expiry(self.now))

    @property
    def today(self) -> date:
        """The day it is, UTC."""
        return self.now.date()

    def check_fresh(self, codes: Iterable[str]) -> None:
        """Refuse prices that should trade and have not been heard of lately; fixings have a limit of their own.

        Errors: RateUnavailable.
        """
        code = first_stale_code(self.book, codes, self.is_fresh)
        if code is not None:
            as_of = written(self.book.quotes[code].as_of)
            raise RateUnavailable(f"The newest price of [{code}] is of [{as_of}], older than allowed")

    def is_fresh(self, quote: Quote, kind: AssetKind, max_age: timedelta | None = None) -> bool:
        """Say whether a price of that kind may still be used; a client's `max_age` counts up to now, for all of it."""
        if max_age is not None and not self.is_within(quote.as_of, max_age):
            return False
        left = fresh_for(quote, kind, self.ages, self.now)
        self._use_for(left)
        return left >= timedelta()

    def is_within(self, as_of: datetime, limit: timedelta) -> bool:
        """Say whether a moment lies no further back than a limit."""
        age = max(self.now - as_of, timedelta())
        self._use_for(limit - age)
        return age <= limit

    def _use_for(self, left: timedelta) -> None:
        if timedelta() <= left < _LONGEST_KEPT:
            self.expiry.bring_to(self.now + left)

    def updated(self, as_of: datetime, max_age: timedelta | None) -> str | int:
        """Write the market time of the oldest quote in an answer, if it is fresh enough.

        Errors: RateUnavailable when it is older than the client or the operator allows.
        """
        limits = [limit for limit in (max_age, self.longest_age) if limit is not None]
        if limits and not self.is_within(as_of, min(limits)):
            raise RateUnavailable(f"The newest rate is of [{written(as_of)}], older than allowed")
        return written(as_of, self.form)


def written(moment: datetime, form: DatetimeFormat = DatetimeFormat.ISO) -> str | int:
    """Write a moment as an account wants it."""
    if form is DatetimeFormat.UNIX_MS:
        return unix_ms(moment)
    return moment.astimezone(UTC).strftime(
        "%Y-%m-%d %H:%M:%S" if form is DatetimeFormat.SPACED else "%Y-%m-%dT%H:%M:%SZ"
    )
