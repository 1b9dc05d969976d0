from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.gold_api import adapter

PRICE = (Path(__file__).parents[2] / "payloads/gold_api/price.json").read_bytes()


def test_a_price_is_dollars_per_ounce_at_its_own_time() -> None:
    value = Decimal("4210.5")
    tick = Tick("gold_api", Pair("XAU", "USD"), value, value, datetime(2026, 3, 5, 13, 29, 35, tzinfo=UTC))
    assert list(adapter.parse_ticks(PRICE, "XAU", {})) == [tick]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"symbol":"XAU"', b'"symbol":"XAG"'),
        (b'"currency":"USD"', b'"currency":"EUR"'),
        (b'"exchangeRate":1.0', b'"exchangeRate":0.86'),
        (b"2026-03-05T13:29:35Z", b"a few seconds ago"),
        (b"2026-03-05T13:29:35Z", b"1970-01-01T00:00:00Z"),
    ],
)
def test_another_metal_currency_or_time_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse_ticks(PRICE.replace(old, new), "XAU", {}))


def test_each_metal_is_requested() -> None:
    assert [request.url.rpartition("/")[2] for request in adapter.requests()] == ["XAU", "XAG", "XPT", "XPD"]
