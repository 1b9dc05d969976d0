"""What every tick adapter must pass, on small files and frames in `tests/payloads/<key>/` that were written for it.

A new adapter needs a folder of its own with a `ticks.toml`; without one this suite fails.
"""

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cambist.errors import SourceBroken
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.registry.sources.source_adapters import adapters
from cambist.sources.base import (
    EMPTY_MESSAGE,
    MAX_PAYLOAD_BYTES,
    FixingAdapter,
    PairNames,
    Redistribution,
    SourceRequest,
    TickAdapter,
    VenueAdapter,
    VenueMessage,
)
from cambist.sources.parsing import PayloadReader

EXAMPLES = settings.default.max_examples // 3
"""For each of many frames; `make fuzz` tries thousands."""

PAYLOADS = Path(__file__).parents[1] / "payloads"
KEYS = [path.parent.name for path in sorted(PAYLOADS.glob("*/ticks.toml"))]
RATES = ("-1.5", "NaN", "inf", "Infinity", "1.5.5", "1_5", "abc", "--", "1 5", "1,5", "1e400", "9" * 16, "0x1")
"""What no bid is, as text or as a number."""

PAGE = b"""\
<!DOCTYPE html>
<html><head><title>503 Service Unavailable</title></head>
<body><h1>Service Unavailable</h1><p>No data today, please try again later.</p></body></html>
"""


def adapter_of(key: str) -> TickAdapter:
    adapter: TickAdapter = import_module(f"cambist.sources.adapters.{key}").adapter
    return adapter


def venue_of(key: str) -> VenueAdapter:
    adapter = adapter_of(key)
    assert isinstance(adapter, VenueAdapter)
    return adapter


def expectations_of(key: str) -> dict[str, Any]:
    return tomllib.loads((PAYLOADS / key / "ticks.toml").read_text(encoding="utf-8"))


def names_of(key: str) -> PairNames:
    listed = expectations_of(key).get("list")
    return venue_of(key).parse_pair_names((PAYLOADS / key / listed["file"]).read_bytes()) if listed else {}


@dataclass(frozen=True)
class Written:
    """What a source sends, `bid` being one bid as written there, found exactly once, and one that counts.

    `none` are the ways in which the source writes that a side has no orders: put in the bid's place, one tick less
    comes and nothing breaks. With `numbers` the bid is a number of JSON, which may have an exponent, else text.
    """

    key: str
    text: str = field(repr=False)
    ticks: int = 0
    bid: str = ""
    none: tuple[str, ...] = ()
    numbers: bool = False

    def changed(self, old: str, new: str) -> str:
        assert self.text.count(old) == 1, (self.key, old)
        return self.text.replace(old, new)

    def of_bad_rates(self) -> Iterator[tuple[str, str]]:
        """Name and give the text with each bid that is none."""
        zeros = () if self.none else ("0", "0.0000", "null", '""')
        forms = () if self.numbers else ("1e2", "+1", " 1", "1.", "-0")
        for rate in (*RATES, *zeros, *forms):
            yield f"the bid {rate}", self.changed(self.bid, rate)


@dataclass(frozen=True)
class Sample(Written):
    """A small file as the source sends it: its list of pairs or an answer to what is asked.

    `twice` is all that it writes for one further pair, so that writing it twice is something twice: formats that are
    one object of pairs cannot show it. `trading` stands at all that trades, and nothing does when it is gone.
    """

    file: str = ""
    subject: str = ""
    encoding: str = "utf-8"
    twice: str = ""
    trading: str = ""
    pairs: int = 0

    @property
    def name(self) -> str:
        return f"{self.key}/{self.file}"

    @property
    def content(self) -> bytes:
        return self.text.encode(self.encoding)

    def read(self, content: bytes) -> list[Any]:
        """Return the pair names of a list, or else the ticks."""
        if self.pairs:
            return list(venue_of(self.key).parse_pair_names(content).items())
        return list(adapter_of(self.key).parse_ticks(content, self.subject, names_of(self.key)))


