"""The votes behind the quotes of a rate book: written once a second, and read only to explain a price."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cambist.pricing.book_tables import QuoteName
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote, Vote
from cambist.storage.atomic_file import write_atomically

_EVERY_SECONDS = 1.0
_CHECKSUM = b"%08x\n"

_Votes = tuple[Vote, ...]
_Quotes = Mapping[str, Quote] | Mapping[Pair, Quote]
_Line = tuple[str, _Votes]
_DECODER: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)


class VotesWriter:
    """Writes the votes of the newest book when it is asked to; only those of new quotes are encoded."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: tuple[_Quotes, ...] | None = None
        self._lines: dict[QuoteName, tuple[_Votes, bytes]] = {}
        self._written: bytes | None = None

    def publish(self, *quotes: _Quotes) -> None:
        """Keep a book's quotes for the next `flush`; write the votes of the first at once. Errors: Unwritable."""
        self._waiting = quotes
        if self._written is None:
            self.flush()

    def flush(self) -> None:
        """Write the votes of the last book, if they are not written yet. Errors: Unwritable."""
        if self._waiting is None:
            return
        content = self._encoded(self._waiting)
        if content != self._written:
            write_atomically(self._path, _CHECKSUM % zlib.crc32(content) + content, durable=False)
        self._written, self._waiting = content, None

    def _encoded(self, quotes: tuple[_Quotes, ...]) -> bytes:
        lines: dict[QuoteName, tuple[_Votes, bytes]] = {}
        for part in quotes:
            for name, quote in part.items():
                if quote.origin.votes:
                    lines[name] = self._line(name, quote)
        self._lines = lines
        return b"".join(line for _, line in lines.values())

    def _line(self, name: QuoteName, quote: Quote) -> tuple[_Votes, bytes]:
        last, votes = self._lines.get(name), quote.origin.votes
        if last is not None and last[0] is votes:
            return last
        return votes, msgspec.json.encode((str(name), votes)) + b"\n"


class VotesReader:
    """Reads the votes when they are asked for, and the file again only if it has been replaced.

    Damaged votes are none: their publisher writes them again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[tuple[int, int], bytes] | None = None

    def of(self, name: str) -> _Votes:
        """Return the votes behind a quote. Only its line is parsed."""
        lines = self._read()
        start = lines.find(b"\n[" + msgspec.json.encode(name) + b",") + 1
        return _decode(lines[start:].partition(b"\n")[0])[1] if start else ()

    def all(self) -> dict[str, _Votes]:
        """Return the votes behind all quotes that have any, by name."""
        return dict(map(_decode, self._read().splitlines()[1:]))

    def _read(self) -> bytes:
        """Return the whole file, the first line with the checksum; a line break if it cannot be read."""
        try:
            status = self._path.stat()
            version = status.st_ino, status.st_mtime_ns
            if self._seen is None or self._seen[0] != version:
                self._seen = version, _checked(self._path.read_bytes())
            return self._seen[1]
        except OSError:
            return b"\n"


def vote_faults(path: Path) -> list[str]:
    """Return what is wrong with a file of votes: nothing if it is not there."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"{path.name} cannot be read: {error.strerror}"]
    if _checked(content) is not content:
        return [f"{path.name} is not what was written"]
    bad = sum(not _decode(line)[0] for line in content.splitlines()[1:])
    return [f"{path.name} has {bad} lines that cannot be read"] if bad else []


def _checked(content: bytes) -> bytes:
    checksum, _, lines = content.partition(b"\n")
    return content if checksum + b"\n" == _CHECKSUM % zlib.crc32(lines) else b"\n"


def _decode(line: bytes) -> _Line:
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError):
        return "", ()
