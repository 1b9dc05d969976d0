"""Both clients against a service, and against servers that fail in every way."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.client.serving import FakeService, serving
from tests.conftest import KEY, Client

from cambist.client import NO_RETRIES, AsyncCambist, Cambist, Retries, async_client, errors, sync_client
from cambist.client.answers import ResponseHeaders
from cambist.client.call import write_value
from cambist.client.protocol import USER_AGENT

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOBODY = "http://127.0.0.1:1"
RATE = {"base": "EUR", "result": {"USD": 1.1}, "updated": "2026-11-20T11:59:58Z", "ms": 0}
BUSY = {"error": "Rate limit exceeded", "code": "rate_limited"}
UNAVAILABLE = {"error": "No source has delivered a rate for [KPW] yet", "code": "rate_unavailable"}


class InLoop:
    """An `AsyncCambist` whose methods are called as those of `Cambist` are, so that one test is for both."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._made = args, options

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*args: Any, **options: Any) -> Any:
            async with AsyncCambist(*self._made[0], **self._made[1]) as client:
                found = getattr(client, name)(*args, **options)
                if isinstance(found, AsyncIterator):
                    return [row async for row in found]
                return await found

        return lambda *args, **options: asyncio.run(call(*args, **options))


@pytest.fixture(params=[Cambist, InLoop], ids=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, which are not waited for."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(sync_client.time, "sleep", slept.append)
    monkeypatch.setattr(async_client.asyncio, "sleep", sleep)
    return slept


class Shown(float):
    """A number that shows itself as one of numpy."""

    def __repr__(self) -> str:
        return f"np.float64({float.__repr__(self)})"


class Timestamp(datetime):
    """A time that writes nanoseconds, as one of pandas."""

    def isoformat(self, *_: Any) -> str:
        return f"{self:%Y-%m-%dT%H:%M:%S}.000000001"

    __str__ = isoformat


PARIS = timezone(timedelta(hours=1))


def digits(value: Any) -> Any:
    return json.loads(value, parse_float=Decimal)


# Answers


def test_an_answer_has_the_digits_of_the_service(kind: Any, address: str, client: Client) -> None:
    sent = digits(client.get("/fetch-one?from=EUR&to=JPY").content)
    answer = kind(address, KEY).fetch_one("EUR", "JPY")
    assert (answer.base, answer.rate, answer.result) == ("EUR", sent["result"]["JPY"], sent["result"])
    assert str(answer.rate) == str(sent["result"]["JPY"])
    assert answer.updated == datetime.fromisoformat(sent["updated"])
    assert answer.headers == ResponseHeaders(environment="live", calls_cost=1)


def test_a_conversion_a_past_day_and_a_series(kind: Any, address: str, client: Client) -> None:
    one = kind(address, KEY)
    converted = one.convert(Decimal("19.99"), "EUR", "USD", date=date(2024, 2, 29), precision=5)
    sent = digits(client.get("/convert?amount=19.99&from=EUR&to=USD&date=2024-02-29&precision=5").content)
    assert (converted.converted, converted.rate) == (sent["result"]["USD"], sent["result"]["rate"])
    assert (converted.amount, converted.date, converted.updated) == (Decimal("19.99"), date(2024, 2, 29), None)
    past = one.historical(date(2024, 3, 2), "EUR", ["USD", "JPY"], verbose=True)
    assert (past.fixed_on, past.carried_days, past.fixings["JPY"]) == (date(2024, 3, 1), 1, date(2024, 3, 1))
    series = one.time_series("EUR", "USD,GBP", date(2024, 2, 28), "2024-03-01")
    assert [*series.results["GBP"]] == [date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]
    assert series.results["USD"][date(2024, 2, 29)] == past_rate(client, "2024-02-29")


def past_rate(client: Client, day: str) -> Decimal:
    found: Decimal = digits(client.get(f"/historical?date={day}&from=EUR&to=USD").content)["results"]["USD"]
    return found


def test_any_path_can_be_asked_as_it_is(kind: Any, address: str) -> None:
    raw = kind(address, KEY).get("/fetch-one", {"from": "EUR", "to": "USD", "colour": "red"})
    assert json.loads(raw.content)["base"] == "EUR"
    assert raw.headers.ignored == ("colour",)


@pytest.mark.parametrize("timestamp_format", ["ISO", "TSP", "UTCYMD"])
def test_times_are_read_in_every_format_of_an_account(
    kind: Any, fake_service: FakeService, fake_address: str, timestamp_format: str
) -> None:
    texts = {"ISO": "2026-11-20T11:59:58Z", "TSP": 1795175998000, "UTCYMD": "2026-11-20 11:59:58"}
    fake_service.responses = [(200, RATE | {"updated": texts[timestamp_format]}, {})]
    assert kind(fake_address, KEY).fetch_one("EUR", "USD").updated == datetime(2026, 11, 20, 11, 59, 58, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (7, "7"),
        (Decimal("1E+3"), "1000"),
        (0.1, "0.1"),
        (1e-7, "0.0000001"),
        (1e21, "1000000000000000000000"),
        (Shown(19.99), "19.99"),
        (Timestamp(2024, 2, 29, 12, 30), "2024-02-29T12:30:00+00:00"),
        (Timestamp(2024, 2, 29, 12, 30, tzinfo=PARIS), "2024-02-29T12:30:00+01:00"),
        (Decimal("0.10"), "0.10"),
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 12, 30), "2024-02-29T12:30:00+00:00"),  # noqa: DTZ001  that is the case
        (datetime(2024, 2, 29, 12, 30, tzinfo=timezone(timedelta(hours=2))), "2024-02-29T12:30:00+02:00"),
        (timedelta(hours=2), "PT7200S"),
        (["EUR", "USD"], "EUR,USD"),
        ("EUR,USD", "EUR,USD"),
    ],
)
def test_a_parameter_is_written_as_the_service_reads_it(value: Any, text: str) -> None:
    assert write_value(value) == text


