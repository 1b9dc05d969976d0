"""Sources are asked through a real proxy on loopback: over HTTP, over TLS, and over WebSockets."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import stamina
from aiohttp import web
from tests.forward_proxy import ForwardProxy, certificate_of
from tests.monitoring.receivers import serving
from tools.ports import free_port

from cambist.errors import SourceUnreachable
from cambist.ingest.fetch import Fetcher
from cambist.settings import Settings
from cambist.settings.outgoing import OutgoingProxies, outgoing_proxies
from cambist.sources.base import SourceRequest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@asynccontextmanager
async def a_source(context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A source that answers with its path, and echoes what it hears over a WebSocket; the port on which it listens."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade") != "websocket":
            return web.Response(text=request.path)
        echo = web.WebSocketResponse()
        await echo.prepare(request)
        async for message in echo:
            await echo.send_str(message.data)
        return echo

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port := free_port(), ssl_context=context)
    await site.start()
    try:
        yield port
    finally:
        await runner.cleanup()


@asynccontextmanager
async def a_fetcher(proxies: OutgoingProxies, certificate: Path | None = None) -> AsyncIterator[Fetcher]:
    trusted = ssl.create_default_context(cafile=certificate) if certificate else True
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as session:
        with stamina.set_testing(True, attempts=1):
            yield Fetcher(session, proxies=proxies)


def test_requests_over_http_are_forwarded() -> None:
    async def scene() -> None:
        async with a_source() as port:
            with serving(ForwardProxy(mint_example=port)) as proxy:
                proxy.wants_login = True
                proxies = outgoing_proxies(Settings(), {"HTTP_PROXY": proxy.url_with_login})
                async with a_fetcher(proxies) as fetcher:
                    assert await fetcher.fetch("mint", SourceRequest(url="http://mint.example/rates")) == b"/rates"
                assert proxy.asked == ["GET http://mint.example/rates"]

    asyncio.run(scene())


@pytest.mark.long(every=2)
@pytest.mark.parametrize("named_by", ["setting", "HTTPS_PROXY", "all_proxy"])
def test_requests_and_sockets_over_tls_are_tunnelled(tmp_path: Path, named_by: str) -> None:
    async def scene() -> None:
        async with a_source(certificate_of("mint.example", tmp_path)) as port:
            with serving(ForwardProxy(mint_example=port)) as proxy:
                proxy.wants_login = True
                url = proxy.url_with_login
                proxies = outgoing_proxies(Settings(proxy=url if named_by == "setting" else ""), {named_by: url})
                async with a_fetcher(proxies, tmp_path / "cert.pem") as fetcher:
                    assert await fetcher.fetch("mint", SourceRequest(url="https://mint.example/rates")) == b"/rates"
                    async with fetcher.session.ws_connect(
                        "wss://mint.example/ws", proxy=fetcher.proxies.proxy_for("wss://mint.example/ws")
                    ) as venue:
                        await venue.send_str("hello")
                        assert (await venue.receive()).data == "hello"
                assert set(proxy.asked) == {"CONNECT mint.example:443"}
                assert len(proxy.asked) in (1, 2)

    asyncio.run(scene())


def test_this_machine_and_excepted_hosts_are_asked_directly() -> None:
    async def scene() -> None:
        async with a_source() as port:
            proxies = outgoing_proxies(Settings(proxy=f"http://127.0.0.1:{free_port()}"), {})
            async with a_fetcher(proxies) as fetcher:
                assert await fetcher.fetch("mint", SourceRequest(url=f"http://127.0.0.1:{port}/rates")) == b"/rates"

    asyncio.run(scene())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_a_proxy_does_wrong_is_said_without_its_password(scheme: str) -> None:
    async def failure(proxy: str) -> str:
        async with a_fetcher(outgoing_proxies(Settings(proxy=proxy), {})) as fetcher:
            with pytest.raises(SourceUnreachable) as failed:
                await fetcher.fetch("mint", SourceRequest(url=f"{scheme}://mint.example/"))
        return str(failed.value)

    gone = asyncio.run(failure(f"http://user:secret@127.0.0.1:{free_port()}"))
    assert gone.startswith("mint: cannot be asked: the proxy cannot be reached: ")
    assert "secret" not in gone
    with serving(ForwardProxy()) as proxy:
        proxy.wants_login = True
        refused = asyncio.run(failure(proxy.url)) if scheme == "https" else ""
    assert refused in ("", "mint: cannot be asked: the proxy answered 407")
