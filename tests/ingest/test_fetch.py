"""A source plays every trick over a real socket; what is asked again, and when, is told by a loop that skips time."""

from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import struct
import traceback
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Self

import aiohttp
import pytest
import stamina

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable
from cambist.ingest.fetch import AGENT, Fetcher, InterceptedAnswer, SourceBusy
from cambist.sources.base import MAX_PAYLOAD_BYTES, SourceRequest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

IMPATIENT = aiohttp.ClientTimeout(total=0.5, sock_read=0.2)
JSON = ("application/json",)
SECRET = "5ecre7k3y"
MEBIBYTE = 1024 * 1024


@pytest.fixture(autouse=True)
def _at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ask again without waiting; the tests on a loop that skips time wait as the service does."""
    with stamina.set_testing("skipping" not in request.fixturenames, attempts=9, cap=True):
        yield


@asynccontextmanager
async def a_fetcher(**rest: Any) -> AsyncIterator[Fetcher]:
    async with aiohttp.ClientSession() as session:
        yield Fetcher(session, **{"timeout": IMPATIENT, **rest})


@dataclass
class Scene:
    """What came of asking a host once."""

    asked: list[Any]
    content: bytes | None = None
    error: SourceBroken | None = None


def asking(host: Any, *answers: Any, request: Callable[[str], SourceRequest] | None = None, **rest: Any) -> Scene:
    """Ask a host that gives these answers; `request` is made from its address."""

    async def scene() -> Scene:
        async with host(*answers) as there, a_fetcher(**rest) as fetcher:
            wanted = request(there.url) if request else SourceRequest(url=there.url + "/rates", content_types=JSON)
            try:
                return Scene(there.asked, await fetcher.fetch("mint", wanted))
            except SourceBroken as error:
                return Scene(there.asked, None, error)

    return asyncio.run(scene())


def test_the_content_is_returned_as_it_was_sent(host) -> None:
    found = asking(host, host.answer(200, b'{"EUR": 1.25}'))
    assert (found.content, found.error) == (b'{"EUR": 1.25}', None)


def test_a_request_has_a_user_agent_and_the_accepted_types(host) -> None:
    (asked,) = asking(host, host.answer()).asked
    assert (asked.method, asked.target, asked.body) == ("GET", "/rates", b"")
    assert (asked.headers["user-agent"], asked.headers["accept"]) == (AGENT, "application/json")
    assert AGENT.startswith("cambist/")


def test_the_accept_header_lists_all_types_or_any(host) -> None:
    two = asking(
        host, host.answer(), request=lambda url: SourceRequest(url=url, content_types=("text/csv", "application/"))
    )
    assert two.asked[0].headers["accept"] == "text/csv, application/"
    assert asking(host, host.answer(), request=lambda url: SourceRequest(url=url)).asked[0].headers["accept"] == "*/*"


def test_a_request_with_a_body_is_a_post(host) -> None:
    (asked,) = asking(host, host.answer(), request=lambda url: SourceRequest(url=url, body=b"<day/>")).asked
    assert (asked.method, asked.body) == ("POST", b"<day/>")


def test_an_api_key_is_sent_to_its_own_source_only(host) -> None:
    def request(url: str) -> SourceRequest:
        return SourceRequest(url=f"{url}/rates?key={{key}}", headers=(("Authorization", "apikey {key}"),))

    (asked,) = asking(host, host.answer(), request=request, keys={"mint": "m1", "bank": "b2"}).asked
    assert (asked.target, asked.headers["authorization"]) == ("/rates?key=m1", "apikey m1")
    (asked,) = asking(host, host.answer(), request=request, keys={"bank": "b2"}).asked
    assert (asked.target, asked.headers["authorization"]) == ("/rates?key=", "apikey")


def test_a_request_with_one_before_it_has_its_token(host) -> None:
    def request(url: str) -> SourceRequest:
        first = SourceRequest(url=f"{url}/form")
        return SourceRequest(url=f"{url}/rates?t={{token}}", before=first, token_pattern="state=([a-z]+)")

    found = asking(host, host.answer(200, b"state=open"), host.answer(200, b"1.25"), request=request)
    assert [asked.target for asked in found.asked] == ["/form", "/rates?t=open"]
    assert found.content == b"1.25"
    refused = asking(host, host.answer(200, b"closed"), request=request)
    assert isinstance(refused.error, SourceBroken)
    assert [asked.target for asked in refused.asked] == ["/form"]


def test_a_request_with_a_form_before_it_sends_the_hidden_fields_back(host) -> None:
    def request(url: str) -> SourceRequest:
        first = SourceRequest(url=f"{url}/form")
        return SourceRequest(url=f"{url}/rates", body=b"day=5", before=first, hidden_fields=("state",))

    page = b'<input type="hidden" name="state" value="a+b">'
    found = asking(host, host.answer(200, page), host.answer(200, b"1.25"), request=request)
    assert [(asked.target, asked.body) for asked in found.asked] == [("/form", b""), ("/rates", b"state=a%2Bb&day=5")]
    refused = asking(host, host.answer(200, b"<p>closed</p>"), request=request)
    assert isinstance(refused.error, SourceBroken)
    assert [asked.target for asked in refused.asked] == ["/form"]


# What is asked again


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_source_is_requested_again(host, status: int) -> None:
    found = asking(host, host.answer(status), host.answer(200, b"now"))
    assert (found.content, len(found.asked)) == (b"now", 2)


def test_a_source_that_stays_busy_is_unreachable_after_three_attempts(host) -> None:
    found = asking(host, host.answer(503))
    assert isinstance(found.error, SourceUnreachable)
    assert (str(found.error), len(found.asked)) == ("mint: answered 503", 3)


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_the_number_of_attempts_can_be_set(host, attempts: int) -> None:
    assert len(asking(host, host.answer(503), attempts=attempts).asked) == attempts


@pytest.mark.parametrize("status", [201, 204, 206, 400, 401, 403, 404, 410, 451, 501])
def test_any_other_status_is_not_retried(host, status: int) -> None:
    found = asking(host, host.answer(status))
    assert type(found.error) is SourceBroken
    assert (str(found.error), len(found.asked)) == (f"mint: answered {status}", 1)


def test_a_status_that_means_absence_raises_nothing_published(host) -> None:
    found = asking(
        host, host.answer(404), request=lambda url: SourceRequest(url=url, no_data_statuses=frozenset({404, 503}))
    )
    assert isinstance(found.error, NothingPublished)
    assert len(found.asked) == 1
    found = asking(
        host, host.answer(410), request=lambda url: SourceRequest(url=url, no_data_statuses=frozenset({404}))
    )
    assert not isinstance(found.error, NothingPublished)


def test_what_a_source_without_the_days_asked_may_say_busily_is_believed(host) -> None:
    found = asking(
        host, host.answer(503), request=lambda url: SourceRequest(url=url, no_data_statuses=frozenset({503}))
    )
    assert isinstance(found.error, NothingPublished)
    assert len(found.asked) == 1


async def reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection off, as a crash does."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close without a word."""
    writer.close()