@pytest.mark.parametrize(
    "day",
    [
        date(2024, 2, 29),
        "2024-02-29",
        datetime(2024, 2, 29, 23, 59, tzinfo=UTC),
        datetime(2024, 2, 29),  # noqa: DTZ001  that is the case
        Timestamp(2024, 2, 29),
        Timestamp(2024, 2, 29, tzinfo=PARIS),
    ],
)
def test_a_day_may_be_a_datetime(kind: Any, address: str, client: Client, day: Any) -> None:
    one, expected = kind(address, KEY), past_rate(client, "2024-02-29")
    assert one.historical(day, "EUR", "USD").results["USD"] == expected
    assert [*one.series("EUR", "USD", day, day).results["USD"].values()] == [expected]
    assert one.convert(1.5, "EUR", "USD", date=day).date == date(2024, 2, 29)
    assert one.explain("EUR", "USD", date=day).date == date(2024, 2, 29)
    assert one.vintages("EUR", "USD", day).date == date(2024, 2, 29)
    assert one.corrections("EUR", "USD", day, day).end == date(2024, 2, 29)


def test_a_series_of_many_targets_is_asked_in_parts(kind: Any, address: str, client: Client) -> None:
    codes = [*json.loads(client.get("/historical?date=2024-02-29&from=EUR").content)["results"]][-23:]
    series = kind(address, KEY).series("EUR", [*codes, codes[0]], date(2024, 2, 1), date(2024, 2, 29))
    assert [*series.results] == codes
    assert series.headers.calls_cost == 23
    assert series.results["USD"][date(2024, 2, 29)] == past_rate(client, "2024-02-29")
    named = kind(address, KEY).series("EUR", ",".join(codes), date(2024, 2, 1), date(2024, 2, 29))
    assert named.results == series.results


def test_rates_of_a_past_day_from_many_to_one(kind: Any, address: str, client: Client) -> None:
    found = kind(address, KEY).historical_many_to_one(date(2024, 3, 2), ["EUR", "gbp", "EUR"], "USD")
    assert (found.to, found.date, found.fixed_on) == ("USD", date(2024, 3, 2), date(2024, 3, 1))
    assert [*found.results] == ["EUR", "GBP"]
    assert found.results["EUR"] == past_rate(client, "2024-03-02")
    assert found.headers.calls_cost == 2
    with pytest.raises(errors.BadRequest):
        kind(address, KEY).historical_many_to_one("2024-03-02", [], "USD")


