"""What some principals see: one rate book, times in one format, and the heads of responses made from it."""

from __future__ import annotations

from typing import Any

from msgspec import json

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.principal import BookView as ViewName
from cambist.api.answer.answer_headers import Header, headers_without_etag
from cambist.api.answer.request_context import written
from cambist.api.direct.legs import Legs
from cambist.api.state.response_cache import BookResponses
from cambist.api.state.worker_state import WorkerState
from cambist.http.responses import encode_headers
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import from_unix_us

_MOST_TIMES = 4096


class BookView:
    """The newest rate book of a view, with everything that is made from it once: replaced whole when it changes.

    Used by one thread, the event loop's.
    """

    def __init__(self, state: WorkerState, name: ViewName, responses: BookResponses) -> None:
        self._state = state
        self._form = DatetimeFormat(name[1])
        self.responses = responses
        """Has the book that the view shows now; another thread replaces it."""
        self._times: dict[int, bytes] = {}
        self.renew()

    def renew(self) -> None:
        """Begin with the book that the view shows now."""
        self.book: RateBook = self.responses.state[0]
        self.legs = Legs(self._state, self.book)
        self._memos: dict[object, dict[Any, Any]] = {}
        self._heads: dict[tuple[int, tuple[Header, ...]], bytes] = {}

    def head(self, cost: int, vary: tuple[Header, ...]) -> bytes:
        """Return the headers that depend on the book and on the cost of an answer."""
        head = self._heads.get((cost, vary))
        if head is None:
            head = self._heads[cost, vary] = encode_headers(headers_without_etag(cost, self.book.edition, vary))
        return head

    def memo(self, owner: object) -> dict[Any, Any]:
        """Return what somebody has made from this book and keeps, empty at first."""
        memo = self._memos.get(owner)
        return self._memos.setdefault(owner, {}) if memo is None else memo

    def written(self, time: int) -> bytes:
        """Return a market time in microseconds since 1970 as JSON, in the format of the account."""
        text = self._times.get(time)
        if text is None:
            if len(self._times) >= _MOST_TIMES:
                self._times.clear()
            text = self._times[time] = json.encode(written(from_unix_us(time), self._form))
        return text