async def say_nothing(_: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def stall(writer: asyncio.StreamWriter) -> None:
    """Fall silent in the middle."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[1,")
    await asyncio.sleep(30)


async def drip(writer: asyncio.StreamWriter) -> None:
    """Send a byte again and again: never silent for long, never done."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def drip_a_head(writer: asyncio.StreamWriter) -> None:
    """Never come to the end of the headers."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(999):
        writer.write(b"X-%d: 1\r\n" % number)
        await writer.drain()
        await asyncio.sleep(0.02)


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", **headers: str) -> bytes:
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    first = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n{head}\r\n".encode()
    return first + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


TRUNCATED = {
    "a body shorter than announced": (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[1"
    ),
    "chunks without an end": chunked(b"[1,", b"2", end=b""),
    "a chunk that is cut off": chunked(b"[1", end=b"40\r\n,2"),
    "gzip that is cut off": chunked(gzip.compress(b"[1,2,3]" * 999)[:40], end=b"", Content_Encoding="gzip"),
    "no gzip": chunked(b"[1,2,3]", Content_Encoding="gzip"),
    "an encoding that nobody knows": b"HTTP/9.9 what\r\n\r\n",
    "anything but HTTP": b"\x16\x03\x01 hello? hello?\r\n\r\n",
}


@pytest.mark.parametrize("sent", TRUNCATED.values(), ids=TRUNCATED)
def test_an_incomplete_answer_is_never_returned(host, sent: bytes) -> None:
    found = asking(host, sent)
    assert (found.content, len(found.asked)) == (None, 3)
    assert isinstance(found.error, SourceUnreachable)
    assert "cannot be asked" in str(found.error)


@pytest.mark.parametrize("sent", TRUNCATED.values(), ids=TRUNCATED)
def test_an_answer_that_is_complete_at_the_second_attempt_is_returned(host, sent: bytes) -> None:
    assert asking(host, sent, host.answer(200, b"[1,2,3]")).content == b"[1,2,3]"


@pytest.mark.parametrize("misfortune", [reset, hang_up])
def test_a_broken_connection_is_retried(host, misfortune) -> None:
    found = asking(host, misfortune, misfortune, host.answer(200, b"[]"))
    assert (found.content, len(found.asked)) == (b"[]", 3)
    assert isinstance(asking(host, misfortune).error, SourceUnreachable)


def test_a_refused_connection_means_unreachable(host) -> None:
    async def scene() -> None:
        async with host(b"") as there:
            url = there.url
        async with a_fetcher() as fetcher:
            with pytest.raises(SourceUnreachable, match=r"mint: cannot be asked: .*onnect"):
                await fetcher.fetch("mint", SourceRequest(url=url))

    asyncio.run(scene())


@pytest.mark.long(every=2)
@pytest.mark.parametrize("sluggishness", [say_nothing, stall, drip, drip_a_head])
def test_a_request_that_takes_too_long_ends_in_time(host, sluggishness) -> None:
    async def scene() -> float:
        loop = asyncio.get_running_loop()
        async with host(sluggishness) as there, a_fetcher(attempts=1) as fetcher:
            began = loop.time()
            with pytest.raises(SourceUnreachable, match="mint: no answer in time"):
                await fetcher.fetch("mint", SourceRequest(url=there.url))
            return loop.time() - began

    assert asyncio.run(scene()) < 2


def test_a_source_that_is_slow_once_is_requested_again(host) -> None:
    assert asking(host, say_nothing, host.answer(200, b"[]")).content == b"[]"


def test_a_slow_answer_within_the_timeout_is_returned(host) -> None:
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        writer.write(host.answer(200, b"late"))

    found = asking(host, late)
    assert (found.content, len(found.asked)) == (b"late", 1)


def test_by_default_an_attempt_takes_at_most_a_minute(host) -> None:
    _ = host
    limits = Fetcher(session=None).timeout  # type: ignore[arg-type]
    assert (limits.total, limits.connect, limits.sock_read) == (60, 10, 20)


# Size


def flood(megabytes: int, sent: list[int], media: bytes = b"application/json") -> Callable[..., Any]:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n\r\n" % media)
        for _ in range(megabytes):
            writer.write(bytes(MEBIBYTE))
            await writer.drain()
            sent.append(1)

    return write


def test_a_huge_answer_is_refused_before_it_is_complete(host) -> None:
    sent: list[int] = []
    found = asking(host, flood(100, sent), timeout=aiohttp.ClientTimeout(total=30))
    assert (found.content, str(found.error)) == (None, "mint: sent more than 33,554,432 bytes")
    assert len(found.asked) == 1
    assert 32 <= len(sent) < 48, "the rest was never taken"


@pytest.mark.long
def test_the_size_limit_counts_decompressed_bytes(host) -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(bytes(MEBIBYTE)) for _ in range(100)) + packer.flush()
    assert len(bomb) < MEBIBYTE
    found = asking(host, host.answer(200, bomb, Content_Encoding="gzip"), timeout=aiohttp.ClientTimeout(total=30))
    assert (found.content, str(found.error)) == (None, "mint: sent more than 33,554,432 bytes")


@pytest.mark.long
def test_the_size_limit_is_32_mebibytes(host) -> None:
    found = asking(host, flood(MAX_PAYLOAD_BYTES // MEBIBYTE, []), timeout=aiohttp.ClientTimeout(total=30))
    assert found.error is None
    assert found.content is not None
    assert len(found.content) == 32 * 1024 * 1024


def test_a_huge_answer_does_not_block_another_source(host) -> None:
    async def scene() -> int:
        rounds, is_over = 0, False

        async def count() -> None:
            nonlocal rounds
            while not is_over:
                rounds += 1
                await asyncio.sleep(0)

        async with host(flood(80, [])) as there, a_fetcher(timeout=aiohttp.ClientTimeout(total=30)) as fetcher:
            counter = asyncio.create_task(count())
            with pytest.raises(SourceBroken):
                await fetcher.fetch("mint", SourceRequest(url=there.url))
            is_over = True
            await counter
        return rounds

    assert asyncio.run(scene()) >= MAX_PAYLOAD_BYTES // (64 * 1024), "nobody else had a turn between two chunks"


def test_compressed_answers_are_decompressed(host) -> None:
    packed = gzip.compress(b'{"EUR": 1.25}')
    assert asking(host, host.answer(200, packed, Content_Encoding="gzip")).content == b'{"EUR": 1.25}'


# The kind of content


@pytest.mark.parametrize(
    "media", ["text/html", "text/html; charset=utf-8", "application/xml", "", "text/application/json"]
)
def test_an_html_page_with_status_200_is_refused(host, media: str) -> None:
    found = asking(host, host.answer(200, b"<html>Checking your browser</html>", media=media))
    assert type(found.error) is (InterceptedAnswer if media.startswith("text/html") else SourceBroken)
    assert (str(found.error), len(found.asked)) == (f"mint: sent [{media}] instead of application/json", 1)


def test_a_page_that_two_hosts_send_is_of_somebody_on_the_way(host) -> None:
    page, other = (
        host.answer(200, text, media="text/html") for text in (b"<html>Your room?</html>", b"<html>1.25</html>")
    )

    async def scene() -> list[str]:
        found = []
        async with host(page, page, page, other) as there, a_fetcher(gateway=there.url) as fetcher:
            for name in ("one", "one", "two", "two"):
                request = SourceRequest(url=f"https://{name}.example/rates", content_types=("text/html",))
                try:
                    found.append((await fetcher.fetch(name, request) or b"").decode())
                except InterceptedAnswer as error:
                    found.append(str(error))
        return found

    room = "<html>Your room?</html>"
    assert asyncio.run(scene()) == [
        room,
        room,
        "two: sent the page that another source has sent too",
        "<html>1.25</html>",
    ]


@pytest.mark.parametrize(
    "media", ["application/json", "Application/JSON; charset=utf-8", "application/json;odata=full"]
)
def test_the_content_type_is_compared_by_its_beginning(host, media: str) -> None:
    assert asking(host, host.answer(200, b"{}", media=media)).content == b"{}"


def test_an_answer_without_a_content_type_is_accepted_only_if_any_type_is(host) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    assert asking(host, answer).error is not None
    assert asking(host, answer, request=lambda url: SourceRequest(url=url)).content == b"{}"


def test_a_long_content_type_is_shortened_in_the_error(host) -> None:
    found = asking(host, host.answer(200, b"", media="text/" + "h" * 500))
    assert len(str(found.error)) < 120


# What has not changed


def conversing(host: Any, *answers: bytes, forgotten: int = -1, requests: list[dict[str, Any]] | None = None) -> Any:
    """Ask once an answer; give what came, and the conditions that stood in each request."""

    async def scene() -> Any:
        came, conditions = [], []
        async with host(*answers) as there, a_fetcher() as fetcher:
            for number in range(len(answers)):
                rest = requests[number] if requests else {}
                request = SourceRequest(**{"url": there.url + "/rates", "content_types": JSON, **rest})
                try:
                    came.append(await fetcher.fetch("mint", request))
                except SourceBroken as error:
                    came.append(error)
                if number == forgotten:
                    fetcher.forget(request)
            for asked in there.asked:
                names = ("if-none-match", "if-modified-since")
                conditions.append({name: asked.headers[name] for name in names if name in asked.headers})
        return came, conditions

    return asyncio.run(scene())


MONDAY = "Mon, 02 Mar 2026 15:00:00 GMT"


def test_unchanged_content_is_not_sent_again(host) -> None:
    came, conditions = conversing(host, host.answer(200, b"[1]", ETag='"a"', Last_Modified=MONDAY), host.answer(304))
    assert came == [b"[1]", None]
    assert conditions == [{}, {"if-none-match": '"a"', "if-modified-since": MONDAY}]


def test_a_fetcher_that_forgets_all_answers_is_sent_each_again(host) -> None:
    async def scene() -> list[bytes | None]:
        answers = [host.answer(200, content, ETag='"a"') for content in (b"[1]", b"[2]", b"[1]", b"[2]")]
        async with host(*answers) as there, a_fetcher() as fetcher:
            requests = [SourceRequest(url=f"{there.url}/{path}", content_types=JSON) for path in ("one", "two")] * 2
            came = [await fetcher.fetch("mint", request) for request in requests[:2]]
            fetcher.forget_all()
            came += [await fetcher.fetch("mint", request) for request in requests[2:]]
            assert not any("if-none-match" in asked.headers for asked in there.asked)
            return came

    assert asyncio.run(scene()) == [b"[1]", b"[2]"] * 2


def test_each_answer_replaces_the_validators(host) -> None:
    answers = host.answer(200, b"[1]", ETag='"a"'), host.answer(200, b"[2]", ETag='"b"'), host.answer(200, b"[3]")
    came, conditions = conversing(host, *answers, host.answer(200, b"[4]"))
    assert came == [b"[1]", b"[2]", b"[3]", b"[4]"]
    assert conditions == [{}, {"if-none-match": '"a"'}, {"if-none-match": '"b"'}, {}]


def test_content_that_was_not_accepted_is_sent_again(host) -> None:
    came, conditions = conversing(host, host.answer(200, b"[1]", ETag='"a"'), host.answer(200, b"[1]"), forgotten=0)
    assert came == [b"[1]", b"[1]"]
    assert conditions == [{}, {}]


def test_a_refused_answer_leaves_no_validators(host) -> None:
    refused = host.answer(200, b"<html>", media="text/html", ETag='"page"')
    came, conditions = conversing(host, refused, host.answer(200, b"[1]"))
    assert [type(each) for each in came] == [InterceptedAnswer, bytes]
    assert conditions == [{}, {}]


def test_a_refused_answer_keeps_the_earlier_validators(host) -> None:
    first, page = (
        host.answer(200, b"[1]", ETag='"a"'),
        host.answer(200, b"<html>", media="text/html", ETag='"page"'),
    )
    came, conditions = conversing(host, first, page, host.answer(304))
    assert came[2] is None
    assert conditions == [{}, {"if-none-match": '"a"'}, {"if-none-match": '"a"'}]


def test_an_interrupted_answer_leaves_no_validators(host) -> None:
    cut_off = host.answer(200, b"[1", ETag='"a"', Content_Length="99")
    came, conditions = conversing(host, cut_off, host.answer(200, b"[1,2]"))
    assert came[0] == b"[1,2]"
    assert conditions[:2] == [{}, {}]


def test_validators_are_kept_for_each_address(host) -> None:
    answers = host.answer(200, b"[1]", ETag='"a"'), host.answer(200, b"[2]")
    _, conditions = conversing(host, *answers, requests=[{}, {"subject": "other"}])
    assert conditions == [{}, {"if-none-match": '"a"'}]

    async def scene() -> dict[str, str]:
        async with host(*answers) as there, a_fetcher() as fetcher:
            await fetcher.fetch("mint", SourceRequest(url=there.url + "/one"))
            await fetcher.fetch("mint", SourceRequest(url=there.url + "/other"))
            return there.asked[1].headers

    assert "if-none-match" not in asyncio.run(scene())


def test_posts_with_different_bodies_have_their_own_validators(host) -> None:
    first, later = date(2026, 3, 2), date(2026, 3, 3)
    requests = [{"body": b"<2/>", "first": first, "last": first}, {"body": b"<3/>", "first": later, "last": later}]
    came, conditions = conversing(
        host, host.answer(200, b"[2]", ETag='"a"'), host.answer(200, b"[3]"), requests=requests
    )
    assert came == [b"[2]", b"[3]"]
    assert conditions == [{}, {}]
    answers = host.answer(200, b"[2]", ETag='"a"'), host.answer(304)
    came, conditions = conversing(host, *answers, requests=[requests[0], requests[0]])
    assert came == [b"[2]", None]
    assert conditions == [{}, {"if-none-match": '"a"'}]


def test_validators_are_kept_for_the_latest_addresses_only(host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.ingest.fetch._KEPT_VALIDATORS", 2)

    async def scene() -> list[bool]:
        days = ["01", "02", "01", "03", "01", "02"]
        async with host(*[host.answer(200, b"[1]", ETag='"a"')] * len(days)) as there, a_fetcher() as fetcher:
            for day in days:
                await fetcher.fetch("mint", SourceRequest(url=f"{there.url}/{day}", content_types=JSON))
            return ["if-none-match" in asked.headers for asked in there.asked]

    assert asyncio.run(scene()) == [False, False, True, False, True, False]


# Redirection


def moved(to: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("to", ["/new?a=b", "new?a=b", "//{netloc}/new?a=b", "http://{netloc}/new?a=b"])
def test_redirects_within_the_host_are_followed(host, status: int, to: str) -> None:
    async def scene() -> None:
        async with host() as there, a_fetcher(keys={"mint": "m1"}) as fetcher:
            there._answers = (moved(to.format(netloc=there.netloc), status), host.answer(200, b"[]"))
            request = SourceRequest(url=there.url + "/old", headers=(("X-Key", "{key}"),))
            assert await fetcher.fetch("mint", request) == b"[]"
            assert [asked.target for asked in there.asked] == ["/old", "/new?a=b"]
            assert there.asked[1].headers["x-key"] == "m1"

    asyncio.run(scene())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_to_another_host_are_refused(host, status: int) -> None:
    async def scene() -> None:
        async with host(host.answer(200, b"[]")) as elsewhere, host(moved(elsewhere.url, status)) as there:
            async with a_fetcher() as fetcher:
                with pytest.raises(SourceBroken, match=rf"mint: redirects to another host: \[{elsewhere.netloc}\]"):
                    await fetcher.fetch("mint", SourceRequest(url=there.url))
            assert (len(there.asked), elsewhere.asked) == (1, [])

    asyncio.run(scene())


@pytest.mark.parametrize("to", ["file:///etc/passwd", "https:///", "http://[", "mailto:mint@mint.example", "http://"])
def test_a_redirect_to_an_invalid_address_is_refused(host, to: str) -> None:
    found = asking(host, moved(to))
    assert found.content is None
    assert isinstance(found.error, SourceBroken)


def test_at_most_three_redirects_are_followed(host) -> None:
    found = asking(host, moved("/1"), moved("/2"), moved("/3"), host.answer(200, b"[]"))
    assert (found.content, len(found.asked)) == (b"[]", 4)
    found = asking(host, moved("/again"))
    assert type(found.error) is SourceBroken
    assert (str(found.error), len(found.asked)) == ("mint: redirects without end", 4)


def test_a_redirect_without_a_location_is_refused(host) -> None:
    assert "without end" in str(asking(host, b"HTTP/1.1 302 Moved\r\nContent-Length: 0\r\n\r\n").error)


# The gateway


@pytest.mark.parametrize(
    ("gateway", "url", "asked"),
    [
        ("", "https://mint.example/a?b=c", "https://mint.example/a?b=c"),
        ("", "wss://mint.example/ws", "wss://mint.example/ws"),
        ("http://127.0.0.1:9", "https://mint.example/a?b=c", "http://127.0.0.1:9/mint.example/a?b=c"),
        ("http://127.0.0.1:9/", "https://mint.example/", "http://127.0.0.1:9/mint.example/"),
        ("https://gate.example/x/", "https://mint.example:8443/a", "https://gate.example/x/mint.example:8443/a"),
        ("http://127.0.0.1:9", "wss://mint.example:8443/ws/v5", "ws://127.0.0.1:9/mint.example:8443/ws/v5"),
        ("https://gate.example", "wss://mint.example/ws", "wss://gate.example/mint.example/ws"),
    ],
)
def test_through_a_gateway_the_host_becomes_a_part_of_the_path(gateway: str, url: str, asked: str) -> None:
    assert Fetcher(session=None, gateway=gateway).address(url) == asked  # type: ignore[arg-type]


def test_all_requests_go_through_the_gateway(host) -> None:
    async def scene() -> None:
        async with host(host.answer(200, b"[]")) as gate, a_fetcher(gateway=gate.url) as fetcher:
            assert await fetcher.fetch("mint", SourceRequest(url="https://mint.example/rates?day=1")) == b"[]"
            assert [asked.target for asked in gate.asked] == ["/mint.example/rates?day=1"]

    asyncio.run(scene())


# Secrets

MISHAPS: dict[str, Any] = {
    "busy": b"HTTP/1.1 503 So\r\nContent-Length: 0\r\n\r\n",
    "forbidden": b"HTTP/1.1 403 So\r\nContent-Length: 0\r\n\r\n",
    "page": b"HTTP/1.1 200 So\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n",
    "absent": b"HTTP/1.1 404 So\r\nContent-Length: 0\r\n\r\n",
    "reset": reset,
    "hung up": hang_up,
    "stalled": stall,
    "elsewhere": moved(f"http://elsewhere.example/rates?key={SECRET}"),
    "in circles": moved(f"/rates?key={SECRET}"),
    "no address": moved(f"http://127.0.0.1:port/rates?key={SECRET}"),
    "no HTTP": b"what?\r\n\r\n",
    "cut off": TRUNCATED["chunks without an end"],
}


@pytest.mark.parametrize("mishap", MISHAPS.values(), ids=MISHAPS)
def test_an_api_key_is_in_no_error_and_no_log(
    host, mishap: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def request(url: str) -> SourceRequest:
        return SourceRequest(
            url=f"{url}/rates?key={{key}}",
            headers=(("X-Key", "{key}"),),
            content_types=JSON,
            no_data_statuses=frozenset({404}),
        )

    with caplog.at_level(logging.DEBUG):
        found = asking(host, mishap, request=request, keys={"mint": SECRET})
    assert found.asked[0].target == f"/rates?key={SECRET}"
    assert found.error is not None
    told = "".join(traceback.format_exception(found.error)) + repr(found.error)
    logged = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert SECRET not in told + logged + "".join(capfd.readouterr())


@pytest.mark.parametrize("url", ["http://{key}/rates", "http://127.0.0.1:{key}/", "{key}", "http://127.0.0.1:1/?{key}"])
@pytest.mark.parametrize("key", [SECRET, f"{SECRET}\r\nX-More: 1"])
def test_an_api_key_that_makes_an_invalid_address_is_not_shown(url: str, key: str) -> None:
    async def scene() -> str:
        async with a_fetcher(keys={"mint": key}) as fetcher:
            with pytest.raises(SourceUnreachable) as raised:
                await fetcher.fetch("mint", SourceRequest(url=url, headers=(("X-Key", "{key}"),)))
            return str(raised.value)

    assert SECRET not in asyncio.run(scene())


# When it is asked again


@dataclass
class Content:
    """A body that has come."""

    body: bytes

    async def iter_chunked(self, _: int) -> AsyncIterator[bytes]:
        yield self.body


@dataclass
class Response:
    """An answer, played without a network."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> Content:
        return Content(b"[]")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class Session:
    """Plays answers one after the other, the last for ever, and notes when each was asked for."""

    def __init__(self, *responses: Response) -> None:
        self._responses = responses
        self.asked_at: list[float] = []

    def request(self, *_: object, **__: object) -> Response:
        self.asked_at.append(asyncio.get_running_loop().time())
        return self._responses[min(len(self.asked_at), len(self._responses)) - 1]

    @property
    def waits(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.asked_at, self.asked_at[1:], strict=False)]


