"""Rate locks: a token that holds rates for a time. It is signed as receipts are, and nothing is stored (ADR 34)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from cambist.errors import ReceiptInvalid


class LockClaims(Struct, frozen=True, kw_only=True):
    """The claims of a rate lock.

    `iat` and `exp` are when it was signed and when it ends, in seconds since 1970. `account` is the number of the
    account that it holds for, `rates` has the rate of each pair such as `EUR/USD` with 15 digits, and `of` the market's
    time of the oldest, in seconds since 1970.
    """

    iat: int
    exp: int
    account: int
    rates: Mapping[str, str]
    of: float


def encode_lock(claims: LockClaims) -> bytes:
    """Return claims as the JSON that is signed."""
    return msgspec.json.encode(claims)


def decode_lock(payload: bytes) -> LockClaims:
    """Return the claims of a payload. Errors: ReceiptInvalid."""
    try:
        return msgspec.json.decode(payload, type=LockClaims)
    except ValueError as error:
        raise ReceiptInvalid(f"The token does not say what a rate lock says: {error}") from error
