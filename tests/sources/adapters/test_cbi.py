from datetime import date
from pathlib import Path

import pytest
from tests.sources.workbook_files import packed_sheets

from cambist.errors import SourceBroken
from cambist.ingest.request_tokens import with_token
from cambist.sources.adapters.cbi import adapter

CELLS = (Path(__file__).parents[2] / "payloads/cbi/2026.sheet.csv").read_text(encoding="utf-8")


def read(cells: str = CELLS) -> list[tuple[str, str, date]]:
    sheets = packed_sheets({"2009": "", "2026": cells})
    return [(str(each.pair), str(each.value), each.day) for each in adapter.parse(sheets)]


def test_a_rate_is_the_mean_of_buying_and_the_first_selling_rate_under_the_month_above() -> None:
    assert read()[:5] == [
        ("USD/IQD", "1305", date(2026, 1, 4)),
        ("JPY/IQD", "8.329", date(2026, 1, 4)),
        ("OMR/IQD", "3389.6985", date(2026, 1, 4)),
        ("XDR/IQD", "1785.814", date(2026, 1, 4)),
        ("USD/IQD", "1305", date(2026, 2, 1)),
    ]
    assert {day for _, _, day in read()} == {date(2026, 1, 4), date(2026, 2, 1), date(2026, 2, 2)}


def test_two_rates_that_do_not_belong_together_are_left_out() -> None:
    taken = adapter.parse_tolerantly(packed_sheets({"2026": CELLS.replace("8.301", "5.301")}))
    assert len(taken.fixings) == 10
    assert taken.left_out == ("Central Bank of Iraq: JPY/IQD on 2026-02-01 is bought at [5.301] and sold at [8.365]",)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("Feb.2026", "Mar.2026", "not the month after the month 1"),
        ("Feb.2026", "Feb.2025", "not the month after"),
        ("Feb.2026", "2026", "not the month after"),
        ("OMR", "", "not those of one currency"),
        ('" 2"', "32", "not a date"),
    ],
)
def test_a_month_a_name_or_a_day_out_of_place_is_refused(old: str, new: str, match: str) -> None:
    with pytest.raises(SourceBroken, match=match):
        read(CELLS.replace(old, new))


def test_a_sheet_before_the_known_ones_is_not_read() -> None:
    sheets = packed_sheets({"2023": CELLS.replace("2026", "2023"), "2026": CELLS})
    assert len(list(adapter.parse(sheets))) == 11


def test_the_page_has_the_number_of_the_newest_file_beside_those_of_others() -> None:
    (request,) = adapter.requests(date(2026, 2, 1), date(2026, 2, 2))
    page = (
        '<a href="https://cbi.iq/static/uploads/up/file-11.xlsx">اسعار صرف الدينار تجاه الدولار</a>'
        '<a href="https://cbi.iq/static/uploads/up/file-22.xlsx">أسعار صرف الدينار العراقي اليومية تجاه العملات</a>'
    )
    assert with_token("cbi", request, page.encode()).url == "https://cbi.iq/static/uploads/up/file-22.xlsx"
