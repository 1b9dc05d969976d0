"""What every fixing adapter must pass, on small files in `tests/payloads/<key>/` that were written for it.

A new adapter needs a folder of its own; without one this suite fails.
"""

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.sources.workbook_files import packed

from cambist.errors import SourceBroken
from cambist.history.fixing import GRAM, Fixing
from cambist.registry.sources.source_adapters import adapters, built_in
from cambist.sources.base import MAX_PAYLOAD_BYTES, FixingAdapter

PAYLOADS = Path(__file__).parents[1] / "payloads"
EXAMPLES = settings.default.max_examples // 5
"""For each of more than a hundred files; `make fuzz` tries thousands."""


@dataclass(frozen=True)
class Sample:
    """A small file as the source publishes it, and pieces of it, each found there exactly once.

    `rate` is one rate and `day` one date as the file writes them; `twice` is all that the source writes for one
    further day, pair or record, so that writing it twice is something twice; `code` is a currency's code, with
    whatever around it makes it unique, and with `needs_code` the file is nothing without it. `missing` is what the
    source writes for a rate that it has not: put in the rate's place, one fixing less is read and nothing breaks.
    `spares` names damages of this suite that this format cannot show, each a fact of the format. A file `*.sheet.csv`
    has the cells of a workbook, which is packed from them.
    """

    key: str
    written: bytes = field(repr=False)
    file: str
    fixings: int
    rate: str
    day: str = ""
    code: str = ""
    twice: str = ""
    missing: str | None = None
    subject: str = ""
    encoding: str = "utf-8"
    needs_code: bool = False
    spares: tuple[str, ...] = ()

    @property
    def adapter(self) -> FixingAdapter:
        adapter = built_in(self.key)
        assert isinstance(adapter, FixingAdapter)
        return adapter

    @property
    def content(self) -> bytes:
        return packed(self.file, self.written)

    @property
    def text(self) -> str:
        return self.written.decode(self.encoding)

    def read(self, content: bytes | None = None) -> list[Fixing]:
        return list(self.adapter.parse(self.content if content is None else content, self.subject))

    def breaks(self, content: bytes) -> bool:
        try:
            self.read(content)
        except SourceBroken:
            return True
        return False

    def changed(self, old: str, new: str) -> bytes:
        assert self.text.count(old) == 1, (self.file, old)
        return packed(self.file, self.text.replace(old, new).encode(self.encoding))

    @property
    def name(self) -> str:
        return f"{self.key}/{self.file}"


