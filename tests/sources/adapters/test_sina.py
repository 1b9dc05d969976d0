from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.sina import adapter

SMALL = Path(__file__).parents[2] / "payloads/sina/metals.txt"
RECORDED = Path(__file__).parents[4] / "shared/payloads/sina_hq"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


def read(text: str) -> list[Tick]:
    return list(adapter.parse_ticks(text.encode("gbk"), "", {}))


@pytest.fixture
def text() -> str:
    return SMALL.read_bytes().decode("gbk")


def test_three_months_forward_is_a_metal_of_its_own(text: str) -> None:
    assert [str(tick.pair) for tick in read(text)] == [
        "XCU-3M/USD",
        "XAL-3M/USD",
        "XZN-3M/USD",
        "XPB-3M/USD",
        "XNI-3M/USD",
    ]


def test_bid_and_ask_are_the_third_and_fourth_cell_not_the_last_price(text: str) -> None:
    first, *_ = read(text)
    assert (str(first.bid), str(first.ask)) == ("13068.00", "13071.50")


def test_the_time_is_of_beijing(text: str) -> None:
    """What trades in London on Friday evening is written on Saturday."""
    first, *_ = read(text)
    assert first.as_of == datetime(2026, 3, 6, 17, 58, 22, tzinfo=UTC)


def test_utf_8_is_not_what_it_sends(text: str) -> None:
    with pytest.raises(SourceBroken, match="gbk"):
        list(adapter.parse_ticks(text.encode(), "", {}))


def test_it_is_requested_with_the_referer_of_its_own_pages() -> None:
    (request,) = adapter.requests()
    assert request.url == "https://hq.sinajs.cn/list=hf_CAD,hf_AHD,hf_ZSD,hf_PBD,hf_NID"
    assert request.headers == (("Referer", "https://finance.sina.com.cn/"),)


def test_it_is_off_as_its_terms_are_unknown() -> None:
    assert not adapter.source.is_on_by_default
    assert "no terms" in adapter.source.disabled_reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hf_CAD=", "hf_GC="),
        ("hf_CAD=", "CAD="),
        ("01:58:22", "1:58:22"),
        ("01:58:22", "25:58:22"),
        ("01:58:22", ""),
        ("0.1952,", ""),
        (",3770,1,2,", ",3770,1,"),
        ("LME铜", "LME铜,0,0"),
        ("13068.00", ""),
        ("13068.00", "0.00"),
        ('LME铜";', 'LME铜"'),
        ('var hq_str_hf_CAD="13070.50', 'alert("13070.50'),
    ],
)
def test_another_layout_is_refused(text: str, old: str, new: str) -> None:
    assert old in text
    with pytest.raises(SourceBroken):
        read(text.replace(old, new, 1))


def test_a_metal_that_it_does_not_know_is_refused(text: str) -> None:
    *others, _ = text.splitlines(keepends=True)
    with pytest.raises(SourceBroken, match="NID has 1 cells"):
        read("".join(others) + 'var hq_str_hf_NID="";\n')


def test_a_missing_metal_is_refused(text: str) -> None:
    *others, _ = text.splitlines(keepends=True)
    with pytest.raises(SourceBroken, match="NID are missing"):
        read("".join(others))


@pytest.mark.parametrize("day", ["2026-02-30", "2026-3-7", "0026-03-07", "07.03.2026", ""])
def test_a_bad_date_is_refused(text: str, day: str) -> None:
    with pytest.raises(SourceBroken, match="is no moment"):
        read(text.replace("2026-03-07", day, 1))


@recorded
def test_the_recorded_lines_are_read(text: str) -> None:
    """No recorded answer has all five: lead is the invented one."""
    old, newer = ((RECORDED / name).read_text().splitlines() for name in ("hf_2014-10-30.txt", "hf_2015-06-13.txt"))
    lead = [line for line in text.splitlines() if "PBD" in line]
    wanted = [line for line in old if "NID" in line or "CAD" in line or "AHD" in line]
    ticks = read("\n".join([*wanted, *(line for line in newer if "ZSD" in line), *lead]) + "\n")
    assert ticks[0] == Tick(
        "sina",
        Pair("XNI-3M", "USD"),
        Decimal("15431.00"),
        Decimal("15494.00"),
        datetime(2014, 10, 30, 2, 52, 46, tzinfo=UTC),
    )
    assert ticks[3] == Tick(
        "sina",
        Pair("XZN-3M", "USD"),
        Decimal("2126.00"),
        Decimal("2129.50"),
        datetime(2015, 6, 12, 19, 0, tzinfo=UTC),
    )
