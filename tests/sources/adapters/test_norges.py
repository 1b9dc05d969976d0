from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.norges import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/norges/nb_01.csv"
HEADER = "FREQ,BASE_CUR,QUOTE_CUR,TENOR,DECIMALS,CALCULATED,UNIT_MULT,COLLECTION,TIME_PERIOD,OBS_VALUE\n"
DOLLAR = "B,USD,NOK,SP,4,false,0,C,2026-03-05,9.7050\n"


def read(*lines: str, header: str = HEADER) -> list[Fixing]:
    return list(adapter.parse((header + DOLLAR + "".join(f"{line}\n" for line in lines)).encode()))


# What is read


def test_a_rate_is_so_many_kroner_per_unit_in_the_digits_published() -> None:
    (fixing,) = read()
    assert fixing == Fixing("norges", Pair("USD", "NOK"), date(2026, 3, 5), Decimal("9.7050"), 1)
    assert str(fixing.value) == "9.7050"


@pytest.mark.parametrize(("power", "nominal"), [("0", 1), ("1", 10), ("2", 100), ("3", 1000)])
def test_the_multiplier_is_the_power_of_ten_of_the_units_quoted(power: str, nominal: int) -> None:
    fixing = read(f"B,JPY,NOK,SP,4,false,{power},C,2026-03-05,6.1222")[1]
    assert (fixing.value, fixing.nominal) == (Decimal("6.1222"), nominal)
    assert fixing.rate == Fraction("6.1222") / nominal


def test_the_special_drawing_right_is_calculated_and_read() -> None:
    assert read("B,XDR,NOK,SP,5,true,0,C,2026-03-05,13.3333")[1].pair == Pair("XDR", "NOK")


@pytest.mark.parametrize("index", ["I44", "TWI"])
def test_the_indices_of_the_krone_are_no_currencies(index: str) -> None:
    assert len(read(f"B,{index},NOK,SP,2,true,0,C,2026-03-05,118.5")) == 1


def test_an_index_that_is_no_longer_calculated_is_refused() -> None:
    with pytest.raises(SourceBroken, match="I44"):
        read("B,I44,NOK,SP,2,false,0,C,2026-03-05,118.5")


def test_a_fixing_shows_the_market_of_a_quarter_past_two() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 12, 15, tzinfo=UTC)


def old_year(*lines: str) -> list[Fixing]:
    return list(adapter.parse((HEADER + "".join(f"{line}\n" for line in lines)).encode()))


def test_the_years_before_the_euro_are_read() -> None:
    assert old_year("B,USD,NOK,SP,4,false,0,C,1981-01-05,5.1650", "B,JPY,NOK,SP,4,false,2,C,1981-01-05,2.5550") == [
        Fixing("norges", Pair("USD", "NOK"), date(1981, 1, 5), Decimal("5.1650")),
        Fixing("norges", Pair("JPY", "NOK"), date(1981, 1, 5), Decimal("2.5550"), 100),
    ]
    with pytest.raises(SourceBroken, match="date since 1980-12-10"):
        old_year("B,USD,NOK,SP,4,false,0,C,1980-12-09,5.1650")


@pytest.mark.parametrize(
    ("code", "before", "since"), [("ISK", "1980-12-31", "1981-01-05"), ("EUR", "1998-12-31", "1999-01-04")]
)
def test_days_on_which_a_code_was_no_money_yet_are_left_out(code: str, before: str, since: str) -> None:
    dollars = [f"B,USD,NOK,SP,4,false,0,C,{day},5.1650" for day in (before, since)]
    fixings = old_year(*dollars, *(f"B,{code},NOK,SP,4,false,0,C,{day},8.8550" for day in (before, since)))
    assert [str(fixing.day) for fixing in fixings if fixing.pair.base == code] == [since]


# What is refused


