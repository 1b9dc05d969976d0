import json
from datetime import date
from decimal import Decimal

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.adapters.inforeuro import adapter


def row(code: object, value: str) -> str:
    return f'{{"country": "X", "currency": "Y", "isoA3Code": {json.dumps(code)}, "value": {value}, "comment": null}}'


def read(*rows: str, month: str = "2026-03") -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(rows)}]".encode(), month))


# What is read


def test_a_rate_is_foreign_units_per_euro_from_the_first_of_the_month() -> None:
    (fixing,) = read(row("USD", "1.1520"))
    assert fixing == Fixing("inforeuro", Pair("EUR", "USD"), date(2026, 3, 1), Decimal("1.1520"))
    assert str(fixing.value) == "1.1520"


def test_long_numbers_keep_all_their_digits() -> None:
    (fixing,) = read(row("VEF", "57698326.625251234567"))
    assert str(fixing.value) == "57698326.625251234567"


def test_a_currency_without_a_value_is_no_fixing() -> None:
    assert [fixing.pair.quote for fixing in read(row("KGS", "null"), row("USD", "1.15"))] == ["USD"]


def test_the_euros_own_countries_are_no_fixings() -> None:
    assert [fixing.pair.quote for fixing in read(row("EUR", "1"), row("EUR", "1.0"), row("USD", "1.15"))] == ["USD"]


@pytest.mark.parametrize(
    ("label", "month", "code"),
    [
        ("FRC", "1999-02", "CDF"),
        ("ZIG", "2026-09", "ZWG"),
        ("AOK", "2000-01", "AOA"),
        ("AOK", "2000-02", "AOA"),
        ("AOK", "2000-03", "AOK"),
        ("AOR", "2000-01", "AOR"),
        ("BYR", "2017-01", "BYR"),
    ],
)
def test_labels_that_are_wrong_in_their_month_are_the_codes_that_they_mean(label: str, month: str, code: str) -> None:
    (fixing,) = read(row(label, "5.5"), month=month)
    assert fixing.pair == Pair("EUR", code)


def test_old_and_new_units_of_one_month_are_two_currencies() -> None:
    assert len(read(row("BYN", "2.05"), row("BYR", "20500"), month="2017-01")) == 2


def test_its_rates_are_known_for_monthly_ones() -> None:
    assert adapter.source.pace is Pace.MONTHLY


# What is refused


def test_a_month_of_the_ecu_is_refused() -> None:
    with pytest.raises(SourceBroken, match="1998-12"):
        read(row("USD", "1.17"), month="1998-12")


@pytest.mark.parametrize("month", ["", "2026", "2026-3", "2026-13", "2026-03-01"])
def test_an_answer_about_no_month_is_refused(month: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(row("USD", "1.17"), month=month)


@pytest.mark.parametrize("code", ["", "usd", "US", "USDX", None, 840, " USD"])
def test_an_invalid_code_is_refused(code: object) -> None:
    with pytest.raises(SourceBroken):
        read(row(code, "1.17"))


@pytest.mark.parametrize("value", ["0", "-1.5", "1e400", '"n/a"', "true", "[]"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken):
        read(row("USD", value))


def test_a_currency_twice_is_refused_even_under_another_label() -> None:
    with pytest.raises(SourceBroken, match="CDF is given twice"):
        read(row("FRC", "2.9"), row("CDF", "2.9"), month="1999-02")


def test_a_euro_that_is_not_worth_a_euro_is_refused() -> None:
    with pytest.raises(SourceBroken, match="of itself"):
        read(row("EUR", "1.17"), row("USD", "1.15"))


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b'[{"isoA3Code": "USD"}]',
        b'[{"value": 1.5}]',
        b'[{"isoA3Code": "KGS", "value": null}]',
        b'{"code": 5, "message": "No rates"}',
    ],
)
def test_an_answer_of_another_kind_is_refused(content: bytes) -> None:
    with pytest.raises(SourceBroken, match="InforEuro: "):
        list(adapter.parse(content, "2026-03"))


# What is asked


def test_every_month_with_a_day_in_the_range_is_requested() -> None:
    asked = list(adapter.requests(date(2025, 12, 30), date(2026, 2, 1)))
    address = "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates"
    assert [request.url for request in asked] == [
        f"{address}?year=2025&month=12&lang=en",
        f"{address}?year=2026&month=1&lang=en",
        f"{address}?year=2026&month=2&lang=en",
    ]
    assert [request.subject for request in asked] == ["2025-12", "2026-01", "2026-02"]
    assert asked[0].first == asked[0].last == date(2025, 12, 1)
    assert asked[0].no_data_statuses == {404}


def test_nothing_is_requested_before_the_euro() -> None:
    assert [request.subject for request in adapter.requests(date(1994, 3, 1), date(1999, 1, 20))] == ["1999-01"]
