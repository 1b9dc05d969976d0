"""The service of `packages/php-exchanger`, with an HTTP client of others and stand-ins for Exchanger, on a sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.programs.conftest import SCRIPTS, Place

pytestmark = [pytest.mark.service]

SERVICE = str(Path(__file__).parents[2] / "packages" / "php-exchanger" / "src" / "CambistService.php")
URL = "http://127.0.0.1"
FRIDAY, SUNDAY = "2024-02-23", "2024-02-25"
LIVE = (("EUR", "USD"), ("XAU", "EUR"), ("BTC", "USD"))


def question(base: str, quote: str, day: str | None = None, **more: Any) -> dict[str, Any]:
    return {"url": URL, "base": base, "quote": quote, "day": day, "options": {}, **more}


@pytest.fixture(scope="module")
def answers(place: Place) -> list[Any]:
    php = shutil.which("php")
    libraries = ("Psr/Http/Client", "Nyholm/Psr7", "Symfony/Component/HttpClient")
    probe = "".join(f"require '{library}/autoload.php';" for library in libraries)
    if php is None or subprocess.run([php, "-r", probe], capture_output=True, check=False).returncode:
        pytest.skip("Debian's PHP or one of its HTTP clients is not installed")
    questions = [
        *(question(*pair, url=f"{URL}/") for pair in LIVE),
        question("EUR", "USD", SUNDAY),
        question("EUR", "PLN", FRIDAY, options={"rule": "before", "cache_ttl": 60}),
        question("EUR", "XYZ"),
        question("EUR", "USD", "1900-01-01"),
        question("EUR", "USD", api_key="cmb_no"),
        question("EUR", "USD", url=f"{URL}/health"),
        question("EUR", "USD", url=""),
    ]
    asked = json.dumps([{"api_key": place.key, **one} for one in questions])
    return list(json.loads(place.run(php, str(SCRIPTS / "run_php_exchanger.php"), SERVICE, asked)))


@pytest.mark.parametrize(("number", "pair"), list(enumerate(LIVE)))
def test_a_live_rate_is_that_of_the_service(
    place: Place, answers: list[Any], number: int, pair: tuple[str, str]
) -> None:
    told = place.ask("/fetch-one?from={}&to={}".format(*pair))
    assert (answers[number]["provider"], answers[number]["supported"]) == ("cambist", True)
    assert answers[number]["value"] == pytest.approx(told["result"][pair[1]], rel=0.02)  # the market moves
    assert told["updated"][:10] >= answers[number]["date"][:10] > "2026"


def test_the_rate_of_a_sunday_has_the_day_on_which_it_was_fixed(place: Place, answers: list[Any]) -> None:
    told = place.ask(f"/historical?date={SUNDAY}&from=EUR&to=USD")
    assert answers[3]["value"] == told["results"]["USD"]
    assert (answers[3]["date"], told["fixed_on"]) == ("2024-02-23T00:00:00Z", "2024-02-23")


def test_options_of_a_query_choose_whose_rates_they_are(place: Place, answers: list[Any]) -> None:
    day_before = place.ask(f"/historical?date={FRIDAY}&from=EUR&to=PLN&rule=before")
    assert answers[4]["value"] == day_before["results"]["PLN"]
    assert answers[4]["date"] == "2024-02-22T00:00:00Z"


def test_an_error_has_the_sentence_of_the_service_and_its_status(answers: list[Any]) -> None:
    errors = [(one["class"], one["error"], one["code"]) for one in answers[5:8]]
    assert {name for name, _, _ in errors} == {"Exchanger\\Exception\\Exception"}
    assert errors[0][1:] == ("Invalid/unsupported target currency: [XYZ]", 400)
    assert errors[1][1:] == ("Invalid date: [1900-01-01], history begins on 1970-01-01", 400)
    assert errors[2][2] == 401
    assert "key" in errors[2][1]


def test_another_place_and_a_missing_address_are_named(answers: list[Any]) -> None:
    assert answers[8]["code"] == 404
    assert (answers[9]["class"], 'option "url"' in answers[9]["error"]) == ("InvalidArgumentException", True)
