"""The proxy between a program and two services on loopback, of which one has planted differences."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web
from tests.forward_proxy import ForwardProxy
from tests.monitoring.receivers import serving
from yarl import URL

from cambist.admin.shadow import proxy as proxy_module
from cambist.admin.shadow.proxy import ShadowProxy
from cambist.admin.shadow.shadow_log import ShadowRecord
from cambist.admin.shadow.shadowed_request import ShadowOptions
from cambist.admin.shadow.upstream import MOST_COMPARED_BYTES, Upstream, new_session
from cambist.settings import Settings
from cambist.settings.outgoing import OutgoingProxies, outgoing_proxies

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BODY = {"success": True, "base": "EUR", "date": "2026-11-20", "rates": {"USD": 1.0845, "JPY": 168.31}}
THEIR_KEY, OUR_KEY = "THEIRKEY4711", "cmb_OURKEY0815"
TIMEOUT = aiohttp.ClientTimeout(total=5, connect=2)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def replying(body: Any, status: int = 200, **headers: str) -> Handler:
    """Answer each request the same."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def reply(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=content, status=status, headers={"Content-Type": "application/json", **headers})

    return reply


async def breaking(request: web.Request) -> web.StreamResponse:
    """Close the connection without an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def breaking_half_way(request: web.Request) -> web.StreamResponse:
    """Close the connection in the middle of an answer."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"{")
    assert request.transport is not None
    request.transport.close()
    return response


@dataclass
class Scene:
    """A proxy between two services. `asked` has what each was asked, `records` what was written down."""

    url: str
    session: aiohttp.ClientSession
    proxy: ShadowProxy
    records: list[ShadowRecord]
    asked: dict[str, list[web.Request]]

    async def get(self, target: str = "/latest?symbols=USD", **rest: Any) -> tuple[int, bytes, Any]:
        return await self.send("GET", target, **rest)

    async def send(self, method: str, target: str, **rest: Any) -> tuple[int, bytes, Any]:
        async with self.session.request(
            method, URL(f"{self.url}{target}", encoded=True), allow_redirects=False, **rest
        ) as response:
            return response.status, await response.read(), response.headers

    async def record(self) -> ShadowRecord:
        await self.proxy.drain(5)
        return self.records[-1]


@asynccontextmanager
async def listening(handler: Handler, asked: list[web.Request]) -> AsyncIterator[str]:
    async def noted(request: web.Request) -> web.StreamResponse:
        await request.read()
        asked.append(request)
        return await handler(request)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", noted)
    async with running(application) as url:
        yield url


@asynccontextmanager
async def running(application: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1, auto_decompress=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def shadowing(theirs: Handler, ours: Handler | None, **options: Any) -> AsyncIterator[Scene]:
    """Start the proxy between two services; without `ours` nothing listens there."""
    chosen = ShadowOptions(**{"key": OUR_KEY, **options})
    asked: dict[str, list[web.Request]] = {"theirs": [], "ours": []}
    records: list[ShadowRecord] = []
    async with AsyncExitStack() as stack:
        their_url = await stack.enter_async_context(listening(theirs, asked["theirs"]))
        our_url = "http://127.0.0.1:1"
        if ours is not None:
            our_url = await stack.enter_async_context(listening(ours, asked["ours"]))
        session = await stack.enter_async_context(new_session())
        upstreams = (Upstream(session, url, OutgoingProxies(), TIMEOUT) for url in (their_url, our_url))
        proxy = ShadowProxy(*upstreams, chosen, records.append, lambda: NOW)
        url = await stack.enter_async_context(running(proxy.application()))
        client = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)))
        yield Scene(url, client, proxy, records, asked)
        await proxy.drain(5)


def play(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(scene())  # type: ignore[arg-type]


def kinds(record: ShadowRecord) -> list[tuple[str, str]]:
    return [(each.kind.value, each.where) for each in record.differences]


CHANGED = {**BODY, "rates": {"USD": 1.2, "JPY": 168.31}}


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (replying(BODY, **{"X-Calls-Cost": "1"}), []),
        (replying(CHANGED), [("number", "rates.USD")]),
        (replying({**BODY, "base": "USD"}), [("value", "base")]),
        (replying({name: value for name, value in BODY.items() if name != "date"}), [("missing", "date")]),
        (replying(b"oops", 500), [("status", "status")]),
        (breaking, [("no answer", "")]),
        (breaking_half_way, [("no answer", "")]),
        (None, [("no answer", "")]),
        (
            replying(gzip.compress(json.dumps(CHANGED).encode()), **{"Content-Encoding": "gzip"}),
            [("number", "rates.USD")],
        ),
    ],
    ids=["same", "number", "value", "field", "500", "closed", "half", "nobody", "gzip"],
)
def test_the_caller_gets_theirs_and_a_planted_difference_is_written_down(
    ours: Handler | None, expected: list[tuple[str, str]]
) -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY, ETag='"7"'), ours) as both:
            status, content, headers = await both.get()
            assert (status, json.loads(content), headers["ETag"], headers["Cambist-Shadow"]) == (
                200,
                BODY,
                '"7"',
                "theirs",
            )
            record = await both.record()
            assert (kinds(record), record.not_compared, record.endpoint, record.pair) == (
                expected,
                "",
                "/latest",
                "USD",
            )

    play(scene)


