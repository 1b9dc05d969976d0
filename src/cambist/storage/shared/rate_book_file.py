"""The file through which the current rate book is published to all processes of a machine."""

from __future__ import annotations

import zlib
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import msgspec

from cambist.errors import RateBookDamaged
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.change_notifier import Topic, data_changes

_CHECKSUM_BYTES = 9


class _Head(msgspec.Struct, frozen=True):
    version: int
    as_of: datetime
    listed: tuple[str, ...]
    quotes: int


QuoteName = str | Pair
"""A currency by its code, or a pair."""

_Line = tuple[str, Quote]


class RateBookFile:
    """The file with the current rate book, for its publisher and its readers.

    The file has one line for the checksum, one for the head, one for the pairs that venues list, and one for each
    quote. Publisher and readers keep the lines of the last book, so that only quotes that changed cost time.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "book.json"
        self._lines: dict[QuoteName, tuple[Quote, bytes]] = {}
        self._quotes: dict[bytes, tuple[QuoteName, Quote]] = {}
        self._listed: tuple[frozenset[Pair], bytes] = (frozenset(), b"[]")
        self.changes = data_changes(folder)

    def publish(self, book: RateBook) -> None:
        """Replace the current book, and notify the readers. Errors: Unwritable."""
        quotes: dict[QuoteName, Quote] = {
            name: quote for part in (book.quotes, book.pairs) for name, quote in part.items()
        }
        head = _encode(_Head(book.version, book.as_of, book.listed, len(quotes)))
        lines = {name: self._line(name, quote) for name, quote in quotes.items()}
        self._lines = {name: (quote, lines[name]) for name, quote in quotes.items()}
        content = b"\n".join((head, self._listing_line(book.venue_pairs), *lines.values()))
        write_atomically(self._path, _checksum(content) + content, durable=False)
        self.changes.notify(Topic.BOOK)

    def published_at(self) -> float | None:
        """Return when the current book was published, in seconds since 1970; None before the first book."""
        try:
            return self._path.stat().st_mtime
        except OSError:
            return None

    def _listing_line(self, venue_pairs: frozenset[Pair]) -> bytes:
        if self._listed[0] is not venue_pairs:
            self._listed = venue_pairs, _encode(sorted(map(str, venue_pairs)))
        return self._listed[1]

    def _line(self, name: QuoteName, quote: Quote) -> bytes:
        last = self._lines.get(name)
        return last[1] if last is not None and last[0] is quote else _encode((str(name), quote))

    def current(self) -> RateBook | None:
        """Return the book that was published last, also by a service that has ended; None before the first book.

        Errors: RateBookDamaged.
        """
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        checksum, content = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if checksum != _checksum(content):
            raise RateBookDamaged(f"The rate book {self._path} is damaged (wrong checksum)")
        try:
            first, listed, *lines = content.split(b"\n")
            head = msgspec.json.decode(first, type=_Head)
            if self._listed[1] != listed:
                names = msgspec.json.decode(listed, type=list[str])
                self._listed = frozenset(Pair(*name.split("/")) for name in names), listed
            entries = {line: self._quotes.get(line) or _decode(line) for line in lines}
        except (msgspec.MsgspecError, ValueError) as error:
            raise RateBookDamaged(
                f"The rate book {self._path} was written by another version of Cambist: {error}"
            ) from error
        if len(entries) != head.quotes:
            raise RateBookDamaged(f"The rate book {self._path} holds {len(entries)} quotes instead of {head.quotes}")
        self._quotes = entries
        quotes = {name: quote for name, quote in entries.values() if isinstance(name, str)}
        pairs = {name: quote for name, quote in entries.values() if isinstance(name, Pair)}
        return RateBook(head.version, head.as_of, quotes, head.listed, pairs, self._listed[0])


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value, enc_hook=_encode_fraction)


def _decode(line: bytes) -> tuple[QuoteName, Quote]:
    name, quote = _LINE_DECODER.decode(line)
    base, slash, other = name.partition("/")
    return (Pair(base, other) if slash else name), quote


def _checksum(content: bytes) -> bytes:
    """Return the first line of the file: the CRC-32 of the rest."""
    return b"%08x\n" % zlib.crc32(content)


def _encode_fraction(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(type(value))


def _decode_fraction(kind: type, value: object) -> object:
    if kind is Fraction:
        try:
            return Fraction(str(value))
        except ZeroDivisionError as error:
            raise ValueError(str(error)) from error
    raise NotImplementedError(kind)


_LINE_DECODER = msgspec.json.Decoder(_Line, dec_hook=_decode_fraction)
