from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("boi")
RECORDED = Path(__file__).parents[4] / "shared/payloads/boi/boi_01.csv"
HEADER = (
    "SERIES_CODE,FREQ,BASE_CURRENCY,COUNTER_CURRENCY,UNIT_MEASURE,DATA_TYPE,DATA_SOURCE,TIME_COLLECT,CONF_STATUS,"
    "PUB_WEBSITE,UNIT_MULT,COMMENTS,TIME_PERIOD,OBS_VALUE,RELEASE_STATUS\n"
)
LINE = "RER_USD_ILS,D,USD,ILS,ILS,OF00,BOI_MRKT,V,F,Y,0,,2026-03-05,3.0720,YP\n"


def line(code: str, power: str = "0", day: str = "2026-03-05", value: str = "3.0720") -> str:
    return f"RER_{code}_ILS,D,{code},ILS,ILS,OF00,BOI_MRKT,V,F,Y,{power},,{day},{value},YP\n"


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode()))


# What is read


def test_a_fixing_is_in_shekels_with_its_digits() -> None:
    (fixing,) = read(HEADER + LINE)
    assert fixing == Fixing("boi", Pair("USD", "ILS"), date(2026, 3, 5), Decimal("3.0720"))
    assert str(fixing.value) == "3.0720"


@pytest.mark.parametrize(("power", "nominal"), [("0", 1), ("1", 10), ("2", 100), ("3", 1000)])
def test_the_multiplier_is_a_power_of_ten(power: str, nominal: int) -> None:
    assert read(HEADER + line("JPY", power))[0].nominal == nominal


def test_one_series_follows_the_other() -> None:
    fixings = read(HEADER + LINE + line("EUR") + line("EUR", day="2026-03-06"))
    assert [(fixing.pair.base, fixing.day.day) for fixing in fixings] == [("USD", 5), ("EUR", 5), ("EUR", 6)]


def test_the_basket_is_no_currency() -> None:
    assert [fixing.pair.base for fixing in read(HEADER + line("CBK_L") + LINE)] == ["USD"]


def test_a_comment_may_hold_commas_in_quotes() -> None:
    assert len(read(HEADER + LINE.replace(",0,,", ',0,"set early, at noon",'))) == 1


def test_a_fixing_shows_the_market_of_a_quarter_past_three_in_jerusalem() -> None:
    assert adapter.source.market_time(date(2026, 1, 5)) == datetime(2026, 1, 5, 13, 15, tzinfo=UTC)


# What is asked


def test_the_official_rates_are_requested_year_by_year() -> None:
    asked = list(adapter.requests(date(2025, 12, 30), date(2026, 1, 2)))
    assert [request.url for request in asked] == [
        "https://edge.boi.gov.il/FusionEdgeServer/sdmx/v2/data/dataflow/BOI.STATISTICS/EXR/1.0/"
        f"?c%5BDATA_TYPE%5D=OF00&format=csv&startperiod={first}&endperiod={last}"
        for first, last in [("2025-12-30", "2025-12-31"), ("2026-01-01", "2026-01-02")]
    ]
    assert [(request.first, request.last) for request in asked] == [
        (date(2025, 12, 30), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 2)),
    ]


def test_days_of_the_forerunners_of_the_euro_are_not_requested() -> None:
    assert next(adapter.requests(date(1990, 1, 1), date(2003, 2, 1))).first == date(2003, 1, 2)
    with pytest.raises(SourceBroken, match="not a date since 2003-01-02"):
        read(HEADER + line("ITL", day="2001-12-28"))


# What is refused


@pytest.mark.parametrize(
    "header",
    [
        HEADER.replace("OBS_VALUE", "VALUE"),
        HEADER.replace("TIME_PERIOD,OBS_VALUE", "OBS_VALUE,TIME_PERIOD"),
        HEADER.replace("\n", ",MORE\n"),
        "",
    ],
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(header + LINE)


@pytest.mark.parametrize("text", [LINE.replace(",YP", ""), LINE.replace(",YP", ",YP,7"), "\n"])
def test_a_line_with_fewer_or_more_cells_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken, match="cells instead of 15"):
        read(HEADER + text)


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (",D,", ",M,", "FREQ"),
        (",ILS,ILS,", ",USD,ILS,", "COUNTER_CURRENCY"),
        (",ILS,ILS,", ",ILS,USD,", "UNIT_MEASURE"),
        ("OF00", "BM00", "DATA_TYPE"),
    ],
)
def test_a_series_of_another_kind_is_refused(old: str, new: str, column: str) -> None:
    with pytest.raises(SourceBroken, match=column):
        read(HEADER + LINE.replace(old, new))


@pytest.mark.parametrize("power", ["", "-1", "100", "x"])
def test_an_invalid_multiplier_is_refused(power: str) -> None:
    with pytest.raises(SourceBroken, match="power"):
        read(HEADER + line("USD", power))


@pytest.mark.parametrize("value", ["", "0", "0.0000", "-3.1", "NaN", "3,07"])
def test_an_invalid_rate_is_refused_with_its_pair_and_day(value: str) -> None:
    with pytest.raises(SourceBroken, match="USD/ILS on 2026-03-05 is no rate"):
        read(HEADER + line("USD", value=f'"{value}"'))


def test_a_pair_twice_on_a_day_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD/ILS on 2026-03-05 is given twice"):
        read(HEADER + LINE + LINE)


def test_a_price_of_the_shekel_in_itself_is_refused() -> None:
    with pytest.raises(SourceBroken, match="ILS/ILS"):
        read(HEADER + line("ILS"))


def test_a_table_that_is_cut_off_is_refused() -> None:
    with pytest.raises(SourceBroken, match="cut off"):
        read(HEADER + LINE.removesuffix("\n"))


@pytest.mark.parametrize("lines", ["", line("CBK_L")])
def test_a_table_without_any_rate_is_refused(lines: str) -> None:
    with pytest.raises(SourceBroken, match="holds no rate"):
        read(HEADER + lines)


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_table_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 28
    assert len({fixing.pair for fixing in fixings}) == 14
    assert fixings[0] == Fixing("boi", Pair("USD", "ILS"), date(2026, 3, 2), Decimal("3.073"))
    assert Fixing("boi", Pair("JPY", "ILS"), date(2026, 3, 6), Decimal("1.966"), 100) in fixings
    assert Fixing("boi", Pair("LBP", "ILS"), date(2026, 3, 2), Decimal("0.0003"), 10) in fixings
