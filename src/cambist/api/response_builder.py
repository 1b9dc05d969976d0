"""Making an endpoint's answers: first what is known without them, then the answer itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import inf
from typing import Any

from msgspec import Struct

from cambist import __version__
from cambist.api.compression import MIN_COMPRESSED_BYTES
from cambist.api.endpoint import Endpoint
from cambist.api.rendering import encode_without_ms
from cambist.api.request_context import RequestContext
from cambist.api.response_cache import CachedResponse, etag_of

NO_STORE = ("Cache-Control", "no-store")
VARIES = ("Vary", "Accept-Encoding")
_LISTS_FOR = timedelta(minutes=1)
"""How long clients may keep a list."""


class ResponseBuilder:
    """Makes the answers of one endpoint; clients may keep those about closed days for `closed_for`."""

    def __init__(self, endpoint: Endpoint[Any, Any], closed_for: timedelta) -> None:
        self._endpoint = endpoint
        self._kept = _kept_for(_LISTS_FOR if endpoint.is_list else closed_for)
        self._made_by = f"{__version__} {endpoint.path} ".encode()

    def outline(self, view: RequestContext, params: Struct) -> CachedResponse:
        """Give an answer without its content: what it costs, and its ETag where that is made of data."""
        endpoint = self._endpoint
        is_closed = endpoint.is_immutable is not None and endpoint.is_immutable(view, params)
        etag = self._etag_ahead(view, params) if is_closed else ""
        cost = 1 if endpoint.cost is None else endpoint.cost(view, params)
        return CachedResponse(
            opened=b"",
            headers=self._headers(cost, etag),
            etag=etag,
            is_cacheable=is_closed or endpoint.is_list,
            endpoint=endpoint.path,
            tag=endpoint.tag,
            cost=cost,
            oldest=None if endpoint.earliest_day is None else endpoint.earliest_day(view, params),
            until=inf if is_closed else 0,
        )

    def _etag_ahead(self, view: RequestContext, params: Struct) -> str:
        data = None if self._endpoint.etag_data is None else self._endpoint.etag_data(view, params)
        return "" if data is None else etag_of([self._made_by, repr(params).encode(), *data])

    def complete(self, outline: CachedResponse, view: RequestContext, params: Struct) -> CachedResponse:
        """Make the answer whose outline is known."""
        content = encode_without_ms(self._endpoint.answer(view, params))
        etag = outline.etag or (etag_of([content]) if outline.is_cacheable else "")
        until = outline.until or view.expiry.at.timestamp()
        headers = self._headers(outline.cost, etag)
        if not etag and len(content) > MIN_COMPRESSED_BYTES:
            headers = (*headers, VARIES)
        return replace(outline, opened=content, etag=etag, headers=headers, until=until, _compressed=[])

    def _headers(self, cost: int, etag: str) -> tuple[tuple[str, str], ...]:
        charged = ("X-Calls-Cost", str(cost))
        return (charged, self._kept, ("ETag", etag), VARIES) if etag else (charged, NO_STORE)


def _kept_for(time: timedelta) -> tuple[str, str]:
    return "Cache-Control", f"private, max-age={int(time.total_seconds())}"
