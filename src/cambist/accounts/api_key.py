"""API keys: `cmb_`, 32 base62 characters, and 6 of CRC32 in base62.

Secret scanners find the prefix, and the check characters tell a typo from an unknown key without a look-up.
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
    """Return a new key; `choose` returns an unpredictable character of a string (`secrets.choice`)."""
    body = "".join(choose(_ALPHABET) for _ in range(_RANDOM))
    return f"{PREFIX}{body}{_check(body)}"


def is_well_formed(key: str) -> bool:
    """Return whether the form and the check characters are right; those of a mistyped key are not."""
    if not _FORM.fullmatch(key):
        return False
    body, check = key[len(PREFIX) : -_CHECK], key[-_CHECK:]
    return _check(body) == check


def digest(key: str) -> Digest:
    """Return the digest of a key, which is stored instead of it."""
    return Digest(hashlib.sha256(key.encode()).digest())


def shown_prefix(key: str) -> str:
    """Return the beginning of a key, by which people tell their keys apart."""
    return key[:_SHOWN]


def _check(body: str) -> str:
    number = zlib.crc32(body.encode())
    characters = ""
    for _ in range(_CHECK):
        number, index = divmod(number, len(_ALPHABET))
        characters = _ALPHABET[index] + characters
    return characters