def waits(skipping: Any, *responses: Response) -> list[float]:
    session = Session(*responses)

    async def scene() -> None:
        with suppress(SourceUnreachable):
            await Fetcher(session).fetch("mint", SourceRequest(url="http://mint.example/"))  # type: ignore[arg-type]

    skipping(scene())
    return session.waits


@pytest.mark.parametrize(
    ("told", "waited"), [("30", 30), ("0", 0), ("60", 60), ("61", 60), ("3600", 60), ("9" * 400, 60)]
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_followed_up_to_a_minute(skipping, status: int, told: str, waited: float) -> None:
    (wait,) = waits(skipping, Response(status, {"Retry-After": told}), Response(200))
    assert wait == pytest.approx(waited, abs=0.1)


@pytest.mark.parametrize("told", ["", "-5", "soon", "1.5", "٣", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_an_invalid_retry_after_is_ignored(skipping, told: str) -> None:
    (wait,) = waits(skipping, Response(429, {"Retry-After": told}), Response(200))
    assert 1 <= wait <= 2.1


def test_the_second_wait_is_longer_than_the_first(skipping) -> None:
    first, second = waits(skipping, Response(500))
    assert 1 <= first <= 2.1
    assert 2 <= second <= 3.1


@pytest.mark.parametrize(
    ("url", "to", "passes"),
    [
        ("https://mint.example/", "http://mint.example/", False),
        ("https://mint.example/", "https://mint.example/new", True),
        ("http://mint.example/", "https://mint.example/", True),
        ("http://mint.example/", "http://mint.example/new", True),
    ],
)
def test_a_redirect_may_not_leave_https(skipping, url: str, to: str, passes: bool) -> None:  # noqa: FBT001  a row's cell
    session = Session(Response(301, {"Location": to}), Response(200))
    asked = Fetcher(session).fetch("mint", SourceRequest(url=url))  # type: ignore[arg-type]
    if passes:
        assert skipping(asked) == b"[]"
    else:
        with pytest.raises(SourceBroken, match="everybody can read along"):
            skipping(asked)
    assert len(session.asked_at) == 1 + passes


def test_what_a_source_asked_for_is_kept_with_the_error() -> None:
    error = SourceBusy("mint: answered 429", 7.0)
    assert (str(error), error.after) == ("mint: answered 429", 7.0)
    assert isinstance(error, SourceUnreachable)
