"""HTTP requests to sources: conditional, limited in time and size, and retried where that may help.

A source may be slow, endless or redirecting. Every request ends in bounded time and memory: with content, with None for
"nothing new", or with SourceBroken.
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
from cambist.ingest.hidden_fields import with_hidden_fields
from cambist.ingest.request_tokens import with_token
from cambist.settings.outgoing import OutgoingProxies
from cambist.sources.base import MAX_PAYLOAD_BYTES, SourceRequest

AGENT = f"cambist/{__version__} (self-hosted exchange rates)"

_TIMEOUT = aiohttp.ClientTimeout(total=60, connect=10, sock_read=20)
_CHUNK = 64 * 1024
_REDIRECTS = 3
_MOVED = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT = 60.0
_KEPT_VALIDATORS = 2_000
"""For how many addresses validators are kept, the latest ones: an address with a date in it is soon unused."""

_KEPT_PAGES = 100

_VALIDATORS = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))


class SourceBusy(SourceUnreachable):
    """The source asks to retry later, after `after` seconds if it says so."""

    def __init__(self, sentence: str, after: float | None) -> None:
        super().__init__(sentence)
        self.after = after


class InterceptedAnswer(SourceUnreachable):
    """Something on the way answers instead of the source, as the sign-in page of a hotel's network does."""


