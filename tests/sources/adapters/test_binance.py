import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.binance import adapter
from cambist.sources.base import EMPTY_MESSAGE

SMALL = Path(__file__).parents[2] / "payloads/binance"
RECORDED = Path(__file__).parents[4] / "shared/payloads/binance"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
NAMES = {"BTCUSDT": Pair("BTC", "USDT")}


def info(*bases: str, **entry: object) -> bytes:
    def symbol(base: str) -> dict[str, object]:
        own = {"symbol": f"{base}USDT", "status": "TRADING", "baseAsset": base, "quoteAsset": "USDT"}
        return own | {"isSpotTradingAllowed": True} | entry

    return json.dumps({"symbols": [symbol(base) for base in bases]}).encode()


def best(**entry: object) -> str:
    data = {"u": 5, "s": "BTCUSDT", "b": "2", "B": "9", "a": "3", "A": "8"} | entry
    return json.dumps({"stream": "btcusdt@bookTicker", "data": data})


# The names


@pytest.mark.parametrize("suffix", ["UP", "DOWN", "BULL", "BEAR", "3L", "3S", "5L", "5S"])
def test_a_leveraged_token_is_left_out_where_its_coin_is_listed(suffix: str) -> None:
    assert list(adapter.parse_pair_names(info("BTC", f"BTC{suffix}"))) == ["BTCUSDT"]
    assert list(adapter.parse_pair_names(info("ETH", f"BTC{suffix}"))) == ["ETHUSDT", f"BTC{suffix}USDT"]


def test_jup_and_tup_are_coins_of_their_own() -> None:
    assert list(adapter.parse_pair_names(info("J", "T", "JUP", "TUP"))) == ["JUSDT", "TUSDT", "JUPUSDT", "TUPUSDT"]


@pytest.mark.parametrize("status", ["BREAK", "HALT", "END_OF_DAY", ""])
def test_pairs_that_do_not_trade_are_left_out(status: str) -> None:
    with pytest.raises(SourceBroken, match="no pair that trades"):
        adapter.parse_pair_names(info("BTC", status=status))


def test_pairs_without_spot_trading_are_left_out() -> None:
    with pytest.raises(SourceBroken, match="no pair that trades"):
        adapter.parse_pair_names(info("BTC", isSpotTradingAllowed=False))


def test_a_coin_of_another_script_is_left_out() -> None:
    assert list(adapter.parse_pair_names(info("BTC", "人生"))) == ["BTCUSDT"]


def test_a_symbol_that_is_not_of_its_coins_is_refused() -> None:
    """A base and a quote swapped would give the inverse of every price."""
    with pytest.raises(SourceBroken, match=r"\[USDTBTC\] is not of \[BTC\] and \[USDT\]"):
        adapter.parse_pair_names(info("BTC", symbol="USDTBTC"))


# Asking and hearing


def test_it_is_requested_at_the_host_for_market_data_alone() -> None:
    requests = [adapter.pair_list_request(), *adapter.requests()]
    assert [request.url for request in requests] == [
        "https://data-api.binance.vision/api/v3/exchangeInfo?showPermissionSets=false",
        "https://data-api.binance.vision/api/v3/ticker/bookTicker",
    ]


def test_a_ticker_has_neither_time_nor_count() -> None:
    content = (SMALL / "tickers.json").read_bytes()
    (tick,) = adapter.parse_ticks(content, "", NAMES)
    assert tick == Tick("binance", NAMES["BTCUSDT"], Decimal("71000.20000000"), Decimal("71001.50000000"))
    assert str(tick.bid) == "71000.20000000"


def test_a_connection_takes_a_thousand_streams_two_hundred_at_a_time() -> None:
    sockets = list(adapter.sockets({f"C{number}USDT": Pair(f"C{number}", "USDT") for number in range(1222)}))
    frames = [[json.loads(frame) for frame in socket.opening_frames] for socket in sockets]
    assert {socket.url for socket in sockets} == {"wss://data-stream.binance.vision/stream"}
    assert [[len(frame["params"]) for frame in own] for own in frames] == [[200] * 5, [200, 22]]
    assert all(frame["method"] == "SUBSCRIBE" and frame["id"] > 0 for own in frames for frame in own)
    assert frames[1][1]["params"][-1] == "c1221usdt@bookTicker"
    assert all(socket.pause.total_seconds() > 0.2 for socket in sockets)


def test_a_frame_has_a_count_and_no_time() -> None:
    (tick,) = adapter.parse_message(best(u=3800150009), NAMES).ticks
    assert (tick.as_of, tick.sequence) == (None, 3800150009)


@pytest.mark.parametrize("entry", [{"u": -1}, {"u": "5"}, {"b": 2}, {"b": None}, {"b": ""}, {"a": "-1", "b": "0"}])
def test_a_bad_frame_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message(best(**entry), NAMES)


def test_a_frame_without_a_count_is_refused() -> None:
    with pytest.raises(SourceBroken, match="`u`"):
        adapter.parse_message(best().replace('"u": 5, ', ""), NAMES)


def test_a_refusal_without_a_reason_is_reported() -> None:
    assert adapter.parse_message('{"error":{"code":3},"id":1}', NAMES).refused == "it gives no reason"


# The recorded


@recorded
def test_the_recorded_list_is_parsed_completely() -> None:
    content = (RECORDED / "cryptofeed_rest_api_v3_exchangeInfo.json").read_bytes()
    names = adapter.parse_pair_names(content)
    statuses = Counter((row["status"], row["isSpotTradingAllowed"]) for row in json.loads(content)["symbols"])
    # 1,262 trade; the 40 that are not for spot trading are the leveraged tokens.
    assert statuses == {("TRADING", True): 1222, ("TRADING", False): 40, ("BREAK", True): 433}
    assert len(names) == len(set(names.values())) == 1222
    assert not [pair for pair in names.values() if pair.base in {"BTCUP", "BTCDOWN", "ETHBULL", "BEAR", "BULL"}]
    assert names["1INCHUSDT"] == Pair("1INCH", "USDT")
    assert len(list(adapter.sockets(names))) == 2


@recorded
def test_the_leveraged_tokens_would_be_known_by_their_names_alone() -> None:
    listed = json.loads((RECORDED / "cryptofeed_rest_api_v3_exchangeInfo.json").read_bytes())
    for row in listed["symbols"]:
        row["isSpotTradingAllowed"] = True
    assert len(adapter.parse_pair_names(json.dumps(listed).encode())) == 1222


@recorded
def test_the_recorded_frames_become_ticks() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_api_v3_exchangeInfo.json").read_bytes())
    lines = (RECORDED / "cryptofeed_ws_binance_ws_1_0.jsonl").read_text().splitlines()
    frames = [line["frame"] for line in map(json.loads, lines) if "frame" in line]
    parse_frame = [adapter.parse_message(json.dumps(frame), names) for frame in frames]
    ticks = [tick for one in parse_frame for tick in one.ticks]
    assert len(frames) == 144
    assert ticks[0] == Tick(
        "binance", Pair("NKN", "USDT"), Decimal("0.35210000"), Decimal("0.35260000"), None, 499869768
    )
    best = [frame for frame in frames if frame["stream"].endswith("@bookTicker")]
    assert len(ticks) == len(best) == 84
    assert sum(one == EMPTY_MESSAGE for one in parse_frame) == 60
