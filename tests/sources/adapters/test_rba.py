from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from tests.sources.workbook_files import packed

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.rba import adapter
from cambist.sources.base import ParsedPayload

RECORDED = Path(__file__).parents[4] / "shared/payloads/rba/rba_01.csv"
HEAD = """\
F11.1  EXCHANGE RATES
Title,A$1=USD,Trade-weighted Index May 1970 = 100,A$1=JPY,A$1=SDR
Description,US dollar; see notes.,Index,Yen,SDR
Frequency,Daily,Daily,Daily,Daily
Type,Indicative,Indicative,Indicative,Indicative
Units,USD,Index,JPY,SDR


Source,WM/Reuters,RBA,RBA,IMF
Publication date,06-Mar-2026,06-Mar-2026,06-Mar-2026,06-Mar-2026
Series ID,FXRUSD,FXRTWI,FXRJY,FXRSDR
"""
LINE = "05-Mar-2026,0.7010,66.10,110.50,0.5150\n"


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode("utf-8-sig")))


# What is read


def test_a_rate_is_foreign_units_per_australian_dollar_in_the_digits_published() -> None:
    first, *_ = read(HEAD + LINE)
    assert first == Fixing("rba", Pair("AUD", "USD"), date(2026, 3, 5), Decimal("0.7010"), 1)
    assert str(first.value) == "0.7010"


def test_the_trade_weighted_index_is_no_rate() -> None:
    assert [fixing.pair.quote for fixing in read(HEAD + LINE)] == ["USD", "JPY", "XDR"]


def test_the_column_named_sdr_is_the_xdr() -> None:
    assert Fixing("rba", Pair("AUD", "XDR"), date(2026, 3, 5), Decimal("0.5150")) in read(HEAD + LINE)


def test_a_blank_cell_is_no_rate() -> None:
    assert [fixing.pair.quote for fixing in read(f"{HEAD}05-Mar-2026,0.7010,,,0.5150\n")] == ["USD", "XDR"]


def test_blank_lines_may_follow_the_last_day() -> None:
    assert read(HEAD + LINE + "\n" * 300) == read(HEAD + LINE)


def test_the_mark_at_the_beginning_is_not_needed() -> None:
    assert list(adapter.parse((HEAD + LINE).encode())) == read(HEAD + LINE)


def test_a_fixing_shows_the_market_of_four_in_sydney() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 6, tzinfo=UTC)
    assert adapter.source.market_time(date(2026, 1, 5)) == datetime(2026, 1, 5, 5, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("rba", "AUD", date(1983, 12, 12))


# What is asked


def test_the_one_file_is_requested() -> None:
    (request,) = adapter.requests(date(2023, 1, 3), date(2026, 3, 5))
    assert request.url == "https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"
    assert (request.first, request.last) == (date(2023, 1, 3), date(2026, 3, 5))
    assert "application/octet-stream" in request.content_types


def test_nothing_is_requested_before_the_first_day() -> None:
    assert list(adapter.requests(date(1980, 1, 1), date(1983, 12, 11))) == []


def test_all_years_are_eleven_files_without_a_gap() -> None:
    asked = list(adapter.requests(date(1980, 1, 1), date(2026, 3, 5)))
    assert [request.url.rpartition("/")[2] for request in asked] == [
        "1983-1986.xls",
        "1987-1990.xls",
        "1991-1994.xls",
        "1995-1998.xls",
        "1999-2002.xls",
        "2003-2006.xls",
        "2007-2009.xls",
        "2010-2013.xls",
        "2014-2017.xls",
        "2018-2022.xls",
        "f11.1-data.csv",
    ]
    assert (asked[0].first, asked[-1].last) == (date(1983, 12, 12), date(2026, 3, 5))
    # 1 and 2 January 2023 were a Sunday and a holiday.
    gaps = [(after.first - before.last).days for before, after in pairwise(asked)]
    assert gaps == [1] * 9 + [3]


def test_a_few_days_are_asked_of_the_one_workbook_that_has_them() -> None:
    (request,) = adapter.requests(date(1997, 12, 20), date(1998, 1, 5))
    assert request.url == "https://www.rba.gov.au/statistics/tables/xls-hist/1995-1998.xls"
    assert (request.first, request.last, request.subject) == (date(1997, 12, 20), date(1998, 1, 5), "1995-1998")


# What is refused


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("F11.1 ", "F11 "),
        ("Title,", "Titles,"),
        ("Units,", "Unit,"),
        ("Series ID,", "Mnemonic,"),
        ("\n\n\n", "\n\n"),
        ("\n\n\n", "\n\n\n\n"),
        ("Units,USD,Index,JPY,SDR", "Units,USD,Index,SDR,JPY"),
        ("Units,USD,Index,JPY,SDR", "Units,USD,Index,JPY"),
        ("Units,USD,Index,JPY,SDR", "Units,USD,Index,USD,SDR"),
        ("A$1=USD", "USD1=A$"),
        ("A$1=JPY", "A$100=JPY"),
    ],
)
def test_another_head_is_refused(old: str, new: str) -> None:
    assert old in HEAD
    with pytest.raises(SourceBroken, match="RBA: "):
        read(HEAD.replace(old, new) + LINE)


def test_a_column_in_no_currency_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"\[Yen\]"):
        read(HEAD.replace("A$1=JPY", "A$1=Yen").replace("Index,JPY", "Index,Yen") + LINE)


def test_a_table_without_its_dollar_is_refused() -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(HEAD.replace("USD", "CHF") + LINE)


