import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.kraken import adapter
from cambist.sources.base import EMPTY_MESSAGE, PairNames, Redistribution, VenueMessage

SMALL = Path(__file__).parents[2] / "payloads/kraken"
RECORDED = Path(__file__).parents[4] / "shared/payloads/kraken"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


def listed(**entry: str) -> bytes:
    pair = {"altname": "AAABBB", "wsname": "AAA/BBB", "base": "AAA", "quote": "ZBBB", "status": "online"} | entry
    return json.dumps({"error": [], "result": {"AAABBB": pair}}).encode()


@pytest.fixture
def names() -> PairNames:
    return adapter.parse_pair_names((SMALL / "list.json").read_bytes())


def ticker(symbol: str = "BTC/USD", **entry: object) -> str:
    quote = {"symbol": symbol, "bid": 2, "ask": 3} | entry
    return json.dumps({"channel": "ticker", "type": "update", "data": [quote]})


# The names


def test_xbt_is_the_bitcoin_in_every_spelling(names: PairNames) -> None:
    spellings = {name for name, pair in names.items() if pair == Pair("BTC", "USD")}
    assert spellings == {"XXBTZUSD", "XBTUSD", "XBT/USD", "BTC/USD"}


def test_xdg_is_the_dogecoin_in_every_spelling(names: PairNames) -> None:
    assert {name for name, pair in names.items() if pair == Pair("DOGE", "USD")} == {"XDGUSD", "XDG/USD", "DOGE/USD"}


def test_a_currency_loses_its_z(names: PairNames) -> None:
    assert names["ZEURZUSD"] == names["EURUSD"] == Pair("EUR", "USD")


def test_luna_is_the_old_coin_that_others_call_lunc(names: PairNames) -> None:
    assert names["LUNA/USD"] == Pair("LUNC", "USD")
    assert names["LUNA2/USD"] == Pair("LUNA", "USD")
    assert "LUNC/USD" not in names


def test_dark_pools_and_staked_coins_are_left_out(names: PairNames) -> None:
    assert not [name for name in names if "." in name]


@pytest.mark.parametrize("status", ["cancel_only", "post_only", "delisted", "maintenance", ""])
def test_pairs_that_do_not_trade_are_left_out(status: str) -> None:
    with pytest.raises(SourceBroken, match="no pair that trades"):
        adapter.parse_pair_names(listed(status=status))


@pytest.mark.parametrize("status", ["online", "limit_only", "reduce_only"])
def test_pairs_that_trade_are_listed(status: str) -> None:
    assert set(adapter.parse_pair_names(listed(status=status)).values()) == {Pair("AAA", "BBB")}


def test_a_name_without_a_slash_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"\[AAABBB\] is no name of a pair"):
        adapter.parse_pair_names(listed(wsname="AAABBB"))


def test_a_spelling_of_two_pairs_is_refused() -> None:
    both = json.loads(listed())
    both["result"]["CCCBBB"] = both["result"]["AAABBB"] | {"wsname": "CCC/BBB"}
    with pytest.raises(SourceBroken, match=r"AAABBB\] stands for AAA/BBB and CCC/BBB"):
        adapter.parse_pair_names(json.dumps(both).encode())


def test_an_error_with_status_200_is_refused_with_its_text() -> None:
    with pytest.raises(SourceBroken, match="EGeneral:Internal error"):
        adapter.parse_pair_names(b'{"error":["EGeneral:Internal error"]}')
    with pytest.raises(SourceBroken, match="EService:Unavailable"):
        list(adapter.parse_ticks(b'{"error":["EService:Unavailable"],"result":{}}', "", {}))


# The tickers


def test_a_ticker_is_its_first_bid_and_ask_without_a_time(names: PairNames) -> None:
    first, *_ = adapter.parse_ticks((SMALL / "tickers.json").read_bytes(), "", names)
    assert first == Tick("kraken", Pair("BTC", "USD"), Decimal("71000.2"), Decimal("71001.5"))
    assert str(first.bid) == "71000.20000"


def test_a_ticker_of_what_does_not_trade_gives_no_tick(names: PairNames) -> None:
    ticks = adapter.parse_ticks((SMALL / "tickers.json").read_bytes(), "", names)
    assert [str(tick.pair) for tick in ticks] == ["BTC/USD", "DOGE/USD", "EUR/USD"]


# The socket