@pytest.mark.parametrize(
    "line",
    [
        "M,JPY,NOK,SP,4,false,2,C,2026-03-05,6.1222",
        "B,JPY,SEK,SP,4,false,2,C,2026-03-05,6.1222",
        "B,JPY,NOK,FW,4,false,2,C,2026-03-05,6.1222",
        "B,JPY,NOK,SP,4,false,2,A,2026-03-05,6.1222",
        "B,NOK,NOK,SP,4,false,0,C,2026-03-05,1",
    ],
)
def test_a_line_that_is_not_a_daily_rate_in_kroner_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="no daily rate in kroner"):
        read(line)


@pytest.mark.parametrize("power", ["", "-2", "5", "02", "two"])
def test_another_multiplier_is_refused(power: str) -> None:
    with pytest.raises(SourceBroken, match="JPY/NOK is quoted per ten to the power"):
        read(f"B,JPY,NOK,SP,4,false,{power},C,2026-03-05,6.1222")


@pytest.mark.parametrize("value", ["", "NaN", "0", "-6.1", "ND", '"6,1222"', "."])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="JPY/NOK on 2026-03-05 is no rate"):
        read(f"B,JPY,NOK,SP,4,false,2,C,2026-03-05,{value}")


@pytest.mark.parametrize(
    "header",
    ["", HEADER.replace(",", ";"), HEADER.replace("UNIT_MULT,", ""), HEADER.replace("OBS_VALUE", "OBS_VALUE,STATUS")],
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(header=header)


@pytest.mark.parametrize("line", ["", "B,JPY,NOK,SP,4,false,2,C,2026-03-05", "B,JPY,NOK,SP,4,false,2,C,2026-03-05,6,1"])
def test_another_number_of_cells_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="cells"):
        read(line)


def test_a_rate_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD on 2026-03-05 is given twice"):
        read(DOLLAR.strip())


def test_a_file_without_rates_is_broken() -> None:
    with pytest.raises(SourceBroken, match="dollar") as caught:
        list(adapter.parse(HEADER.encode()))
    assert not isinstance(caught.value, NothingPublished)


def test_a_file_without_its_dollar_is_broken() -> None:
    with pytest.raises(SourceBroken, match="dollar"):
        list(adapter.parse((HEADER + DOLLAR.replace("USD", "EUR")).encode()))


def test_a_file_that_ends_within_a_line_was_cut_off() -> None:
    with pytest.raises(SourceBroken, match="end with a line"):
        list(adapter.parse((HEADER + DOLLAR.rstrip()).encode()))


# What is asked


def test_it_is_requested_a_calendar_year_at_a_time() -> None:
    asked = list(adapter.requests(date(2024, 12, 30), date(2026, 3, 6)))
    assert [(each.first, each.last) for each in asked] == [
        (date(2024, 12, 30), date(2024, 12, 31)),
        (date(2025, 1, 1), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 3, 6)),
    ]
    assert asked[2].url == (
        "https://data.norges-bank.no/api/data/EXR/B..NOK.SP?format=csvdata&startPeriod=2026-01-01&endPeriod=2026-03-06"
    )
    assert asked[2].content_types == ("text/csv",)


def test_no_day_before_the_first_is_requested() -> None:
    assert next(adapter.requests(date(1960, 1, 1), date(1999, 1, 5))).first == date(1980, 12, 10)
    assert not list(adapter.requests(date(1960, 1, 1), date(1980, 12, 9)))


def test_a_year_that_is_not_there_is_no_error_before_1999_alone() -> None:
    old, new = adapter.requests(date(1998, 6, 1), date(1999, 6, 1))
    assert (old.no_data_statuses, new.no_data_statuses) == ({404}, frozenset())


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_days_are_parsed_completely() -> None:
    fixings = {(fixing.pair.base, fixing.day): fixing for fixing in adapter.parse(RECORDED.read_bytes())}
    assert len(fixings) == 36 * 7
    krona = fixings["SEK", date(2026, 3, 24)]
    assert (str(krona.value), krona.nominal) == ("103.76", 100)
    assert fixings["XDR", date(2026, 3, 16)].rate == Fraction("13.19587")
    assert fixings["HUF", date(2026, 3, 16)].nominal == 100
