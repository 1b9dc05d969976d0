"""The table of `cambist watch`."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from tests.cli.watch_lists import watch_list_with
from tests.client.fake_stream import NOON

from cambist.cli.prices_table import prices_table


def test_the_table_of_a_lost_stream_is_grey_and_shows_since_when():
    watch_list = watch_list_with("1.1", "1.2")
    assert prices_table(watch_list, NOON).rows[0].style == ""
    watch_list.mark_lost(NOON, "gone [red]away")
    table = prices_table(watch_list, NOON)
    assert table.rows[0].style == "dim"
    assert str(table.caption) == "Lost since 12:00:00 UTC: gone [red]away; connecting again"


@pytest.mark.parametrize(("age", "text"), [("1966026.1", "22d"), ("12.34", "12.3s"), ("10800", "3h"), ("400", "6min")])
def test_the_table_shows_an_age_in_its_largest_unit(age, text):
    table = prices_table(watch_list_with("1.1"), NOON + timedelta(seconds=float(age)))
    assert [str(cell) for cell in table.columns[5].cells] == [text]


def test_arrows_are_ascii_on_a_terminal_without_unicode():
    cells = [
        [*prices_table(watch_list_with("1.1", "1.2"), NOON, ascii_only=plain).columns][6] for plain in (False, True)
    ]
    assert [re.sub(r"\s", "", str(next(iter(column.cells)))) for column in cells] == ["▲", "^"]
