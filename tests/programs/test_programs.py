"""Programs that nobody here wrote, unmodified, against a running service. Their numbers are those of our endpoints."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.programs.conftest import CLOSED_AT

pytestmark = [pytest.mark.service]

ADDRESS = "http://127.0.0.1"
DAY = "2024-02-29"
DRIVERS = Path(__file__).parents[1] / "drivers"
MODULES = Path(sys.prefix) / "drivers" / "node_modules"


def latest(place, base, quote):
    return place.ask(f"/fetch-one?from={base}&to={quote}")["result"][quote]


def on_day(place, base, quote, day=DAY):
    return place.ask(f"/historical?date={day}&from={base}&to={quote}")["results"][quote]


@pytest.mark.parametrize(
    ("backend", "settings", "base"),
    [
        (
            "OpenExchangeRatesBackend",
            {"OPEN_EXCHANGE_RATES_URL": f"{ADDRESS}/api/latest.json", "BASE_CURRENCY": "USD"},
            "USD",
        ),
        ("FixerBackend", {"FIXER_URL": f"{ADDRESS}/fixer/latest", "BASE_CURRENCY": "EUR"}, "EUR"),
    ],
)
def test_django_money(place, backend, settings, base):
    keys = {"OPEN_EXCHANGE_RATES_APP_ID": place.key, "FIXER_ACCESS_KEY": place.key}
    found = place.script(
        "run_django_money", f"djmoney.contrib.exchange.backends.{backend}", json.dumps(settings | keys)
    )
    assert found["base"] == base
    expected = place.ask(f"/fetch-all?from={base}")["results"]
    assert {code: found["rates"][code] for code in expected} == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert found["rates"]["JPY"] == pytest.approx(expected["JPY"], abs=5e-7)  # it stores six decimals
    assert found["converted"] == pytest.approx(100 * expected["JPY"], rel=1e-6)


def test_currency_converter_by_address(place):
    for name in ("eurofxref-hist.zip", "eurofxref-hist.csv"):
        found = place.script("run_currency_converter", f"{ADDRESS}/stats/eurofxref/{name}")
        assert found["days"] == {day: on_day(place, "EUR", "USD", day) for day in found["days"]}
        assert found["first"] == "1999-01-04"


def test_forex_python(place):
    found = place.script("run_forex_python")
    assert found["rate"] == latest(place, "USD", "EUR")
    assert found["rates"] == place.ask("/fetch-all?from=GBP")["results"]
    assert found["on_day"] == on_day(place, "USD", "EUR")
    assert found["converted"] == pytest.approx(10 * on_day(place, "USD", "JPY"))


def test_aioopenexchangerates(place):
    found = place.script("run_aioopenexchangerates", place.key)
    assert found["rates"] == {code: latest(place, "EUR", code) for code in ("USD", "JPY")}
    assert (found["base"], found["refused"]) == ("EUR", True)
    assert found["names"] > 100


def test_openexchangerate(place):
    found = place.script("run_openexchangerate", place.key)
    assert place.ask("/fetch-all?from=USD")["results"].items() <= found["latest"].items()
    assert found["historical"]["EUR"] == on_day(place, "USD", "EUR")
    assert found["names"]["EUR"] == "Euro"


def test_django_prices_openexchangerates(place):
    found = place.script("run_django_prices", place.key)
    assert found["converted"] == pytest.approx(10 * latest(place, "USD", "JPY"), rel=1e-6)
    assert len(found["rates"]) > 100


def test_pricehist(place):
    program = str(Path(place.python).parent / "pricehist")
    table = place.run(program, "fetch", "ecb", "EUR/USD", "-s", "2024-02-28", "-e", "2024-03-04", "-o", "csv")
    found = {row["date"]: float(row["amount"]) for row in csv.DictReader(io.StringIO(table))}
    assert list(found) == ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04"]
    assert found == {day: on_day(place, "EUR", "USD", day) for day in found}


def test_beanprice_ratesapi(place):
    found = place.script("run_beanprice", "ratesapi", "EUR-CHF")
    assert found["past"] == on_day(place, "EUR", "CHF", "2024-03-01")
    assert (found["past_day"], found["quote"]) == ("2024-03-01", "CHF")
    assert found["latest"] > 0


def test_beanprice_ecbrates(place):
    found = place.script("run_beanprice", "ecbrates", "EUR-CHF")
    assert (found["past"], found["past_day"]) == (
        pytest.approx(on_day(place, "EUR", "CHF", "2024-03-01"), rel=1e-5),  # it rounds to the digits it was told
        "2024-03-01",
    )


def test_sdmx1(place):
    found = place.script("run_sdmx1", ADDRESS)
    days = ("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04")
    expected = {f"{code} {day}": on_day(place, "EUR", code, day) for code in ("USD", "JPY") for day in days}
    assert found == expected


def test_easy_exchange_rates(place):
    found = place.script("run_easy_exchange_rates")
    days = ("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04")
    assert found == {code: {day: on_day(place, "EUR", code, day) for day in days} for code in ("JPY", "USD")}


def test_py_currency_converter(place):
    found = place.script("run_py_currency_converter")
    assert found == {code: pytest.approx(10 * latest(place, "EUR", code)) for code in ("USD", "JPY")}


@pytest.fixture
def node():
    found = shutil.which("node")
    if found is None or not (MODULES / "easy-currencies").is_dir():
        pytest.skip(f"the npm packages are not in {MODULES}: `make test` puts them there where there is npm")
    return found


def test_easy_currencies(place, node):
    found = json.loads(place.run(node, str(DRIVERS / "easy_currencies.cjs"), ADDRESS, NODE_PATH=str(MODULES)))
    rates = place.ask("/v1/latest?symbols=JPY")["rates"]
    assert found["converted"] == [pytest.approx(10 * rates["JPY"])] * 2
    assert found["asked"] >= 1


def test_open_exchange_rates_with_money(place, node):
    script = str(DRIVERS / "open_exchange_rates.cjs")
    found = json.loads(place.run(node, script, ADDRESS, place.key, NODE_PATH=str(MODULES)))
    assert place.ask("/fetch-all?from=USD")["results"].items() <= found["rates"].items()
    assert found["converted"] == pytest.approx(100 * latest(place, "EUR", "GBP"))
    assert found["historical"]["EUR"] == on_day(place, "USD", "EUR")


@pytest.mark.parametrize("source", ["ECB", "OpenExchange", "Fixer"])
def test_finance_quote(place, source):
    perl = shutil.which("perl")
    if (
        perl is None
        or subprocess.run([perl, "-MFinance::Quote", "-e", "1"], capture_output=True, check=False).returncode
    ):
        pytest.skip("Debian's libfinance-quote-perl is not installed")
    found = float(place.run(perl, str(Path(__file__).parent / "scripts" / "run_finance_quote.pl"), source, place.key))
    if source == "ECB":
        day = place.ask("/v1/latest")["date"]
        assert found == pytest.approx(on_day(place, "EUR", "USD", day), rel=0.05)
    else:
        assert found == pytest.approx(latest(place, "EUR", "USD"))


def test_the_calls_are_charged_to_the_account(place):
    before = place.ask("/usage")["current_period"]["usage"]
    place.script("run_forex_python")
    assert place.ask("/usage")["current_period"]["usage"] == before + 5  # four of the program, and the question before


def coin(place, base, quote):
    """What a coin costs now, with the digits of /fetch-one."""
    return place.ask(f"/fetch-one?from={base}&to={quote}")["result"][quote]


def closed(day, code, place):
    """What a bitcoin closed at on a day."""
    dollars = float(CLOSED_AT["BTC"][date.fromisoformat(day)])
    return dollars if code == "USD" else dollars * on_day(place, "USD", code, day)


def test_pycoingecko(place):
    found = place.script("run_pycoingecko", place.key)
    assert list(found["ping"]) == ["gecko_says"]
    codes = {"bitcoin": "BTC", "ethereum": "ETH"}
    for name, code in codes.items():
        expected = {quote: pytest.approx(coin(place, code, quote.upper())) for quote in ("usd", "eur")}
        assert found["prices"][name] == expected
        assert found["markets"][name] == pytest.approx(coin(place, code, "USD"))
    assert {"usd", "eur", "jpy"} <= set(found["currencies"])
    assert found["coins"].items() >= {"bitcoin": "btc", "ethereum": "eth"}.items()
    assert len(found["coins"]) > 80
    assert found["past"] == pytest.approx(closed(DAY, "EUR", place))
    assert found["refused"]


def test_cryptocompare(place):
    found = place.script("run_cryptocompare", place.key)
    assert found["price"] == {"BTC": {"EUR": pytest.approx(coin(place, "BTC", "EUR"))}}
    assert found["prices"] == {
        base: {quote: pytest.approx(coin(place, base, quote)) for quote in ("USD", "JPY")} for base in ("BTC", "ETH")
    }
    days = [(datetime.fromtimestamp(each["time"], UTC).date(), each["close"]) for each in found["days"]]
    assert days == [(day, pytest.approx(float(close))) for day, close in CLOSED_AT["BTC"].items()]
    assert found["unknown"] is None


def test_currencylayer(place):
    found = place.script("run_currencylayer", place.key)
    assert found["names"]["currencies"]["EUR"] == "Euro"
    assert found["live"]["source"] == "EUR"
    assert found["live"]["quotes"]["EURUSD"] == pytest.approx(latest(place, "EUR", "USD"))
    assert found["some"]["quotes"] == {
        "USDGBP": pytest.approx(latest(place, "USD", "GBP")),
        "USDJPY": pytest.approx(latest(place, "USD", "JPY")),
    }
    assert (found["historical"]["date"], found["historical"]["historical"]) == (DAY, True)
    assert found["historical"]["quotes"]["GBPEUR"] == pytest.approx(on_day(place, "GBP", "EUR"))
    assert found["converted"]["result"] == pytest.approx(10 * on_day(place, "USD", "JPY"))
    assert list(found["timeframe"]["quotes"]) == ["2024-02-28", "2024-02-29", "2024-03-01"]
    assert found["timeframe"]["quotes"][DAY]["USDEUR"] == pytest.approx(on_day(place, "USD", "EUR"))
    first, last = (on_day(place, "USD", "EUR", day) for day in ("2024-02-28", "2024-03-01"))
    assert found["change"]["quotes"]["USDEUR"]["change_pct"] == pytest.approx((last / first - 1) * 100, abs=1e-3)
    assert (found["refused"]["success"], found["refused"]["error"]["code"]) == (False, 101)


def test_pymempool(place):
    found = place.script("run_pymempool")
    assert found["prices"]["EUR"] == pytest.approx(coin(place, "BTC", "EUR"), abs=1)  # whole numbers, as the original
    (price,) = found["past"]["prices"]
    assert price["EUR"] == pytest.approx(closed(DAY, "EUR", place), abs=1)


def test_beanprice_coinbase(place):
    found = place.script("run_beanprice", "coinbase", "BTC-GBP")
    assert found["latest"] == pytest.approx(coin(place, "BTC", "GBP"), abs=0.01)
    assert (found["past"], found["past_day"], found["quote"]) == (
        pytest.approx(closed("2024-03-02", "GBP", place), abs=0.01),
        "2024-03-02",
        "GBP",
    )


def test_pricehist_yahoo(place):
    program = str(Path(place.python).parent / "pricehist")
    table = place.run(program, "fetch", "yahoo", "EURUSD=X", "-s", "2024-02-28", "-e", "2024-03-04", "-o", "csv")
    found = {row["date"]: float(row["amount"]) for row in csv.DictReader(io.StringIO(table))}
    assert list(found) == ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04"]
    assert found == {day: pytest.approx(on_day(place, "EUR", "USD", day)) for day in found}


def test_exchangerateapi(place):
    found = place.script("run_exchangerateapi", place.key)
    assert found["rates"]["USD"] == pytest.approx(latest(place, "EUR", "USD"))
    converted = found["pair"].partition(" = ")[2].partition(" JPY")[0]
    assert float(converted) == pytest.approx(10 * latest(place, "USD", "JPY"), rel=1e-6)
    assert found["past"]["EUR"] == pytest.approx(10 * on_day(place, "USD", "EUR"))
    assert "Quota Remaining" in found["quota"]
    assert found["refused"] == {}
