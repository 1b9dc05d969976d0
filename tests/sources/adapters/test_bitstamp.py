import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.bitstamp import adapter
from cambist.sources.base import EMPTY_MESSAGE, VenueMessage

SMALL = Path(__file__).parents[2] / "payloads/bitstamp"
RECORDED = Path(__file__).parents[4] / "shared/payloads/bitstamp"
FRAMES = RECORDED.parent / "crypto_ws_frames/bbo_frames_2026-10-07.json"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
NAMES = {"BTC/USD": Pair("BTC", "USD"), "btcusd": Pair("BTC", "USD")}


def listed(**entry: str) -> bytes:
    return json.dumps([{"name": "AAA/USD", "url_symbol": "aaausd", "trading": "Enabled"} | entry]).encode()


def book(channel: str = "order_book_btcusd", **entry: object) -> str:
    data = {"microtimestamp": "1772809445123456", "bids": [["2", "9"], ["1", "9"]], "asks": [["3", "8"]]} | entry
    return json.dumps({"event": "data", "channel": channel, "data": data})


# The names


def test_both_names_stand_for_the_pair() -> None:
    assert adapter.parse_pair_names(listed()) == {"AAA/USD": Pair("AAA", "USD"), "aaausd": Pair("AAA", "USD")}


def test_perpetuals_are_left_out() -> None:
    assert "btcusd-perp" not in adapter.parse_pair_names((SMALL / "list.json").read_bytes())


def test_pairs_that_do_not_trade_are_left_out() -> None:
    with pytest.raises(SourceBroken, match="no pair that trades"):
        adapter.parse_pair_names(listed(trading="Disabled"))


@pytest.mark.parametrize("entry", [{"name": "AAAUSD"}, {"name": ""}, {"url_symbol": ""}, {"url_symbol": "aaa/usd"}])
def test_an_invalid_name_is_refused(entry: dict[str, str]) -> None:
    with pytest.raises(SourceBroken, match="no name of a pair"):
        adapter.parse_pair_names(listed(**entry))


# Asking and hearing


def test_a_ticker_has_its_time() -> None:
    (tick,) = adapter.parse_ticks((SMALL / "tickers.json").read_bytes(), "", NAMES)
    moment = datetime(2026, 3, 6, 15, 4, 5, tzinfo=UTC)
    assert tick == Tick("bitstamp", Pair("BTC", "USD"), Decimal(70998), Decimal(71002), moment)


def test_a_ticker_of_the_perpetual_gives_no_tick() -> None:
    names = adapter.parse_pair_names((SMALL / "list.json").read_bytes())
    ticks = adapter.parse_ticks((SMALL / "tickers.json").read_bytes(), "", names)
    assert [str(tick.pair) for tick in ticks] == ["BTC/USD", "EUR/USD"]


def test_a_ticker_without_a_time_is_refused() -> None:
    content = (SMALL / "tickers.json").read_bytes().replace(b'"1772809445"', b'"1772809445123"')
    with pytest.raises(SourceBroken, match="BTC/USD has no time"):
        list(adapter.parse_ticks(content, "", NAMES))


def test_each_channel_is_subscribed_to_by_a_frame_of_its_own() -> None:
    (socket,) = adapter.sockets(adapter.parse_pair_names((SMALL / "list.json").read_bytes()))
    assert socket.url == "wss://ws.bitstamp.net"
    assert [json.loads(frame) for frame in socket.opening_frames] == [
        {"event": "bts:subscribe", "data": {"channel": f"order_book_{name}"}} for name in ("btcusd", "eurusd", "ethbtc")
    ]


def test_a_frame_is_its_best_levels_and_its_microseconds_are_time_and_count() -> None:
    (tick,) = adapter.parse_message(book(), NAMES).ticks
    moment = datetime(2026, 3, 6, 15, 4, 5, 123456, tzinfo=UTC)
    assert tick == Tick("bitstamp", Pair("BTC", "USD"), Decimal(2), Decimal(3), moment, 1772809445123456)


def test_the_changes_of_a_book_are_no_best_levels() -> None:
    """The first bid of changes may be any, and one of no amount is gone."""
    assert adapter.parse_message(book("diff_order_book_btcusd"), NAMES) == EMPTY_MESSAGE
    assert adapter.parse_message(book("detail_order_book_btcusd"), NAMES) == EMPTY_MESSAGE
    assert adapter.parse_message(book("other_book_btcusd"), NAMES) == EMPTY_MESSAGE


@pytest.mark.parametrize("data", ['""', "{}", "null"])
def test_a_request_to_reconnect_is_parsed(data: str) -> None:
    frame = f'{{"event":"bts:request_reconnect","channel":"","data":{data}}}'
    assert adapter.parse_message(frame, NAMES) == VenueMessage(reconnect=True)


@pytest.mark.parametrize(
    "entry",
    [
        {"microtimestamp": "1772809445"},
        {"microtimestamp": ""},
        {"microtimestamp": 1772809445123456},
        {"bids": [[]]},
        {"bids": [[2, 9]]},
        {"bids": None},
        {"asks": [["-3", "1"]], "bids": []},
    ],
)
def test_a_bad_book_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message(book(**entry), NAMES)


def test_an_error_without_a_text_is_a_refusal() -> None:
    assert adapter.parse_message('{"event":"bts:error","data":{}}', NAMES) == VenueMessage(refused="it gives no reason")


# The recorded


@recorded
def test_the_recorded_list_is_parsed_completely() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_api_v2_trading_pairs_info.json").read_bytes())
    assert len(names) == 280
    assert len(set(names.values())) == 140
    assert names["eurusd"] == names["EUR/USD"] == Pair("EUR", "USD")


@recorded
def test_the_recorded_changes_are_ignored() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_api_v2_trading_pairs_info.json").read_bytes())
    lines = (RECORDED / "cryptofeed_ws_bitstamp_ws_1_0.jsonl").read_text().splitlines()
    frames = [json.dumps(line["frame"]) for line in map(json.loads, lines) if "frame" in line]
    assert len(frames) == 40
    assert {adapter.parse_message(frame, names) for frame in frames} == {EMPTY_MESSAGE}


@recorded
def test_the_recorded_changes_would_be_ticks_as_whole_books() -> None:
    """They were recorded from the channel of changes, whose frames look the same."""
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_api_v2_trading_pairs_info.json").read_bytes())
    text = (RECORDED / "cryptofeed_ws_bitstamp_ws_1_0.jsonl").read_text().replace("diff_order_book", "order_book")
    frames = [json.dumps(line["frame"]) for line in map(json.loads, text.splitlines()) if "frame" in line]
    (first, *_) = (tick for frame in frames for tick in adapter.parse_message(frame, names).ticks)
    moment = datetime(2022, 1, 5, 0, 48, 11, 244908, tzinfo=UTC)
    assert first == Tick(
        "bitstamp", Pair("BAT", "EUR"), Decimal("1.15979"), Decimal("1.16601"), moment, 1641343691244908
    )


@recorded
def test_the_recorded_book_becomes_a_tick() -> None:
    frames = json.loads(FRAMES.read_text())
    (tick,) = adapter.parse_message(json.dumps(frames["bitstamp"]), {"ethusd": Pair("ETH", "USD")}).ticks
    moment = datetime(2026, 10, 7, 7, 26, 37, 711238, tzinfo=UTC)
    assert tick == Tick(
        "bitstamp", Pair("ETH", "USD"), Decimal("2616.35"), Decimal("2616.40"), moment, 1791357997711238
    )
    assert adapter.parse_message(json.dumps(frames["bitstamp_reconnect"]), {}).reconnect
