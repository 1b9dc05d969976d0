import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("fawazahmed0")
RECORDED = Path(__file__).parents[4] / "shared/payloads/fawazahmed0"


def read(rates: str, day: str = "2026-03-05") -> list[Fixing]:
    return list(adapter.parse(f'{{"date":"{day}","usd":{{"eur":0.8625,"usd":1,{rates}}}}}'.encode()))[1:]


# What is read


def test_rates_are_units_per_dollar_in_the_digits_published() -> None:
    assert read('"jpy":157.250') == [Fixing("fawazahmed0", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("157.250"))]
    assert [str(fixing.value) for fixing in read('"jpy":157.250,"bbd":2,"xau":2.25e-4')] == ["157.250", "2", "0.000225"]


def test_a_metal_is_in_troy_ounces_per_dollar() -> None:
    (fixing,) = read('"xau":0.0002421835')
    assert (fixing.pair, fixing.unit) == (Pair("USD", "XAU"), "")


@pytest.mark.parametrize("key", ["btc", "ada", "aave"])
def test_a_coin_is_read_as_units_per_dollar(key: str) -> None:
    (fixing,) = read(f'"{key}":0.0000112')
    assert (fixing.pair, str(fixing.value)) == (Pair("USD", key.upper()), "0.0000112")


@pytest.mark.parametrize("key", ["hrk", "bgn", "zwl", "sll", "vef", "mro", "std", "byr", "ang", "cuc", "dem"])
def test_a_dead_currency_that_goes_on_floating_is_not_read(key: str) -> None:
    assert read(f'"{key}":1.5,"jpy":157.25') == read('"jpy":157.25')


@pytest.mark.parametrize("key", ["xbt", "bsv", "luna", "1inch", "paxg", "cnh", "usdt", "JPY", "Jpy", "\u017fek"])
def test_other_keys_are_skipped(key: str) -> None:
    assert read(f'"{key}":1.5') == []


def test_the_syrian_pound_is_not_read_for_it_is_the_old_one() -> None:
    assert read('"syp":13003.4') == []


def test_unused_fields_may_be_anything() -> None:
    assert read('"xbt":0') == []
    assert read('"xbt":"many"') == []


# What is refused


@pytest.mark.parametrize("value", ["0", "-1.5", "1e400", '"157.25x"', "null", "1e-30"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken):
        read(f'"jpy":{value}')


@pytest.mark.parametrize("day", ["2024-03-01", "2026-3-5", "latest", "05.03.2026", ""])
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read('"jpy":157.25', day)


@pytest.mark.parametrize(
    "rates",
    [
        {"eur": 0.8625},
        {"usd": 1},
        {"usd": 1.16, "eur": 1},
        {"usd": 0, "eur": 0.8625},
        {},
    ],
)
def test_rates_that_are_not_per_dollar_are_refused(rates: dict[str, float]) -> None:
    with pytest.raises(SourceBroken, match="per dollar"):
        list(adapter.parse(json.dumps({"date": "2026-03-05", "usd": rates}).encode()))


@pytest.mark.parametrize("document", [{"date": "2026-03-05"}, {"usd": {}}, {"date": "2026-03-05", "eur": {"usd": 1}}])
def test_a_document_of_another_kind_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(SourceBroken, match="fawazahmed0: "):
        list(adapter.parse(json.dumps(document).encode()))


# What is asked


def test_one_day_is_requested_after_the_other_weekends_too() -> None:
    asked = list(adapter.requests(date(2026, 2, 27), date(2026, 3, 1)))
    package = "https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@"
    assert [request.url for request in asked] == [
        f"{package}{day}/v1/currencies/usd.min.json" for day in ("2026-02-27", "2026-02-28", "2026-03-01")
    ]
    assert [request.first for request in asked] == [request.last for request in asked]
    assert asked[0].no_data_statuses == {404}


def test_nothing_is_requested_before_the_first_package() -> None:
    assert [request.first for request in adapter.requests(date(1999, 1, 1), date(2024, 3, 3))] == [
        date(2024, 3, 2),
        date(2024, 3, 3),
    ]


def test_it_is_used_only_where_others_are_missing() -> None:
    assert adapter.source.compiled
    assert adapter.source.is_on_by_default


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_day_is_read_without_what_is_dead_or_no_currency() -> None:
    fixings = list(adapter.parse((RECORDED / "usd.json").read_bytes()))
    read_of_it = {fixing.pair.quote for fixing in fixings}
    metals, coins = {"XAU", "XAG", "XPT", "XPD"}, COINS.keys() - CURRENCIES.keys()
    assert {code for code in read_of_it - metals - coins if CURRENCIES[code].last_day is not None} == set()
    assert metals <= read_of_it
    assert (len(fixings), len(read_of_it & coins)) == (195, 36)
    assert {fixing.day for fixing in fixings} == {date(2026, 9, 29)}
    assert Fixing("fawazahmed0", Pair("USD", "XAU"), date(2026, 9, 29), Decimal("0.0002421835")) in fixings
    assert Fixing("fawazahmed0", Pair("USD", "VES"), date(2026, 9, 29), Decimal("856.79508184")) in fixings
    assert Fixing("fawazahmed0", Pair("USD", "BHD"), date(2026, 9, 29), Decimal("0.376")) in fixings


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_day_per_euro_is_refused() -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse((RECORDED / "eur.json").read_bytes()))
