"""The Python client reads every answer of a running service, with every value that was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.client.same_values import check_same
from tests.patience import PATIENCE
from tests.service.processes import until
from tests.service.streams import Service, serving

from cambist.client import AsyncCambist, Cambist, Interval
from cambist.client.answers import RawAnswer
from cambist.client.call import Call
from cambist.client.endpoints import (
    account,
    alerts,
    bars,
    booking,
    explanations,
    history,
    lists,
    quotes,
    rates,
    revisions,
)
from cambist.client.endpoints.bulk import AmountToConvert
from cambist.client.errors import ServiceError
from cambist.client.price_stream import Reconnecting
from cambist.client.protocol import Response, parse_response
from cambist.client.sandbox import SandboxAddress
from cambist.client.stream_messages import Disconnected, Event, Price, Subscribed

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

OPENAPI = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
DAY, MONTH = date(2024, 2, 29), (date(2024, 2, 1), date(2024, 2, 29))
CALLS: tuple[Call[Any], ...] = (
    rates.fetch_one("BTC", "EUR"),
    rates.fetch_multi("XAU", ["USD", "KWD"]),
    rates.fetch_all("JPY"),
    rates.fetch_many_to_one("EUR,GBP", "USD"),
    rates.fetch_matrix(["EUR", "GBP"], ["JPY", "VND"]),
    rates.convert("19.99", "EUR", "JPY", precision=7),
    rates.convert(10**9, "EUR", "JPY", date=DAY),
    history.historical(DAY, "EUR", verbose=True),
    history.time_series("EUR", ["USD", "VND"], *MONTH, verbose=True),
    booking.averages("EUR", ["USD", "VND"], *MONTH, by="week"),
    booking.booking_rules(),
    booking.price_list("12.50", "EUR", "USD,CHF", markup="2.5%", rounding="up"),
    revisions.corrections("EUR", "USD"),
    revisions.vintages("EUR", "USD", "2026-03-06"),
    explanations.explain("EUR", "JPY"),
    explanations.explain("EUR", "JPY", date=DAY),
    explanations.sources(),
    explanations.coverage(),
    lists.currencies(all_=True),
    lists.crypto_currencies(),
    lists.crypto_pairs(),
    lists.fx_pairs(),
    lists.fx_currencies(),
    lists.fx_pairs_quote_sizes(),
    lists.metals_instruments(),
    lists.metals_purities(),
    lists.metals_units(),
    lists.metals_list(),
    quotes.crypto_fetch_prices(["BTC/USD", "NOP/USD"], partial=True),
    quotes.fx_quote("EURUSD,USD/JPY"),
    quotes.metals_spot("XAU", "EUR", unit="gram", purity=750, verbose=True),
    quotes.metals_spot("XCU", verbose=True),
    quotes.metals_quote(["XAUUSD", "XAUXAG", "NOPNOP"], verbose=True),
    bars.fx_pairs_historical_limits(Interval.HOUR),
    bars.fx_quote_time_series("EURUSD", *MONTH, interval=Interval.HOUR),
    bars.fx_ohlc_time_series("USDJPY", datetime(2024, 2, 28, 12, tzinfo=UTC), limit=3),
    account.usage(),
    alerts.alerts(),
)


@pytest.fixture(scope="module")
def client(sandbox_to_ask: SandboxAddress) -> Iterator[Cambist]:
    with Cambist(sandbox_to_ask.url, sandbox_to_ask.key) as client:
        yield client


def test_every_endpoint_is_called_here() -> None:
    assert {call.path for call in CALLS} == {path for path, methods in OPENAPI["paths"].items() if "get" in methods}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_an_answer_has_every_value_that_was_sent(client: Cambist, call: Call[Any]) -> None:
    sent = client.send(Call(call.path, RawAnswer, call.parameters))
    assert sent.headers.ignored == ()
    response = Response(200, {"content-type": "application/json"}, sent.content)
    read = parse_response(client.configuration, call, response)
    check_same(json.loads(sent.content, parse_float=str, parse_int=str), read)


def test_amounts_are_converted_in_one_request(client: Cambist) -> None:
    amounts = [AmountToConvert(Decimal("19.99"), "EUR", "JPY", DAY), AmountToConvert(1, "EUR", "ABC")]
    answer = client.convert_bulk(amounts, precision=4)
    one = client.convert("19.99", "EUR", "JPY", date=DAY, precision=4)
    assert (answer.results[0].result, answer.results[0].rate) == (one.converted, one.rate)
    assert (answer.results[1].result, "ABC" in answer.results[1].error) == (None, True)
    assert answer.headers.calls_cost == 1


def test_an_answer_may_be_asked_for_as_a_file(client: Cambist) -> None:
    series = client.time_series("EUR", "USD", *MONTH)
    lines = client.get("/time-series", {"from": "EUR", "to": "USD", "start": MONTH[0], "end": MONTH[1]}, "text/csv")
    rows = lines.content.decode().splitlines()[1:]
    assert len(rows) == len(series.results["USD"]) == 29
    assert all(str(rate) in row for row, rate in zip(rows, series.results["USD"].values(), strict=True))


def test_bars_of_many_pages_are_those_of_one_after_the_other(client: Cambist) -> None:
    start = datetime(2024, 2, 1, tzinfo=UTC)
    hours = list(client.fx_ohlc_bars("EURUSD", start, start + timedelta(days=14), interval=Interval.HOUR))
    times = [bar.dtm for bar in hours]
    assert len(times) > 200
    assert times == sorted({*times}, reverse=True)
    assert {*times[100:200]} == {
        bar.dtm for bar in client.fx_ohlc_time_series("EURUSD", start, times[99], interval=Interval.HOUR).results
    }


async def until_event(events: AsyncIterator[Event], kind: type[Event]) -> None:
    """Read events until one of a kind comes."""
    async with asyncio.timeout(PATIENCE):
        while not isinstance(await anext(events), kind):
            pass


@pytest.mark.long
def test_a_stream_goes_on_after_its_process_was_killed_and_ends_with_its_account(tmp_path: Path) -> None:
    async def watch(service: Service, key: str) -> None:
        async with AsyncCambist("http://127.0.0.1:1", key) as client:
            stream = client.stream(["BTC/USD", "NOPUSD"], url=f"ws://127.0.0.1:{service.port}")
            stream.reconnecting = Reconnecting(max_pause=1)
            async with aclosing(stream.events()) as events:
                assert await anext(events) == Subscribed(("NOPUSD",))
                await until_event(events, Price)
                service.kill(2)
                await until_event(events, Disconnected)
                await until_event(events, Subscribed)
                await until_event(events, Price)
                await asyncio.to_thread(service.run, "account", "suspend", "shop")
                with pytest.raises(ServiceError, match="suspended") as ended:
                    await until_event(events, Disconnected)
                assert ended.value.status in (401, 403)

    with serving(tmp_path) as service:
        shown = service.run("account", "create", "shop", "--plan", "premium")
        key = next(word for word in shown.split() if word.startswith("cmb_"))
        assert until(lambda: accepts(service, key), PATIENCE)
        asyncio.run(watch(service, key))


def accepts(service: Service, key: str) -> bool:
    """Return whether the stream knows a key yet."""
    with service.connect() as connection:
        connection.recv()
        connection.send(json.dumps({"op": "auth", "key": key}))
        return bool(json.loads(connection.recv())["status"] == 200)