def test_what_ours_costs_and_both_times_are_written_down() -> None:
    async def scene() -> None:
        ours = replying(BODY, **{"X-Calls-Cost": "3", "Cambist-Environment": "sandbox"})
        async with shadowing(replying(BODY), ours) as both:
            await both.get()
            record = await both.record()
            assert (record.calls, record.environment, record.at, record.answered) == (3, "sandbox", NOW, "theirs")
            assert (record.theirs.status, record.ours.status) == (200, 200)
            assert (record.theirs.ms or 0) > 0
            assert (record.ours.ms or 0) > 0

    play(scene)


@pytest.mark.parametrize("answers_ours", [False, True])
def test_a_caller_never_waits_for_a_slow_answer_of_ours(*, answers_ours: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "_GRACE", 0.05)

    async def scene() -> None:
        has_come, later = asyncio.Event(), asyncio.Event()

        async def slow(_request: web.Request) -> web.StreamResponse:
            has_come.set()
            await later.wait()
            return web.json_response(CHANGED)

        async with shadowing(replying(BODY), slow, answers_ours=answers_ours) as both:
            _, content, headers = await both.get()
            assert (json.loads(content), headers["Cambist-Shadow"]) == (BODY, "theirs")
            await has_come.wait()
            assert both.records == []
            later.set()
            assert kinds(await both.record()) == [("number", "rates.USD")]

    play(scene)


def test_ours_is_answered_if_that_is_wished_and_theirs_is_asked_all_the_same() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), replying(CHANGED), answers_ours=True) as both:
            status, content, headers = await both.get()
            assert (status, json.loads(content), headers["Cambist-Shadow"]) == (200, CHANGED, "ours")
            assert headers["Content-Type"] == "application/json"
            record = await both.record()
            assert (kinds(record), record.answered, record.theirs.status) == ([("number", "rates.USD")], "ours", 200)

    play(scene)


@pytest.mark.parametrize("ours", [replying({"error": "no"}, 404), replying(b"", 503), breaking, None])
def test_an_error_of_ours_never_reaches_the_caller(ours: Handler | None) -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), ours, answers_ours=True) as both:
            status, content, headers = await both.get()
            assert (status, json.loads(content), headers["Cambist-Shadow"]) == (200, BODY, "theirs")

    play(scene)


def test_ours_helps_while_theirs_fails_if_that_is_wished() -> None:
    async def scene() -> None:
        async with shadowing(breaking, replying(BODY), answers_ours=True) as both:
            assert (await both.get())[:2] == (200, json.dumps(BODY).encode())
            assert (await both.record()).not_compared.startswith("theirs: It cannot be asked")

    play(scene)


KEYED = (
    (f"/latest?access_key={THEIR_KEY}", {}),
    (f"/api/latest.json?app_id={THEIR_KEY}", {}),
    (f"/latest?apikey={THEIR_KEY}", {}),
    (f"/latest?api_key={THEIR_KEY}&x=1", {}),
    (f"/v6/{THEIR_KEY}/latest/USD", {}),
    ("/latest", {"Authorization": f"Bearer {THEIR_KEY}"}),
    ("/latest", {"apikey": THEIR_KEY}),
    ("/latest", {"x-cg-pro-api-key": THEIR_KEY, "Cookie": f"sid={THEIR_KEY}"}),
)


