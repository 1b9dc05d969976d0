"""The hidden fields of a form that a source wants back, such as the state of an ASP.NET page."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from cambist.errors import SourceBroken, shorten
from cambist.sources.base import SourceRequest
from cambist.sources.payloads.html import parse_html

_MOST = 4 * 1024 * 1024
"""Characters: no more of an answer is searched."""
_LONGEST = 1_000_000


def with_hidden_fields(source: str, request: SourceRequest, content: bytes) -> SourceRequest:
    """Return the request with the hidden fields of the page `content` in its form, if it wants some.

    Errors: SourceBroken if a field is not there once, or the page is too large.
    """
    if not request.hidden_fields:
        return request
    try:
        page = parse_html(content.decode("utf-8", "replace")[:_MOST])
    except ValueError as error:
        raise SourceBroken(f"{source}: the first answer: {error}") from error
    inputs = [each.attributes for each in page.css("input")]
    fields: list[tuple[str, str]] = []
    for name in request.hidden_fields:
        values = [each.get("value") or "" for each in inputs if each.get("name") == name]
        if len(values) != 1 or len(values[0]) > _LONGEST:
            raise SourceBroken(f"{source}: the first answer does not have one field [{shorten(name)}]")
        fields.append((name, values[0]))
    form = urlencode(fields).encode("ascii")
    return replace(request, body=b"&".join(filter(None, (form, request.body))))