def test_the_socket_is_subscribed_by_the_new_names_only(names: PairNames) -> None:
    (socket,) = adapter.sockets(names)
    (opening_frames,) = map(json.loads, socket.opening_frames)
    assert socket.url == "wss://ws.kraken.com/v2"
    assert opening_frames["method"] == "subscribe"
    assert opening_frames["params"] == {
        "channel": "ticker",
        "symbol": ["BTC/USD", "DOGE/USD", "EUR/USD", "LUNA/USD", "LUNA2/USD"],
        "event_trigger": "bbo",
        "snapshot": True,
    }


def test_the_socket_subscribes_to_two_hundred_pairs_at_a_time() -> None:
    names = {f"C{number}/USD": Pair(f"C{number}", "USD") for number in range(450)}
    (socket,) = adapter.sockets(names)
    sizes = [len(json.loads(frame)["params"]["symbol"]) for frame in socket.opening_frames]
    assert sizes == [200, 200, 50]
    assert socket.silence == timedelta(seconds=30)


def test_a_frame_has_its_time(names: PairNames) -> None:
    (tick,) = adapter.parse_message(ticker(timestamp="2026-03-06T15:04:05.123456Z"), names).ticks
    assert tick.as_of == datetime(2026, 3, 6, 15, 4, 5, 123456, tzinfo=UTC)


@pytest.mark.parametrize("moment", ["2026-03-06T15:04:05", "2026-03-06T15:04:05+02:00", "0001-01-01T00:00:00+05:00", 1])
def test_a_time_that_is_not_utc_is_refused(names: PairNames, moment: object) -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message(ticker(timestamp=moment), names)


def test_a_frame_of_two_pairs_gives_two_ticks(names: PairNames) -> None:
    frame = {"channel": "ticker", "data": [json.loads(ticker(name))["data"][0] for name in ("BTC/USD", "DOGE/USD")]}
    assert [str(tick.pair) for tick in adapter.parse_message(json.dumps(frame), names).ticks] == ["BTC/USD", "DOGE/USD"]


def test_a_small_price_may_be_written_with_an_exponent(names: PairNames) -> None:
    (tick,) = adapter.parse_message(ticker().replace('"bid": 2', '"bid": 1.5e-9'), names).ticks
    assert tick.bid == Decimal("1.5e-9")


def test_a_bad_bid_is_refused_beside_an_empty_side(names: PairNames) -> None:
    with pytest.raises(SourceBroken, match="BTC/USD is no rate"):
        adapter.parse_message(ticker(bid=-1, ask=None), names)


def test_a_refusal_without_a_reason_is_reported() -> None:
    assert adapter.parse_message('{"method":"subscribe","success":false}', {}) == VenueMessage(
        refused="it gives no reason"
    )


def test_market_data_are_on_with_unclear_terms() -> None:
    assert adapter.source.is_on_by_default
    assert adapter.source.redistribution is Redistribution.UNCLEAR


# The recorded


@recorded
def test_the_recorded_list_is_parsed_completely() -> None:
    names = adapter.parse_pair_names((RECORDED / "cryptofeed_rest_0_public_AssetPairs.json").read_bytes())
    pairs = set(names.values())
    # Of 304 entries 11 are dark pools and one is the staked ether.
    assert len(pairs) == 292
    assert {"XBT", "XDG", "ZUSD", "XXBT"}.isdisjoint({code for pair in pairs for code in (pair.base, pair.quote)})
    assert names["XXDGXXBT"] == names["DOGE/BTC"] == Pair("DOGE", "BTC")
    assert names["XREPZUSD"] == Pair("REPV1", "USD")
    assert names["REPV2USD"] == Pair("REP", "USD")
    (socket,) = adapter.sockets(names)
    asked = [symbol for frame in socket.opening_frames for symbol in json.loads(frame)["params"]["symbol"]]
    assert len(asked) == len(set(asked)) == 292


@recorded
def test_the_recorded_frames_are_parsed() -> None:
    _, *frames = (RECORDED / "ws_v2_ticker_2026-09-24.jsonl").read_text().splitlines()
    status, done, refused, snapshot, heartbeat = (
        adapter.parse_message(frame, {"USDT/USD": Pair("USDT", "USD")}) for frame in frames
    )
    assert status == done == heartbeat == EMPTY_MESSAGE
    assert refused.refused == "Currency pair not supported NOPE/USD"
    moment = datetime(2026, 9, 24, 3, 54, 18, 54886, tzinfo=UTC)
    assert list(snapshot.ticks) == [Tick("kraken", Pair("USDT", "USD"), Decimal("0.99980"), Decimal("0.99981"), moment)]
