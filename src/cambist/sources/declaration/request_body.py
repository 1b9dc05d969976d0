"""The body of a declared POST: a form, a JSON document, or a text such as a SOAP envelope."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import urlencode

import msgspec

from cambist.sources.declaration.address import fill
from cambist.sources.declaration.declaration import DeclaredRequest


def build_body(request: DeclaredRequest, first: date, last: date, each: str) -> bytes:
    """Return the body with its placeholders replaced; empty for a GET. `{key}` is left for the fetcher."""
    if request.form:
        form = {name: fill(value, first, last, each) for name, value in request.form.items()}
        return urlencode(form, safe="{}").encode("ascii")
    if request.json:
        return msgspec.json.encode(_filled(request.json, first, last, each))
    return fill(request.body, first, last, each).encode()


def content_type_of(request: DeclaredRequest) -> str:
    """Return the content type of the body; empty if the declaration's own headers name it, or without a body."""
    if request.form:
        return "application/x-www-form-urlencoded"
    return "application/json" if request.json else ""


def body_texts(request: DeclaredRequest) -> list[str]:
    """Return every text of the body that may have placeholders."""
    return [*request.form.values(), *_texts(request.json), request.body]


def _filled(value: Any, first: date, last: date, each: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, first, last, each) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, first, last, each) for one in value]
    return fill(value, first, last, each) if isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        entries = value.values() if isinstance(value, dict) else value
        return [text for each in entries for text in _texts(each)]
    return [value] if isinstance(value, str) else []
