import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.boc_noon import adapter


def read(*observations: dict[str, Any]) -> list[Fixing]:
    return list(adapter.parse(json.dumps({"observations": observations}).encode()))


def day(text: str, **series: Any) -> dict[str, Any]:
    return {"d": text, "IEXE0101": {"v": "1.0160"}, **series}


# What is read


def test_a_rate_is_so_many_canadian_dollars_per_unit_in_the_digits_published() -> None:
    (fixing,) = read(day("2008-03-05"))
    assert fixing == Fixing("boc_noon", Pair("USD", "CAD"), date(2008, 3, 5), Decimal("1.0160"), 1)
    assert str(fixing.value) == "1.0160"


@pytest.mark.parametrize(
    ("series", "code"),
    [
        ("EUROCAE01", "EUR"),
        ("IEXE0701", "JPY"),
        ("IEXE1201", "GBP"),
        ("IEXE2702", "ARS"),
        ("IEXE2703", "ARS"),
        ("IEXE3801", "MMK"),
        ("IEXE3802", "MMK"),
        ("IEXE4701", "GHC"),
        ("IEXE4702", "GHS"),
        ("IEXE5901", "VEB"),
        ("IEXE5902", "VEF"),
        ("IEXE6506", "AED"),
    ],
)
def test_a_series_is_known_by_its_number(series: str, code: str) -> None:
    assert read(day("2008-03-05", **{series: {"v": "0.5"}}))[1].pair == Pair(code, "CAD")


@pytest.mark.parametrize("series", ["IEXE0105", "IEXE0124", "IEXE0125"])
def test_forwards_are_no_rates_of_the_day(series: str) -> None:
    assert [fixing.pair.base for fixing in read(day("2008-03-05", **{series: {"v": "1.0161"}}))] == ["USD"]


def test_a_range_without_a_working_day_is_reported_as_nothing_published() -> None:
    with pytest.raises(NothingPublished, match="days asked"):
        read()


def test_a_fixing_shows_ottawas_noon() -> None:
    assert adapter.source.market_time(date(2008, 7, 1)) == datetime(2008, 7, 1, 16, tzinfo=UTC)


# What is refused


@pytest.mark.parametrize("series", ["IEXE9999", "FXUSDCAD", "USD_NOON", "IEXE0101.CL", "iexe0701"])
def test_a_series_that_is_not_known_is_refused_and_never_skipped(series: str) -> None:
    with pytest.raises(SourceBroken, match="it is not known what"):
        read(day("2008-03-05", **{series: {"v": "0.5"}}))


def test_two_series_of_one_currency_on_one_day_are_refused() -> None:
    with pytest.raises(SourceBroken, match="ARS/CAD is given twice"):
        read(day("2010-01-04", IEXE2702={"v": "0.27"}, IEXE2703={"v": "0.27"}))


def test_a_day_without_its_dollar_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2008-03-05 has no rate of the dollar"):
        read({"d": "2008-03-05", "IEXE0701": {"v": "0.0091"}})


@pytest.mark.parametrize("value", ["0.0091", {"v": ""}, {"v": None}, {"v": "Bank holiday"}, {"v": "0"}, {}, None])
def test_an_invalid_rate_is_refused(value: Any) -> None:
    with pytest.raises(SourceBroken):
        read(day("2008-03-05", IEXE0701=value))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2008-03-05 is given twice"):
        read(day("2008-03-05"), day("2008-03-05"))


# What is asked


def test_it_is_requested_a_year_at_a_time_and_for_nothing_after_its_end() -> None:
    asked = list(adapter.requests(date(1999, 1, 1), date(2026, 3, 6)))
    assert [(each.first, each.last) for each in asked[:2]] == [
        (date(2007, 5, 1), date(2007, 12, 31)),
        (date(2008, 1, 1), date(2008, 12, 31)),
    ]
    assert asked[-1].url == (
        "https://www.bankofcanada.ca/valet/observations/group/LEGACY_NOON_RATES/json"
        "?start_date=2017-01-01&end_date=2017-04-28"
    )
    assert len(asked) == 11
    assert not list(adapter.requests(date(2026, 3, 2), date(2026, 3, 6)))


def test_it_is_never_polled() -> None:
    assert not adapter.source.schedule.days
