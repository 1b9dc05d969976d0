"""What the headers of a request mean, remembered by their bytes."""

from __future__ import annotations

from typing import NamedTuple

from cambist.api.faces.tables.formats import accepted_format
from cambist.api.state.compression import accepts_gzip
from cambist.http.request_parser import Environ

LONGEST_REQUEST = 8 * 1024
"""How long a request may be that is answered directly."""

_MAX_BYTES = 4 * 1024 * 1024
_OVERHEAD = 300
"""What a block takes in memory beside its bytes, roughly."""

_UNUSUAL = frozenset(
    {
        *("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_EXPECT"),
        *("HTTP_CAMBIST_PAGE", "HTTP_X_REQUEST_ID", "CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING", "HTTP_UPGRADE"),
    }
)
"""Headers of requests that always go the general way."""


class Headers(NamedTuple):
    """What a block of headers means: its API key, empty if it has none, and whether its client accepts gzip."""

    key: bytes
    accepts_gzip: bool


class HeaderBlocks:
    """The blocks of headers that were read, bounded in bytes.

    A block is read by the server's parser, with the first request that has it. It is learnt when that request was
    answered, so that a client without a key cannot fill the table. What is remembered does not depend on who sends it,
    and a key is remembered as its text: whose it is, and whether it still holds, is looked up for every request.
    """

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._known: dict[bytes, Headers] = {}
        self._bytes = 0
        self._max_bytes = max_bytes

    def __getitem__(self, block: bytes) -> Headers:
        """Return what a block means. Errors: KeyError if it is not known."""
        return self._known[block]

    def learn(self, received: bytes, environ: Environ) -> None:
        """Remember the headers of a request that came alone and whole and was read as `environ`, if they are plain."""
        line, _, block = received.partition(b"\r\n")
        # A line that the parser has understood otherwise than as one line leaves something of the headers in it.
        if b"\n" in line or b"\r" in line or not is_plain_line(line) or len(block) > LONGEST_REQUEST // 2:
            return
        headers = _plain_headers(environ)
        if headers is None or block in self._known:
            return
        if self._bytes > self._max_bytes:
            self._known.clear()
            self._bytes = 0
        self._bytes += len(block) + _OVERHEAD
        self._known[block] = headers

    def __len__(self) -> int:
        return len(self._known)


def is_plain_line(line: bytes) -> bool:
    """Return whether a request line is a GET of a path in HTTP/1.1."""
    return line[:5] == b"GET /" and line[-9:] == b" HTTP/1.1"


def _plain_headers(environ: Environ) -> Headers | None:
    """Return what headers mean; None if there is anything in them that only the general way knows."""
    if not _UNUSUAL.isdisjoint(environ) or accepted_format(environ.get("HTTP_ACCEPT", "")) is not None:
        return None
    header, authorization = environ.get("HTTP_X_API_KEY", ""), environ.get("HTTP_AUTHORIZATION")
    key = header.strip()
    if authorization is not None:
        scheme, _, text = authorization.partition(" ")
        if header or scheme.lower() != "bearer":
            return None
        key = text.strip()
    if not key.isascii() or (not key and (header or authorization)):
        return None
    return Headers(key.encode(), accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")))
