from datetime import date
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.sources.adapters.bomu import adapter

PAGE = (Path(__file__).parents[2] / "payloads/bomu/page.html").read_bytes()


def test_a_rate_is_the_mean_of_the_transfer_rates_for_its_units() -> None:
    fixings = list(adapter.parse(PAGE))
    assert [(str(fixing.pair), str(fixing.value), fixing.nominal) for fixing in fixings] == [
        ("USD/MUR", "45.75205", 1),
        ("JPY/MUR", "29.2061", 100),
        ("USD/MUR", "45.7620", 1),
    ]


def test_the_zero_byte_of_the_menu_is_no_fault() -> None:
    assert len(list(adapter.parse(PAGE.replace(b"<nav>Menu", b"<nav>Menu\0")))) == 3


def test_a_table_that_repeats_the_rates_is_not_read() -> None:
    table = PAGE.split(b"view-display-id-page")[1].split(b"</body>")[0]
    again = PAGE.replace(b"</body>", b'<div class="view-display-id-attachment_1' + table + b"</body>")
    assert len(list(adapter.parse(again))) == 3


def test_days_without_rates_are_no_fault_but_another_table_is() -> None:
    head, _, rest = PAGE.partition(b'<div class="view-content">')
    with pytest.raises(NothingPublished):
        list(adapter.parse(head + b"</div></body></html>"))
    with pytest.raises(SourceBroken, match="no line"):
        list(adapter.parse(head + b'<div class="view-content">' + rest.replace(b"tbody", b"tfoot")))


def test_both_ends_of_a_span_are_asked_for() -> None:
    asked = list(adapter.requests(date(2026, 1, 1), date(2026, 3, 5)))
    assert [(request.first, request.last) for request in asked] == [
        (date(2026, 1, 1), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 3, 3)),
        (date(2026, 3, 4), date(2026, 3, 5)),
    ]
    assert asked[-1].url.endswith("=04-03-2026&field_transaction_date_value_1%5Bvalue%5D%5Bdate%5D=05-03-2026")
