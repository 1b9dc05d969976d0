"""What one request is answered from: one rate book and one rate matrix throughout, and the time of the request."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from msgspec import Meta

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.usage import UsageRecord
from cambist.api.worker_state import WorkerState
from cambist.errors import RateUnavailable
from cambist.pricing.freshness import first_stale_code, fresh_for
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_ms
from cambist.reference.assets import AssetKind
from cambist.reference.tables import CURRENCIES

Updated = Annotated[
    str | int,
    Meta(description="The market's time of the oldest quote used, in the account's format; ISO 8601 by default."),
]

_MINUTE = timedelta(minutes=1)


class RequestContext:
    """All that one answer is computed from: one rate book and one rate matrix throughout, and the time of the request.

    `form` is the account's datetime format, `reach` the first day that its plan includes; `usage` is there for the
    endpoints that ask for it. The other attributes are those of the worker's state. `expires_at` is when the answer may
    be served from the cache no longer: at the end of the minute, because markets open and close, and days begin, at
    full minutes; earlier if a price that was found fresh may be stale before.
    """

    __slots__ = (
        "ages",
        "bars",
        "book",
        "closes",
        "expires_at",
        "form",
        "longest_age",
        "matrix",
        "now",
        "reach",
        "source_reports",
        "units",
        "usage",
        "words",
    )

    def __init__(
        self,
        state: WorkerState,
        book: RateBook,
        now: float,
        form: DatetimeFormat = DatetimeFormat.ISO,
        reach: date = date.min,
        usage: UsageRecord | None = None,
    ) -> None:
        self.book = book
        self.matrix = state.matrix
        self.now = datetime.fromtimestamp(now, UTC)
        self.form = form
        self.reach = reach
        self.usage = usage
        self.longest_age = state.longest_age
        self.source_reports = state.source_reports
        self.ages = state.ages
        self.closes = state.closes
        self.words = state.words
        self.units = state.units
        self.bars = state.bars
        self.expires_at = self.now.replace(second=0, microsecond=0) + _MINUTE

    @property
    def today(self) -> date:
        """Today, in UTC."""
        return self.now.date()

    def check_fresh(self, codes: Iterable[str]) -> None:
        """Refuse traded prices that are older than allowed; fixings have a limit of their own.

        Errors: RateUnavailable.
        """
        traded = [code for code in codes if code not in CURRENCIES]  # a currency falls back on its fixing by itself
        code = first_stale_code(self.book, traded, self.is_fresh) if traded else None
        if code is not None:
            as_of = written(self.book.quotes[code].as_of)
            raise RateUnavailable(f"The newest price of [{code}] is of [{as_of}], older than allowed")

    def is_fresh(self, quote: Quote, kind: AssetKind, max_age: timedelta | None = None) -> bool:
        """Return whether a price of that kind may still be used; a client's `max_age` counts closed hours too."""
        if max_age is not None and not self.is_within(quote.as_of, max_age):
            return False
        left = fresh_for(quote, kind, self.ages, self.now)
        self._use_for(left)
        return left >= timedelta()

    def is_within(self, as_of: datetime, limit: timedelta) -> bool:
        """Return whether a moment is no longer ago than a limit."""
        age = max(self.now - as_of, timedelta())
        self._use_for(limit - age)
        return age <= limit

    def _use_for(self, left: timedelta) -> None:
        if timedelta() <= left < _MINUTE:
            self.expires_at = min(self.expires_at, self.now + left)

    def updated(self, as_of: datetime, max_age: timedelta | None) -> str | int:
        """Return the market time of the oldest quote in an answer, as the account wants it, if it is fresh enough.

        Errors: RateUnavailable when it is older than the client or the operator allows.
        """
        limits = [limit for limit in (max_age, self.longest_age) if limit is not None]
        if limits and not self.is_within(as_of, min(limits)):
            raise RateUnavailable(f"The newest rate is of [{written(as_of)}], older than allowed")
        return written(as_of, self.form)


def written(moment: datetime, form: DatetimeFormat = DatetimeFormat.ISO) -> str | int:
    """Return a moment in the datetime format of an account."""
    if form is DatetimeFormat.UNIX_MS:
        return unix_ms(moment)
    return moment.astimezone(UTC).strftime(
        "%Y-%m-%d %H:%M:%S" if form is DatetimeFormat.SPACED else "%Y-%m-%dT%H:%M:%SZ"
    )
