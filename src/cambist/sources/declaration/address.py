"""URLs with the placeholders `{first}`, `{last}` and `{day}`, each also with a format, and `{key}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, urlsplit

from cambist.errors import shorten
from cambist.sources.declaration.day_format import PARTS, parts_written

KEY = "{key}"
EACH = "{each}"
TOKEN = "{token}"  # noqa: S105  a placeholder
_PLACEHOLDER = re.compile(r"\{(?P<name>first|last|day)(?::(?P<form>[^{}]+))?\}")
_ISO = "%Y-%m-%d"
_NEEDED = {"month": PARTS[:2], "year": PARTS[:1]}
"""The parts of a day that a URL must have, by what its answers cover."""
_SAMPLE_DAY = date(2026, 10, 30)
_SECRET = re.compile(r"authorization|cookie|password|(access|auth|secret)?[-_]?token|.*(api|access|app)[-_]?(key|id)")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SET_BY_CLIENT = {"host", "content-length", "transfer-encoding", "connection"}


def fill(template: str, first: date, last: date, each: str = "") -> str:
    """Replace the placeholders of days and `{each}`; `{key}` is replaced by the fetcher."""
    days = {"first": first, "last": last, "day": first}

    def written(found: re.Match[str]) -> str:
        return days[found["name"]].strftime(found["form"] or _ISO)

    return _PLACEHOLDER.sub(written, template.replace(EACH, each))


def placeholders(template: str) -> set[str]:
    """Return the names of the day placeholders in a text."""
    return {found["name"] for found in _PLACEHOLDER.finditer(template)}


def address_faults(url: str, span: int | str) -> Iterator[str]:
    """Yield what is wrong with a URL whose answers cover a `span`."""
    yield from placeholder_faults(url, span)
    plain = fill(url, _SAMPLE_DAY, _SAMPLE_DAY).replace(KEY, "").replace(TOKEN, "")
    if {*"{}"} & {*plain}:
        yield "has an unknown placeholder; there are {first}, {last} and {day}, also as {day:%Y%m%d}, {each} and {key}"
    if not (plain.isascii() and plain.isprintable() and " " not in plain):
        yield "contains characters that a URL cannot have: only visible ASCII is allowed"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        yield f"is not a URL: {error}"
        return
    if not host or {*"{}"} & {*parts.netloc} or parts.fragment:
        yield "is not a URL: it needs a host without placeholders, and nothing after a #"
    if "@" in parts.netloc:
        yield "contains a name or password: put it into a variable, and {key} in its place"
    if not (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))):
        yield f"[{shorten(parts.scheme)}://{shorten(host)}] is neither https nor this machine"
    yield from _secrets_in(parts)


def placeholder_faults(text: str, span: int | str) -> Iterator[str]:
    """Yield what is wrong with the placeholders of days in a text."""
    yield from _form_faults(text, _NEEDED.get(str(span), PARTS))


def is_secret(name: str) -> bool:
    """Return whether the value of this name is probably a secret."""
    return _SECRET.fullmatch(name.lower()) is not None


def header_faults(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each wrong header and what is wrong with it."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _SET_BY_CLIENT:
            yield name, "is not a header that can be set"
        if not (value.isascii() and value.isprintable()) or {*"{}"} & {*value.replace(KEY, "").replace(TOKEN, "")}:
            yield name, "must be visible ASCII, with no placeholder except {key}"
        if is_secret(name) and KEY not in value and TOKEN not in value:
            yield name, "looks like a secret: put it into a variable, and {key} in its place"


def _form_faults(url: str, needed: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the forms of days. A day may be written in several places, a part in each."""
    parts: dict[str, set[str]] = {}
    for found in _PLACEHOLDER.finditer(url):
        try:
            parts.setdefault(found["name"], set()).update(parts_written(found["form"] or _ISO))
        except ValueError as error:
            yield f"{error}"
    for name, written in parts.items():
        if not written.issuperset(needed):
            yield f"{{{name}}} does not hold {_in_words(needed)} once each"


def _in_words(parts: Sequence[str]) -> str:
    return "a year, a month and a day" if parts == PARTS else " and ".join(f"a {part}" for part in parts)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _secrets_in(parts: SplitResult) -> Iterator[str]:
    for name, value in parse_qsl(parts.query):
        if is_secret(name) and KEY not in value and TOKEN not in value:
            yield f"contains what looks like a secret: put [{shorten(name)}] into a variable, and {{key}} in its place"
