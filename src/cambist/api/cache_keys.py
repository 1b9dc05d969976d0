"""The keys under which answers are cached: two requests with one key have the same answer."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote_plus

from cambist.accounts.principal import Principal
from cambist.api.authentication import first_day_of
from cambist.api.response_cache import CacheKey


def cache_key(environ: Mapping[str, Any], names: Container[str], principal: Principal, today: date) -> CacheKey:
    """Return the key of a request in the response cache, without the API key and parameters that nobody reads."""
    parts = environ["QUERY_STRING"].split("&")
    query = "&".join([part for part in parts if unquote_plus(part.partition("=")[0]) in names])
    first_day = date.min if principal.plan.history_days is None else first_day_of(principal, today)
    return environ["PATH_INFO"], query, principal.book_view[1], first_day
