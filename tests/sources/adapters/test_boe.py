from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.boe import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/boe/boe_01.csv"
HEADER = "DATE,XUDLUSS,XUDLJYS\r\n"
LINE = "06 Mar 2026,1.3300,211.8\r\n"
ALL = (
    "XUDLUSS,XUDLERS,XUDLJYS,XUDLCDS,XUDLSFS,XUDLADS,XUDLNDS,XUDLNKS,XUDLSKS,XUDLDKS,XUDLHDS,XUDLSGS,XUDLSRS,XUDLZRS,"
    "XUDLTWS,XUDLBK25,XUDLBK33,XUDLBK47,XUDLBK78,XUDLBK83,XUDLBK87,XUDLBK89,XUDLBK93,XUDLBK95,XUDLBK97,XUDLZOS4"
)


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode()))


# What is read


def test_a_fixing_is_what_a_pound_is_worth_with_its_digits() -> None:
    dollar, yen = read(HEADER + LINE)
    assert dollar == Fixing("boe", Pair("GBP", "USD"), date(2026, 3, 6), Decimal("1.3300"))
    assert (str(dollar.value), yen.pair, yen.nominal) == ("1.3300", Pair("GBP", "JPY"), 1)


def test_an_empty_cell_is_a_missing_rate() -> None:
    assert [fixing.pair.quote for fixing in read(f"{HEADER}06 Mar 2026,,211.8\r\n")] == ["JPY"]


def test_columns_are_known_by_their_series_wherever_they_stand() -> None:
    assert [fixing.pair.quote for fixing in read("DATE,XUDLBK95,XUDLUSS\r\n06 Mar 2026,58.9,1.33\r\n")] == [
        "TRY",
        "USD",
    ]


def test_lines_may_end_as_in_unix() -> None:
    assert read((HEADER + LINE).replace("\r\n", "\n")) == read(HEADER + LINE)


def test_a_fixing_shows_the_market_of_four_in_london() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 15, tzinfo=UTC)


# What is asked


def test_all_series_are_requested_with_months_in_english() -> None:
    (request,) = adapter.requests(date(2026, 3, 17), date(2026, 3, 20))
    assert request.url == (
        "https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
        f"&SeriesCodes={ALL}&UsingCodes=Y&CSVF=TN&Datefrom=17/Mar/2026&Dateto=20/Mar/2026"
    )
    assert (request.first, request.last) == (date(2026, 3, 17), date(2026, 3, 20))


def test_it_is_requested_under_a_browsers_name() -> None:
    (request,) = adapter.requests(date(2026, 3, 17), date(2026, 3, 20))
    assert dict(request.headers)["User-Agent"].startswith("Mozilla/5.0 ")


def test_years_are_requested_one_by_one_and_none_before_1975() -> None:
    asked = list(adapter.requests(date(1970, 1, 1), date(1976, 3, 1)))
    assert [(request.first, request.last) for request in asked] == [
        (date(1975, 1, 2), date(1975, 12, 31)),
        (date(1976, 1, 1), date(1976, 3, 1)),
    ]
    assert "&Datefrom=02/Jan/1975&Dateto=31/Dec/1975" in asked[0].url


def test_the_euro_is_requested_since_it_began() -> None:
    before, since = (request.url for request in adapter.requests(date(1998, 12, 1), date(1999, 1, 31)))
    assert ("XUDLUSS,XUDLJYS" in before, "XUDLERS" in before) == (True, False)
    assert "XUDLUSS,XUDLERS,XUDLJYS" in since


def test_currencies_that_were_new_in_2005_are_requested_since_2006() -> None:
    old, new = (request.url for request in adapter.requests(date(2005, 12, 1), date(2006, 1, 31)))
    assert ("XUDLBK95" in old, "XUDLZOS4" in old, "XUDLTWS" in old) == (False, False, True)
    assert ("XUDLBK95" in new, "XUDLZOS4" in new, "XUDLTWS" in new) == (True, True, True)


# What is refused


@pytest.mark.parametrize("series", ["XUDLBK68", "XUDLBK67", "IUDBEDR", "USD", ""])
def test_a_series_of_unknown_meaning_is_refused(series: str) -> None:
    with pytest.raises(SourceBroken, match=rf"not known what the series \[{series}\]"):
        read(f"DATE,XUDLUSS,{series}\r\n06 Mar 2026,1.33,5\r\n")


@pytest.mark.parametrize("header", ["Date,XUDLUSS", "XUDLUSS,DATE", "DATE", "DATE,XUDLUSS,XUDLUSS", "<html>"])
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(f"{header}\r\n{LINE}")


def test_a_web_page_instead_of_the_table_is_refused() -> None:
    with pytest.raises(SourceBroken, match="header"):
        read("<!DOCTYPE html>\r\n<title>Bank of England Database</title>\r\n")


@pytest.mark.parametrize("line", ["06 Mar 2026,1.33\r\n", "06 Mar 2026,1.33,211,8\r\n", "06 Mar 2026\r\n", "\r\n"])
def test_a_line_with_fewer_or_more_cells_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="cells instead of 3"):
        read(HEADER + line)


@pytest.mark.parametrize("day", ["6 Mar 2026", "06 mar 2026", "06/Mar/2026", "30 Feb 2026", "06 Mrz 2026", "06 Mar 26"])
def test_a_day_in_another_form_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="not a date"):
        read(f"{HEADER}{day},1.33,211.8\r\n")


def test_a_day_before_the_first_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not a date since 1975-01-02"):
        read(f"{HEADER}01 Jan 1975,1.33,211.8\r\n")


def test_a_series_has_empty_cells_before_its_first_day() -> None:
    (dollar,) = read(f"{HEADER}02 Jan 1975,2.3475,\r\n")
    assert dollar == Fixing("boe", Pair("GBP", "USD"), date(1975, 1, 2), Decimal("2.3475"))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-06 is given twice"):
        read(HEADER + LINE + LINE)


@pytest.mark.parametrize("cell", ["0", "-1.3", "n/a", "..", "1.3e0", "NaN", " 1.3"])
def test_an_invalid_rate_is_refused_with_its_pair_and_day(cell: str) -> None:
    with pytest.raises(SourceBroken, match="GBP/USD on 2026-03-06 is no rate"):
        read(f"{HEADER}06 Mar 2026,{cell},211.8\r\n")


def test_a_table_that_is_cut_off_is_refused() -> None:
    with pytest.raises(SourceBroken, match="cut off"):
        read(HEADER + LINE.removesuffix("\r\n"))


@pytest.mark.parametrize("lines", ["", "06 Mar 2026,,\r\n"])
def test_a_table_without_any_rate_is_refused(lines: str) -> None:
    with pytest.raises(SourceBroken, match="holds no rate"):
        read(HEADER + lines)


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_table_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 4 * 26
    first, last = date(2026, 3, 17), date(2026, 3, 20)
    assert fixings[0] == Fixing("boe", Pair("GBP", "USD"), first, Decimal("1.3343"))
    assert fixings[-1] == Fixing("boe", Pair("GBP", "RON"), last, Decimal("5.8721"))
    assert Fixing("boe", Pair("GBP", "TRY"), last, Decimal("58.9231")) in fixings
    assert Fixing("boe", Pair("GBP", "KRW"), first, Decimal("1986.5526")) in fixings
