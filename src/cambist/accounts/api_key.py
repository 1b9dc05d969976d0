"""API keys: `cmb_`, 32 base62 characters, and 6 of CRC32 in base62.

Secret scanners find the prefix, and a typo is told from a wrong key without a look-up.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from typing import NewType

PREFIX = "cmb_"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM, _CHECK = 32, 6
_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_RANDOM + _CHECK}}}")
_SHOWN = len(PREFIX) + 4

Digest = NewType("Digest", bytes)
"""SHA-256 of a key: all that is ever stored of it."""


def mint(choose: Callable[[str], str]) -> str:
    """Make a key; `choose` draws one character of a string, unpredictably (`secrets.choice`)."""
    body = "".join(choose(_ALPHABET) for _ in range(_RANDOM))
    return f"{PREFIX}{body}{_check(body)}"


def is_well_formed(key: str) -> bool:
    """Say whether the form and the check characters are right: a mistyped key is not."""
    if not _FORM.fullmatch(key):
        return False
    body, check = key[len(PREFIX) : -_CHECK], key[-_CHECK:]
    return _check(body) == check


def digest(key: str) -> Digest:
    """Give what is stored instead of the key."""
    return Digest(hashlib.sha256(key.encode()).digest())


def shown_prefix(key: str) -> str:
    """Give the beginning by which people tell their keys apart; it opens nothing."""
    return key[:_SHOWN]


def _check(body: str) -> str:
    number = zlib.crc32(body.encode())
    characters = ""
    for _ in range(_CHECK):
        number, index = divmod(number, len(_ALPHABET))
        characters = _ALPHABET[index] + characters
    return characters