def samples() -> Iterator[Sample]:
    for path in sorted(PAYLOADS.glob("*/samples.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["sample"]:
            spares = tuple(entry.pop("spares", ()))
            yield Sample(path.parent.name, (path.parent / entry["file"]).read_bytes(), spares=spares, **entry)


SAMPLES = list(samples())
FIXING_ADAPTERS = {key: adapter for key, adapter in adapters().items() if isinstance(adapter, FixingAdapter)}
EVERY = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
SOURCES = pytest.mark.parametrize("adapter", FIXING_ADAPTERS.values(), ids=list(FIXING_ADAPTERS))

PAGE = """\
<!DOCTYPE html>
<html><head><title>503 Service Unavailable</title></head>
<body><h1>Service Unavailable</h1><p>No data today, please try again later.</p></body></html>
"""
RATES = ("-1.5", "0", "0.0000", "NaN", "inf", "1.5.5", "1_5", "abc", "--", "1 5", "1e400")


def zipped(*contents: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"{number}.csv", content)
    return packed.getvalue()


def damages(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Name and give each damage that no source's file may come with."""
    good = sample.content
    yield "nothing", b""
    yield "blanks", b"\n \n"
    yield "garbage", bytes(range(256)) * 4
    yield "an error page", PAGE.encode()
    yield "an error page packed", zipped(PAGE.encode())
    yield "an error page after it", good + PAGE.encode()
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "null", b"null"
    yield "XML of another kind", b"<?xml version='1.0'?><rates/>"
    yield "entities that expand", b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'b'>]><a>&b;</a>"
    yield "UTF-16", sample.text.encode("utf-16")
    yield "UTF-16 without a mark", sample.text.encode("utf-16-le")
    yield "a stray byte", sample.changed(sample.rate, f"{sample.rate}\0").replace(b"\0", b"\xff")
    yield "a zip of two files", zipped(good, good)
    yield "a zip of nothing", zipped()
    yield "a zip in a zip", zipped(zipped(good))
    yield "a zip cut off", zipped(good)[:-30]
    yield "the same twice over", good + good
    if sample.twice:
        yield "something twice", sample.changed(sample.twice, sample.twice * 2)
    if sample.code:
        yield "a lower-case code", sample.changed(sample.code, sample.code.lower())
    if sample.needs_code:
        yield "no such code", sample.changed(sample.code, sample.code.upper().replace("USD", "XXX"))
    for rate in RATES:
        yield f"the rate {rate}", sample.changed(sample.rate, rate)
    for digit in "1", "3":
        old = sample.day
        yield f"a day of month {digit}9", sample.changed(old, old.replace("03", f"{digit}9")) if "03" in old else b""
    if sample.day:
        yield "a day that is none", sample.changed(sample.day, "yesterday")


def test_every_adapter_has_samples() -> None:
    assert {sample.key for sample in SAMPLES} == set(FIXING_ADAPTERS)


@pytest.mark.parametrize("key", adapters())
def test_an_adapter_is_registered_under_its_sources_key(key: str) -> None:
    assert adapters()[key].source.key == key


@EVERY
def test_the_sample_is_parsed_completely(sample: Sample) -> None:
    fixings = sample.read()
    assert len(fixings) == sample.fixings
    assert all(is_sound(sample.adapter, fixing) for fixing in fixings)
    assert len({(fixing.pair, fixing.day, fixing.rate_type) for fixing in fixings}) == len(fixings)


def is_sound(adapter: FixingAdapter, fixing: Fixing) -> bool:
    source = adapter.source
    codes = {fixing.pair.base, fixing.pair.quote}
    return (
        fixing.source == source.key
        and source.anchor in codes
        and len(codes) == 2
        and fixing.value.is_finite()
        and fixing.value > 0
        and fixing.nominal >= 1
        and fixing.unit in {"", GRAM}
        and fixing.day >= source.first_day
    )


@pytest.mark.long(every=3)
@EVERY
def test_content_that_a_source_never_publishes_is_refused(sample: Sample) -> None:
    damaged = [(name, content) for name, content in damages(sample) if name not in sample.spares]
    assert len(damaged) > 20
    assert [name for name, content in damaged if not sample.breaks(content)] == []


@EVERY
def test_where_the_source_has_no_rate_there_is_no_fixing(sample: Sample) -> None:
    if sample.missing is not None:
        assert len(sample.read(sample.changed(sample.rate, sample.missing))) == sample.fixings - 1


WITHOUT_A_RATE = ("0", "0.0000", "-", "", "N/A", "abc")


def left_out(sample: Sample, written: str) -> tuple[int, tuple[str, ...]] | None:
    """Parse the sample with another text in place of a rate; return None if all of it is refused."""
    try:
        taken = sample.adapter.parse_tolerantly(sample.changed(sample.rate, written), sample.subject)
    except SourceBroken:
        return None
    assert all(is_sound(sample.adapter, fixing) for fixing in taken.fixings)
    return len(taken.fixings), taken.left_out


@pytest.mark.long(every=3)
@EVERY
def test_a_cell_that_cannot_be_read_is_left_out_and_reported(sample: Sample) -> None:
    digits = re.search(r"[0-9][0-9.,]*", sample.rate)
    assert digits is not None
    if sample.fixings < 3:
        pytest.skip("a file of which half cannot be read is refused")
    for written in WITHOUT_A_RATE:
        in_place = sample.rate.replace(digits[0], written)
        found = left_out(sample, in_place)
        if found is None and is_no_json(sample, in_place):
            continue
        assert found is not None, written
        assert found[0] == sample.fixings - 1, written
        # What the source itself writes for a rate that it has not is nothing to tell.
        assert len(found[1]) == 1 or written != "abc", written


def is_no_json(sample: Sample, written: str) -> bool:
    """Say whether what is written in place of a number is no JSON at all: then the document is cut to pieces."""
    if sample.file.endswith(".json"):
        try:
            json.loads(sample.changed(sample.rate, written))
        except ValueError:
            return True
    return False


@EVERY
def test_an_answer_without_a_readable_cell_is_refused(sample: Sample) -> None:
    for page in (b"", PAGE.encode(), b"{}", b"[]"):
        with pytest.raises(SourceBroken):
            sample.adapter.parse_tolerantly(page, sample.subject)


TWO_DAYS_OF_HKMA = (
    '{"header":{"success":true,"err_code":"0000"},"result":{"datasize":2,"records":['
    '{"end_of_day":"2026-03-05","usd":7.8,"new":1},{"end_of_day":"2026-03-06","usd":7.81,"new":2}]}}'
)
TWO_DAYS_AT_NOON = (
    '{"observations":[{"d":"2010-03-04","IEXE0101":{"v":"1.03"},"IEXE9999":{"v":"2"}},'
    '{"d":"2010-03-05","IEXE0101":{"v":"1.04"},"IEXE9999":{"v":"2"}}]}'
)
UNKNOWN_COLUMNS = [
    ("boe", "DATE,XUDLUSS,XUDLNEW\n17 Mar 2026,1.25,9\n18 Mar 2026,1.26,9\n", "the series [XUDLNEW]"),
    ("hkma", TWO_DAYS_OF_HKMA, "the column [new]"),
    ("boc_noon", TWO_DAYS_AT_NOON, "[IEXE9999]"),
]


@pytest.mark.parametrize(("key", "text", "named"), UNKNOWN_COLUMNS, ids=[row[0] for row in UNKNOWN_COLUMNS])
def test_an_unknown_column_is_left_out_and_reported_once(key: str, text: str, named: str) -> None:
    adapter = built_in(key)
    assert isinstance(adapter, FixingAdapter)
    taken = adapter.parse_tolerantly(text.encode())
    (sentence,) = taken.left_out
    assert (len(taken.fixings), named in sentence) == (2, True)
    with pytest.raises(SourceBroken):
        list(adapter.parse(text.encode()))


def test_a_currency_that_the_fund_has_not_reported_before_costs_only_itself() -> None:
    (sample,) = (sample for sample in SAMPLES if sample.name == "imf/rates.tsv")
    taken = sample.adapter.parse_tolerantly(
        sample.text.replace("Japanese yen", "Martian yen", 1).encode(), sample.subject
    )
    assert (len(taken.fixings) < sample.fixings, taken.left_out) == (
        True,
        ("IMF: [martian yen] is no currency that it is known to report",),
    )


@pytest.mark.long(every=5)
@EVERY
def test_a_file_cut_off_within_a_line_is_refused(sample: Sample) -> None:
    content = sample.content.rstrip() if sample.content.lstrip()[:1] in b"{[<" else sample.content
    within = [cut for cut in range(len(content)) if content[cut - 1 : cut] != b"\n" and content[cut : cut + 1] != b"\n"]
    assert [content[:cut] for cut in within if not sample.breaks(content[:cut])] == []


@pytest.mark.long(every=11)
@EVERY
def test_a_file_of_a_hundred_megabytes_is_refused(sample: Sample) -> None:
    with pytest.raises(SourceBroken):
        sample.read(sample.content.rstrip() + b" " * (MAX_PAYLOAD_BYTES + 1))


@EVERY
def test_an_error_names_its_source(sample: Sample) -> None:
    with pytest.raises(SourceBroken, match=r"^\w[^:]{1,60}: "):
        sample.read(b"")


@SOURCES
def test_an_adapter_requests_the_days_over_https(adapter: FixingAdapter) -> None:
    today = date(2026, 11, 20)
    asked = list(adapter.requests(today - timedelta(days=adapter.source.schedule.reread_days), today))
    is_closed = not adapter.source.schedule.days or adapter.source.first_day < date(1999, 1, 1)
    assert asked or is_closed
    for request in asked:
        assert request.url.startswith("https://")
        assert request.first <= request.last
        assert "{" not in request.url.replace("{key}", "").replace("{token}", "")
    assert all(one.first <= other.first for one, other in pairwise(asked))


def check_any(sample: Sample, content: bytes) -> None:
    """Any bytes give sound fixings, at least one, or SourceBroken; another exception fails the test by itself."""
    try:
        fixings = sample.read(content)
    except SourceBroken:
        return
    assert fixings
    assert all(is_sound(sample.adapter, fixing) for fixing in fixings)
    assert len({(fixing.pair, fixing.day, fixing.rate_type) for fixing in fixings}) == len(fixings)


@pytest.mark.long(every=5)
@EVERY
@settings(max_examples=EXAMPLES)
@given(content=st.binary(max_size=400))
@example(content=b"Date,USD,\rJPY,\n")
@example(content=b"PK\x05\x06" + bytes(18))
@example(content=b"PK\x03\x04")
@example(content=b"[" * 5000)
def test_any_bytes_are_parsed_or_refused(sample: Sample, content: bytes) -> None:
    check_any(sample, content)


@pytest.mark.long(every=15)
@EVERY
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_text_like_the_real_one_is_parsed_or_refused(sample: Sample, data: st.DataObject) -> None:
    letters = st.sampled_from(sorted({*sample.text, *'\r"\0-+eE'}))
    check_any(sample, spoiled(sample.text, data, st.text(letters, max_size=6), "").encode(sample.encoding, "replace"))


@pytest.mark.long(every=2)
@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.key == "ecb"], ids=lambda each: each.name)
@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_to_a_zip_is_parsed_or_refused(sample: Sample, data: st.DataObject) -> None:
    check_any(sample, spoiled(zipped(sample.content), data, st.binary(max_size=4), b""))


def spoiled(content: Any, data: st.DataObject, pieces: st.SearchStrategy[Any], nothing: Any) -> Any:
    """Replace up to four pieces of the content by others."""
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 6)))
        content = nothing.join((content[:start], data.draw(pieces), content[end:]))
    return content


def test_an_adapter_without_a_parser_cannot_be_created() -> None:
    make: Callable[[], FixingAdapter] = type("Lazy", (FixingAdapter,), {})
    with pytest.raises(TypeError, match="parse"):
        make()