def test_parts_of_a_series_have_the_period_of_the_first(
    kind: Any, fake_service: FakeService, fake_address: str
) -> None:
    period = {"start": "2024-01-31", "end": "2024-02-29", "interval": "P1D", "base": "EUR", "ms": 1}
    answer = period | {"results": {"USD": {"2024-02-29": 1.1}}, "unavailable": ["KPW"]}
    fake_service.responses = [(200, answer, {"X-Calls-Cost": "9"})]
    series = kind(fake_address, KEY).series("EUR", [f"C{number}" for number in range(21)], partial=True)
    queries = [request["QUERY_STRING"] for request in fake_service.requests]
    assert ["start=" in query for query in queries] == [False, True, True]
    assert all("start=2024-01-31&end=2024-02-29" in query for query in queries[1:])
    assert (series.ms, series.headers.calls_cost, series.unavailable) == (3, 27, ("KPW",) * 3)


# Requests


def test_a_request_has_the_key_in_a_header_under_the_prefix(
    kind: Any, fake_service: FakeService, fake_address: str
) -> None:
    fake_service.responses = [(200, RATE, {})]
    kind(f"{fake_address}/rates/v1/", KEY).fetch_one("EUR", "USD", max_age=timedelta(minutes=5))
    (request,) = fake_service.requests
    assert (request["PATH_INFO"], request["QUERY_STRING"]) == ("/rates/v1/fetch-one", "from=EUR&to=USD&max_age=PT300S")
    assert (request["HTTP_X_API_KEY"], request["HTTP_USER_AGENT"]) == (KEY, USER_AGENT)


def test_address_and_key_may_be_variables(kind: Any, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_URL", address)
    monkeypatch.setenv("CAMBIST_KEY", f" {KEY}\n")
    assert kind().fetch_one("EUR", "USD").base == "EUR"


@pytest.mark.parametrize(
    ("url", "key", "sentence"),
    [
        (NOBODY, "", "There is no API key: pass"),
        (NOBODY, "clé", "characters that no key has"),
        ("rates.example", KEY, "Invalid url: [rates.example], it takes"),
        ("http://rates.example/?a=b", KEY, "Invalid url"),
    ],
)
def test_a_client_that_cannot_work_is_refused_at_once(url: str, key: str, sentence: str) -> None:
    for client in (Cambist, AsyncCambist):
        with pytest.raises(errors.NotConfigured, match=sentence.replace("[", r"\[")):
            client(url, key)
    assert KEY not in repr(Cambist(NOBODY, KEY).configuration)


def test_authorities_that_cannot_be_read_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "empty.pem"))
    for client in (Cambist, AsyncCambist):
        with pytest.raises(errors.NotConfigured, match="SSL_CERT_FILE"):
            client("https://rates.example", KEY)
        client("http://rates.example", KEY)


# Errors


def test_what_the_service_refuses_is_an_error_of_its_class(kind: Any, address: str) -> None:
    client = kind(address, KEY, retries=NO_RETRIES)
    with pytest.raises(errors.UnknownSymbol, match="USX") as unknown:
        client.fetch_one("EUR", "USX")
    assert (unknown.value.status, unknown.value.code) == (400, "unknown_currency")
    with pytest.raises(errors.BadRequest, match="precision"):
        client.convert(1, "EUR", "USD", precision=99)
    with pytest.raises(errors.KeyRefused, match="mistyped"):
        kind(address, "wrong").fetch_all()
    with pytest.raises(errors.Unavailable):
        client.fetch_one("EUR", "USD", max_age="PT1S")
    with pytest.raises(errors.NotFound, match="Unknown path"):
        client.get("/nowhere", {})


