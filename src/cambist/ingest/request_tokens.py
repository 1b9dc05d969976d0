"""A token that a source gives in one answer and wants in the next request."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from cambist.errors import SourceBroken
from cambist.sources.base import SourceRequest

_TOKEN = "{token}"  # noqa: S105  a placeholder
_IN_FORM = _TOKEN.encode()
_MOST = 2 * 1024 * 1024
"""Characters: no more of an answer is searched."""
_LONGEST = 100_000
_HEADER_TEXT = re.compile(r"[\x20-\x7e]*")


def with_token(source: str, request: SourceRequest, content: bytes) -> SourceRequest:
    """Return the request with the token that `content` has, if it wants one. Errors: SourceBroken if there is none."""
    if not request.token_pattern:
        return request
    found = {match[1] for match in re.finditer(request.token_pattern, content.decode("utf-8", "replace")[:_MOST])}
    token = found.pop() if len(found) == 1 else ""
    if not token or len(token) > _LONGEST:
        raise SourceBroken(f"{source}: the first answer does not have one token as expected")
    if any(_TOKEN in text for _, text in request.headers) and not _HEADER_TEXT.fullmatch(token):
        raise SourceBroken(f"{source}: the token of the first answer cannot stand in a header")
    escaped = quote(token, safe="")
    path, mark, query = request.url.partition("?")
    is_form = ("Content-Type", "application/x-www-form-urlencoded") in request.headers
    return replace(
        request,
        # A token in a path may be a path itself, such as the name of the newest file with its folder.
        url=path.replace(_TOKEN, quote(token)) + mark + query.replace(_TOKEN, escaped),
        headers=tuple((name, text.replace(_TOKEN, token)) for name, text in request.headers),
        body=request.body.replace(_IN_FORM, (escaped if is_form else token).encode()),
    )
