"""The real Finance::Quote with the module of `packages/finance-quote`, against a running service."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.programs.conftest import SCRIPTS, Place

pytestmark = [pytest.mark.service]

LIBRARY = str(Path(__file__).parents[2] / "packages" / "finance-quote" / "lib")
URL = "http://127.0.0.1"


def quoted(place: Place, url: str, key: str, *symbols: str, **environment: str) -> Any:
    perl = shutil.which("perl")
    if (
        perl is None
        or subprocess.run([perl, "-MFinance::Quote", "-e", "1"], capture_output=True, check=False).returncode
    ):
        pytest.skip("Debian's libfinance-quote-perl is not installed")
    script = str(SCRIPTS / "run_finance_quote_cambist.pl")
    out = place.run(perl, script, url, key, *symbols, PERL5LIB=LIBRARY, **environment)
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module")
def found(place: Place) -> Any:
    return quoted(place, URL, place.key, "EUR/USD", "xau/eur", "BTC-USD", "GBP", "EUR/XYZ", "EUR/US D")


@pytest.mark.parametrize(
    ("symbol", "base", "quote"),
    [("EUR/USD", "EUR", "USD"), ("xau/eur", "XAU", "EUR"), ("BTC-USD", "BTC", "USD"), ("GBP", "GBP", "USD")],
)
def test_a_price_is_that_of_the_service(place: Place, found: Any, symbol: str, base: str, quote: str) -> None:
    answer, price = place.ask(f"/fetch-one?from={base}&to={quote}"), found["prices"][symbol]
    assert float(price["last"]) == float(price["price"]) == answer["result"][quote]
    assert (price["success"], price["currency"]) == ("1", quote)
    assert f"{price['isodate']}T{price['time']}Z" == answer["updated"]


def test_a_price_that_is_not_there_has_the_sentence_of_the_service(found: Any) -> None:
    assert found["prices"]["EUR/XYZ"]["success"] == "0"
    assert found["prices"]["EUR/XYZ"]["errormsg"] == "Invalid/unsupported target currency: [XYZ]"
    assert "Invalid symbol: [EUR/US D]" in found["prices"]["EUR/US D"]["errormsg"]


def test_currencies_and_metals_are_converted(place: Place, found: Any) -> None:
    pairs = (("EUR", "USD"), ("EUR", "JPY"), ("XAU", "CHF"))
    rates = [place.ask(f"/fetch-one?from={base}&to={quote}")["result"][quote] for base, quote in pairs]
    assert found["converted"] == pytest.approx([rates[0], 10 * rates[1], rates[2]])


def test_programs_that_load_it_by_the_environment_need_no_code(place: Place, found: Any) -> None:
    environment = {"FQ_LOAD_QUOTELET": "-defaults Cambist", "CAMBIST_URL": f"{URL}/", "CAMBIST_KEY": place.key}
    by_environment = quoted(place, "", "", "EUR/USD", **environment)
    assert by_environment["prices"]["EUR/USD"] == found["prices"]["EUR/USD"]
    assert by_environment["converted"] == found["converted"]


@pytest.mark.parametrize(
    ("url", "key", "sentence"),
    [("", "", "Set URL or CAMBIST_URL"), (URL, "cmb_no", "key"), ("http://127.0.0.1:1", "", "does not answer")],
)
def test_what_is_wrong_is_said(place: Place, url: str, key: str, sentence: str) -> None:
    wrong = quoted(place, url, key, "EUR/USD")
    assert sentence in wrong["prices"]["EUR/USD"]["errormsg"]
    assert wrong["converted"] == [None, None, None]
