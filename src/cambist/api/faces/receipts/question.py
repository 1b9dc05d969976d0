"""What was asked, as a receipt states it: never with an API key."""

from __future__ import annotations

from collections.abc import Container
from typing import Any
from urllib.parse import unquote_plus

from cambist.accounts.api_key import PREFIX
from cambist.api.faces.receipts import PARAMETER

_TRUE = frozenset({"true", "1", "yes", "y"})


def split_receipt(query: str) -> tuple[bool, str]:
    """Return whether a query asks for a receipt, and the query without that."""
    parts = query.split("&")
    asked = [part for part in parts if _name(part) == PARAMETER]
    if not asked:
        return False, query
    values = [value for part in asked if (value := unquote_plus(part.partition("=")[2]).strip().lower())]
    return bool(values) and values[-1] in _TRUE, "&".join(part for part in parts if _name(part) != PARAMETER)


def stated_query(query: str, left_out: Container[str]) -> str:
    """Return a query as a receipt states it: without empty parts, the parameters `left_out`, and any API key."""
    return "&".join(part for part in query.split("&") if part and _name(part) not in left_out and not _has_key(part))


def stated_path(path: Any) -> str:
    """Return a path of a WSGI environ as text; one that contains an API key is left out."""
    text = str(path).encode("latin-1").decode(errors="replace")
    return "" if _has_key(text) else text


def _name(part: str) -> str:
    return unquote_plus(part.partition("=")[0])


def _has_key(text: str) -> bool:
    return PREFIX in unquote_plus(text)
