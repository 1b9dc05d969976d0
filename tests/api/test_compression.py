from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.state.compression import accepts_gzip, compress_prefix


@given(content=st.binary(max_size=5000), ends=st.lists(st.binary(max_size=300), min_size=1, max_size=3))
def test_what_is_compressed_once_can_be_closed_with_any_end(content: bytes, ends: list[bytes]) -> None:
    once = compress_prefix(content)
    for end in ends:
        assert gzip.decompress(once.finish(end)) == content + end
        assert zlib.decompress(once.finish(end), wbits=31) == content + end


def test_the_longest_end_is_readable() -> None:
    end = bytes(range(256)) * 255 + bytes(255)
    assert len(end) == 65_535
    assert gzip.decompress(compress_prefix(b"x").finish(end)) == b"x" + end


def test_it_is_smaller() -> None:
    content = b",".join(b'"EUR/USD":{"base":"EUR"}' for _ in range(1000))
    assert len(compress_prefix(content).finish(b"1}")) < len(content) / 10


@pytest.mark.parametrize(
    "accept_encoding",
    [
        "gzip",
        "GZIP",
        "gzip, deflate, br, zstd",
        "br;q=1.0, gzip;q=0.8, *;q=0.1",
        "deflate,gzip;q=1",
        "x-gzip",
        "*",
        " gzip ; q=0.5 ",
    ],
)
def test_who_accepts_gzip_gets_it(accept_encoding: str) -> None:
    assert accepts_gzip(accept_encoding)


@pytest.mark.parametrize(
    "accept_encoding",
    ["", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=1, gzip;q=0", "gzipped", "gzip;q=much", "*;q=0", ",;,"],
)
def test_who_does_not_gets_it_plain(accept_encoding: str) -> None:
    assert not accepts_gzip(accept_encoding)
