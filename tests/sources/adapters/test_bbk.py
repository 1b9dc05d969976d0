from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.bbk import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/bbk/bbk_01.csv"
SAMPLE = Path(__file__).parents[2] / "payloads/bbk/fixings.csv"
HEADER = SAMPLE.read_text(encoding="utf-8-sig").splitlines()[0]
LINE = (
    "BBK:BBEX3(1.0);D;ITL;DEM;AA;AC;000;1990-01-03;1.3350;P1D;4;BBEX3.D.ITL.DEM.AA.AC.000;DEM;0;"
    "Kurse / 1 000 ITL = ... DEM / Italien;WEDE;;0.1;"
)


def read(*lines: str, header: str = HEADER) -> list[Fixing]:
    return list(adapter.parse("".join(f"{line}\r\n" for line in (header, *lines)).encode()))


# What is read


def test_a_fixing_is_in_marks_per_as_many_units_as_the_title_says() -> None:
    (fixing,) = read(LINE)
    assert fixing == Fixing("bbk", Pair("ITL", "DEM"), date(1990, 1, 3), Decimal("1.3350"), nominal=1000)
    assert str(fixing.value) == "1.3350"
    assert fixing.rate == Fraction("0.001335")


@pytest.mark.parametrize(("written", "nominal"), [("1", 1), ("100", 100), ("1 000", 1000)])
def test_the_nominal_is_only_in_the_title(written: str, nominal: int) -> None:
    (fixing,) = read(LINE.replace("1 000 ITL", f"{written} ITL"))
    assert fixing.nominal == nominal


def test_days_without_a_fixing_have_a_point() -> None:
    assert {fixing.day.day for fixing in adapter.parse(SAMPLE.read_bytes())} == {5, 6}


def test_the_byte_order_mark_and_the_blank_lines_between_series_are_no_lines() -> None:
    assert len(read(LINE, "", LINE.replace("-03;", "-04;"), "")) == 2
    assert SAMPLE.read_bytes().startswith(b"\xef\xbb\xbfDATAFLOW")
    assert [str(fixing.pair) for fixing in adapter.parse(SAMPLE.read_bytes())][::2] == ["ATS/DEM", "ITL/DEM", "USD/DEM"]


def test_all_days_shut_raises_nothing_published() -> None:
    """Such as the first week of May 1971, when the mark was set free."""
    with pytest.raises(NothingPublished, match="Bundesbank: "):
        read(LINE.replace("1.3350", "."))


# What is refused


@pytest.mark.parametrize(
    "title", ["", "Kurse / 100 ATS = ... DEM / Italien", "Kurse / ITL = ... DEM / Italien", "1.000 ITL"]
)
def test_a_title_that_does_not_say_per_how_many_units_is_refused(title: str) -> None:
    with pytest.raises(SourceBroken, match="how many units"):
        read(LINE.replace("Kurse / 1 000 ITL = ... DEM / Italien", title))


@pytest.mark.parametrize("title", ["0 ITL", "100 000 000 ITL"])
def test_a_nominal_beyond_belief_is_refused(title: str) -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(LINE.replace("1 000 ITL", title))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (";D;", ";M;"),
        (";DEM;AA;", ";EUR;AA;"),
        (";AA;", ";BB;"),
        (";AC;", ";AG;"),
        (";000;", ";001;"),
        (";DEM;0;", ";DEM;2;"),
        (";DEM;0;", ";EUR;0;"),
        ("BBEX3(1.0);", "BBEX3(2.0);"),
        (";WEDE", ""),
        (";0.1;", ";0.1;;"),
    ],
)
def test_a_line_of_another_series_or_layout_is_refused(old: str, new: str) -> None:
    with pytest.raises(SourceBroken, match="none of the daily fixings"):
        read(LINE.replace(old, new, 1))


@pytest.mark.parametrize("header", ["", HEADER.replace("OBS_VALUE", "VALUE"), HEADER.replace(";", ","), f"{HEADER};X"])
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(LINE, header=header)


@pytest.mark.parametrize("day", ["1998-12-31", "2003-01-02", "1948-06-20", "03.01.1990", "1990-1-3"])
def test_a_day_outside_the_closed_series_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match=r"after the last fixing|date"):
        read(LINE.replace("1990-01-03", day))


@pytest.mark.parametrize("value", ["", "..", "-", "1,335", "0", "NaN", "1.3350 "])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="ITL/DEM on 1990-01-03"):
        read(LINE.replace("1.3350", value))


def test_the_same_day_twice_is_refused_even_if_one_is_missing() -> None:
    with pytest.raises(SourceBroken, match="twice"):
        read(LINE, LINE.replace("1.3350", "."))


def test_a_header_alone_is_refused() -> None:
    with pytest.raises(SourceBroken, match="no day") as refused:
        read("")
    assert not isinstance(refused.value, NothingPublished)


# What is asked


def test_it_is_requested_one_year_after_the_other() -> None:
    asked = list(adapter.requests(date(1969, 12, 30), date(1971, 5, 4)))
    address = "https://api.statistiken.bundesbank.de/rest/data/BBEX3/D..DEM.AA.AC.000?format=sdmx_csv"
    assert [request.url for request in asked] == [
        f"{address}&startPeriod=1969-12-30&endPeriod=1969-12-31",
        f"{address}&startPeriod=1970-01-01&endPeriod=1970-12-31",
        f"{address}&startPeriod=1971-01-01&endPeriod=1971-05-04",
    ]
    assert (asked[1].first, asked[1].last) == (date(1970, 1, 1), date(1970, 12, 31))


def test_nothing_is_requested_before_or_after_the_series() -> None:
    asked = list(adapter.requests(date(1900, 1, 1), date(2026, 1, 1)))
    assert (asked[0].first, asked[-1].last, len(asked)) == (date(1948, 6, 21), date(1998, 12, 30), 51)
    assert list(adapter.requests(date(1998, 12, 31), date(2026, 1, 1))) == []


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_days_are_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 18 * 6
    assert fixings[0] == Fixing("bbk", Pair("ATS", "DEM"), date(1998, 12, 21), Decimal("14.214"), 100)
    assert Fixing("bbk", Pair("ITL", "DEM"), date(1998, 12, 21), Decimal("1.0098"), 1000) in fixings
    assert fixings[-1] == Fixing("bbk", Pair("USD", "DEM"), date(1998, 12, 30), Decimal("1.6730"))
