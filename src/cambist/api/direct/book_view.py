"""What some principals see: one rate book, times in one format, and the heads of responses made from it."""

from __future__ import annotations

from typing import Any

from msgspec import json

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.principal import BookView as ViewName
from cambist.api.answer.answer_headers import headers_without_etag
from cambist.api.answer.request_context import written
from cambist.api.direct.legs import Legs
from cambist.api.state.response_cache import BookResponses
from cambist.api.state.worker_state import WorkerState
from cambist.http.responses import encode_headers
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import from_unix_us

_MOST_TIMES = 4096


class _Times(dict[int, bytes]):
    """Market times in microseconds since 1970 as JSON, in the format of an account."""

    def __init__(self, form: DatetimeFormat) -> None:
        super().__init__()
        self._form = form

    def __missing__(self, time: int) -> bytes:
        if len(self) >= _MOST_TIMES:
            self.clear()
        text = self[time] = json.encode(written(from_unix_us(time), self._form))
        return text


class _Heads(dict[tuple[int, bytes], bytes]):
    """The heads of responses, by the cost of an answer and the header `Vary`, encoded; `first` is in all of them."""

    def __init__(self, first: bytes, edition: str) -> None:
        super().__init__()
        self._first = first
        self._edition = edition

    def __missing__(self, key: tuple[int, bytes]) -> bytes:
        cost, vary = key
        head = self[key] = self._first + encode_headers(headers_without_etag(cost, self._edition, ())) + vary
        return head


class BookView:
    """The newest rate book of a view, with everything that is made from it once: replaced whole when it changes.

    Used by one thread, the event loop's.
    """

    def __init__(self, state: WorkerState, name: ViewName, responses: BookResponses, head: bytes) -> None:
        self._state = state
        self._head = head
        self.responses = responses
        """Has the book that the view shows now; another thread replaces it."""
        self.times = _Times(DatetimeFormat(name[1]))
        self.renew()

    def renew(self) -> None:
        """Begin with the book that the view shows now."""
        self.book: RateBook = self.responses.state[0]
        self.legs = Legs(self._state, self.book)
        self._memos: dict[object, dict[Any, Any]] = {}
        self.heads = _Heads(self._head, self.book.edition)

    def memo(self, owner: object) -> dict[Any, Any]:
        """Return what somebody has made from this book and keeps, empty at first."""
        memo = self._memos.get(owner)
        return self._memos.setdefault(owner, {}) if memo is None else memo
