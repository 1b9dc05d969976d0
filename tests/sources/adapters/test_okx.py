import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.okx import adapter
from cambist.sources.base import EMPTY_MESSAGE, VenueMessage

SMALL = Path(__file__).parents[2] / "payloads/okx"
RECORDED = Path(__file__).parents[4] / "shared/payloads/okx"
FRAMES = RECORDED.parent / "crypto_ws_frames/bbo_frames_2026-10-07.json"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
NAMES = {"BTC-USDT": Pair("BTC", "USDT")}


def listed(*bases: str, **entry: str) -> bytes:
    data = [{"instId": f"{one}-USDT", "baseCcy": one, "quoteCcy": "USDT", "state": "live"} | entry for one in bases]
    return json.dumps({"code": "0", "msg": "", "data": data}).encode()


def best(**entry: object) -> str:
    data = {"bids": [["2", "9", "0", "1"]], "asks": [["3", "8", "0", "1"]], "ts": "1772809445123", "seqId": 5} | entry
    return json.dumps({"arg": {"channel": "bbo-tbt", "instId": "BTC-USDT"}, "data": [data]})


# The names


@pytest.mark.parametrize("suffix", ["3L", "3S", "5L", "5S"])
def test_a_leveraged_token_is_left_out_where_its_coin_is_listed(suffix: str) -> None:
    assert list(adapter.parse_pair_names(listed("BTC", f"BTC{suffix}"))) == ["BTC-USDT"]
    assert list(adapter.parse_pair_names(listed("ETH", f"BTC{suffix}"))) == ["ETH-USDT", f"BTC{suffix}-USDT"]


def test_tup_is_a_coin_of_its_own_beside_t() -> None:
    assert list(adapter.parse_pair_names(listed("T", "TUP"))) == ["T-USDT", "TUP-USDT"]


@pytest.mark.parametrize("state", ["suspend", "preopen", "test", "expired", ""])
def test_pairs_that_are_not_live_are_left_out(state: str) -> None:
    with pytest.raises(SourceBroken, match="no pair that trades"):
        adapter.parse_pair_names(listed("BTC", state=state))


def test_an_id_that_is_not_of_its_coins_is_refused() -> None:
    """A base and a quote swapped would give the inverse of every price."""
    with pytest.raises(SourceBroken, match=r"\[USDT-BTC\] is not of \[BTC\] and \[USDT\]"):
        adapter.parse_pair_names(listed("BTC", instId="USDT-BTC"))


def test_an_error_with_status_200_is_refused_with_its_text() -> None:
    answer = b'{"code":"50011","msg":"Too Many Requests","data":[]}'
    with pytest.raises(SourceBroken, match="50011 Too Many Requests"):
        adapter.parse_pair_names(answer)
    with pytest.raises(SourceBroken, match="50011 Too Many Requests"):
        list(adapter.parse_ticks(answer, "", NAMES))


# Asking and hearing


def test_a_ticker_has_its_time() -> None:
    (tick,) = adapter.parse_ticks((SMALL / "tickers.json").read_bytes(), "", NAMES)
    moment = datetime(2026, 3, 6, 15, 4, 5, 123000, tzinfo=UTC)
    assert tick == Tick("okx", NAMES["BTC-USDT"], Decimal("71000.2"), Decimal("71001.5"), moment)


@pytest.mark.parametrize("moment", ["", "1772809445", "1772809445.123", "17728094451234", "-177280944512", "yesterday"])
def test_a_time_that_is_not_in_milliseconds_is_refused(moment: str) -> None:
    content = (SMALL / "tickers.json").read_bytes().replace(b"1772809445123", moment.encode())
    with pytest.raises(SourceBroken, match="BTC/USDT has no time"):
        list(adapter.parse_ticks(content, "", NAMES))
    with pytest.raises(SourceBroken, match="BTC/USDT has no time"):
        adapter.parse_message(best(ts=moment), NAMES)


