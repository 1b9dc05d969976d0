from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("nbu")
RECORDED = Path(__file__).parents[4] / "shared/payloads/nbu/nbu_01.json"


def record(code: str = "JPY", rate: str = "2.7680", units: str = "10", day: str = "05.03.2026") -> str:
    return f'{{"exchangedate":"{day}","cc":"{code}","rate":{rate},"units":{units},"calcdate":"04.03.2026"}}'


def read(*records: str) -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(records)}]".encode()))


# What is read


def test_a_rate_is_hryvnias_per_the_units_published() -> None:
    (fixing,) = read(record())
    assert fixing == Fixing("nbu", Pair("JPY", "UAH"), date(2026, 3, 5), Decimal("2.7680"), 10)
    assert str(fixing.value) == "2.7680"


def test_the_day_is_the_one_that_the_rate_is_for_and_not_the_one_on_which_it_was_set() -> None:
    assert [fixing.day for fixing in read(record())] == [date(2026, 3, 5)]


def test_a_weekend_carries_its_last_rate_as_published() -> None:
    days = [fixing.day for fixing in read(record(day="06.03.2026"), record(day="07.03.2026"), record(day="08.03.2026"))]
    assert days == [date(2026, 3, 6), date(2026, 3, 7), date(2026, 3, 8)]


@pytest.mark.parametrize("metal", ["XAU", "XAG", "XPT", "XPD"])
def test_metals_are_per_troy_ounce(metal: str) -> None:
    (fixing,) = read(record(metal, "224001.55", "1"))
    assert (fixing.unit, fixing.nominal, fixing.pair) == ("", 1, Pair(metal, "UAH"))


def test_the_sdr_is_the_xdr() -> None:
    assert read(record("XDR", "59.8001", "1"))[0].pair == Pair("XDR", "UAH")


@pytest.mark.parametrize(
    ("label", "day", "units", "code", "meant"),
    [
        ("TJS", "01.09.2000", "1000", "TJR", 1000),
        ("TJS", "30.10.2000", "1", "TJS", 1),
        ("RUR", "04.01.1999", "10", "RUB", 10),
        ("BGL", "30.07.1999", "1000", "BGL", 1000),
        ("BGL", "01.08.1999", "1", "BGN", 1),
        ("BGL", "31.12.1999", "1", "BGN", 1),
        ("BGL", "01.01.2000", "1000", "BGN", 100),
        ("TRL", "05.01.2005", "10000", "TRL", 10000),
        ("TRL", "06.01.2005", "10000", "TRY", 100),
        ("ROL", "30.06.2005", "10000", "ROL", 10000),
        ("ROL", "01.07.2005", "10000", "RON", 100),
        ("AZM", "06.01.2006", "10000", "AZN", 100),
        ("TMM", "06.01.2009", "10000", "TMT", 100),
    ],
)
def test_an_ended_code_over_its_successors_value_is_read_as_what_it_means(
    label: str, day: str, units: str, code: str, meant: int
) -> None:
    (fixing,) = read(record(label, "2.5", units, day))
    assert (fixing.pair, fixing.nominal) == (Pair(code, "UAH"), meant)


def test_a_fixing_holds_from_the_beginning_of_its_day_in_kyiv() -> None:
    assert adapter.source.market_time(date(2026, 3, 5)) == datetime(2026, 3, 4, 22, 1, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("nbu", "UAH", date(1999, 1, 4))


# What is asked


def test_the_days_are_requested_at_once() -> None:
    (request,) = adapter.requests(date(2026, 3, 1), date(2026, 3, 16))
    assert request.url == (
        "https://bank.gov.ua/NBU_Exchange/exchange_site?start=20260301&end=20260316&sort=exchangedate&order=asc&json="
    )
    assert (request.first, request.last) == (date(2026, 3, 1), date(2026, 3, 16))
    assert request.content_types == ("application/json",)


def test_years_are_requested_one_at_a_time_from_the_first_day_on() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(2001, 2, 3)))
    assert [(request.first, request.last) for request in asked] == [
        (date(1999, 1, 4), date(1999, 12, 31)),
        (date(2000, 1, 1), date(2000, 12, 31)),
        (date(2001, 1, 1), date(2001, 2, 3)),
    ]


# What is refused


def test_a_pair_twice_on_a_day_is_refused_under_whichever_label() -> None:
    with pytest.raises(SourceBroken, match="RUB/UAH on 1999-01-04 is given twice"):
        read(record("RUR", day="04.01.1999"), record("RUB", day="04.01.1999"))


@pytest.mark.parametrize("units", ["0", "-1", "1.5", "null", '"10"', "10000000"])
def test_invalid_units_are_refused(units: str) -> None:
    with pytest.raises(SourceBroken, match="NBU: "):
        read(record(units=units))


def test_units_that_a_renamed_currency_cannot_have_are_refused() -> None:
    with pytest.raises(SourceBroken, match=r"per \[1\] units of \[TRL\]"):
        read(record("TRL", "3.9", "1", "06.01.2005"))


def test_a_record_without_its_units_is_refused() -> None:
    with pytest.raises(SourceBroken, match="units"):
        read('{"exchangedate":"05.03.2026","cc":"JPY","rate":2.7}')


@pytest.mark.parametrize("day", ["2026-03-05", "5.3.2026", "31.02.2026", "03.01.1999"])
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(record(day=day))


def test_an_empty_list_is_refused() -> None:
    """Every day that has begun has rates, if only those of the day before."""
    with pytest.raises(SourceBroken, match="no rate"):
        read()


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_days_are_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 720
    assert len({fixing.day for fixing in fixings}) == 16
    assert fixings[0] == Fixing("nbu", Pair("TND", "UAH"), date(2026, 3, 1), Decimal("15.093"))
    assert Fixing("nbu", Pair("JPY", "UAH"), date(2026, 3, 1), Decimal("2.7682"), 10) in fixings
    assert Fixing("nbu", Pair("VND", "UAH"), date(2026, 3, 1), Decimal("1.6565"), 1000) in fixings
    assert Fixing("nbu", Pair("XAU", "UAH"), date(2026, 3, 1), Decimal("223871.54")) in fixings
