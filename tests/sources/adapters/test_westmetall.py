from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.westmetall import adapter
from cambist.sources.base import Redistribution

SAMPLE = Path(__file__).parents[2] / "payloads/westmetall/copper.html"
HEADER = "<tr><th>date</th><th>LME Zinc Cash-Settlement</th><th>LME Zinc 3-month</th><th>LME Zinc stock</th></tr>"


def row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def page(*rows: str, header: str = HEADER) -> str:
    return f"<html><body>\n<table >\n{header}\n{''.join(rows)}</table>\n</body></html>\n"


def read(text: str, subject: str = "XZN") -> list[Fixing]:
    return list(adapter.parse(text.encode(), subject))


DAY = row("05. March 2026", "3,125.50", "3,100.00", "91,250")


# What is read


def test_cash_and_three_months_are_two_instruments_in_dollars_per_tonne() -> None:
    assert read(page(DAY)) == [
        Fixing("westmetall", Pair("XZN", "USD"), date(2026, 3, 5), Decimal("3125.50")),
        Fixing("westmetall", Pair("XZN-3M", "USD"), date(2026, 3, 5), Decimal("3100.00")),
    ]
    assert [str(fixing.value) for fixing in read(page(DAY))] == ["3125.50", "3100.00"]


def test_a_price_below_a_thousand_has_no_comma() -> None:
    (cash, _) = read(page(row("02. January 2009", "999.00", "1,005.00", "91,250")))
    assert str(cash.value) == "999.00"


@pytest.mark.parametrize("missing", ["-", "0.00"])
def test_on_english_bank_holidays_only_the_stock_is_listed(missing: str) -> None:
    """Such as 2014-05-26 and 2016-12-27."""
    holiday = row("27. December 2016", missing, missing, "334,525")
    assert read(page(DAY, holiday)) == read(page(DAY))


def test_one_price_may_be_missing_without_the_other() -> None:
    (only,) = read(page(row("02. January 2026", "-", "3,090.00", "-")))
    assert only.pair == Pair("XZN-3M", "USD")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("02. January 2008", date(2008, 1, 2)),
        ("28. February 2025", date(2025, 2, 28)),
        ("29. May 2020", date(2020, 5, 29)),
        ("31. October 2025", date(2025, 10, 31)),
        ("31. December 2025", date(2025, 12, 31)),
    ],
)
def test_days_are_in_the_german_order_with_english_months(text: str, day: date) -> None:
    assert {fixing.day for fixing in read(page(row(text, "3,125.50", "3,100.00", "91,250")))} == {day}


def test_the_header_is_repeated_for_each_month_and_other_tables_do_not_matter() -> None:
    fixings = read(SAMPLE.read_text(encoding="utf-8"), "XCU")
    assert [(fixing.pair.base, fixing.day.day) for fixing in fixings] == [
        ("XCU", 5),
        ("XCU-3M", 5),
        ("XCU", 4),
        ("XCU-3M", 4),
    ]


def test_months_may_have_tables_of_their_own() -> None:
    second = f"<table>{HEADER}{row('27. February 2026', '3,000.00', '3,001.00', '1')}</table></body></html>"
    assert len(read(page(DAY).replace("</body></html>", second))) == 4


def test_blanks_within_cells_do_not_matter() -> None:
    assert read(page(DAY.replace("<td>", '<td class="x">\n  ').replace("</td>", " &nbsp;</td>"))) == read(page(DAY))


@pytest.mark.parametrize("rows", [(), (row("01. January 2026", "-", "-", "-"),)])
def test_a_year_without_prices_yet_is_nothing_published(rows: tuple[str, ...]) -> None:
    with pytest.raises(NothingPublished, match="Westmetall: has no price of XZN"):
        read(page(*rows))


def test_a_price_shows_the_market_of_half_past_one_in_london() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 12, 30, tzinfo=UTC)


# What is refused


