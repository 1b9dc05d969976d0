"""What one request is answered from: one rate book and one rate matrix throughout, and the time of the request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, UnsetType

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.principal import BookView, Principal
from cambist.accounts.usage import UsageRecord
from cambist.api.call.call import Call
from cambist.api.state.readers import ReadClose
from cambist.api.state.worker_state import WorkerState
from cambist.errors import RateUnavailable
from cambist.history.bars import BarReader
from cambist.history.code_verdict import CodeVerdict
from cambist.history.edition import parse_edition_name
from cambist.history.explanation import ReadVotes
from cambist.history.known_state import Mark
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.freshness import first_stale_code, fresh_for, metal_fresh_for
from cambist.pricing.metals.mass import Units
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import PairPrice, RateBook
from cambist.pricing.unavailable import too_old
from cambist.pricing.unix_time import unix_ms
from cambist.reference.assets import AssetKind
from cambist.reference.minor_units import CURRENCY_CODES
from cambist.status.source_report import SourceReports

P = TypeVar("P")
T = TypeVar("T")

Updated = Annotated[
    str | int,
    Meta(description="The market's time of the oldest quote used, in the account's format; ISO 8601 by default."),
]

_PUBLIC_VIEW: BookView = (0.0, DatetimeFormat.ISO.value)
"""The rate books that clients without a key see on public routes, which name currencies and have no rates."""

_MINUTE_SECONDS = 60
_NO_TIME = timedelta()


class RequestContext:
    """All that one answer is computed from: one rate book and one rate matrix throughout, and the time of the request.

    `timestamp` is the time in seconds since 1970. `form` is the account's datetime format, `reach` the first day that
    its plan includes; `usage` is there for the endpoints that ask for it. `state` is the worker's, for what does not
    change with the market. `payer` is who asks with a key, if anybody does. `expires_at` is when the answer may be
    served from the cache no longer, in seconds since 1970: at the end of the minute, because markets open and close,
    and days begin, at full minutes; earlier if a price that was found fresh may be stale before.
    """

    __slots__ = (
        "_computed", "_now", "book", "expires_at", "form", "mark", "matrix", "payer", "reach", "state", "timestamp",
        "usage",
    )  # fmt: skip

    def __init__(
        self,
        state: WorkerState,
        book: RateBook,
        now: float,
        form: DatetimeFormat = DatetimeFormat.ISO,
        reach: date = date.min,
        usage: UsageRecord | None = None,
    ) -> None:
        self.state = state
        self.book = book
        self.matrix = state.matrix
        self.timestamp = now
        self.form = form
        self.reach = reach
        self.usage = usage
        self.payer: Principal | None = None
        self.expires_at = now // _MINUTE_SECONDS * _MINUTE_SECONDS + _MINUTE_SECONDS
        self.mark: Mark | None = None
        self._now: datetime | None = None
        self._computed: dict[object, Any] = {}

    def once(self, compute: Callable[[RequestContext, P], T], params: P) -> T:
        """Return `compute(self, params)`, computed once: what an answer costs often follows from what it says."""
        return self.remembered(compute, lambda: compute(self, params))

    def remembered(self, key: object, compute: Callable[[], T]) -> T:
        """Return what was computed for a key, or compute it: the rows of a file often ask the same."""
        if key not in self._computed:
            self._computed[key] = compute()
        found: T = self._computed[key]
        return found

    @property
    def now(self) -> datetime:
        """The time of the request, in UTC."""
        if self._now is None:
            self._now = datetime.fromtimestamp(self.timestamp, UTC)
        return self._now

    @property
    def today(self) -> date:
        """Today, in UTC; with a mark the last day of that state."""
        return self.now.date() if self.mark is None else self.mark.today

    @property
    def delivery(self) -> int | None:
        """The last delivery that the answer may show; None if the rate matrix is not recorded."""
        if self.mark is not None:
            return self.mark.delivery
        name = parse_edition_name(self.matrix.edition)
        return None if name is None or name.delivery == 0 else name.delivery

    @property
    def assumed(self) -> list[str] | UnsetType:
        """What is assumed of the state at a mark, if anything is."""
        return list(self.mark.assumed) if self.mark is not None and self.mark.assumed else UNSET

    def at(self, mark: Mark, matrix: RateMatrix) -> RequestContext:
        """Return the context of the same request as a mark knew it."""
        known = RequestContext(self.state, self.book, self.timestamp, self.form, self.reach, self.usage)
        known.mark, known.matrix, known.payer = mark, matrix, self.payer
        return known

    @property
    def source_reports(self) -> SourceReports | None:
        """The newest reports on the sources."""
        return self.state.source_reports

    @property
    def closes(self) -> ReadClose:
        """Reads the close of a coin on a day: without a mark the newest, which the next edition shows at the latest."""
        known = self.state.readers.known_closes
        return self.state.readers.closes if self.mark is None or known is None else partial(known, self.mark.delivery)

    @property
    def votes(self) -> ReadVotes:
        """Reads the votes behind the quotes of the newest rate book."""
        return self.state.readers.votes

    @property
    def fixings(self) -> FixingLookup | None:
        """Reads fixings as they were published, if they are archived."""
        delivery, known = self.delivery, self.state.readers.known_fixings
        return self.state.readers.fixings if delivery is None or known is None else partial(known, delivery)

    def verdict(self, code: str, day: date) -> CodeVerdict | None:
        """Return the verdict on the fixings behind a code's rate of a day. Errors: RateUnavailable, StoreBusy."""
        read = self.state.readers.verdicts
        return None if read is None else read(self.matrix.edition, self.mark, code, day)

    @property
    def units(self) -> Units:
        """The units of mass that metals are priced in."""
        return self.state.choices.units

    @property
    def bars(self) -> BarReader:
        """The archive of bars."""
        return self.state.readers.bars

    def edition(self, *, is_live: bool) -> str:
        """Return the name of the rate book that live answers are made from, or of the history of all others."""
        return self.book.edition if is_live else self.matrix.edition

    def check_fresh(self, codes: Iterable[str], max_age: timedelta | None = None) -> None:
        """Refuse traded prices that are older than allowed; fixings have a limit of their own.

        A client that gets the age of the price may allow more than the operator with its own `max_age`.

        Errors: RateUnavailable.
        """
        # A currency falls back on its fixing by itself.
        traded = [code for code in codes if code not in CURRENCY_CODES]
        is_fresh = self.is_fresh if max_age is None else lambda quote, _: self.is_within(quote.as_of, max_age)
        code = first_stale_code(self.book, traded, is_fresh) if traded else None
        if code is not None:
            raise too_old(code, self.book.quotes[code])

    def is_metal_fresh(self, quote: Quote, max_age: timedelta | None) -> bool:
        """Return whether a metal's price may be shown with its age: within `max_age`, else not older than its limit."""
        if max_age is not None:
            return self.is_within(quote.as_of, max_age)
        left = metal_fresh_for(quote, self.state.choices.ages, self.now)
        self._use_for(left)
        return left >= _NO_TIME

    def is_fresh(self, price: Quote | PairPrice, kind: AssetKind, max_age: timedelta | None = None) -> bool:
        """Return whether a price of that kind may still be used; a client's `max_age` counts closed hours too."""
        if max_age is not None and not self.is_within(price.as_of, max_age):
            return False
        left = fresh_for(price, kind, self.state.choices.ages, self.now)
        self._use_for(left)
        return left >= _NO_TIME

    def is_within(self, as_of: datetime, limit: timedelta) -> bool:
        """Return whether a moment is no longer ago than a limit."""
        age = max(self.now - as_of, timedelta())
        self._use_for(limit - age)
        return age <= limit

    def _use_for(self, left: timedelta) -> None:
        seconds = left.total_seconds()
        if 0 <= seconds < _MINUTE_SECONDS:
            self.expires_at = min(self.expires_at, self.timestamp + seconds)

    def updated(self, as_of: datetime, max_age: timedelta | None) -> str | int:
        """Return the market time of the oldest quote in an answer, as the account wants it, if it is fresh enough.

        Errors: RateUnavailable when it is older than the client or the operator allows.
        """
        self.check_age(as_of, max_age)
        return written(as_of, self.form)

    def check_age(self, as_of: datetime, max_age: timedelta | None) -> None:
        """Refuse a rate that is older than the client or the operator allows. Errors: RateUnavailable."""
        longest_age = self.state.choices.longest_age
        if max_age is None and longest_age is None:
            return
        limits = [limit for limit in (max_age, longest_age) if limit is not None]
        if not self.is_within(as_of, min(limits)):
            raise RateUnavailable(f"The newest rate is of [{written(as_of)}], older than allowed")


def context_of(
    call: Call, state: WorkerState, usage: UsageRecord | None = None, form: DatetimeFormat | None = None
) -> RequestContext:
    """Return what the answer to an admitted call is computed from; `form` is for a face that has its own."""
    principal = call.principal
    view = _PUBLIC_VIEW if principal is None else principal.book_view
    if form is None:
        form = DatetimeFormat.ISO if principal is None else principal.account.datetime_format
    context = RequestContext(state, state.caches.for_view(view).state[0], call.now, form, call.first_day, usage)
    context.payer = principal
    return context


@lru_cache(maxsize=4096)
def written(moment: datetime, form: DatetimeFormat = DatetimeFormat.ISO) -> str | int:
    """Return a moment in the datetime format of an account."""
    if form is DatetimeFormat.UNIX_MS:
        return unix_ms(moment)
    return moment.astimezone(UTC).strftime(
        "%Y-%m-%d %H:%M:%S" if form is DatetimeFormat.SPACED else "%Y-%m-%dT%H:%M:%SZ"
    )
