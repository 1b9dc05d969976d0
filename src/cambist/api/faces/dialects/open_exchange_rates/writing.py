"""Writing answers as Open Exchange Rates does: two sentences first, and indented unless the client does not want it."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_json import encode_plainly

_NO = ("0", "false", "no")
_NOTES = {
    "disclaimer": "Reference rates, without warranty. The operator of this service answers for their use.",
    "license": "The terms of each source are listed at /sources.",
}


def written(
    request: DialectRequest,
    body: dict[str, Any],
    *,
    cost: int = 1,
    earliest_day: date | None = None,
    is_cacheable: bool = True,
    has_notes: bool = True,
) -> DialectAnswer:
    """Return an answer with the fields of `body` after the sentences about it."""
    content = encode_plainly(_NOTES | body if has_notes else body)
    if request.query.get("prettyprint", "").lower() not in _NO:
        content = msgspec.json.format(content, indent=2)
    return DialectAnswer(
        content,
        "application/json; charset=utf-8",
        cost=cost,
        earliest_day=earliest_day,
        is_cacheable=is_cacheable,
    )


def is_on(request: DialectRequest, name: str) -> bool:
    """Return whether a parameter that is yes or no is given as yes."""
    text = request.query.get(name, "").lower()
    return bool(text) and text not in _NO
