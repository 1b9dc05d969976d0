from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.adapters.bis import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/bis/ws_xru_M_E_2025-01_2025-02_head.csv"
SAMPLES = Path(__file__).parents[2] / "payloads/bis"
HEADER = (SAMPLES / "yen.csv").read_text(encoding="utf-8").splitlines()[0]
RANGE = (date(1970, 1, 1), date(2026, 11, 20))


def line(value: str, day: str = "2026-03-05", power: str = "0", key: str = "D,JP,JPY,A") -> str:
    return f"BIS:WS_XRU(1.0),{key},{day},{value},{power},6,A, Title,A,,F"


def read(*lines: str, subject: str = "JPY", header: str = HEADER) -> list[Fixing]:
    return list(adapter.parse("".join(f"{each}\n" for each in (header, *lines)).encode(), subject))


# What is read


def test_rates_are_local_units_per_dollar_in_the_digits_published() -> None:
    (fixing,) = read(line("157.2500"))
    assert fixing == Fixing("bis", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("157.2500"))
    assert str(fixing.value) == "157.2500"


@pytest.mark.parametrize(
    ("value", "power", "read_as"),
    [
        ("1.5725", "2", "157.25"),
        ("1.5", "3", "1500"),
        ("157250", "-3", "157.250"),
        ("12345678901234.12345678901234567890", "1", "123456789012341.2345678901234567890"),
    ],
)
def test_the_power_of_ten_shifts_the_point_and_rounds_nothing(value: str, power: str, read_as: str) -> None:
    (fixing,) = read(line(value, power=power))
    assert str(fixing.value) == read_as


def test_very_small_numbers_are_read_as_they_are_written() -> None:
    (fixing,) = read(line("3.25E-06"))
    assert fixing.value == Decimal("0.00000325")


def test_days_without_a_rate_are_not_a_number() -> None:
    assert [fixing.day.day for fixing in read(line("NaN", "2026-03-07"), line("158.1", "2026-03-06"))] == [6]


@pytest.mark.parametrize("lines", [(), (line("NaN"),)])
def test_a_range_without_any_rate_is_nothing_published(lines: tuple[str, ...]) -> None:
    with pytest.raises(NothingPublished, match="BIS: has no rate of JPY"):
        read(*lines)


def test_before_the_euro_its_series_is_the_ecus() -> None:
    fixings = list(adapter.parse((SAMPLES / "euro.csv").read_bytes(), "EUR"))
    assert [(fixing.pair.quote, fixing.day.year) for fixing in fixings] == [
        ("XEU", 1998),
        ("XEU", 1998),
        ("EUR", 1999),
        ("EUR", 1999),
    ]


def test_a_unit_begins_where_the_tables_say_so() -> None:
    starts = {request.subject: request.first for request in adapter.requests(*RANGE)}
    taken_over = {"CZK": "CSK", "EUR": "XEU"}
    firsts = {code: CURRENCIES[taken_over.get(code, code)].first_day for code in starts}
    assert starts == {code: max(first, RANGE[0]) for code, first in firsts.items()}


def test_the_koruna_was_czechoslovakias_until_it_was_divided() -> None:
    lines = (line("28.5", day, key="D,CZ,CZK,A") for day in ("1993-02-05", "1993-02-08"))
    assert [fixing.pair.quote for fixing in read(*lines, subject="CZK")] == ["CSK", "CZK"]


# What is refused


@pytest.mark.parametrize(
    "key",
    [
        "M,JP,JPY,A",
        "D,JP,JPY,E",
        "D,US,JPY,A",
        "D,JP,USD,A",
        "D,CH,CHF,A",
    ],
)
def test_a_line_of_another_series_is_refused(key: str) -> None:
    with pytest.raises(SourceBroken, match="none of the daily series of JPY"):
        read(line("157.25", key=key))


def test_the_euro_of_one_of_its_members_is_refused() -> None:
    with pytest.raises(SourceBroken, match="EUR"):
        read(line("0.95", key="D,DE,EUR,A"), subject="EUR")


def test_a_line_of_another_flow_is_refused() -> None:
    with pytest.raises(SourceBroken, match="JPY"):
        read(line("157.25").replace("WS_XRU", "WS_EER"))


@pytest.mark.parametrize("header", ["", HEADER.replace("UNIT_MULT,", ""), HEADER.replace("A", "B"), f"{HEADER},X"])
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(line("157.25"), header=header)