def test_nobody_at_the_address_is_a_failed_connection(kind: Any) -> None:
    with pytest.raises(errors.ConnectionFailed, match=f"No service answers at {NOBODY}: Connection refused") as failed:
        kind(NOBODY, KEY, retries=NO_RETRIES).fetch_all()
    assert isinstance(failed.value, ConnectionError)
    assert isinstance(failed.value, errors.CambistError)


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        ((302, b"", {"Location": f"{NOBODY}/x", "Content-Type": "text/html"}), r"is not Cambist \(HTTP 302\)"),
        ((200, b"<p>hello", {"Content-Type": "text/html"}), r"is not Cambist \(HTTP 200\)"),
        ((502, b"<p>bad gateway", {"Content-Type": "text/html"}), r"is not Cambist \(HTTP 502\)"),
        ((200, {"base": "EUR"}, {}), "is not understood: Object missing required field"),
        ((200, b"{", {}), "is not understood"),
        ((200, RATE | {"updated": "yesterday"}, {}), "is not understood"),
        ((200, RATE | {"updated": 10**30}, {}), "is not understood"),
    ],
)
def test_what_is_not_cambist_is_said_and_no_redirect_is_followed(
    kind: Any, fake_service: FakeService, fake_address: str, response: Any, sentence: str
) -> None:
    fake_service.responses = [response]
    with pytest.raises(errors.ConnectionFailed, match=sentence):
        kind(fake_address, KEY, retries=NO_RETRIES).fetch_one("EUR", "USD")
    assert len(fake_service.requests) == 1


def test_an_error_without_a_body_of_ours_is_still_one(kind: Any, fake_service: FakeService, fake_address: str) -> None:
    fake_service.responses = [(500, {"detail": "x"}, {})]
    with pytest.raises(errors.ServerFailed, match=r"\(HTTP 500\)"):
        kind(fake_address, KEY).fetch_all()
    assert len(fake_service.requests) == 1
    fake_service.responses = [(503, b"busy", {"Content-Type": "text/plain"})]
    with pytest.raises(errors.Unavailable):
        kind(fake_address, KEY, retries=NO_RETRIES).fetch_all()


def test_the_text_of_an_error_is_printable(fake_service: FakeService, fake_address: str) -> None:
    fake_service.responses = [(400, {"error": "\x1b[31m" + "x" * 2000, "code": "bad_parameter"}, {})]
    with pytest.raises(errors.BadRequest) as refused:
        Cambist(fake_address, KEY).fetch_all()
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) == 1000


# Retries


def test_a_busy_service_is_asked_again_after_the_time_it_says(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float]
) -> None:
    fake_service.responses = [(429, BUSY, {"Retry-After": "2"}), (503, UNAVAILABLE, {}), (200, RATE, {})]
    assert kind(fake_address, KEY).fetch_one("EUR", "USD").rate == Decimal("1.1")
    assert len(fake_service.requests) == 3
    assert 2.125 <= pauses[0] <= 2.25
    assert 0.125 <= pauses[1] <= 0.25


def test_a_rate_limit_is_waited_for_as_often_as_needed(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float]
) -> None:
    fake_service.responses = [*[(429, BUSY, {"Retry-After": "1"})] * 20, (200, RATE, {})]
    assert kind(fake_address, KEY).fetch_one("EUR", "USD").rate == Decimal("1.1")
    assert len(pauses) == 20
    assert all(1 < pause <= 1.25 for pause in pauses)


@pytest.mark.parametrize(("retries", "sent"), [(Retries(max_wait=3), 3), (NO_RETRIES, 1), (Retries(max_pause=0.5), 1)])
def test_a_rate_limit_is_not_waited_for_longer_than_allowed(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float], retries: Retries, sent: int
) -> None:
    fake_service.responses = [(429, BUSY, {"Retry-After": "1"})]
    with pytest.raises(errors.RateLimited):
        kind(fake_address, KEY, retries=retries).fetch_one("EUR", "USD")
    assert (len(fake_service.requests), len(pauses)) == (sent, sent - 1)