@pytest.mark.parametrize(("target", "headers"), KEYED)
def test_their_key_reaches_them_alone_and_is_written_nowhere(
    target: str, headers: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    async def echoing(request: web.Request) -> web.StreamResponse:
        """Repeat the key as services do in errors, at the end of a long text too."""
        said = {"error": f"Invalid: {request.raw_path} {dict(request.headers)}", "long": f"{'x' * 75}{THEIR_KEY}"}
        return web.json_response({**said, THEIR_KEY: OUR_KEY})

    async def scene() -> None:
        async with shadowing(echoing, replying({"error": OUR_KEY, "long": f"{'y' * 78}{OUR_KEY}"})) as both:
            await both.get(target, headers=headers)
            await both.record()
            (theirs,), (ours,) = both.asked["theirs"], both.asked["ours"]
            assert theirs.raw_path == target
            assert all(theirs.headers[name] == value for name, value in headers.items())
            assert THEIR_KEY not in f"{ours.raw_path} {dict(ours.headers)}"
            assert ours.headers["X-API-Key"] == OUR_KEY
            written = msgspec.json.encode(both.records).decode()
            assert "Invalid" in written
            assert not [part for part in (THEIR_KEY[:5], OUR_KEY[:8]) if part in written]

    play(scene)
    assert THEIR_KEY not in "".join(capfd.readouterr())


@pytest.mark.parametrize("body", [f'{{"api_key": "{THEIR_KEY}", "to": "USD"}}', f"to=USD&access_key={THEIR_KEY}"])
def test_a_key_in_a_body_reaches_them_alone_and_is_written_nowhere(body: str) -> None:
    bodies: list[bytes] = []

    async def echoing(request: web.Request) -> web.StreamResponse:
        bodies.append(await request.read())
        return web.json_response({"number": len(bodies), "error": f"Invalid: {bodies[-1].decode()}"})

    async def scene() -> None:
        async with shadowing(echoing, echoing) as both:
            await both.send("POST", "/convert", data=body.encode())
            await both.record()
            assert sorted(bodies) == sorted([body.encode(), body.replace(THEIR_KEY, OUR_KEY).encode()])
            written = msgspec.json.encode(both.records).decode()
            assert kinds(both.records[0]) == [("number", "number")]
            assert not [part for part in (THEIR_KEY[:5], OUR_KEY[:8]) if part in written]

    play(scene)


def test_theirs_is_asked_through_the_proxy_of_the_settings_and_ours_directly() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), replying(BODY)) as both:
            port = int(both.proxy.theirs.base.rpartition(":")[2])
            with serving(ForwardProxy(api_example=port)) as forward:
                proxies = outgoing_proxies(Settings(), {"HTTP_PROXY": forward.url})
                both.proxy.theirs = replace(both.proxy.theirs, base="http://api.example", proxies=proxies)
                both.proxy.ours = replace(both.proxy.ours, proxies=proxies)
                assert (await both.get("/latest"))[0] == 200
                assert kinds(await both.record()) == []
                assert forward.asked == ["GET http://api.example/latest"]

    play(scene)


def test_an_error_about_theirs_has_no_key_in_it() -> None:
    async def scene() -> None:
        async with shadowing(breaking, replying(BODY)) as both:
            status, content, _ = await both.get(f"/latest?access_key={THEIR_KEY}")
            assert status == 502
            assert "gave no answer" in json.loads(content)["error"]
            assert THEIR_KEY not in content.decode()
            record = await both.record()
            assert (record.not_compared[:8], record.theirs.status, record.ours.status) == ("theirs: ", 0, 200)

    play(scene)


def test_an_answer_of_theirs_that_breaks_off_is_no_whole_answer() -> None:
    async def scene() -> None:
        async with shadowing(breaking_half_way, replying(BODY)) as both:
            with pytest.raises(aiohttp.ClientError):
                await both.get()
            assert "broke off" in (await both.record()).not_compared

    play(scene)


def test_a_body_is_passed_on_to_both_and_headers_of_the_connection_are_not() -> None:
    bodies: list[tuple[str, bytes, str]] = []

    async def keeping(request: web.Request) -> web.StreamResponse:
        bodies.append((request.method, await request.read(), request.headers.get("X-Hop", "")))
        return web.json_response(BODY, headers={"Connection": "X-Mine", "X-Mine": "1", "X-Kept": "2"})

    async def scene() -> None:
        async with shadowing(keeping, keeping, prefix="/fixer") as both:
            sent = {"Connection": "X-Hop", "X-Hop": "1", "Content-Type": "application/json"}
            _, _, headers = await both.send("POST", "/value?x=a%2Fb", data=b'{"a": 1}', headers=sent)
            assert bodies == [("POST", b'{"a": 1}', "")] * 2
            assert ("X-Mine" in headers, headers["X-Kept"]) == (False, "2")
            assert (both.asked["theirs"][0].raw_path, both.asked["ours"][0].raw_path) == (
                "/value?x=a%2Fb",
                "/fixer/value?x=a%2Fb",
            )
            assert (await both.record()).method == "POST"

    play(scene)


