"""The target of a request without the keys in it, its endpoint, and the pair that it asks for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_plus

HIDDEN = "…"
"""What stands in place of a key."""

SHORTEST_KEY = 4
"""What is shorter is not looked for in answers: it would be found everywhere."""

_LONGEST_SHOWN, _LONGEST_PAIR = 300, 40
_SECRET_NAME = re.compile(r"key|token|secret|app_?id|auth|passw|signature|credential|cookie|session", re.IGNORECASE)
_LIKE_A_KEY = re.compile(
    r"(?<![0-9A-Za-z_])(?!0x)(?=[A-Za-z_]*\d)(?=\d*[A-Za-z_])\w{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-", re.ASCII
)
"""Letters and digits mixed, or a UUID; `0x…` is the address of a coin's contract."""

_FIELD = re.compile(r"""([\w.-]{1,60})["']?\s*[:=]\s*["']?([^"'&\s,}]{4,300})""")
_SEARCHED_BYTES = 64 * 1024
_VERSION = re.compile(r"v\d+")
_AFTER_KEY = frozenset({"codes", "convert", "enriched", "history", "latest", "pair", "quota"})
"""What stands behind a key in the path of ExchangeRate-API: `/v6/KEY/latest/USD`."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CODE = re.compile(r"[A-Z]{3,5}")
_CODES = re.compile(r"[A-Z]{3,5}[-_/][A-Z]{3,5}")
_BASES = ("from", "base", "source", "base_currency", "fsym", "ids", "id")
_QUOTES = ("to", "symbols", "quotes", "target", "currencies", "vs_currencies", "vs_currency", "tsyms", "tsym")
_PAIRS = ("pair", "pairs", "q", "symbol")


@dataclass(frozen=True, slots=True)
class ShadowTarget:
    """A target to write down.

    `shown` has no key, `endpoint` neither codes nor days, `pair` is empty if the request names none. `secrets` are the
    keys that were found; `parts` are the raw target in pieces, with True for those that are a key.
    """

    shown: str
    endpoint: str
    pair: str
    secrets: tuple[str, ...]
    parts: tuple[tuple[str, bool], ...]

    def with_key(self, key: str) -> str:
        """Return the target with another key in place of those of the request."""
        return "".join(quote(key, safe="") if is_key else text for text, is_key in self.parts)


def read_target(raw: str) -> ShadowTarget:
    """Return what may be written down of a raw target, such as `/latest?access_key=KEY&symbols=USD`."""
    path, mark, query = raw.partition("?")
    parts = (*_path_parts(path), *((("?", False), *_query_parts(query)) if mark else ()))
    written = "".join(HIDDEN if is_key else text for text, is_key in parts)
    secrets = {found for text, is_key in parts if is_key for found in (text, unquote(text), unquote_plus(text))}
    public = dict(_public_parameters(query))
    segments = [HIDDEN if is_key else unquote(text) for text, is_key in _path_parts(path)]
    return ShadowTarget(
        shown=_cut(_printable(written), _LONGEST_SHOWN),
        endpoint=_cut(_printable(_endpoint(segments)), _LONGEST_SHOWN),
        pair=_cut(_printable(_pair(segments, public)), _LONGEST_PAIR),
        secrets=tuple(sorted(secrets, key=len, reverse=True)),
        parts=parts,
    )


def is_secret_name(name: str) -> bool:
    """Return whether a parameter or a header of this name may have a key."""
    return _SECRET_NAME.search(name) is not None


def secrets_in_body(body: bytes) -> list[str]:
    """Return the keys in the fields of a form or of JSON, near the beginning of a body."""
    fields = _FIELD.findall(body[:_SEARCHED_BYTES].decode(errors="replace"))
    found = {value for name, value in fields if is_secret_name(name)}
    return sorted({*found, *map(unquote_plus, found)}, key=len, reverse=True)


def without_secrets(text: str, secrets: Sequence[str]) -> str:
    """Return a text without these keys."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def _path_parts(path: str) -> Iterator[tuple[str, bool]]:
    segments = path.split("/")
    for place, segment in enumerate(segments):
        if place:
            yield "/", False
        before, after = segments[place - 1] if place else "", segments[place + 1] if place + 1 < len(segments) else ""
        is_keyed = bool(_VERSION.fullmatch(before)) and after in _AFTER_KEY and segment not in _AFTER_KEY
        yield segment, bool(segment) and (is_keyed or _is_like_a_key(segment))


def _query_parts(query: str) -> Iterator[tuple[str, bool]]:
    for place, parameter in enumerate(query.split("&")):
        if place:
            yield "&", False
        name, mark, value = parameter.partition("=")
        if not mark and _is_like_a_key(name):
            yield name, True
            continue
        yield f"{name}{mark}", False
        yield value, bool(value) and (is_secret_name(unquote_plus(name)) or _is_like_a_key(unquote_plus(value)))


def _public_parameters(query: str) -> Iterator[tuple[str, str]]:
    for parameter in query.split("&"):
        name, _, value = (unquote_plus(part) for part in parameter.partition("="))
        if value and not is_secret_name(name) and not _is_like_a_key(value):
            yield name.lower().removesuffix("[]"), value


def _is_like_a_key(text: str) -> bool:
    return _LIKE_A_KEY.search(text) is not None


def _endpoint(segments: Sequence[str]) -> str:
    """Return a path with `{date}`, `{code}` and so on in place of what differs from request to request."""
    words = [word for word in segments if word != "/"]
    return "/".join(_general(word, words[place - 1] if place else "") for place, word in enumerate(words)) or "/"


def _general(word: str, before: str) -> str:
    if word == HIDDEN:
        return "{key}"
    if before == "coins" and word not in {"list", "markets"}:
        return "{id}"
    word = _DAY.sub("{date}", word)
    if _CODES.fullmatch(word):
        return "{pair}"
    if _CODE.fullmatch(word):
        return "{code}"
    return "{number}" if word.replace(".", "", 1).isdecimal() else word


def _pair(segments: Sequence[str], parameters: Mapping[str, str]) -> str:
    """Return the pair, as `EUR/USD` or `EUR/USD,GBP`, from the parameters or else from the codes of the path."""
    base = next((parameters[name] for name in _BASES if name in parameters), "")
    quotes = next((parameters[name] for name in _QUOTES if name in parameters), "")
    if not base and not quotes:
        named = next((parameters[name] for name in _PAIRS if name in parameters), "")
        return named or "/".join(word for word in segments if _CODE.fullmatch(word) or _CODES.fullmatch(word))
    return "/".join(filter(None, (base, quotes)))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