def test_a_hundred_pairs_are_subscribed_to_at_a_time() -> None:
    (socket,) = adapter.sockets({f"C{number}-USDT": Pair(f"C{number}", "USDT") for number in range(250)})
    frames = [json.loads(frame) for frame in socket.opening_frames]
    assert socket.url == "wss://ws.okx.com:8443/ws/v5/public"
    assert [(frame["op"], len(frame["args"])) for frame in frames] == [("subscribe", 100)] * 2 + [("subscribe", 50)]
    assert frames[2]["args"][-1] == {"channel": "bbo-tbt", "instId": "C249-USDT"}
    assert all(len(frame) < 64 * 1024 for frame in socket.opening_frames)


def test_the_socket_is_kept_alive_by_a_text() -> None:
    (socket,) = adapter.sockets(NAMES)
    assert (socket.ping, socket.ping_every) == ("ping", timedelta(seconds=20))
    assert adapter.parse_message("pong", NAMES) is EMPTY_MESSAGE
    assert adapter.parse_message(b"pong", NAMES) is EMPTY_MESSAGE


def test_a_frame_has_its_time_and_its_count() -> None:
    (tick,) = adapter.parse_message(best(seqId=43210000001), NAMES).ticks
    assert (tick.as_of, tick.sequence) == (datetime(2026, 3, 6, 15, 4, 5, 123000, tzinfo=UTC), 43210000001)


def test_the_changes_of_a_deeper_book_are_no_best_levels() -> None:
    assert adapter.parse_message(best().replace("bbo-tbt", "books"), NAMES) == EMPTY_MESSAGE


@pytest.mark.parametrize(
    "entry",
    [{"seqId": -1}, {"seqId": "5"}, {"bids": [[]]}, {"bids": [[2]]}, {"bids": None}, {"asks": [["-1"]], "bids": []}],
)
def test_a_bad_frame_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message(best(**entry), NAMES)


def test_a_bad_frame_of_tickers_is_refused() -> None:
    with pytest.raises(SourceBroken):
        adapter.parse_message('{"arg":{"channel":"tickers","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT"}]}', NAMES)


def test_a_refusal_without_a_reason_is_reported() -> None:
    assert adapter.parse_message('{"event":"error","code":"60012"}', NAMES) == VenueMessage(
        refused="it gives no reason"
    )


# The recorded


@recorded
def test_the_recorded_list_is_parsed_completely() -> None:
    names = adapter.parse_pair_names(
        (RECORDED / "cryptofeed_rest_api_v5_public_instruments_instType_SPOT.json").read_bytes()
    )
    assert len(names) == len(set(names.values())) == 513
    assert names["TUP-USDT"] == Pair("TUP", "USDT")


@recorded
def test_the_recorded_frames_become_ticks() -> None:
    lines = (RECORDED / "cryptofeed_ws_okx_ws_1_0.jsonl").read_text().splitlines()
    frames = [line["frame"] for line in map(json.loads, lines) if "frame" in line]
    ticks = [tick for frame in frames for tick in adapter.parse_message(json.dumps(frame), NAMES).ticks]
    spot = [frame for frame in frames if frame["arg"] == {"channel": "tickers", "instId": "BTC-USDT"}]
    assert len(ticks) == len([frame for frame in spot if "data" in frame]) == 25
    moment = datetime(2022, 5, 13, 16, 27, 15, 637000, tzinfo=UTC)
    assert ticks[-1] == Tick("okx", NAMES["BTC-USDT"], Decimal("30230.2"), Decimal("30230.3"), moment)


@recorded
def test_the_recorded_best_levels_become_a_tick() -> None:
    frame = json.dumps(json.loads(FRAMES.read_text())["okx"])
    (tick,) = adapter.parse_message(frame, {"ETH-USDT": Pair("ETH", "USDT")}).ticks
    moment = datetime(2026, 10, 7, 7, 26, 37, 507000, tzinfo=UTC)
    assert tick == Tick("okx", Pair("ETH", "USDT"), Decimal("2617.21"), Decimal("2617.22"), moment)