def test_a_compressed_answer_is_passed_on_as_it_is_and_compared() -> None:
    packed = gzip.compress(json.dumps(BODY).encode())

    async def scene() -> None:
        async with shadowing(replying(packed, **{"Content-Encoding": "gzip"}), replying(BODY)) as both:
            async with both.session.get(f"{both.url}/latest", headers={"Accept-Encoding": "br, gzip"}) as response:
                assert (response.headers["Content-Encoding"], await response.json()) == ("gzip", BODY)
                assert response.headers["Content-Length"] == str(len(packed))
            assert both.asked["theirs"][0].headers["Accept-Encoding"] == "gzip"
            record = await both.record()
            assert (kinds(record), record.not_compared) == ([], "")

    play(scene)


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (replying(b"\x1f\x8bno", **{"Content-Encoding": "gzip"}), "damaged"),
        (replying(gzip.compress(b"[]" * 99)[:-9], **{"Content-Encoding": "gzip"}), "damaged"),
        (replying(b"x", **{"Content-Encoding": "br"}), "another way than gzip"),
        (replying(gzip.compress(b" " * 17_000_000), **{"Content-Encoding": "gzip"}), "more than 16,777,216 bytes"),
        (replying(b" " * (MOST_COMPARED_BYTES + 1)), "longer than 2,097,152 bytes"),
        (replying(b"", 304), "nothing new"),
    ],
)
def test_what_cannot_be_compared_is_passed_on_and_named(theirs: Handler, reason: str) -> None:
    async def scene() -> None:
        async with shadowing(theirs, replying(BODY)) as both:
            async with (
                aiohttp.ClientSession(auto_decompress=False) as plain,
                plain.get(f"{both.url}/latest") as response,
            ):
                assert response.status in {200, 304}
                content = await response.read()
            assert response.status == 304 or content
            assert reason in (await both.record()).not_compared

    play(scene)


def test_a_redirect_is_passed_on_and_not_followed() -> None:
    async def scene() -> None:
        moved = replying(b"", 302, Location="https://elsewhere.example/x")
        async with shadowing(moved, moved) as both:
            status, _, headers = await both.get()
            assert (status, headers["Location"], len(both.asked["theirs"])) == (302, "https://elsewhere.example/x", 1)
            assert kinds(await both.record()) == []

    play(scene)


def test_a_head_request_has_the_length_of_the_answer() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), replying(BODY)) as both:
            status, content, headers = await both.send("HEAD", "/latest")
            assert (status, content, headers["Content-Length"]) == (200, b"", str(len(json.dumps(BODY))))
            assert kinds(await both.record()) == []

    play(scene)


def test_no_cookie_of_one_caller_reaches_another() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY, **{"Set-Cookie": "a=1"}), replying(BODY)) as both:
            await both.get()
            async with aiohttp.ClientSession() as other, other.get(f"{both.url}/latest"):
                assert "Cookie" not in both.asked["theirs"][-1].headers

    play(scene)


def test_a_crash_of_the_comparison_is_a_line_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(proxy_module, "compare_answers", crash)

    async def scene() -> None:
        async with shadowing(replying(BODY), replying(BODY)) as both:
            assert (await both.get())[0] == 200
            assert (await both.record()).not_compared == "the comparison failed: ZeroDivisionError"

    play(scene)


def test_a_log_that_cannot_be_written_costs_no_answer() -> None:
    def full(_record: ShadowRecord) -> None:
        raise OSError(28, "No space left on device")

    async def scene() -> None:
        async with shadowing(replying(BODY), replying(BODY)) as both:
            both.proxy.write = full
            assert [(await both.get())[0] for _ in range(3)] == [200, 200, 200]

    play(scene)


def test_more_requests_than_can_be_compared_are_passed_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "MOST_COMPARISONS", 1)

    async def scene() -> None:
        later = asyncio.Event()

        async def slow(_request: web.Request) -> web.StreamResponse:
            await later.wait()
            return web.json_response(BODY)

        async with shadowing(replying(BODY), slow) as both:
            assert [(await both.get())[0] for _ in range(3)] == [200, 200, 200]
            later.set()
            await both.record()
            assert sorted(record.not_compared for record in both.records) == ["", *["more than 1 requests at once"] * 2]
            assert len(both.asked["theirs"]) == 3

    play(scene)


def test_more_requests_than_can_be_answered_get_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "MOST_REQUESTS", 1)

    async def scene() -> None:
        has_come, later = asyncio.Event(), asyncio.Event()

        async def slow(_request: web.Request) -> web.StreamResponse:
            has_come.set()
            await later.wait()
            return web.json_response(BODY)

        async with shadowing(slow, replying(BODY)) as both:
            first = asyncio.create_task(both.get())
            await has_come.wait()
            assert (await both.get())[0] == 503
            later.set()
            assert (await first)[0] == 200

    play(scene)


def test_a_body_that_is_too_large_is_refused() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), replying(BODY)) as both:
            status, _, _ = await both.send("POST", "/value", data=BytesIO(b"x" * (proxy_module.MOST_BODY_BYTES + 1)))
            assert (status, both.asked["theirs"]) == (413, [])

    play(scene)


def test_a_tolerance_decides_what_is_the_same() -> None:
    async def scene() -> None:
        async with shadowing(replying(BODY), replying(CHANGED), tolerance=Decimal("0.2")) as both:
            await both.get()
            assert kinds(await both.record()) == []

    play(scene)
