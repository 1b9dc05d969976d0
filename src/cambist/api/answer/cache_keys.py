"""The keys under which answers are cached: two calls with one key have the same answer."""

from __future__ import annotations

from collections.abc import Container
from datetime import date
from urllib.parse import unquote_plus

from cambist.api.call.call import Call
from cambist.api.state.response_cache import CacheKey


def cache_key(call: Call, names: Container[str]) -> CacheKey:
    """Return the key of an admitted call in the response cache, without parameters that nobody reads."""
    parts = call.environ["QUERY_STRING"].split("&")
    query = "&".join([part for part in parts if unquote_plus(part.partition("=")[0]) in names])
    first_day = date.min if call.payer.plan.history_days is None else call.first_day
    return call.environ["PATH_INFO"], query, call.payer.book_view[1], first_day
