import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.twelvedata import adapter
from cambist.sources.base import Redistribution

SMALL = Path(__file__).parents[2] / "payloads/twelvedata/rates.json"


def read(content: bytes) -> list[Tick]:
    return list(adapter.parse_ticks(content, "", {}))


def changed(**entry: object) -> bytes:
    rates: dict[str, Any] = json.loads(SMALL.read_bytes())
    rates["XAU/USD"] |= entry
    return json.dumps(rates).encode()


def test_both_sides_are_the_one_rate() -> None:
    first, *_ = read(SMALL.read_bytes())
    moment = datetime(2026, 3, 6, 15, 4, tzinfo=UTC)
    assert first == Tick("twelvedata", Pair("EUR", "USD"), Decimal("1.14002"), Decimal("1.14002"), moment)


def test_the_key_goes_into_a_header() -> None:
    (request,) = adapter.requests()
    assert request.headers == (("Authorization", "apikey {key}"),)
    assert "key" not in request.url
    assert request.url.startswith("https://api.twelvedata.com/exchange_rate?symbol=EUR/USD,GBP/USD,")


def test_a_day_of_asking_stays_within_the_free_plan() -> None:
    (request,) = adapter.requests()
    pairs = request.url.count("/USD") + request.url.count("USD/")
    requests = 24 * 3600 / adapter.source.schedule.every.total_seconds()
    assert pairs == 8
    assert pairs * requests <= 800


def test_it_is_off_and_wants_a_key() -> None:
    assert not adapter.source.is_on_by_default
    assert adapter.source.setting == "twelvedata_key"
    assert adapter.source.redistribution is Redistribution.FORBIDDEN


def test_a_spent_quota_is_refused_with_its_text() -> None:
    with pytest.raises(SourceBroken, match="429 You have run out of API credits"):
        read(b'{"code":429,"message":"You have run out of API credits","status":"error"}')


def test_an_error_in_place_of_a_pair_is_refused_with_its_text() -> None:
    rates = json.loads(SMALL.read_bytes())
    rates["XAU/USD"] = {"code": 404, "message": "This symbol is not in your plan", "status": "error"}
    with pytest.raises(SourceBroken, match="XAU/USD has no rate: This symbol is not in your plan"):
        read(json.dumps(rates).encode())


def test_a_pair_too_few_or_too_many_is_refused() -> None:
    rates = json.loads(SMALL.read_bytes())
    more = rates | {"BTC/USD": rates["XAU/USD"]}
    del rates["EUR/USD"]
    for one in (rates, more):
        with pytest.raises(SourceBroken, match="other pairs"):
            read(json.dumps(one).encode())


@pytest.mark.parametrize(
    "entry",
    [
        {"symbol": "XAG/USD"},
        {"symbol": ""},
        {"timestamp": 0},
        {"timestamp": 1772809445123},
        {"timestamp": "yesterday"},
        {"rate": None},
        {"rate": 0},
        {"rate": True},
    ],
)
def test_a_bad_rate_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(SourceBroken):
        read(changed(**entry))