@dataclass(frozen=True)
class Frame(Written):
    """A frame of a venue's socket, and what it says: `ticks`, or that something is `refused`, or to `reconnect`."""

    refused: str = ""
    reconnect: bool = False

    @property
    def name(self) -> str:
        return f"{self.key}: {self.text[:70]}"

    def parse_frame(self, frame: str | bytes | None = None) -> VenueMessage:
        return venue_of(self.key).parse_message(self.text if frame is None else frame, names_of(self.key))


def samples() -> Iterator[Sample]:
    for key in KEYS:
        tables = expectations_of(key)
        for table in [*([tables["list"]] if "list" in tables else []), *tables.get("answer", [])]:
            content = (PAYLOADS / key / table["file"]).read_bytes()
            none = tuple(table.pop("none", ()))
            yield Sample(key, content.decode(table.get("encoding", "utf-8")), none=none, **table)


SAMPLES = list(samples())
ANSWERS = [sample for sample in SAMPLES if not sample.pairs]
LISTS = [sample for sample in SAMPLES if sample.pairs]
FRAMES = [
    Frame(key, none=tuple(row.pop("none", ())), **row) for key in KEYS for row in expectations_of(key).get("frame", [])
]
VENUES = [key for key in KEYS if isinstance(adapter_of(key), VenueAdapter)]

EVERY = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
EVERY_ANSWER = pytest.mark.parametrize("sample", ANSWERS, ids=lambda sample: sample.name)
EVERY_LIST = pytest.mark.parametrize("sample", LISTS, ids=lambda sample: sample.name)
EVERY_FRAME = pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.name)
EVERY_KEY = pytest.mark.parametrize("key", KEYS)
EVERY_VENUE = pytest.mark.parametrize("key", VENUES)


def is_sound(key: str, tick: Tick) -> bool:
    return (
        tick.source == key
        and bool(tick.pair.base and tick.pair.quote)
        and tick.pair.base != tick.pair.quote
        and all(side.is_finite() and side > 0 for side in (tick.bid, tick.ask))
        and (tick.as_of is None or tick.as_of.tzinfo is UTC)
        and tick.sequence >= 0
    )


# The adapters and their facts


def test_every_tick_adapter_has_samples() -> None:
    assert {key for key, adapter in adapters().items() if not isinstance(adapter, FixingAdapter)} <= set(KEYS)


@EVERY_KEY
def test_the_facts_of_a_source_are_right(key: str) -> None:
    source = adapter_of(key).source
    assert source.key == key
    assert source.rate_type is RateType.MARKET
    assert source.pace in {Pace.REALTIME, Pace.INTRADAY}
    assert source.home.startswith("https://")
    assert source.terms.startswith("https://")
    assert not (source.redistribution is Redistribution.FORBIDDEN and source.is_on_by_default)
    assert not (source.setting and source.is_on_by_default)


@EVERY_KEY
def test_a_source_without_terms_that_is_not_an_exchange_is_off_with_a_reason(key: str) -> None:
    source = adapter_of(key).source
    if key not in VENUES and source.redistribution is not Redistribution.ALLOWED:
        assert source.disabled_reason.endswith(".")
    if source.is_on_by_default:
        assert "check the terms" in source.licence


@EVERY_KEY
def test_an_adapter_uses_https_and_a_key_only_if_it_has_a_setting(key: str) -> None:
    adapter = adapter_of(key)
    requests: list[SourceRequest] = list(adapter.requests())
    if isinstance(adapter, VenueAdapter):
        requests.append(adapter.pair_list_request())
    assert requests
    for request in requests:
        expectations_of = request.url + "".join(value for _, value in request.headers)
        assert request.url.startswith("https://")
        assert ("{key}" in expectations_of) == bool(adapter.source.setting)
        assert "{" not in expectations_of.replace("{key}", "")


