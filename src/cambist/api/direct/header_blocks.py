"""What the headers of a request mean, remembered by their bytes."""

from __future__ import annotations

from typing import NamedTuple

from cambist.api.direct.question import is_plain_line
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
    """What a block of headers means: its API key, empty if it has none, and whether its client accepts gzip.

    `address` is where its client sees the service, without the prefix of paths; `accept` is the header of that name.
    """

    key: bytes
    accepts_gzip: bool
    address: str = ""
    accept: str = ""


class HeaderBlocks:
    """The blocks of headers that were read, bounded in bytes.

    A block is read by the server's parser, with the first request that has it. It is remembered when that request was
    answered, so that a client without a key cannot fill the table. What is remembered does not depend on who sends it,
    and a key is remembered as its text: whose it is, and whether it still holds, is looked up for every request.

    `known` has what each block means.
    """

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self.known: dict[bytes, Headers] = {}
        self._bytes = 0
        self._max_bytes = max_bytes

    def learn(self, received: bytes, environ: Environ) -> None:
        """Remember the headers of a request that came alone and whole and was read as `environ`, if they are plain."""
        line, _, block = received.partition(b"\r\n")
        if block not in self.known and (headers := self.read(line, block, environ)) is not None:
            self.remember(block, headers)

    def read(self, line: bytes, block: bytes, environ: Environ) -> Headers | None:
        """Return what the headers of such a request mean; None if they are not plain."""
        # A line that the parser has understood otherwise than as one line leaves something of the headers in it.
        if b"\n" in line or b"\r" in line or not is_plain_line(line) or len(block) > LONGEST_REQUEST // 2:
            return None
        return _plain_headers(environ)

    def remember(self, block: bytes, headers: Headers) -> None:
        """Remember what a block means that is not known."""
        if self._bytes > self._max_bytes:
            self.known.clear()
            self._bytes = 0
        self._bytes += len(block) + len(headers.accept) + _OVERHEAD
        self.known[block] = headers

    def __len__(self) -> int:
        return len(self.known)


def _plain_headers(environ: Environ) -> Headers | None:
    """Return what headers mean; None if there is anything in them that only the general way knows."""
    accept = environ.get("HTTP_ACCEPT", "")
    if not _UNUSUAL.isdisjoint(environ) or accepted_format(accept) is not None:
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
    host, scheme = environ.get("HTTP_HOST"), environ.get("wsgi.url_scheme", "http")
    takes_gzip = accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", ""))
    return Headers(key.encode(), takes_gzip, f"{scheme}://{host}" if host else "", accept)
