from datetime import date
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.sources.adapters.cbsl import adapter

PAGE = (Path(__file__).parents[2] / "payloads/cbsl/page.html").read_bytes()


def test_the_second_column_is_rupees_per_unit() -> None:
    fixings = list(adapter.parse(PAGE))
    assert [(str(fixing.pair), str(fixing.value)) for fixing in fixings] == [
        ("USD/LKR", "309.8801"),
        ("USD/LKR", "309.7715"),
        ("XAU/LKR", "1598212.4411"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"1  USD  -&gt; LKR", b"1 LKR -&gt;  USD"),
        (b"1  USD  -&gt; LKR", b"100  USD  -&gt; LKR"),
        (b'<th class="header headerSortDown">Date</th>', b""),
    ],
)
def test_a_table_with_another_head_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(SourceBroken, match="head"):
        list(adapter.parse(PAGE.replace(old, new, 1)))


def test_tables_without_lines_are_no_fault() -> None:
    empty = PAGE.split(b"<tbody>")[0] + b"<tbody></tbody></table></div></body></html>"
    with pytest.raises(NothingPublished):
        list(adapter.parse(empty))


def test_all_currencies_are_asked_for_in_one_form() -> None:
    (asked,) = adapter.requests(date(2026, 3, 1), date(2026, 3, 5))
    form = parse_qs(asked.body.decode())
    assert (form["txtStart"], form["txtEnd"], len(form["chk_cur[]"])) == (["2026-03-01"], ["2026-03-05"], 51)
    assert len(list(adapter.requests(date(2025, 1, 1), date(2025, 12, 31)))) == 3
