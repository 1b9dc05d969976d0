from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.rba import adapter

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
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("rba", "AUD", date(2023, 1, 3))


# What is asked


def test_the_one_file_is_requested() -> None:
    (request,) = adapter.requests(date(2020, 1, 1), date(2026, 3, 5))
    assert request.url == "https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"
    assert (request.first, request.last) == (date(2023, 1, 3), date(2026, 3, 5))
    assert "application/octet-stream" in request.content_types


def test_nothing_is_requested_before_the_first_day() -> None:
    assert list(adapter.requests(date(2020, 1, 1), date(2023, 1, 2))) == []


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
