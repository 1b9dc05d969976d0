"""What every feed must pass. A new feed joins with one `Sample` in SAMPLES; without one this suite is red."""

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cambist.app.parts import feeds
from cambist.errors import FeedBroken
from cambist.feeds import FEEDS
from cambist.feeds.base import Feed
from cambist.history.fixing import Fixing
from cambist.reference.tables import CURRENCIES

ALL = feeds()


@dataclass(frozen=True)
class Sample:
    """A small file as the source publishes it, and pieces of it, each found there once.

    `rate` is one rate, `day` its date, `pivot` the code of the dollar; `line` is all that the source writes
    for one further day, so that writing it twice is a day twice. `fixings` counts what the file holds.
    """

    text: str
    rate: str
    day: str
    pivot: str
    line: str
    fixings: int


ECB = """\
Date,USD,JPY,BGN,
2026-03-06,1.2500,180.00,N/A,
2026-03-05,1.2400,181.00,N/A,
2025-12-31,1.1600,184.00,1.9558,
"""

SAMPLES = {
    "ecb": Sample(
        text=ECB, rate="181.00", day="2026-03-05", pivot="USD", line="2026-03-06,1.2500,180.00,N/A,\n", fixings=7
    ),
}

PAGE = """\
<!DOCTYPE html>
<html><head><title>503 Service Unavailable</title></head>
<body><h1>Service Unavailable</h1><p>No data today, please try again later.</p></body></html>
"""


def zipped(*contents: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"{number}.csv", content)
    return packed.getvalue()


def read(feed: Feed, content: bytes) -> list[Fixing]:
    return list(feed.read(content))


def breaks(feed: Feed, content: bytes) -> bool:
    try:
        read(feed, content)
    except FeedBroken:
        return True
    return False


def changed(sample: Sample, old: str, new: str) -> bytes:
    assert sample.text.count(old) == 1, old
    return sample.text.replace(old, new).encode()


