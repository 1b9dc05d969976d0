from __future__ import annotations

from dataclasses import replace
from datetime import date
from time import perf_counter_ns

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.state.response_cache import CachedResponse, CacheKey, ResponseCache, etag_of

ETAG = '"0123456789abcdef01234567"'


def asked(path: str, query: str) -> CacheKey:
    return path, query, "iso", date.min


def an_answer(size: int = 20, etag: str = "") -> CachedResponse:
    return CachedResponse(b"x" * size, (), etag)


def test_an_answer_is_closed_with_the_milliseconds_that_it_took() -> None:
    started = perf_counter_ns() - 5_000_000_000
    body = msgspec.json.decode(CachedResponse(b'{"base":"EUR","ms":', ()).body(started))
    assert body["base"] == "EUR"
    assert 5_000 <= body["ms"] < 10_000


def test_milliseconds_are_whole_and_may_be_none() -> None:
    assert CachedResponse(b'{"ms":', ()).body(perf_counter_ns()) in {b'{"ms":0}', b'{"ms":1}'}


@pytest.mark.parametrize(
    "if_none_match",
    [ETAG, f"W/{ETAG}", f'"other", {ETAG}', f'"other",{ETAG} , "third"', f'"other", W/{ETAG}'],
)
def test_a_client_that_names_the_etag_knows_the_answer(if_none_match: str) -> None:
    assert an_answer(etag=ETAG).matches_etag(if_none_match)


@pytest.mark.parametrize("if_none_match", ["", "*", '""', '"other"', ETAG.strip('"'), ETAG[:-2] + '"', "W/"])
def test_a_client_that_names_another_etag_does_not(if_none_match: str) -> None:
    assert not an_answer(etag=ETAG).matches_etag(if_none_match)


@pytest.mark.parametrize("if_none_match", ["*", "", '""'])
def test_an_answer_without_an_etag_is_known_to_nobody(if_none_match: str) -> None:
    assert not an_answer().matches_etag(if_none_match)


def test_an_etag_is_strong_and_quoted() -> None:
    etag = etag_of([b"content"])
    assert etag.startswith('"')
    assert etag.endswith('"')
    assert len(etag) == 26


@given(one=st.binary(), other=st.binary())
def test_equal_content_has_an_equal_etag_and_other_content_another(one: bytes, other: bytes) -> None:
    assert (etag_of([one]) == etag_of([other])) == (one == other)


def test_a_cached_answer_is_returned_again() -> None:
    kept, answer = ResponseCache(), an_answer()
    kept.add(asked("/fetch-one", "to=USD"), answer)
    assert kept.get(asked("/fetch-one", "to=USD"), 0) is answer


def test_another_question_has_no_answer() -> None:
    kept = ResponseCache()
    kept.add(asked("/fetch-one", "to=USD"), an_answer())
    assert kept.get(asked("/fetch-one", "to=JPY"), 0) is None
    assert kept.get(asked("/fetch-all", "to=USD"), 0) is None


def test_a_later_answer_takes_the_place_of_the_earlier() -> None:
    kept, later = ResponseCache(), an_answer()
    kept.add(asked("/", ""), an_answer())
    kept.add(asked("/", ""), later)
    assert kept.get(asked("/", ""), 0) is later
    assert len(kept) == 1


@given(sizes=st.lists(st.integers(0, 3000), max_size=60))
def test_what_is_kept_stays_within_its_bytes_and_one_answer(sizes: list[int]) -> None:
    kept, most = ResponseCache(10_000), 0
    for number, size in enumerate(sizes):
        kept.add(asked("/", str(number)), an_answer(size))
        held = [kept.get(asked("/", str(earlier)), 0) for earlier in range(number + 1)]
        most = max(most, sum(len(answer.prefix) for answer in held if answer))
        assert held[-1] is not None
    assert most <= 10_000 + 3000


def test_tiny_answers_are_bounded_too() -> None:
    kept = ResponseCache(10_000)
    for number in range(1000):
        kept.add(asked("/", str(number)), an_answer(0))
    assert len(kept) < 50


def test_long_questions_are_counted() -> None:
    kept = ResponseCache(100_000)
    for number in range(100):
        kept.add(asked("/", f"{number}" + "x" * 16_000), an_answer(0))
    assert len(kept) < 10


def test_a_full_cache_goes_on_answering() -> None:
    kept = ResponseCache(1_000)
    for number in range(100):
        answer = an_answer()
        kept.add(asked("/", str(number)), answer)
        assert kept.get(asked("/", str(number)), 0) is answer


def test_an_answer_is_returned_until_it_expires() -> None:
    kept, question = ResponseCache(), asked("/fetch-one", "to=USD")
    kept.add(question, replace(an_answer(), until=100.0))
    assert [kept.get(question, now) is None for now in (0, 99.9, 100.0, 101.0)] == [False, False, True, True]
