"""The Python client without the service's package, in programs of others: django-money, pandas, polars and pyarrow."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

pytestmark = [pytest.mark.service]

ADDRESS = "http://127.0.0.1"
BACKEND = "cambist.client.django_money.CambistBackend"


@pytest.mark.parametrize("base", ["EUR", "USD", "JPY"])
def test_django_money_stores_our_rates(place, client_folder, base):
    settings = {"CAMBIST_URL": ADDRESS, "CAMBIST_KEY": place.key, "BASE_CURRENCY": base}
    found = place.script("run_django_money", BACKEND, json.dumps(settings), PYTHONPATH=client_folder)
    expected = place.ask(f"/fetch-all?from={base}")["results"]
    assert found["base"] == base
    assert {*found["rates"]} == {code for code, rate in expected.items() if rate >= 1e-6}
    assert len(found["rates"]) > 100
    for code, rate in found["rates"].items():
        assert rate == pytest.approx(expected[code], abs=5.1e-7), code
    if base != "JPY":
        assert found["converted"] == pytest.approx(100 * expected["JPY"], rel=1e-6)


def test_django_money_takes_address_and_key_from_the_environment(place, client_folder):
    named = {"CAMBIST_URL": ADDRESS, "CAMBIST_KEY": place.key, "PYTHONPATH": client_folder}
    found = place.script("run_django_money", BACKEND, json.dumps({"BASE_CURRENCY": "EUR"}), **named)
    assert found["rates"]["USD"] == pytest.approx(place.ask("/fetch-one?from=EUR&to=USD")["result"]["USD"], abs=5.1e-7)


def test_a_project_without_a_key_is_told_which_setting_to_set(place, client_folder):
    with pytest.raises(AssertionError, match=r"ImproperlyConfigured: There is no API key.*CAMBIST_KEY"):
        place.script("run_django_money", BACKEND, "{}", PYTHONPATH=client_folder)


def test_frames_have_the_rates_of_the_series_with_all_their_digits(place, client_folder):
    named = {"CAMBIST_URL": ADDRESS, "CAMBIST_KEY": place.key, "PYTHONPATH": client_folder}
    found = place.script("read_series", **named)
    sent = place.ask("/time-series?from=EUR&to=USD,JPY&start=2024-02-26&end=2024-03-04")["results"]
    assert found["pandas"] == sent["JPY"]
    assert found["pandas types"] == ["M", "float64"]
    assert found["pandas mean"] == pytest.approx(sum(sent["USD"].values()) / len(sent["USD"]))
    for frame in ("exact", "polars", "arrow"):
        assert {day: Decimal(text) for day, text in found[frame].items()} == {
            day: Decimal(str(rate)) for day, rate in sent["JPY"].items()
        }, frame
    assert found["polars types"][0] == "Date"
    assert found["polars types"][1].startswith("Decimal(")
    assert found["arrow types"][0] == "date32[day]"
    assert found["arrow types"][1].startswith("decimal128(38, ")
    assert found["polars of arrow"]


def test_the_authorities_of_the_system_are_trusted_and_no_others(place, client_folder):
    code = "import sys; from cambist.client import Cambist; print(Cambist(*sys.argv[1:]).fetch_one('EUR', 'USD').rate)"
    ask = [place.python, "-c", code, "https://data.fixer.io", place.key]
    expected = place.ask("/fetch-one?from=EUR&to=USD")["result"]["USD"]
    assert float(place.run(*ask, PYTHONPATH=client_folder)) == expected
    with pytest.raises(
        AssertionError, match=r"ConnectionFailed: No service answers at https://data.fixer.io: .*certificate"
    ):
        place.run(*ask, PYTHONPATH=client_folder, SSL_CERT_FILE="")