@dataclass(slots=True)
class Fetcher:
    """Sends requests over one session.

    `gateway` is an address that all requests go to instead (`{gateway}/{host}/{path}`), empty for none; `keys` are the
    operator's API keys by source; `proxies` are those on the way to what is asked; `timeout` is the limit for one
    attempt.
    """

    session: aiohttp.ClientSession
    gateway: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    proxies: OutgoingProxies = field(default_factory=OutgoingProxies)
    attempts: int = 3
    timeout: aiohttp.ClientTimeout = _TIMEOUT
    _validators: dict[str, dict[str, str]] = field(default_factory=dict)
    _pages: dict[int, str] = field(default_factory=dict)

    def address(self, url: str) -> str:
        """Return the address to connect to: the same, or the gateway's."""
        if not self.gateway:
            return url
        scheme, _, rest = url.partition("://")
        gateway = self.gateway.replace("http", "ws", 1) if scheme in {"ws", "wss"} else self.gateway
        return f"{gateway.rstrip('/')}/{rest}"

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        """Return the content, after retries if needed; None if there is nothing new since the last accepted answer.

        Errors: SourceUnreachable, NothingPublished, SourceBroken.
        """
        retrying = stamina.retry_context(on=_should_retry, attempts=self.attempts, timeout=120, wait_initial=1.0)
        async for attempt in retrying:
            with attempt:
                return await self._once(source, request)
        raise AssertionError  # the last attempt returns or raises

    async def _once(self, source: str, request: SourceRequest) -> bytes | None:
        try:
            return await self._follow(source, await self._prepared(source, request))
        except TimeoutError:
            # `from None`, here and below: the cause names the address, which may contain a key.
            raise SourceUnreachable(f"{source}: no answer in time") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise SourceUnreachable(f"{source}: cannot be asked: {failure_words(error)}") from None

    async def _prepared(self, source: str, request: SourceRequest) -> SourceRequest:
        """Send the request before this one, if there is one, and return this one with its token and fields."""
        if request.before is None:
            return request
        self.forget(request.before)  # nothing new is no answer here
        content = await self._follow(source, request.before) or b""
        return with_hidden_fields(source, with_token(source, request, content), content)

    async def _follow(self, source: str, request: SourceRequest) -> bytes | None:
        """Send a request, and follow redirects within the source's own host only."""
        key = self.keys.get(source, "")
        url = self.address(request.url.replace("{key}", key))
        host, is_encrypted = urlsplit(url).netloc, urlsplit(url).scheme == "https"
        headers = {"User-Agent": AGENT, "Accept": ", ".join(request.content_types) or "*/*"}
        headers |= {name: value.replace("{key}", key) for name, value in request.headers}
        headers |= self._validators.get(request.origin, {})
        body = request.body.replace(b"{key}", key.encode()) or None
        for _ in range(_REDIRECTS + 1):
            method = "POST" if request.body else "GET"
            async with self.session.request(
                method,
                url,
                headers=headers,
                data=body,
                allow_redirects=False,
                timeout=self.timeout,
                proxy=self.proxies.proxy_for(url),
            ) as response:
                if response.status not in _MOVED:
                    return await self._content(source, request, response)
                url = urljoin(url, response.headers.get("Location", ""))
            if urlsplit(url).netloc != host:
                raise InterceptedAnswer(f"{source}: redirects to another host: [{urlsplit(url).netloc}]")
            if is_encrypted and urlsplit(url).scheme != "https":
                raise SourceBroken(f"{source}: redirects to where everybody can read along")
        raise SourceBroken(f"{source}: redirects without end")

    async def _content(self, source: str, request: SourceRequest, response: aiohttp.ClientResponse) -> bytes | None:
        if response.status == 304:
            return None
        if response.status in request.no_data_statuses:
            raise NothingPublished(f"{source}: has nothing for what was asked")
        if response.status in _BUSY:
            raise SourceBusy(f"{source}: answered {response.status}", _seconds(response.headers.get("Retry-After", "")))
        if response.status != 200:
            raise SourceBroken(f"{source}: answered {response.status}")
        if response.headers.get("Cambist-Environment"):
            raise SourceBroken(f"{source}: what answers there is a sandbox")
        kind = response.headers.get("Content-Type", "").lower()
        if request.content_types and not kind.startswith(request.content_types):
            broken = InterceptedAnswer if kind.startswith("text/html") else SourceBroken
            raise broken(f"{source}: sent [{kind[:60]}] instead of {' or '.join(request.content_types)}")
        content = await _read_limited(source, response)
        if kind.startswith("text/html") and self._came_from_elsewhere(urlsplit(request.url).netloc, content):
            raise InterceptedAnswer(f"{source}: sent the page that another source has sent too")
        tags = {condition: response.headers[name] for name, condition in _VALIDATORS if name in response.headers}
        self._keep_validators(request.origin, tags)
        return content

    def _came_from_elsewhere(self, host: str, content: bytes) -> bool:
        """Return whether another host has sent the same page, and note who sent it last."""
        before = self._pages.pop(content_hash := hash(content), host)
        self._pages[content_hash] = host
        while len(self._pages) > _KEPT_PAGES:
            del self._pages[next(iter(self._pages))]
        return before != host

    def _keep_validators(self, origin: str, tags: dict[str, str]) -> None:
        self._validators.pop(origin, None)
        if tags:
            self._validators[origin] = tags
        while len(self._validators) > _KEPT_VALIDATORS:
            del self._validators[next(iter(self._validators))]

    def forget(self, request: SourceRequest) -> None:
        """Forget that an answer was received, because it was not accepted: the source then sends it again."""
        self._validators.pop(request.origin, None)

    def forget_all(self) -> None:
        """Forget all answers that were received, because it is not known which were stored."""
        self._validators.clear()


async def _read_limited(source: str, response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        content += chunk
        if len(content) > MAX_PAYLOAD_BYTES:
            raise SourceBroken(f"{source}: sent more than {MAX_PAYLOAD_BYTES:,} bytes")
        await asyncio.sleep(0)  # a large answer must not block the tasks of other sources
    return bytes(content)


def _should_retry(error: Exception) -> bool | float:
    """Return whether to retry, or after how many seconds if the source says so."""
    if isinstance(error, SourceBusy) and error.after is not None:
        return min(error.after, _LONGEST_WAIT)
    return isinstance(error, SourceUnreachable) and not isinstance(error, InterceptedAnswer)


def _seconds(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() else None


def proxy_failure(error: Exception) -> str:
    """Return what a proxy has done wrong; empty for another error."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy answered {error.status}"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"the proxy cannot be reached: {error.strerror}"
    return ""


def failure_words(error: Exception) -> str:
    """Return what happened without the address, which may contain a key."""
    if failure := proxy_failure(error):
        return failure
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
