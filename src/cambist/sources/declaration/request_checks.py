"""Validation of a declaration's request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from cambist.errors import shorten
from cambist.sources.declaration.address import (
    EACH,
    KEY,
    TOKEN,
    address_faults,
    header_faults,
    is_secret,
    placeholder_faults,
    placeholders,
)
from cambist.sources.declaration.declaration import Declaration
from cambist.sources.declaration.patterns import day_pattern_faults
from cambist.sources.declaration.request_body import body_texts

Fault = tuple[str, str]
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_MEMBER = re.compile(r"[A-Za-z0-9_.*?-]{1,100}")
_SETTINGS = "CAMBIST_"


def request_faults(declared: Declaration) -> Iterator[Fault]:
    """Yield each wrong field of the request, and what is wrong with it."""
    request = declared.request
    yield from (("request.url", fault) for fault in address_faults(request.url, request.span))
    yield from ((f"request.headers.{shorten(name)}", fault) for name, fault in header_faults(request.headers))
    yield from _key(declared)
    yield from _body(declared)
    yield from _each(declared)
    if not all(kind.isascii() and kind.isprintable() and "/" in kind for kind in request.media):
        yield "request.media", "must be content types, such as text/csv"
    if request.member and not _MEMBER.fullmatch(request.member):
        yield "request.member", f"[{shorten(request.member)}] must be the name of a file in a zip, such as *.csv"
    yield from _span(declared)
    yield from _few(declared)
    yield from _before(declared)


def _key(declared: Declaration) -> Iterator[Fault]:
    request, variable = declared.request, declared.key_variable
    asks = any(KEY in text for text in (request.url, *request.headers.values(), *body_texts(request)))
    if asks and not (variable or declared.setting):
        yield "key_variable", "is missing: {key} must come from an environment variable"
    if variable and not asks:
        yield "key_variable", "has no effect: neither the URL nor a header contains {key}"
    if variable and not _VARIABLE.fullmatch(variable):
        yield "key_variable", f"[{shorten(variable)}] is not a variable name: capital letters, digits and _ are allowed"
    if variable.startswith(_SETTINGS):
        yield "key_variable", f"[{variable}] begins like a setting: use a name without {_SETTINGS}"
    if declared.setting and (variable or not asks):
        yield "setting", "has no effect: " + ("key_variable is set" if variable else "no request contains {key}")


def _body(declared: Declaration) -> Iterator[Fault]:
    request = declared.request
    bodies = [name for name in ("form", "json", "body") if getattr(request, name)]
    if len(bodies) > 1:
        yield f"request.{bodies[1]}", f"is a second body, besides request.{bodies[0]}"
    for name in bodies:
        for text in body_texts(request):
            yield from ((f"request.{name}", fault) for fault in placeholder_faults(text, request.span))
    for name, value in (request.form | request.json).items():
        if is_secret(name) and isinstance(value, str) and KEY not in value and TOKEN not in value:
            yield f"request.{bodies[0]}.{shorten(name)}", "looks like a secret: put it into a variable, and {key} here"
    is_typed = "content-type" in {name.lower() for name in request.headers}
    if request.body and not is_typed:
        yield "request.headers", "needs Content-Type: only you know what kind of text request.body is"
    if bodies and not request.body and is_typed:
        yield "request.headers.Content-Type", f"is set by request.{bodies[0]}"


def _few(declared: Declaration) -> Iterator[Fault]:
    request, few = declared.request, declared.request.few
    if few is None:
        return
    yield from (("request.few.url", fault) for fault in address_faults(few.url, 1))
    if placeholders(few.url) != {"day"}:
        yield "request.few.url", "must contain the day, as {day}, and no other placeholder of days"
    if request.span == 1 or any(body_texts(request)):
        yield "request.few", "has no effect: days are requested singly" if request.span == 1 else "is not for a POST"
    if urlsplit(few.url).netloc != urlsplit(request.url).netloc or (EACH in few.url) != (EACH in request.url):
        yield "request.few.url", "must have the host of request.url, and {each} if that has it"


def _before(declared: Declaration) -> Iterator[Fault]:
    request, before = declared.request, declared.request.before
    is_used = any(TOKEN in text for text in (request.url, *request.headers.values(), *body_texts(request)))
    if is_used and not (before and before.pattern):
        yield "request.before.pattern", "is missing: it says where {token} is in the first answer"
    if before is None:
        return
    yield from (("request.before.url", fault) for fault in address_faults(before.url, "all"))
    if placeholders(before.url) or EACH in before.url or KEY in before.url or TOKEN in before.url:
        yield "request.before.url", "must be without placeholders"
    if urlsplit(before.url).netloc != urlsplit(request.url).netloc:
        yield "request.before.url", "must have the host of request.url: cookies and tokens are for that host alone"
    if before.pattern:
        yield from day_pattern_faults("request.before.pattern", before.pattern)
        if not is_used:
            yield "request.before.pattern", "has no effect: no {token} stands in the request"
    if before.fields and not request.form:
        yield "request.before.fields", "has no effect: they go into request.form, and there is none"
    if len({*before.fields, *request.form}) != len(before.fields) + len(request.form) or "" in before.fields:
        yield "request.before.fields", "must be names of fields, each once, and none that request.form has"


def _each(declared: Declaration) -> Iterator[Fault]:
    request = declared.request
    is_used = any(EACH in text for text in (request.url, *body_texts(request)))
    if bool(request.each) != is_used:
        yield "request.each", "has no effect: no {each} stands in the request" if request.each else "is missing"
    if len({*request.each}) != len(request.each) or not all(each.isprintable() and each for each in request.each):
        yield "request.each", "must be texts on one line, each once"


def _span(declared: Declaration) -> Iterator[Fault]:
    request, span = declared.request, declared.request.span
    asked = {name for text in (request.url, *body_texts(request)) for name in placeholders(text)}
    if span == 1 and not asked:
        yield "request.url", "does not contain the day: with a span of 1 it needs {day}"
    if span != 1 and "day" in asked:
        yield "request.url", f"contains {{day}}, but an answer covers a span of [{span}]"
    if isinstance(span, int) and span > 1 and asked != {"first", "last"}:
        yield "request.url", f"needs {{first}} and {{last}}: an answer covers a span of [{span}] days"
    if span in {"month", "year"} and not asked:
        yield "request.url", f"does not say which {span} is requested: it needs {{first:%Y}}, or {{first}} and {{last}}"
    if request.days and span != 1:
        yield "request.days", f"has no effect: an answer covers a span of [{span}]"
    if declared.day.of == "asked" and span != 1:
        yield "day.of", "can be the day asked for only with a span of 1"
