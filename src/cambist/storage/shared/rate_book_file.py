"""The board as a folder: the current book in a file, and a mapped page of versions that tells of news.

A look at a version costs a read of mapped memory. Whoever changes something rings, and the workers, who watch the
versions, take up what changed.
"""

from __future__ import annotations

import zlib
from datetime import datetime
from enum import IntEnum
from fractions import Fraction
from pathlib import Path

import msgspec

from cambist.errors import RateBookDamaged
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.change_notifier import ChangeNotifier

_CHECKSUM_BYTES = 9


class Topic(IntEnum):
    """What may have changed; each is a topic of the notifier."""

    BOOK = 0
    MATRIX = 1
    ACCOUNTS = 2
    PLANS = 3
    SOURCES = 4
    ARCHIVE = 5


class _Head(msgspec.Struct, frozen=True):
    version: int
    as_of: datetime
    listed: tuple[str, ...]
    quotes: int


Name = str | Pair
_Line = tuple[str, Quote]


class RateBookFile:
    """The current book of one machine, published to all its processes.

    A book is a file of lines: a checksum, a head, what venues list, and a line a quote. Both sides keep the lines of
    the last book, so that publishing and reading cost what changed.
    """

    def __init__(self, folder: Path) -> None:
        self._book = folder / "book.json"
        self._written: dict[Name, tuple[Quote, bytes]] = {}
        self._read: dict[bytes, tuple[Name, Quote]] = {}
        self._listed: tuple[frozenset[Pair], bytes] = (frozenset(), b"[]")
        self._notifier = ChangeNotifier(folder / "versions")

    def version(self, topic: Topic) -> int:
        """Give the number that changes when there is news of that kind."""
        return self._notifier.versions[topic]

    def notify(self, topic: Topic) -> None:
        """Tell every process that there is news of that kind."""
        self._notifier.notify(topic)

    def publish(self, book: RateBook) -> None:
        """Put `book` in place of the current one and ring."""
        written: dict[Name, Quote] = {name: quote for part in (book.quotes, book.pairs) for name, quote in part.items()}
        head = _encode(_Head(book.version, book.as_of, book.listed, len(written)))
        lines = {name: self._line(name, quote) for name, quote in written.items()}
        self._written = {name: (quote, lines[name]) for name, quote in written.items()}
        content = b"\n".join((head, self._listing(book.listing), *lines.values()))
        write_atomically(self._book, _checksum(content) + content, durable=False)
        self.notify(Topic.BOOK)

    def published_at(self) -> float | None:
        """Give when the current book was published, in seconds since 1970; None before the first."""
        try:
            return self._book.stat().st_mtime
        except OSError:
            return None

    def _listing(self, listing: frozenset[Pair]) -> bytes:
        if self._listed[0] is not listing:
            self._listed = listing, _encode(sorted(map(str, listing)))
        return self._listed[1]

    def _line(self, name: Name, quote: Quote) -> bytes:
        before = self._written.get(name)
        return before[1] if before is not None and before[0] is quote else _encode((str(name), quote))

    def current(self) -> RateBook | None:
        """Give the last book published, also by a service that has ended since; None before the first.

        Errors: RateBookDamaged when the file is not a book.
        """
        try:
            content = self._book.read_bytes()
        except FileNotFoundError:
            return None
        checksum, content = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if checksum != _checksum(content):
            raise RateBookDamaged(f"The book {self._book} is not what was written")
        try:
            head, listed, *lines = content.split(b"\n")
            read = msgspec.json.decode(head, type=_Head)
            if self._listed[1] != listed:
                names = msgspec.json.decode(listed, type=list[str])
                self._listed = frozenset(Pair(*name.split("/")) for name in names), listed
            entries = {line: self._read.get(line) or _decode(line) for line in lines}
        except (msgspec.MsgspecError, ValueError) as error:
            raise RateBookDamaged(f"The book {self._book} was written by another version: {error}") from error
        if len(entries) != read.quotes:
            raise RateBookDamaged(f"The book {self._book} holds {len(entries)} quotes instead of {read.quotes}")
        self._read = entries
        quotes = {name: quote for name, quote in entries.values() if isinstance(name, str)}
        pairs = {name: quote for name, quote in entries.values() if isinstance(name, Pair)}
        return RateBook(read.version, read.as_of, quotes, read.listed, pairs, self._listed[0])


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value, enc_hook=_encode_fraction)


def _decode(line: bytes) -> tuple[Name, Quote]:
    name, quote = _LINES.decode(line)
    base, slash, other = name.partition("/")
    return (Pair(base, other) if slash else name), quote


def _checksum(content: bytes) -> bytes:
    """Give the first line of a book's file: the CRC-32 of the rest."""
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


_LINES = msgspec.json.Decoder(_Line, dec_hook=_decode_fraction)
