"""The votes behind the quotes of a rate book: written once a second, and read only to explain a price."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cambist.pricing.book_tables import QuoteName
from cambist.pricing.quote import Quote, Vote
from cambist.pricing.rate_book import RateBook
from cambist.storage.atomic_file import write_atomically

_EVERY_SECONDS = 1.0
_CHECKSUM_BYTES = 9

_Votes = tuple[Vote, ...]
_DECODER = msgspec.json.Decoder(dict[str, _Votes])


class VotesWriter:
    """Writes the votes of the newest book when it is asked to; only those of new quotes are encoded."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: RateBook | None = None
        self._lines: dict[QuoteName, tuple[_Votes, bytes]] = {}
        self._written: bytes | None = None

    def publish(self, book: RateBook) -> None:
        """Keep a book for the next `flush`; write the votes of the first one at once. Errors: Unwritable."""
        self._waiting = book
        if self._written is None:
            self.flush()

    def flush(self) -> None:
        """Write the votes of the last book, if they are not written yet. Errors: Unwritable."""
        if self._waiting is None:
            return
        content = self._encoded(self._waiting)
        if content != self._written:
            write_atomically(self._path, b"%08x\n" % zlib.crc32(content) + content, durable=False)
        self._written, self._waiting = content, None

    def _encoded(self, book: RateBook) -> bytes:
        if book.columns is not None:  # quotes over columns have no votes
            return b"{}"
        lines: dict[QuoteName, tuple[_Votes, bytes]] = {}
        for part in (book.quotes, book.pairs):
            for name, quote in part.items():
                if quote.origin.votes:
                    lines[name] = self._line(name, quote)
        self._lines = lines
        return b"{" + b",\n".join(line for _, line in lines.values()) + b"}"

    def _line(self, name: QuoteName, quote: Quote) -> tuple[_Votes, bytes]:
        last, votes = self._lines.get(name), quote.origin.votes
        if last is not None and last[0] is votes:
            return last
        return votes, b'"%s":%s' % (str(name).encode(), msgspec.json.encode(votes))


class VotesReader:
    """Reads the votes when they are asked for, and parses the file again only if it has been replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._votes: Mapping[str, _Votes] = {}

    def of(self, name: QuoteName) -> _Votes:
        """Return the votes behind a quote; none if the file has none, or cannot be read."""
        return self._read().get(str(name), ())

    def _read(self) -> Mapping[str, _Votes]:
        try:
            status = self._path.stat()
            seen = status.st_ino, status.st_mtime_ns
            if seen != self._seen:
                self._votes, self._seen = _decode(self._path.read_bytes()), seen
        except OSError:
            return {}
        return self._votes


def _decode(content: bytes) -> Mapping[str, _Votes]:
    checksum, votes = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
    if checksum != b"%08x\n" % zlib.crc32(votes):
        return {}
    try:
        return _DECODER.decode(votes)
    except msgspec.MsgspecError:
        return {}
