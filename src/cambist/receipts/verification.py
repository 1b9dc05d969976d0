"""Verifying receipts: offline, with the public keys of a service."""

from __future__ import annotations

from dataclasses import dataclass

from cambist.errors import ReceiptInvalid, shorten
from cambist.receipts.claims import HEADER, ReceiptClaims, decode_claims, hash_content
from cambist.receipts.jose import key_id, verify
from cambist.receipts.signing_key import Jwk, JwkSet


@dataclass(frozen=True, slots=True)
class VerifiedReceipt:
    """A valid receipt, the key that signed it, and the answer that it is about."""

    claims: ReceiptClaims
    key: Jwk
    content: bytes


def read_receipt(content: bytes) -> str:
    """Return the receipt in a file: alone, or in the headers of an answer, as curl writes them with -D.

    Errors: ReceiptInvalid.
    """
    text = content.decode("latin-1")
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.lower() == HEADER.lower():
            return value.removeprefix(" ")
    return text.removesuffix("\n").removesuffix("\r")


def verify_receipt(receipt: str, keys: JwkSet, answer: bytes | None = None) -> VerifiedReceipt:
    """Return what a receipt says, if it is valid for an answer: the one it contains, or `answer`.

    Errors: ReceiptInvalid, with what does not fit.
    """
    kid = key_id(receipt)
    key = next((each for each in keys.keys if each.kid == kid), None)
    if key is None:
        raise ReceiptInvalid(f"The key [{shorten(kid)}], which signed it, is not among the {len(keys.keys)} given keys")
    claims = decode_claims(verify(receipt, key))
    contained = claims.content
    if answer is None and contained is None:
        raise ReceiptInvalid("The receipt does not contain the answer: name the file of the answer, too")
    content = contained if answer is None else answer
    for one in (contained, content):
        if one is not None and (len(one) != claims.length or hash_content(one) != claims.sha256):
            raise ReceiptInvalid(
                f"The answer is not the one that was signed: it has {len(one)} bytes with the SHA-256 "
                f"{hash_content(one)}, signed were {claims.length} bytes with {claims.sha256}"
            )
    return VerifiedReceipt(claims, key, content or b"")
