import json
from datetime import date

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.sources.adapters.cfets import adapter


def read(head: list[str], days: dict[str, list[str]], pages: int = 1) -> list[Fixing]:
    records = [{"date": day, "values": values} for day, values in days.items()]
    return list(adapter.parse(json.dumps({"data": {"head": head, "pageTotal": pages}, "records": records}).encode()))


def test_the_header_says_direction_and_nominal() -> None:
    fixings = read(["USD/CNY", "100JPY/CNY", "CNY/THB"], {"2026-03-05": ["6.9127", "4.3811", "4.6120"]})
    assert [(str(fixing.pair), str(fixing.value), fixing.nominal) for fixing in fixings] == [
        ("USD/CNY", "6.9127", 1),
        ("JPY/CNY", "4.3811", 100),
        ("CNY/THB", "4.6120", 1),
    ]


@pytest.mark.parametrize("head", [["USD/EUR"], ["CNY/CNY"], ["12JPY/CNY"], ["USD/100CNY"], ["USD/CNY", "USD/CNY"], []])
def test_pairs_that_are_not_of_the_yuan_are_refused(head: list[str]) -> None:
    with pytest.raises(SourceBroken):
        read(head, {"2026-03-05": ["1.5" for _ in head]})


def test_values_that_do_not_fit_the_header_are_refused() -> None:
    with pytest.raises(SourceBroken, match="2 values for 1"):
        read(["USD/CNY"], {"2026-03-05": ["6.9127", "4.3811"]})


def test_an_answer_of_more_than_one_page_is_refused() -> None:
    with pytest.raises(SourceBroken, match="first of 2 pages"):
        read(["USD/CNY"], {"2026-03-05": ["6.9127"]}, pages=2)


def test_days_without_rates_are_no_fault() -> None:
    with pytest.raises(NothingPublished):
        read(["USD/CNY"], {})


def test_a_request_is_a_post_of_no_more_days_than_a_page_holds() -> None:
    asked = list(adapter.requests(date(2026, 1, 1), date(2026, 3, 31)))
    assert [(request.first, request.last) for request in asked] == [
        (date(2026, 1, 1), date(2026, 2, 28)),
        (date(2026, 3, 1), date(2026, 3, 31)),
    ]
    assert all(request.body for request in asked)
