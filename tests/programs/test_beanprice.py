"""The real beanprice with the price source of `packages/beanprice-cambist`, against a running service."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from tests.programs.conftest import Place

pytestmark = [pytest.mark.service]

SOURCES = str(Path(__file__).parents[2] / "packages" / "beanprice-cambist" / "src")
SERIES = """
import json, sys
from datetime import UTC, datetime
from beanprice_cambist import Source
first, last = datetime(2024, 3, 1, 12, tzinfo=UTC), datetime(2024, 3, 5, 12, tzinfo=UTC)
found = Source().get_prices_series(sys.argv[1], first, last)
print(json.dumps({str(each.time.date()): str(each.price) for each in found}))
"""

LATEST = """
import logging, sys
from beanprice_cambist import Source
logging.basicConfig(stream=sys.stdout)
assert Source().get_latest_price(sys.argv[1]) is None
"""

Priced = Callable[..., str]


@pytest.fixture
def priced(place: Place) -> Priced:
    """Run `bean-price` and return what it writes."""

    def priced(*arguments: str, **environment: str) -> str:
        command = (str(Path(place.python).parent / "bean-price"), "--no-cache", *arguments)
        asked = {"PYTHONPATH": SOURCES, "CAMBIST_URL": "http://127.0.0.1", "CAMBIST_KEY": place.key, "TZ": "UTC"}
        return place.run(*command, **(asked | environment))

    return priced


def price(text: str) -> tuple[str, str, Decimal, str]:
    """Return day, base, rate and quote currency of the one price directive."""
    ((day, base, rate, quote),) = re.findall(r"^(\S+) price (\S+) +([\d.]+) (\S+)$", text, re.MULTILINE)
    return day, base, Decimal(rate), quote


@pytest.mark.parametrize("pair", ["EUR-USD", "XAU-EUR", "BTC-USD"])
def test_the_latest_price_is_that_of_the_service(place: Place, priced: Priced, pair: str) -> None:
    base, quote = pair.split("-")
    answer = place.ask(f"/fetch-one?from={base}&to={quote}")
    day, _, rate, currency = price(priced("-e", f"{quote}:beanprice_cambist/{pair}"))
    assert (rate, currency) == (Decimal(str(answer["result"][quote])), quote)
    assert day == answer["updated"][:10]


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "Pacific/Honolulu"])
def test_a_past_price_has_the_day_of_its_fixing_in_every_time_zone(place: Place, priced: Priced, zone: str) -> None:
    """2024-03-02 was a Saturday."""
    asked = ("--date", "2024-03-02", "-e", "CHF:beanprice_cambist/EUR-CHF")
    day, _, rate, quote = price(priced(*asked, TZ=zone))
    assert (day, quote) == ("2024-03-01", "CHF")
    assert rate == Decimal(str(place.ask("/historical?date=2024-03-01&from=EUR&to=CHF")["results"]["CHF"]))


def test_the_prices_of_a_book_are_fetched(priced: Priced, tmp_path: Path) -> None:
    book = tmp_path / "book.beancount"
    book.write_text(
        '2020-01-01 commodity EUR\n  price: "USD:beanprice_cambist/EUR-USD"\n'
        "2020-01-01 open Assets:Cash\n2020-01-01 open Equity:Start\n"
        '2024-01-02 * "start"\n  Assets:Cash  10 EUR @ 1.09 USD\n  Equity:Start\n'
    )
    day, base, _, quote = price(priced("--date", "2024-03-01", str(book)))
    assert (day, base, quote) == ("2024-03-01", "EUR", "USD")


def test_a_series_has_the_days_with_a_fixing(place: Place) -> None:
    environment = {"PYTHONPATH": SOURCES, "CAMBIST_URL": "http://127.0.0.1", "CAMBIST_KEY": place.key, "TZ": "UTC"}
    found = place.run(place.python, "-c", SERIES, "EUR-USD", **environment)
    assert re.findall(r"2024-\d\d-\d\d", found) == ["2024-03-01", "2024-03-04", "2024-03-05"]


@pytest.mark.parametrize(
    ("environment", "ticker", "sentence"),
    [
        ({}, "EUR-XYZ", "Invalid/unsupported target currency: [XYZ]"),
        ({}, "EURUSD", "Invalid ticker: [EURUSD]"),
        ({"CAMBIST_KEY": ""}, "EUR-USD", "key"),
        ({"CAMBIST_URL": ""}, "EUR-USD", "Set CAMBIST_URL"),
        ({"CAMBIST_URL": "http://127.0.0.1:1"}, "EUR-USD", "does not answer"),
    ],
)
def test_what_is_wrong_is_said_and_the_next_source_is_asked(
    place: Place, environment: dict[str, str], ticker: str, sentence: str
) -> None:
    asked = {"PYTHONPATH": SOURCES, "CAMBIST_URL": "http://127.0.0.1", "CAMBIST_KEY": place.key} | environment
    assert sentence in place.run(place.python, "-c", LATEST, ticker, **asked)