@pytest.mark.parametrize("power", ["", "12", "1.5", "x", "--1", "+1"])
def test_an_invalid_power_is_refused(power: str) -> None:
    with pytest.raises(SourceBroken, match="power"):
        read(line("157.25", power=power))


@pytest.mark.parametrize(
    "value", ["", "nan", "1E5", "1E-400", "0E-06", "E-06", "-3E-06", "1.5E-6", "1e-06", "N/A", "."]
)
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="USD/JPY on 2026-03-05"):
        read(line(value))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(line("NaN"), line("157.25"))


def test_a_day_before_the_units_first_is_refused_as_it_was_not_requested() -> None:
    """In 1990 a dollar was worth some thousand old liras: 0.0026 is a restated one."""
    with pytest.raises(SourceBroken, match="since 2005-01-01"):
        read(line("0.0026", "1990-01-03", key="D,TR,TRY,A"), subject="TRY")


def test_a_file_that_was_cut_off_is_refused() -> None:
    with pytest.raises(SourceBroken, match="cut off"):
        list(adapter.parse(f"{HEADER}\n{line('157.25')}".encode(), "JPY"))


def test_a_month_is_no_day() -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(line("157.25", "2026-03"))


# What is asked


def test_one_currency_is_requested_after_the_other() -> None:
    asked = {request.subject: request for request in adapter.requests(date(2026, 11, 6), date(2026, 11, 20))}
    assert asked["JPY"].url == (
        "https://stats.bis.org/api/v2/data/dataflow/BIS/WS_XRU/1.0/D.JP.JPY.A"
        "?c%5BTIME_PERIOD%5D=ge:2026-11-06%2Ble:2026-11-20"
    )
    assert asked["JPY"].headers == (("Accept", "application/vnd.sdmx.data+csv;version=1.0.0"),)
    assert asked["JPY"].no_data_statuses == {404}
    assert len(asked) == 65


@pytest.mark.parametrize(
    ("code", "area"), [("EUR", "XM"), ("XOF", "WA"), ("XAF", "CM"), ("XCD", "AG"), ("AUD", "AU"), ("CHF", "CH")]
)
def test_of_a_currency_of_many_areas_one_is_requested(code: str, area: str) -> None:
    (url,) = [request.url for request in adapter.requests(*RANGE) if request.subject == code]
    assert f"/D.{area}.{code}.A?" in url


@pytest.mark.parametrize("code", ["SLL", "SLE", "VEF", "VES", "MRO", "MRU", "STD", "STN", "SYP", "DEM", "USD"])
def test_series_under_a_wrong_code_are_not_requested(code: str) -> None:
    assert code not in {request.subject for request in adapter.requests(*RANGE)}


def test_no_unit_is_requested_before_it_was_made() -> None:
    starts = {request.subject: request.first for request in adapter.requests(*RANGE)}
    assert (starts["TRY"], starts["PLN"], starts["JPY"]) == (date(2005, 1, 1), date(1995, 1, 1), date(1970, 1, 1))
    assert starts["EUR"] == date(1979, 3, 13)
    assert "TRY" not in {request.subject for request in adapter.requests(date(1990, 1, 1), date(1991, 1, 1))}


def test_every_currency_that_is_requested_lives() -> None:
    asked = {request.subject for request in adapter.requests(*RANGE)}
    assert {code for code in asked if CURRENCIES[code].last_day is not None} == set()


def test_corrections_are_looked_for_a_year_back() -> None:
    assert adapter.source.schedule.reread_days == 365


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_months_have_the_columns_but_are_refused_for_their_frequency() -> None:
    content = RECORDED.read_bytes()
    assert content.decode().splitlines()[0] == HEADER
    with pytest.raises(SourceBroken, match="none of the daily series"):
        list(adapter.parse(content, "TWD"))


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_months_would_be_read_as_days() -> None:
    """No daily answer could be recorded; the monthly one differs in frequency, collection and period."""
    header, *lines = RECORDED.read_text(encoding="utf-8").splitlines()
    days = [each.replace(",M,TW,TWD,E,2025-0", ",D,TW,TWD,A,2025-01-0") for each in lines if ",TWD," in each]
    assert [str(fixing.value) for fixing in read(*days, subject="TWD", header=header)] == ["32.85", "32.89"]
