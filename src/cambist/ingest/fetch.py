"""Asking sources over HTTP: with limits in time and size, conditionally, and again where it may help.

One source can be slow, endless, redirecting or rude; whatever it does ends in an answer, in None for "nothing new", or
in SourceBroken, within a bounded time and a bounded memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import aiohttp
import stamina

from cambist import __version__
from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable
from cambist.sources.base import MAX_PAYLOAD_BYTES, SourceRequest

AGENT = f"cambist/{__version__} (self-hosted exchange rates)"

_TIMEOUT = aiohttp.ClientTimeout(total=60, connect=10, sock_read=20)
_CHUNK = 64 * 1024
_REDIRECTS = 3
_MOVED = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT = 60.0
_KEPT_VALIDATORS = 2_000
"""Of how many addresses they are kept, those asked last: an address that names its day is soon never asked again."""

_VALIDATORS = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))


class SourceBusy(SourceUnreachable):
    """A source asks to be asked later; `after` says in how many seconds, where it did."""

    def __init__(self, sentence: str, after: float | None) -> None:
        super().__init__(sentence)
        self.after = after


@dataclass(slots=True)
class Fetcher:
    """Asks over one session.

    `gateway` is an address through which all is asked instead (`{gateway}/{host}/{path}`), empty for none; `keys` are
    the operator's own, by source; `timeout` is what one attempt may take.
    """

    session: aiohttp.ClientSession
    gateway: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 3
    timeout: aiohttp.ClientTimeout = _TIMEOUT
    _validators: dict[str, dict[str, str]] = field(default_factory=dict)

    def address(self, url: str) -> str:
        """Give where an address is really asked: there, or through the gateway."""
        if not self.gateway:
            return url
        scheme, _, rest = url.partition("://")
        gateway = self.gateway.replace("http", "ws", 1) if scheme in {"ws", "wss"} else self.gateway
        return f"{gateway.rstrip('/')}/{rest}"

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        """Ask, and again where the source is silent; None where it has nothing new since it was last believed.

        Errors: SourceUnreachable, NothingPublished, SourceBroken.
        """
        retrying = stamina.retry_context(on=_worth_asking_again, attempts=self.attempts, timeout=120, wait_initial=1.0)
        async for attempt in retrying:
            with attempt:
                return await self._once(source, request)
        raise AssertionError  # the last attempt returns or raises

    async def _once(self, source: str, request: SourceRequest) -> bytes | None:
        try:
            return await self._followed(source, request)
        except TimeoutError:
            # What it came from is not shown, here and below: it names the address, which may hold a key.
            raise SourceUnreachable(f"{source}: no answer in time") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise SourceUnreachable(f"{source}: cannot be asked: {_plainly(error)}") from None

    async def _followed(self, source: str, request: SourceRequest) -> bytes | None:
        """Follow redirections within the source's own host: elsewhere is not the source."""
        key = self.keys.get(source, "")
        url = self.address(request.url.replace("{key}", key))
        host, is_sealed = urlsplit(url).netloc, urlsplit(url).scheme == "https"
        headers = {"User-Agent": AGENT, "Accept": ", ".join(request.content_types) or "*/*"}
        headers |= {name: value.replace("{key}", key) for name, value in request.headers}
        headers |= self._validators.get(request.origin, {})
        for _ in range(_REDIRECTS + 1):
            method = "POST" if request.body else "GET"
            async with self.session.request(
                method, url, headers=headers, data=request.body or None, allow_redirects=False, timeout=self.timeout
            ) as response:
                if response.status not in _MOVED:
                    return await self._taken(source, request, response)
                url = urljoin(url, response.headers.get("Location", ""))
            if urlsplit(url).netloc != host:
                raise SourceBroken(f"{source}: redirects to another host: [{urlsplit(url).netloc}]")
            if is_sealed and urlsplit(url).scheme != "https":
                raise SourceBroken(f"{source}: redirects to where everybody can read along")
        raise SourceBroken(f"{source}: redirects without end")

    async def _taken(self, source: str, request: SourceRequest, response: aiohttp.ClientResponse) -> bytes | None:
        if response.status == 304:
            return None
        if response.status in request.no_data_statuses:
            raise NothingPublished(f"{source}: has nothing for what was asked")
        if response.status in _BUSY:
            raise SourceBusy(f"{source}: answered {response.status}", _wait(response.headers.get("Retry-After", "")))
        if response.status != 200:
            raise SourceBroken(f"{source}: answered {response.status}")
        if response.headers.get("Cambist-Environment"):
            raise SourceBroken(f"{source}: what answers there is a sandbox")
        kind = response.headers.get("Content-Type", "").lower()
        if request.content_types and not kind.startswith(request.content_types):
            raise SourceBroken(f"{source}: sent [{kind[:60]}] instead of {' or '.join(request.content_types)}")
        content = await _whole(source, response)
        tags = {asked: response.headers[told] for told, asked in _VALIDATORS if told in response.headers}
        self._keep(request.origin, tags)
        return content

    def _keep(self, origin: str, tags: dict[str, str]) -> None:
        self._validators.pop(origin, None)
        if tags:
            self._validators[origin] = tags
        while len(self._validators) > _KEPT_VALIDATORS:
            del self._validators[next(iter(self._validators))]

    def forget(self, request: SourceRequest) -> None:
        """Forget an answer that was not filed, so that it is sent again."""
        self._validators.pop(request.origin, None)


async def _whole(source: str, response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        content += chunk
        if len(content) > MAX_PAYLOAD_BYTES:
            raise SourceBroken(f"{source}: sent more than {MAX_PAYLOAD_BYTES:,} bytes")
        await asyncio.sleep(0)  # a source that floods must not keep the others from being heard
    return bytes(content)


def _worth_asking_again(error: Exception) -> bool | float:
    """Say whether asking again may help, and where the source said so, in how many seconds."""
    if isinstance(error, SourceBusy) and error.after is not None:
        return min(error.after, _LONGEST_WAIT)
    return isinstance(error, SourceUnreachable)


def _wait(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() else None


def _plainly(error: Exception) -> str:
    """Say what happened without the address: it may hold a key."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
