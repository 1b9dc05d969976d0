import hashlib
import re
import secrets
import string
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.accounts.api_key import PREFIX, digest, is_well_formed, mint, shown_prefix

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BODIES = st.lists(st.sampled_from(BASE62), min_size=32, max_size=32)


def minted(body: list[str]) -> str:
    drawn = iter(body)
    return mint(lambda _: next(drawn))


KEYS = BODIES.map(minted)


def base62(characters: str) -> int:
    number = 0
    for character in characters:
        number = number * 62 + BASE62.index(character)
    return number


@given(KEYS)
def test_a_key_is_a_prefix_and_38_characters(key: str) -> None:
    assert re.fullmatch(r"cmb_[0-9A-Za-z]{38}", key)
    assert is_well_formed(key)


@given(KEYS)
def test_its_last_six_characters_are_the_crc32_of_the_32_before(key: str) -> None:
    assert base62(key[-6:]) == zlib.crc32(key[4:36].encode())


@given(BODIES)
def test_the_body_is_what_was_drawn_from_base62(body: list[str]) -> None:
    offered = []
    drawn = iter(body)

    def choose(characters: str) -> str:
        offered.append(characters)
        return next(drawn)

    assert mint(choose)[4:36] == "".join(body)
    assert {frozenset(characters) for characters in offered} == {frozenset(BASE62)}


@pytest.mark.long
@given(KEYS, st.data())
def test_a_single_mistyped_character_is_noticed_wherever_it_stands(key: str, data: st.DataObject) -> None:
    for place, right in enumerate(key):
        wrong = data.draw(st.sampled_from([each for each in BASE62 + "_- é٣\n" if each != right]))
        assert not is_well_formed(key[:place] + wrong + key[place + 1 :]), place


@given(KEYS, st.integers(0, 41))
def test_a_key_cut_off_is_noticed(key: str, length: int) -> None:
    assert not is_well_formed(key[:length])
    assert not is_well_formed(key[length + 1 :])


@given(KEYS)
def test_nothing_may_stand_around_a_key(key: str) -> None:
    assert not any(map(is_well_formed, (f" {key}", f"{key} ", f"{key}\n", f"{key}{key[-1]}", f"{PREFIX}{key}")))


@given(st.integers(1, 60).filter(lambda length: length != 32))
def test_a_body_of_another_length_is_no_key_even_with_its_check(length: int) -> None:
    body, number, check = "Q" * length, zlib.crc32(b"Q" * length), ""
    for _ in range(6):
        number, index = divmod(number, 62)
        check = BASE62[index] + check
    assert not is_well_formed(f"{PREFIX}{body}{check}")


@given(st.text(max_size=60))
def test_no_text_breaks_the_check(text: str) -> None:
    assert is_well_formed(text) in {True, False}


def test_two_keys_differ() -> None:
    assert mint(secrets.choice) != mint(secrets.choice)


@given(KEYS)
def test_only_a_sha256_of_the_whole_key_is_kept(key: str) -> None:
    assert digest(key) == hashlib.sha256(key.encode("ascii")).digest()


@given(KEYS)
def test_the_beginning_that_is_shown_opens_nothing(key: str) -> None:
    shown = shown_prefix(key)
    assert key.startswith(shown)
    assert len(shown) == 8
    assert not is_well_formed(shown)
    assert digest(shown) != digest(key)