@EVERY_VENUE
def test_the_sockets_subscribe_to_every_listed_pair_once(key: str) -> None:
    names = names_of(key)
    sockets = list(venue_of(key).sockets(names))
    opening_frames = [json.loads(frame) for socket in sockets for frame in socket.opening_frames]
    text = json.dumps(opening_frames).lower()
    assert all(socket.url.startswith("wss://") for socket in sockets)
    assert opening_frames
    for pair in set(names.values()):
        own = {name.lower() for name, named in names.items() if named == pair}
        found = sum(text.count(f'"{before}{name}{after}"') for name in own for before in STARTS for after in ENDS)
        assert found == 1, pair


STARTS = ("", "order_book_")
ENDS = ("", "@bookticker")


# What is read


@EVERY_LIST
def test_the_list_is_parsed_completely(sample: Sample) -> None:
    named = sample.read(sample.content)
    assert len({pair for _, pair in named}) == sample.pairs
    assert all(name and pair.base.isalnum() and pair.quote.isalnum() for name, pair in named)
    assert all(pair.base != pair.quote for _, pair in named)


@EVERY_ANSWER
def test_the_answer_is_parsed_completely(sample: Sample) -> None:
    ticks = sample.read(sample.content)
    assert len(ticks) == sample.ticks
    assert len({tick.pair for tick in ticks}) == len(ticks)
    assert all(is_sound(sample.key, tick) for tick in ticks)
    assert sample.bid in {str(tick.bid) for tick in ticks}


@EVERY_FRAME
def test_a_frame_says_what_it_says(frame: Frame) -> None:
    parse_frame = frame.parse_frame()
    ticks = list(parse_frame.ticks)
    assert (len(ticks), parse_frame.refused, parse_frame.reconnect) == (frame.ticks, frame.refused, frame.reconnect)
    assert all(is_sound(frame.key, tick) for tick in ticks)
    assert [str(tick.bid) for tick in ticks] == ([frame.bid] if frame.bid else [])


@EVERY_FRAME
def test_a_frame_says_the_same_as_bytes(frame: Frame) -> None:
    assert frame.parse_frame(frame.text.encode()) == frame.parse_frame()


@pytest.mark.parametrize("written", [*ANSWERS, *FRAMES], ids=lambda written: written.name)
def test_a_pair_without_orders_on_a_side_gives_no_tick(written: Sample | Frame) -> None:
    for none in written.none:
        text = written.changed(written.bid, none)
        if isinstance(written, Frame):
            assert written.parse_frame(text) == EMPTY_MESSAGE
        else:
            assert len(written.read(text.encode(written.encoding))) == written.ticks - 1


@pytest.mark.parametrize("written", [*ANSWERS, *FRAMES], ids=lambda written: written.name)
def test_a_crossed_book_is_passed_on_as_it_is(written: Sample | Frame) -> None:
    if written.bid:
        text = written.changed(written.bid, "99999999.5")
        read = (
            written.parse_frame(text).ticks
            if isinstance(written, Frame)
            else written.read(text.encode(written.encoding))
        )
        assert len(list(read)) == written.ticks


@EVERY_VENUE
def test_an_unlisted_pair_gives_no_tick(key: str) -> None:
    """It was left out, or has been listed since the list was read."""
    for frame in FRAMES:
        if frame.key == key and frame.ticks:
            assert list(venue_of(key).parse_message(frame.text, {}).ticks) == []


@EVERY_VENUE
def test_tickers_that_quote_no_listed_pair_are_refused(key: str) -> None:
    for sample in ANSWERS:
        if sample.key == key:
            with pytest.raises(SourceBroken, match="no listed pair"):
                list(venue_of(key).parse_ticks(sample.content, sample.subject, {}))


# What is refused


