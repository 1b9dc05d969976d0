"""The escudo's rates: a matrix without names, whose rows are named by the series of the page."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.sources.adapters.bdp import adapter

PAGE = Path(__file__).parents[2] / "payloads/bdp/page.json"


def read(content: bytes) -> list[tuple[str, str, str]]:
    return [(str(each.pair), str(each.day), str(each.value)) for each in adapter.parse(content)]


def test_rows_are_named_by_their_series_and_a_row_of_the_next_page_is_left_out() -> None:
    assert read(PAGE.read_bytes()) == [
        ("USD/PTE", "1998-03-03", "171.101"),
        ("USD/PTE", "1998-03-04", "171.444"),
        ("XEU/PTE", "1998-03-03", "201.322"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"[171.101,", b"[", "5 values in an unknown order"),
        (b'"id":["12","13"', b'"id":["13","12"', "in an unknown order"),
        (b'"size":[3,1', b'"size":[3,2', "several kinds for a currency"),
        (b"(ECU)", b"(USD)", "no series of its own"),
        (b"against Escudo - daily", b"against Euro - daily", "a series is called"),
        (b'"826","2777"', b'"826","826"', "entries twice"),
    ],
)
def test_a_page_in_another_order_is_refused(old: bytes, new: bytes, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(PAGE.read_bytes().replace(old, new))


def test_no_day_after_the_escudo_is_requested() -> None:
    asked = list(adapter.requests(date(1998, 12, 30), date(2026, 11, 20)))
    assert [each.url.split("page=")[1].split("&")[0] for each in asked] == ["1", "2", "3", "4", "5"]
    assert asked[0].url.endswith("obs_since=1998-12-30&obs_to=1998-12-31")