class RateLimitedService:
    """Answers `rate` requests, and refuses as many as come after them until somebody has waited."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.left = rate
        self.refused = 0
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        with self._lock:
            self.left -= 1
            is_refused = self.left < 0
            self.refused += is_refused
        answer = FakeService([(429, BUSY, {"Retry-After": "1"}) if is_refused else (200, RATE, {})])
        return answer(environ, start_response)

    def refill(self) -> None:
        with self._lock:
            self.left = self.rate


@pytest.mark.long
def test_hundreds_of_calls_at_once_wait_for_their_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    service = RateLimitedService(30)
    sleep = asyncio.sleep

    async def pause(seconds: float) -> None:
        await sleep(seconds / 50)
        service.refill()

    async def gather(url: str) -> list[Any]:
        async with AsyncCambist(url, KEY) as client:
            return await asyncio.gather(*(client.fetch_one("EUR", "USD") for _ in range(200)))

    monkeypatch.setattr(async_client.asyncio, "sleep", pause)
    with serving(service) as url:
        assert [one.rate for one in asyncio.run(gather(url))] == [Decimal("1.1")] * 200
    assert service.refused > 0


@pytest.mark.long
def test_threads_wait_for_their_rate_too(monkeypatch: pytest.MonkeyPatch) -> None:
    service = RateLimitedService(30)
    monkeypatch.setattr(sync_client.time, "sleep", lambda _: service.refill())
    with serving(service) as url, Cambist(url, KEY) as client, ThreadPoolExecutor(50) as pool:
        found = list(pool.map(lambda _: client.fetch_one("EUR", "USD").rate, range(200)))
    assert found == [Decimal("1.1")] * 200
    assert service.refused > 0


def test_attempts_end(kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float]) -> None:
    fake_service.responses = [(503, UNAVAILABLE, {"Retry-After": "1"})]
    with pytest.raises(errors.Unavailable) as last:
        kind(fake_address, KEY, retries=Retries(attempts=4)).fetch_one("EUR", "KPW")
    assert (len(fake_service.requests), len(pauses), last.value.retry_after) == (4, 3, 1)


@pytest.mark.parametrize(
    "response",
    [
        (429, {"error": "Quota spent", "code": "quota_spent"}, {"Retry-After": "1"}),
        (429, {"error": "Too many failed API keys", "code": "too_many_failures"}, {"Retry-After": "1"}),
        (503, UNAVAILABLE, {"Retry-After": "60"}),
        (400, {"error": "Missing parameter: [to]", "code": "bad_parameter"}, {}),
        (404, {"error": "No rate", "code": "no_rate"}, {}),
    ],
)
def test_what_would_fail_again_is_asked_once(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float], response: Any
) -> None:
    fake_service.responses = [response, (200, RATE, {})]
    with pytest.raises(errors.ServiceError, match=response[1]["error"].replace("[", r"\[")):
        kind(fake_address, KEY).fetch_one("EUR", "USD")
    assert (len(fake_service.requests), pauses) == (1, [])


def test_a_failed_connection_is_tried_again_with_growing_pauses(kind: Any, pauses: list[float]) -> None:
    with pytest.raises(errors.ConnectionFailed):
        kind(NOBODY, KEY, retries=Retries(attempts=5, min_pause=1, max_pause=3)).fetch_all()
    longest = (1, 2, 3, 3)
    assert len(pauses) == 4
    assert all(limit / 2 <= pause <= limit for pause, limit in zip(pauses, longest, strict=True))


# Pages


def bars(first: int, count: int) -> dict[str, Any]:
    times = [datetime(2026, 11, 20, tzinfo=UTC) - timedelta(days=number) for number in range(first, first + count)]
    rows = [{"dtm": time.isoformat(), "o": 1, "h": 1.2, "l": 0.9, "c": 1.1, "bid": 1, "ask": 1.1} for time in times]
    page = {"pair": "EURUSD", "interval": "P1D", "limit": 100, "dtmfmt": "ISO", "tzOffset": "+00:00", "size": 1}
    return page | {"results": rows, "ms": 0}


@pytest.mark.parametrize("name", ["fx_ohlc_bars", "fx_quote_bars"])
def test_bars_are_read_to_their_end(kind: Any, fake_service: FakeService, fake_address: str, name: str) -> None:
    fake_service.responses = [(200, bars(0, 100), {}), (200, bars(100, 100), {}), (200, bars(200, 3), {})]
    rows = list(getattr(kind(fake_address, KEY), name)("EURUSD", date(2025, 1, 1)))
    assert len(rows) == len({row.dtm for row in rows}) == 203
    ends = [request["QUERY_STRING"].partition("end=")[2].partition("&")[0] for request in fake_service.requests]
    assert ends == ["", "2026-08-13T00:00:00%2B00:00", "2026-05-05T00:00:00%2B00:00"]
    assert all("start=2025-01-01" in request["QUERY_STRING"] for request in fake_service.requests)


def test_a_full_last_page_is_followed_by_an_empty_one(kind: Any, fake_service: FakeService, fake_address: str) -> None:
    fake_service.responses = [(200, bars(0, 100), {}), (200, bars(100, 0), {})]
    assert len(list(kind(fake_address, KEY).fx_ohlc_bars("EURUSD"))) == 100


def corrections(*days: str) -> dict[str, Any]:
    value = {"value": "1.10", "nominal": 1, "received_at": "2026-11-20T11:59:58Z"}
    rest = {"source": "ecb", "base": "EUR", "quote": "USD", "unit": "", "earlier": value, "corrected": value}
    return {"start": "2020-01-01", "end": "2026-11-20", "corrections": [{"date": day, **rest} for day in days], "ms": 0}


def test_corrections_of_a_day_that_two_pages_share_come_once(
    kind: Any, fake_service: FakeService, fake_address: str
) -> None:
    first = corrections(*["2026-11-02"] * 97, *["2026-11-01"] * 3)
    fake_service.responses = [(200, first, {}), (200, corrections(*["2026-11-01"] * 5, "2026-10-30"), {})]
    rows = list(kind(fake_address, KEY).all_corrections("EUR", "USD"))
    assert [rows.count(row) for row in dict.fromkeys(map(str, rows))] == [0, 0, 0]
    assert [str(row.date) for row in rows] == ["2026-11-02"] * 97 + ["2026-11-01"] * 5 + ["2026-10-30"]
    assert "end=2026-11-01" in fake_service.requests[1]["QUERY_STRING"]


def test_a_day_that_fills_a_page_does_not_hold_up_the_next(
    kind: Any, fake_service: FakeService, fake_address: str
) -> None:
    fake_service.responses = [(200, corrections(*["2026-11-02"] * 100), {}), (200, corrections("2026-10-30"), {})]
    assert len(list(kind(fake_address, KEY).all_corrections("EUR", "USD"))) == 101
    assert "end=2026-11-01" in fake_service.requests[1]["QUERY_STRING"]


# The client as a resource


def test_a_closed_client_asks_nobody(address: str) -> None:
    with Cambist(address, KEY) as client:
        assert client.usage().unlimited is True
    with pytest.raises(RuntimeError, match="closed"):
        client.usage()


def test_threads_share_a_client(address: str) -> None:
    with Cambist(address, KEY) as client, ThreadPoolExecutor(4) as pool:
        rates = list(pool.map(lambda _: client.fetch_one("EUR", "USD").rate, range(20)))
    assert len(rates) == 20
    assert len({*rates}) == 1


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """A proxy that the environment names."""
    proxy = FakeService([(200, RATE, {})])
    with serving(proxy) as url:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, url)
        yield proxy


def test_machines_elsewhere_are_asked_through_the_proxy_this_one_is_not(
    kind: Any, proxied: FakeService, address: str
) -> None:
    assert kind("http://rates.example", KEY).fetch_one("EUR", "USD").rate == Decimal("1.1")
    assert len(proxied.requests) == 1
    kind(address, KEY).fetch_one("EUR", "USD")
    assert len(proxied.requests) == 1


def test_a_series_is_shown_by_its_pairs_and_its_period(kind: Any, address: str) -> None:
    series = kind(address, KEY).series("EUR", ["USD", "JPY"], "2026-10-01", "2026-10-30")
    assert repr(series) == "<TimeSeriesResponse EUR to USD, JPY: 2026-10-01 to 2026-10-30, 30 days>"