def test_two_columns_of_one_currency_are_refused() -> None:
    head = HEAD.replace("A$1=SDR", "A$1=JPY").replace("Index,JPY,SDR", "Index,JPY,JPY")
    with pytest.raises(SourceBroken, match="units"):
        read(head + LINE)


def test_a_table_that_ends_within_its_last_number_is_refused() -> None:
    with pytest.raises(SourceBroken, match="cut off"):
        read(HEAD + LINE[:-3])


@pytest.mark.parametrize("line", ["05-Mar-2026,0.7010,66.10,110.50", "05-Mar-2026,0.7010,66.10,110.50,0.5150,"])
def test_a_line_with_fewer_or_more_cells_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 has"):
        read(f"{HEAD}{line}\n")


@pytest.mark.parametrize(
    "day", ["2026-03-05", "5-Mar-2026", "05-Mrz-2026", "31-Feb-2026", "02-Jan-2023", "05-mar-2026"]
)
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(f"{HEAD}{day},0.7010,66.10,110.50,0.5150\n")


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(HEAD + LINE + LINE)


def test_a_blank_line_among_the_days_is_refused() -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(f"{HEAD}{LINE}\n{LINE.replace('05', '06')}")


@pytest.mark.parametrize("text", [HEAD, HEAD + "\n\n"])
def test_a_head_alone_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken, match="no day"):
        read(text)


def test_a_day_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 has no rate"):
        read(f"{HEAD}05-Mar-2026,,66.10,,\n")


@pytest.mark.parametrize("cell", ["n/a", "-", " ", "0", '"1,105"', "CLOSED"])
def test_an_invalid_rate_is_refused_with_its_pair_and_day(cell: str) -> None:
    with pytest.raises(SourceBroken, match=r"AUD/JPY on 2026-03-05"):
        read(f"{HEAD}05-Mar-2026,0.7010,66.10,{cell},0.5150\n")


# Workbooks

OLD_HEAD = """\
EXCHANGE RATES
Title,A$1=USD,Trade-weighted Index May 1970 = 100,A$1=JPY,A$1=DEM
Description,AUD/USD,Index,AUD/JPY,AUD/DEM
Frequency,Daily,Daily,Daily,Daily
Type,Indicative,Indicative,Indicative,Indicative
Units,USD,Index,JPY,DEM
,,,,
,,,,
Source,RBA,RBA,RBA,RBA
Publication date,2003-01-01,2003-01-01,2003-01-01,2003-01-01
Series ID,FXRUSD,FXRTWI,FXRJY,FXRDM
"""
OLD_LINES = "1997-03-04,0.7858,59.1,95.47,1.3401\n1997-03-05,0.7863,59.2,95.81,\n"


def read_workbook(text: str, subject: str = "1995-1998") -> ParsedPayload:
    return adapter.parse_tolerantly(packed("old.sheet.csv", text.encode()), subject)


def test_a_workbook_is_read_as_the_table() -> None:
    found = read_workbook(OLD_HEAD + OLD_LINES + ",,,,\n")
    assert found.left_out == ()
    assert [(str(one.pair), one.day.day, str(one.value)) for one in found.fixings] == [
        ("AUD/USD", 4, "0.7858"),
        ("AUD/JPY", 4, "95.47"),
        ("AUD/DEM", 4, "1.3401"),
        ("AUD/USD", 5, "0.7863"),
        ("AUD/JPY", 5, "95.81"),
    ]


def test_a_column_of_a_workbook_in_another_unit_is_reported_and_left_out() -> None:
    found = read_workbook(OLD_HEAD.replace("A$1=DEM", "A$1=D-mark").replace("JPY,DEM", "JPY,D-mark") + OLD_LINES)
    assert (len(found.fixings), found.left_out) == (4, ("RBA: the column [A$1=D-mark] is in [D-mark]",))


def test_a_day_of_a_workbook_may_have_no_rate() -> None:
    assert len(read_workbook(OLD_HEAD + OLD_LINES + "1997-03-06,,59.3,,\n").fixings) == 5


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Series ID,", "Mnemonic,", "eleven rows"),
        ("A$1=USD", "A$1=CHF", r"\[A\$1=CHF\] is in \[USD\]"),
        ("JPY,DEM", "JPY,JPY", "columns have these units"),
        ("1997-03-05", "1999-03-05", "workbook of 1995-1998 has a rate of 1999-03-05"),
        ("1997-03-05", "1997-03-04", "given twice"),
        ("1997-03-05", "5 March", "not a date"),
    ],
)
def test_another_workbook_is_refused(old: str, new: str, says: str) -> None:
    text = OLD_HEAD + OLD_LINES
    assert old in text
    with pytest.raises(SourceBroken, match=says):
        list(adapter.parse(packed("old.sheet.csv", text.replace(old, new).encode()), "1995-1998"))


def test_a_head_alone_and_a_csv_are_no_workbooks() -> None:
    with pytest.raises(SourceBroken, match="holds no day"):
        read_workbook(OLD_HEAD)
    with pytest.raises(SourceBroken, match="not a workbook"):
        list(adapter.parse((HEAD + LINE).encode(), "1995-1998"))


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_table_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 14896
    assert len({fixing.day for fixing in fixings}) == 808
    assert fixings[0] == Fixing("rba", Pair("AUD", "USD"), date(2023, 1, 3), Decimal("0.6828"))
    assert fixings[-1] == Fixing("rba", Pair("AUD", "XDR"), date(2026, 3, 20), Decimal("0.5217"))
    assert Fixing("rba", Pair("AUD", "IDR"), date(2023, 1, 3), Decimal(10635)) in fixings
    assert Decimal("61.40") not in {fixing.value for fixing in fixings if fixing.day == date(2023, 1, 3)}
