import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.coinbase import adapter
from cambist.sources.base import EMPTY_MESSAGE, VenueMessage

SMALL = Path(__file__).parents[2] / "payloads/coinbase"
RECORDED = Path(__file__).parents[4] / "shared/payloads/coinbase"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
NAMES = {"BTC-USD": Pair("BTC", "USD")}


def product(**entry: object) -> bytes:
    one = {"id": "AAA-USD", "base_currency": "AAA", "quote_currency": "USD", "status": "online"}
    return json.dumps([one | entry]).encode()


def ticker(**entry: object) -> str:
    one = {"type": "ticker", "sequence": 5, "product_id": "BTC-USD", "best_bid": "2", "best_ask": "3"}
    return json.dumps(one | entry)


# The names


def test_cgld_is_what_others_call_celo() -> None:
    assert adapter.parse_pair_names((SMALL / "list.json").read_bytes())["CGLD-USD"] == Pair("CELO", "USD")


@pytest.mark.parametrize("halt", ["trading_disabled", "cancel_only", "post_only", "auction_mode"])
def test_pairs_that_do_not_trade_are_left_out(halt: str) -> None:
    with pytest.raises(SourceBroken, match="no product that trades"):
        adapter.parse_pair_names(product(**{halt: True}))


def test_a_pair_with_limit_orders_only_trades() -> None:
    assert adapter.parse_pair_names(product(limit_only=True)) == {"AAA-USD": Pair("AAA", "USD")}


@pytest.mark.parametrize("status", ["offline", "internal", "delisted", ""])
def test_products_that_are_not_online_are_left_out(status: str) -> None:
    with pytest.raises(SourceBroken, match="no product that trades"):
        adapter.parse_pair_names(product(status=status))


def test_an_id_that_is_not_of_its_currencies_is_refused() -> None:
    """A base and a quote swapped would give the inverse of every price."""
    with pytest.raises(SourceBroken, match=r"\[USD-AAA\] is not of \[AAA\] and \[USD\]"):
        adapter.parse_pair_names(product(id="USD-AAA"))


@pytest.mark.parametrize("code", ["0", "00", "1INCH", "T", "ABCDEFGHIJKLMN"])
def test_codes_are_letters_and_digits_of_any_length(code: str) -> None:
    assert adapter.parse_pair_names(product(id=f"{code}-USD", base_currency=code)) == {f"{code}-USD": Pair(code, "USD")}


# Asking and hearing


def test_nothing_is_polled_and_no_answer_is_accepted() -> None:
    assert adapter.requests() == ()
    with pytest.raises(SourceBroken, match="socket alone"):
        adapter.parse_ticks(b"[]", "", NAMES)


def test_a_hundred_products_are_subscribed_to_at_a_time() -> None:
    (socket,) = adapter.sockets({f"C{number}-USD": Pair(f"C{number}", "USD") for number in range(250)})
    frames = [json.loads(frame) for frame in socket.opening_frames]
    assert socket.url == "wss://ws-feed.exchange.coinbase.com"
    assert [len(frame.pop("product_ids")) for frame in frames] == [100, 100, 50]
    assert frames[0] == {"type": "subscribe", "channels": ["ticker"]}


def test_a_frame_has_its_time_and_its_count() -> None:
    frame = ticker(time="2026-03-06T15:04:05.123456Z", sequence=81000111222, best_bid="71000.20", best_ask="71001.50")
    moment = datetime(2026, 3, 6, 15, 4, 5, 123456, tzinfo=UTC)
    bid, ask = Decimal("71000.20"), Decimal("71001.50")
    assert list(adapter.parse_message(frame, NAMES).ticks) == [
        Tick("coinbase", NAMES["BTC-USD"], bid, ask, moment, 81000111222)
    ]


@pytest.mark.parametrize(
    "entry",
    [
        {"sequence": -1},
        {"sequence": "5"},
        {"sequence": None},
        {"time": "yesterday"},
        {"time": "2026-03-06T15:04:05"},
        {"time": "2026-03-06T15:04:05+02:00"},
        {"best_bid": 2},
        {"best_bid": None},
        {"best_ask": "-1", "best_bid": ""},
        {"product_id": 7},
    ],
)
def test_a_bad_ticker_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message(ticker(**entry), NAMES)


def test_a_refusal_without_a_reason_is_reported() -> None:
    assert adapter.parse_message('{"type":"error"}', NAMES) == VenueMessage(refused="it gives no reason")


# The recorded


@recorded
def test_the_recorded_list_is_parsed_completely() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_products.json").read_bytes())
    assert len(names) == len(set(names.values())) == 162
    assert names["BTC-GBP"] == Pair("BTC", "GBP")
    assert names["CGLD-USD"] == Pair("CELO", "USD")


@recorded
def test_the_recorded_frames_become_ticks() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_products.json").read_bytes())
    lines = (RECORDED / "cryptofeed_ws_coinbase_ws_28_0.jsonl").read_text().splitlines()
    frames = [json.dumps(line["frame"]) for line in map(json.loads, lines) if "frame" in line]
    parse_frame = [adapter.parse_message(frame, names) for frame in frames]
    ticks = [tick for one in parse_frame for tick in one.ticks]
    moment = datetime(2021, 4, 17, 16, 43, 30, 244075, tzinfo=UTC)
    assert len(frames) == 167
    assert len(ticks) == 107
    assert sum(one == EMPTY_MESSAGE for one in parse_frame) == 60
    assert ticks[0] == Tick("coinbase", Pair("BAND", "GBP"), Decimal("14.7550"), Decimal("14.8060"), moment, 333938798)
