from datetime import date
from pathlib import Path

from tests.sources.workbook_files import packed_sheets

from cambist.ingest.request_tokens import with_token
from cambist.sources.adapters.cbs import adapter

CELLS = (Path(__file__).parents[2] / "payloads/cbs/2026.sheet.csv").read_text(encoding="utf-8")


def test_every_month_has_its_own_names_and_averages_are_not_read() -> None:
    found = [(str(each.pair), str(each.value), each.day) for each in adapter.parse(packed_sheets({"2026": CELLS}))]
    assert found[:3] == [
        ("WST/USD", "0.3681", date(2026, 2, 26)),
        ("WST/EUR", "0.3127", date(2026, 2, 26)),
        ("WST/JPY", "57.44", date(2026, 2, 26)),
    ]
    assert found[-2:] == [("WST/USD", "0.3687", date(2026, 3, 5)), ("WST/EUR", "0.3179", date(2026, 3, 5))]


def test_the_days_count_and_not_the_name_of_their_sheet() -> None:
    exchanged = packed_sheets({"2025": CELLS, "2026": CELLS.replace("2026-", "2025-")})
    assert {each.day.year for each in adapter.parse(exchanged)} == {2025, 2026}


def test_a_day_of_another_year_than_the_rest_of_its_sheet_is_left_out() -> None:
    taken = adapter.parse_tolerantly(packed_sheets({"2026": CELLS.replace("2026-02-27", "2025-02-27")}))
    assert (len(taken.fixings), [each.split(": ")[1] for each in taken.left_out]) == (
        8,
        ["[2025-02-27] is in the sheet of another year"],
    )


def test_a_day_with_two_rates_is_left_out_and_reported() -> None:
    taken = adapter.parse_tolerantly(packed_sheets({"2026": CELLS.replace("2026-03-05", "2026-03-04")}))
    assert {each.day for each in taken.fixings} == {date(2026, 2, 26), date(2026, 2, 27)}
    assert len(taken.left_out) == 3


def test_the_page_has_the_name_of_the_newest_file() -> None:
    (request,) = adapter.requests(date(2026, 6, 1), date(2026, 6, 3))
    page = b'<a href="/media/Historical-Daily-Rates-June032026.xlsx" target="_blank">'
    assert with_token("cbs", request, page).url == "https://cbs.gov.ws/media/Historical-Daily-Rates-June032026.xlsx"
    assert not list(adapter.requests(date(2007, 1, 1), date(2007, 12, 31)))