@pytest.mark.parametrize("subject", ["XCU", "XAL", "XAU", ""])
def test_another_metals_page_is_refused(subject: str) -> None:
    with pytest.raises(SourceBroken, match="no table"):
        read(page(DAY), subject)


@pytest.mark.parametrize(
    "header",
    [
        "",
        HEADER.replace("date", "Datum"),
        HEADER.replace("Cash-Settlement", "3-month"),
        HEADER.replace("<th>LME Zinc stock</th>", ""),
        HEADER.replace("</tr>", "<th>change</th></tr>"),
    ],
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="no table"):
        read(page(DAY, header=header))


@pytest.mark.parametrize(
    "cells", [("05. March 2026", "3,125.50", "3,100.00"), ("05. March 2026", "1", "2", "3", "4"), ("no prices",), ()]
)
def test_a_row_with_fewer_or_more_cells_than_four_is_refused(cells: tuple[str, ...]) -> None:
    with pytest.raises(SourceBroken, match="cells"):
        read(page(DAY, row(*cells)))


@pytest.mark.parametrize(
    "day",
    [
        "5. March 2026",
        "05 March 2026",
        "05. März 2026",
        "05. Mai 2026",
        "05. Marchy 2026",
        "31. February 2026",
        "05. March 2007",
        "2026-03-05",
        "March 05, 2026",
    ],
)
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(page(row(day, "3,125.50", "3,100.00", "91,250")))


@pytest.mark.parametrize("price", ["3.125,50", "31,25.50", "", "--", "n/a", "0", "$3,125.50", "3 125.50", "-3,125.50"])
def test_an_invalid_price_is_refused(price: str) -> None:
    with pytest.raises(SourceBroken, match="XZN-3M/USD on 2026-03-05"):
        read(page(row("05. March 2026", "3,125.50", price, "91,250")))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(page(DAY, DAY))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<td>3,125.50</td>", "<td>3,125.50"),
        ("<table >", "<table ><table>"),
        ("<table >", ""),
        ("</table>", ""),
        ("<tr><td>", "<td>"),
        ("</td></tr>", "</td>"),
        ("3,125.50", "<table><tr><td>1</td></tr></table>"),
    ],
)
def test_malformed_tables_are_refused(old: str, new: str) -> None:
    with pytest.raises(SourceBroken):
        read(page(DAY, row("04. March 2026", "3,000.00", "3,001.00", "1")).replace(old, new, 1))


@pytest.mark.parametrize("end", ["", "</html", "</html>x", "</html></html>"])
def test_a_page_that_does_not_end_once_is_refused(end: str) -> None:
    with pytest.raises(SourceBroken, match="whole page"):
        read(page(DAY).replace("</html>", end))


# What is asked


def test_each_metals_page_of_each_year_is_requested() -> None:
    asked = list(adapter.requests(date(2025, 12, 30), date(2026, 1, 5)))
    address = "https://www.westmetall.com/en/markdaten.php?action=table&field="
    assert [request.url for request in asked] == [
        f"{address}LME_{symbol}_cash&year={year}" for year in (2025, 2026) for symbol in ("Al", "Cu", "Ni", "Pb", "Zn")
    ]
    assert [request.subject for request in asked[:5]] == ["XAL", "XCU", "XNI", "XPB", "XZN"]
    assert (asked[0].first, asked[0].last) == (date(2025, 12, 30), date(2025, 12, 31))
    assert (asked[5].first, asked[5].last) == (date(2026, 1, 1), date(2026, 1, 5))


def test_nothing_is_requested_before_2008() -> None:
    asked = list(adapter.requests(date(1970, 1, 1), date(2008, 12, 31)))
    assert {(request.first, request.last) for request in asked} == {(date(2008, 1, 2), date(2008, 12, 31))}


def test_it_is_off_for_the_prices_are_the_exchanges() -> None:
    assert "owns" in adapter.source.disabled_reason
    assert adapter.source.redistribution is Redistribution.UNCLEAR
