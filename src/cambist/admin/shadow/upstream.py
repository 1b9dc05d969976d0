"""Ask one of the two services: what is passed on of a request, and what of an answer."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from cambist.accounts.names import echo
from cambist.admin.shadow.answer_comparison import ComparedAnswer
from cambist.admin.shadow.request_target import HIDDEN, read_target
from cambist.errors import BadParameter, SourceUnreachable
from cambist.ingest.fetch import failure_words
from cambist.settings.outgoing import OutgoingProxies

MOST_COMPARED_BYTES = 2 * 1024 * 1024
"""A longer answer is passed on, and not compared."""

MOST_DECOMPRESSED_BYTES = 16 * 1024 * 1024

THEIR_TIMEOUT = aiohttp.ClientTimeout(total=600, connect=15, sock_read=60)
OUR_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5)

_HOP_BY_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"),
        *("transfer-encoding", "upgrade"),
    }
)
_FOR_US_ALONE = frozenset({"host", "content-length", "expect", "accept-encoding"})
_PASSED_TO_OURS = frozenset({"accept", "accept-language", "content-type", "content-encoding", "user-agent"})
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS"})
_NOT_ADDED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_LONGEST_HEADER = 64 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS

Headers = Sequence[tuple[str, str]]
"""Names and values; a name may occur several times."""


@dataclass(frozen=True, slots=True)
class PassedRequest:
    """A request as it was sent; its target has path and query as they stood on the wire."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    def headers_for_theirs(self) -> Headers:
        """Return all headers but those of this one connection."""
        return [*end_to_end(self.headers, _FOR_US_ALONE), *self._encoding()]

    def headers_for_ours(self, key: str) -> Headers:
        """Return the headers that describe the request, and our key: none in which theirs may be."""
        described = [(name, value) for name, value in self.headers.items() if name.lower() in _PASSED_TO_OURS]
        return [*described, *self._encoding(), *([("X-API-Key", key)] if key else [])]

    def _encoding(self) -> Iterable[tuple[str, str]]:
        """Return gzip as the one compression, because answers in others could not be compared."""
        accepted = self.headers.get("Accept-Encoding", "")
        yield "Accept-Encoding", "gzip" if re.search(r"gzip(?!\s*;\s*q=0(\.0*)?(,|$|\s))", accepted) else "identity"


@dataclass(slots=True)
class OpenedAnswer:
    """An answer that has begun, `seconds` after it was asked for. Its content was not read yet, and may be compressed.

    `content` has what was read of it; it is None if that is more than can be compared.
    """

    response: aiohttp.ClientResponse
    seconds: float
    content: bytearray | None = field(default_factory=bytearray)

    @property
    def status(self) -> int:
        """Its status."""
        return self.response.status

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the content as it comes, and keep it. Errors: SourceUnreachable if it breaks off."""
        try:
            async for chunk in self.response.content.iter_any():
                if self.content is not None:
                    self.content += chunk
                    if len(self.content) > MOST_COMPARED_BYTES:
                        self.content = None
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SourceUnreachable(f"The answer broke off: {failure_words(error)}") from None
        finally:
            self.response.release()

    def compared(self, secrets: Sequence[str]) -> ComparedAnswer | str:
        """Return what is compared of an answer that was read, without these keys, or why it cannot be compared."""
        if self.content is None:
            return f"an answer is longer than {MOST_COMPARED_BYTES:,} bytes"
        coding = self.response.headers.get("Content-Encoding", "identity").lower().strip()
        content = bytes(self.content)
        if coding in {"gzip", "x-gzip", "deflate"} and content:
            content, problem = _decompressed(content)
            if problem:
                return problem
        elif coding not in {"identity", ""} and content:
            return "an answer is compressed in another way than gzip"
        for secret in secrets:
            content = content.replace(secret.encode(errors="replace"), HIDDEN.encode())
        return ComparedAnswer(self.status, self.response.content_type.lower(), content)


@dataclass(frozen=True, slots=True)
class Upstream:
    """One of the two services, at an address without a slash at its end."""

    session: aiohttp.ClientSession
    base: str
    proxies: OutgoingProxies
    timeout: aiohttp.ClientTimeout

    async def open(self, method: str, target: str, headers: Headers, body: bytes) -> OpenedAnswer:
        """Ask, and return the answer when it begins. Redirects are answers. Errors: SourceUnreachable."""
        started = time.monotonic()
        try:
            response = await self.session.request(
                method,
                URL(f"{self.base}{target}", encoded=True),
                headers=headers,
                data=BytesIO(body) if body or method not in _WITHOUT_BODY else None,
                allow_redirects=False,
                timeout=self.timeout,
                proxy=self.proxies.proxy_for(self.base),
                skip_auto_headers=_NOT_ADDED,
            )
        except TimeoutError:
            # `from None`, here and below: the cause names the address, which may contain a key.
            raise SourceUnreachable("It did not answer in time") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise SourceUnreachable(f"It cannot be asked: {failure_words(error)}") from None
        return OpenedAnswer(response, time.monotonic() - started)


def end_to_end(headers: Mapping[str, str], without: frozenset[str] = frozenset()) -> Headers:
    """Return the headers that are passed on: none of a connection, nor those that it names (RFC 9110, 7.6.1)."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    dropped = _HOP_BY_HOP | without | named
    return [(name, value) for name, value in headers.items() if name.lower() not in dropped]


def new_session() -> aiohttp.ClientSession:
    """Return a session that keeps no cookies and leaves content as it is sent."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        max_line_size=_LONGEST_HEADER,
        max_field_size=_LONGEST_HEADER,
    )


def read_base(option: str, text: str) -> str:
    """Return the address of a service without a slash at its end. Errors: BadParameter."""
    try:
        parts = urlsplit(text.strip())
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_address = False
    plain = text.partition("?")[0].rpartition("@")[2]
    if not is_address or re.search(r"[?#\s@]", text.strip()) or read_target(plain).secrets:
        named = echo(read_target(plain).shown)
        raise BadParameter(f"Invalid {option}: [{named}], it takes an address without a key: https://api.example.com")
    return text.strip().rstrip("/")


def _decompressed(content: bytes) -> tuple[bytes, str]:
    """Return content without gzip or deflate, or why that cannot be read."""
    reader = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        plain = reader.decompress(content, MOST_DECOMPRESSED_BYTES)
    except zlib.error:
        return b"", "an answer is damaged: it is not in the compression that it names"
    if reader.unconsumed_tail:
        return b"", f"an answer has more than {MOST_DECOMPRESSED_BYTES:,} bytes"
    return plain, "" if reader.eof else "an answer is damaged: its compressed content is cut off"


async def read_whole(opened: OpenedAnswer) -> None:
    """Read the content of an answer for comparison, and leave one that is too long. Errors: SourceUnreachable."""
    async for _ in opened.chunks():
        if opened.content is None:
            opened.response.close()
            return
        await asyncio.sleep(0)  # a large answer must not block other callers