def damages(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Name and give each damage that no source's file may come with."""
    good = sample.content
    yield "nothing", b""
    yield "blanks", b"\n \n"
    yield "garbage", bytes(range(256)) * 4
    yield "an error page", PAGE
    yield "an error page after it", good + PAGE
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "a list of null", b"[null]"
    yield "null", b"null"
    yield "a number", b"7"
    yield "text", b'"no data"'
    yield "XML", b"<?xml version='1.0'?><rates/>"
    yield "UTF-16", sample.text.encode("utf-16")
    yield "UTF-16 without a mark", sample.text.encode("utf-16-le")
    yield "the same twice over", good + good
    yield "a byte less", good.rstrip()[:-1]
    if sample.twice:
        yield "something twice", sample.changed(sample.twice, sample.twice * 2).encode(sample.encoding)
    if sample.trading:
        assert sample.trading in sample.text
        gone = sample.text.replace(sample.trading, f"{sample.trading[:-1]}0{sample.trading[-1]}")
        yield "nothing that trades", gone.encode(sample.encoding)
    if sample.bid:
        stray = sample.changed(sample.bid, f"\0{sample.bid}").encode(sample.encoding)
        yield "a NUL", stray
        yield "a stray byte", stray.replace(b"\0", b"\xff")
        for name, text in sample.of_bad_rates():
            yield name, text.encode(sample.encoding)


@EVERY
def test_a_frame_that_a_source_never_sends_is_refused(sample: Sample) -> None:
    damaged = list(damages(sample))
    assert len(damaged) > 10
    assert [name for name, content in damaged if not breaks(lambda content=content: sample.read(content))] == []


@pytest.mark.long(every=3)
@EVERY
def test_a_file_cut_off_is_refused(sample: Sample) -> None:
    content = sample.content.rstrip()
    assert [
        content[:cut] for cut in range(len(content)) if not breaks(lambda cut=cut: sample.read(content[:cut]))
    ] == []


def breaks(read: Callable[[], object]) -> bool:
    try:
        read()
    except SourceBroken:
        return True
    return False


@pytest.mark.long(every=3)
@EVERY
def test_a_file_of_a_hundred_megabytes_is_refused(sample: Sample) -> None:
    with pytest.raises(SourceBroken):
        sample.read(sample.content.rstrip() + b" " * (MAX_PAYLOAD_BYTES + 1))


@EVERY
def test_an_error_names_its_source(sample: Sample) -> None:
    with pytest.raises(SourceBroken, match=r"^\w[^:]{1,60}: "):
        sample.read(b"")


BAD_FRAMES = ("", " ", "null", "7", '"text"', "[]", "{}", "[1,2]", PAGE.decode(), "\ud800", "[" * 5000, '{"a":' * 5000)


@EVERY_VENUE
@pytest.mark.parametrize("frame", [*BAD_FRAMES, bytes(range(256)), b"\xff\xfe"], ids=lambda frame: repr(frame[:12]))
def test_an_invalid_frame_is_refused(key: str, frame: str | bytes) -> None:
    with pytest.raises(SourceBroken, match=r"^\w[^:]{1,60}: "):
        venue_of(key).parse_message(frame, names_of(key))


@pytest.mark.long(every=3)
@EVERY_FRAME
def test_a_frame_cut_off_is_refused(frame: Frame) -> None:
    nominal = [
        frame.text[:cut]
        for cut in range(len(frame.text))
        if not breaks(lambda cut=cut: frame.parse_frame(frame.text[:cut]))
    ]
    assert nominal == []


@EVERY_FRAME
def test_a_frame_of_a_bad_bid_is_refused(frame: Frame) -> None:
    for name, text in frame.of_bad_rates() if frame.bid else ():
        assert breaks(lambda text=text: frame.parse_frame(text)), name


@EVERY_FRAME
def test_a_frame_in_another_encoding_is_refused(frame: Frame) -> None:
    assert breaks(lambda: frame.parse_frame(frame.text.encode("utf-16")))


@EVERY_FRAME
def test_a_frame_that_does_not_end_with_its_end_is_refused(frame: Frame) -> None:
    assert breaks(lambda: frame.parse_frame(frame.text * 2))


# Whatever comes


def check_any(sample: Sample, content: bytes) -> None:
    """Any bytes give what is sound, at least one, or SourceBroken; another exception fails the test by itself."""
    try:
        read = sample.read(content)
    except SourceBroken:
        return
    assert read
    assert sample.pairs or all(is_sound(sample.key, tick) for tick in read)


@EVERY
@settings(max_examples=EXAMPLES)
@given(content=st.binary(max_size=400))
@example(content=b"[" * 5000)
def test_any_bytes_are_parsed_or_refused(sample: Sample, content: bytes) -> None:
    check_any(sample, content)


@pytest.mark.long(every=2)
@EVERY
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_text_like_the_real_one_is_parsed_or_refused(sample: Sample, data: st.DataObject) -> None:
    letters = st.sampled_from(sorted({*sample.text, *'\r"\0-+eE'}))
    check_any(sample, spoiled(sample.text, data, st.text(letters, max_size=6)).encode(sample.encoding, "replace"))


@pytest.mark.long(every=5)
@EVERY_VENUE
@given(frame=st.binary(max_size=200) | st.text(max_size=200))
def test_any_frame_is_parsed_or_refused(key: str, frame: str | bytes) -> None:
    check_heard(key, frame)


@pytest.mark.long(every=5)
@EVERY_FRAME
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_frame_like_the_real_one_is_parsed_or_refused(frame: Frame, data: st.DataObject) -> None:
    letters = st.sampled_from(sorted({*frame.text, *'\r"\0-+eE{[]}'}))
    check_heard(frame.key, spoiled(frame.text, data, st.text(letters, max_size=6)))


def check_heard(key: str, frame: str | bytes) -> None:
    try:
        parse_frame = venue_of(key).parse_message(frame, names_of(key))
    except SourceBroken:
        return
    assert all(is_sound(key, tick) for tick in parse_frame.ticks)


def spoiled(text: str, data: st.DataObject, pieces: st.SearchStrategy[str]) -> str:
    """Replace up to four pieces of the text by others."""
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + data.draw(pieces) + text[end:]
    return text


# The recorded lists


RECORDED = Path(__file__).parents[3] / "shared/payloads"
LISTED = {
    "kraken": ("cryptofeed_rest_0_public_AssetPairs.json", 292),
    "coinbase": ("cryptofeed_rest_products.json", 162),
    "binance": ("cryptofeed_rest_api_v3_exchangeInfo.json", 1222),
    "okx": ("cryptofeed_rest_api_v5_public_instruments_instType_SPOT.json", 513),
    "bitstamp": ("cryptofeed_rest_api_v2_trading_pairs_info.json", 140),
}
MONEY = {"USD", "EUR", "GBP", "JPY", "CAD", "AUD", "CHF", "BRL", "TRY", "RUB", "UAH", "NGN", "ZAR"}


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_venues_together_list_five_hundred_coins_and_seven_hundred_and_fifty_pairs() -> None:
    listed = {
        key: set(venue_of(key).parse_pair_names((RECORDED / key / file).read_bytes()).values())
        for key, (file, _) in LISTED.items()
    }
    pairs = set().union(*listed.values())
    coins = {pair.base for pair in pairs} - MONEY
    assert {key: len(own) for key, own in listed.items()} == {key: count for key, (_, count) in LISTED.items()}
    assert len(coins) >= 500
    assert len(pairs) >= 750


@pytest.mark.parametrize("text", ["1e400", "1e15", "1e-21", "0.0", "-1", "1e99999999"])
def test_a_number_of_json_beyond_all_markets_is_none(text: str) -> None:
    with pytest.raises(SourceBroken, match="no rate"):
        PayloadReader("Somebody").json_number(json.loads(f"[{text}]", parse_float=Decimal)[0], "a rate")


def test_an_adapter_without_a_parser_cannot_be_created() -> None:
    make: Callable[[], TickAdapter] = type("Lazy", (TickAdapter,), {})
    with pytest.raises(TypeError, match="parse_ticks"):
        make()
