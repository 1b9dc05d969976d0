"""The tables of a rate book as JSON: names of slots, and origins of quotes.

The text of the origins has a line for each list of sources and of legs. New ones are appended, so that a reader parses
only what it has not seen.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from cambist.errors import RateBookDamaged
from cambist.pricing.book_tables import BookNames, BookOrigins, QuoteName
from cambist.pricing.pair import Pair


class _Names(msgspec.Struct, frozen=True):
    instruments: list[tuple[str, str]]
    listed: tuple[str, ...]
    venue_pairs: list[str]


class _Sources(msgspec.Struct, frozen=True, tag_field="of", tag="sources"):
    keys: tuple[str, ...]


class _Legs(msgspec.Struct, frozen=True, tag_field="of", tag="legs"):
    pairs: list[str]


_ORIGIN = msgspec.json.Decoder(_Sources | _Legs)


def encode_names(names: BookNames) -> bytes:
    """Return the names as JSON."""
    instruments = [(str(name), str(pair)) for name, pair in names.instruments]
    return msgspec.json.encode(_Names(instruments, names.listed, sorted(map(str, names.venue_pairs))))


def encode_origins(origins: BookOrigins, before: BookOrigins | None = None, text: bytes = b"") -> bytes:
    """Return the origins as JSON lines. Those that extend the ones `before` extend its text."""
    sources, legs = (len(before.sources), len(before.legs)) if before else (0, 0)
    if before is None or (origins.sources[:sources], origins.legs[:legs]) != (before.sources, before.legs):
        sources, legs, text = 0, 0, b""
    added = [
        *(_Sources(keys) for keys in origins.sources[sources:]),
        *(_Legs(list(map(str, pairs))) for pairs in origins.legs[legs:]),
    ]
    return text + b"".join(msgspec.json.encode(line) + b"\n" for line in added)


def decode_names(content: bytes) -> BookNames:
    """Parse the names. Errors: RateBookDamaged."""
    try:
        names = msgspec.json.decode(content, type=_Names)
        instruments = tuple((parse_name(name), _pair(pair)) for name, pair in names.instruments)
        return BookNames(instruments, names.listed, frozenset(_pairs(names.venue_pairs)))
    except (TypeError, ValueError, RecursionError) as error:
        raise RateBookDamaged(f"its names were written by another version: {error}") from error


def decode_origins(text: bytes, before: BookOrigins | None = None) -> BookOrigins:
    """Parse the lines of origins that follow those `before`. Errors: RateBookDamaged."""
    before = before or BookOrigins((), ())
    try:
        lines = [_ORIGIN.decode(line) for line in text.splitlines()]
        sources = tuple(line.keys for line in lines if isinstance(line, _Sources))
        legs = tuple(_pairs(line.pairs) for line in lines if isinstance(line, _Legs))
    except (TypeError, ValueError, RecursionError) as error:
        raise RateBookDamaged(f"its origins were written by another version: {error}") from error
    return BookOrigins(before.sources + sources, before.legs + legs)


def parse_name(text: str) -> QuoteName:
    """Parse the name of a quote: a code, or a pair with a slash."""
    return _pair(text) if "/" in text else text


def _pair(text: str) -> Pair:
    return Pair(*text.split("/"))


def _pairs(texts: Iterable[str]) -> tuple[Pair, ...]:
    return tuple(map(_pair, texts))