def damages(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Name and give each damage that no source's file may come with."""
    good = sample.text.encode()
    yield "nothing", b""
    yield "blanks", b"\n \n"
    yield "garbage", bytes(range(256)) * 4
    yield "an error page", PAGE.encode()
    yield "an error page packed", zipped(PAGE.encode())
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "UTF-16", sample.text.encode("utf-16")
    yield "UTF-16 without a mark", sample.text.encode("utf-16-le")
    yield "a byte order mark", sample.text.encode("utf-8-sig")
    yield "a stray byte", changed(sample, sample.rate, f"{sample.rate}\0").replace(b"\0", b"\xff")
    yield "a zip of two files", zipped(good, good)
    yield "a zip of nothing", zipped()
    yield "a zip in a zip", zipped(zipped(good))
    yield "a zip cut off", zipped(good)[:-30]
    yield "a zip cut in half", zipped(good)[: len(zipped(good)) // 2]
    yield "the same twice over", good + good
    yield "a day twice", changed(sample, sample.line, sample.line * 2)
    yield "no dollar", changed(sample, sample.pivot, "XXX")
    yield "a lower-case code", changed(sample, sample.pivot, sample.pivot.lower())
    for rate in ("-1.5", "0", "0.0000", "1.5E2", "1e2", "NaN", "inf", "1,5", "1.5.5", "1_5", "abc", "--"):
        yield f"the rate {rate}", changed(sample, sample.rate, rate)
    for day in ("2026-02-30", "2026-13-01", "1026-03-05", "0000-00-00", "yesterday"):
        yield f"the day {day}", changed(sample, sample.day, day)


DAMAGED = [
    pytest.param(ALL[key], content, id=f"{key}: {name}") for key in FEEDS for name, content in damages(SAMPLES[key])
]
EVERY = pytest.mark.parametrize("key", FEEDS)


def test_every_feed_brings_a_sample() -> None:
    assert SAMPLES.keys() == ALL.keys() == set(FEEDS)


@EVERY
def test_a_feed_is_registered_under_its_sources_key(key: str) -> None:
    assert ALL[key].source.key == key


@EVERY
def test_a_source_gives_its_facts(key: str) -> None:
    source = ALL[key].source
    assert source.anchor in CURRENCIES
    assert source.home.startswith("https://")
    assert source.terms.startswith("https://")
    assert source.name
    assert source.licence
    assert source.fixed_at > time(0)
    assert source.market_time(source.first_day).utcoffset() is not None


@EVERY
def test_the_sample_is_read_whole(key: str) -> None:
    fixings = read(ALL[key], SAMPLES[key].text.encode())
    assert len(fixings) == SAMPLES[key].fixings
    assert all(is_sound(ALL[key], fixing) for fixing in fixings)
    assert len({(fixing.pair, fixing.day) for fixing in fixings}) == len(fixings)
    assert SAMPLES[key].rate in {str(fixing.value) for fixing in fixings}


def is_sound(feed: Feed, fixing: Fixing) -> bool:
    source = feed.source
    codes = {fixing.pair.base, fixing.pair.quote}
    return (
        fixing.source == source.key
        and source.anchor in codes
        and len(codes) == 2
        and fixing.value.is_finite()
        and fixing.value > 0
        and fixing.nominal >= 1
        and fixing.day >= source.first_day
    )


@pytest.mark.parametrize(("feed", "content"), DAMAGED)
def test_what_a_source_never_publishes_breaks_the_feed(feed: Feed, content: bytes) -> None:
    with pytest.raises(FeedBroken):
        read(feed, content)


@EVERY
def test_a_file_cut_off_within_a_line_breaks_the_feed(key: str) -> None:
    text = SAMPLES[key].text
    within = [length for length in range(len(text)) if not text[:length].endswith("\n") and text[length] != "\n"]
    assert [text[:length] for length in within if not breaks(ALL[key], text[:length].encode())] == []


@EVERY
def test_a_zip_cut_off_anywhere_breaks_the_feed(key: str) -> None:
    content = zipped(SAMPLES[key].text.encode())
    assert [length for length in range(len(content)) if not breaks(ALL[key], content[:length])] == []


@EVERY
def test_a_broken_feed_names_its_source(key: str) -> None:
    with pytest.raises(FeedBroken, match=rf"(?i){key}"):
        read(ALL[key], b"")


def check_any(feed: Feed, content: bytes) -> None:
    """Any bytes give sound fixings, at least one, or FeedBroken; another exception fails the test by itself."""
    try:
        fixings = read(feed, content)
    except FeedBroken:
        return
    assert fixings
    assert all(is_sound(feed, fixing) for fixing in fixings)
    assert len({(fixing.pair, fixing.day) for fixing in fixings}) == len(fixings)


@EVERY
@given(content=st.binary(max_size=400))
@example(content=b"Date,USD,\rJPY,\n")
@example(content=b"PK\x05\x06" + bytes(18))
@example(content=b"PK\x03\x04")
def test_any_bytes_give_fixings_or_a_broken_feed(key: str, content: bytes) -> None:
    check_any(ALL[key], content)


@EVERY
@given(data=st.data())
def test_any_text_like_the_real_one_gives_fixings_or_a_broken_feed(key: str, data: st.DataObject) -> None:
    sample = SAMPLES[key]
    letters = st.sampled_from(sorted({*sample.text, *'\r"\0-+eE'}))
    check_any(ALL[key], spoiled(sample.text, data, st.text(letters, max_size=6), "").encode())


@EVERY
@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_to_a_zip_gives_fixings_or_a_broken_feed(key: str, data: st.DataObject) -> None:
    content = zipped(SAMPLES[key].text.encode())
    check_any(ALL[key], spoiled(content, data, st.binary(max_size=4), b""))


def spoiled(content: Any, data: st.DataObject, pieces: st.SearchStrategy[Any], nothing: Any) -> Any:
    """Replace up to four pieces of the content by others."""
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 6)))
        content = nothing.join((content[:start], data.draw(pieces), content[end:]))
    return content


def test_a_feed_without_its_own_reading_cannot_be_made() -> None:
    make: Callable[[], Feed] = type("Lazy", (Feed,), {})
    with pytest.raises(TypeError, match="read"):
        make()
