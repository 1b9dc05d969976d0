"""What a receipt states: the claims of a JWS, as JSON."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from hashlib import sha256

import msgspec
from msgspec import UNSET, Struct, UnsetType

from cambist.errors import ReceiptInvalid

HEADER = "Cambist-Receipt"
"""The header of an answer that has its receipt."""

MEDIA_TYPE = "application/jose"
"""The media type of a receipt that is a document of its own (RFC 7515)."""


class ReceiptClaims(Struct, frozen=True, kw_only=True):
    """The claims of a receipt.

    `iss` names the service and `iat` the second at which it signed, since 1970. `method`, `path` and `query` are the
    question, without its API key; `request_sha256` is the hash of its body, if it had one. `sha256` (hex) and `length`
    are those of the body of the answer, and `body` is that body in Base64, if the receipt contains it. `edition` is the
    edition of the rates, `environment` is `sandbox` if prices were simulated.
    """

    iss: str
    iat: int
    method: str
    path: str
    query: str
    status: int
    content_type: str
    sha256: str
    length: int
    request_sha256: str | UnsetType = UNSET
    edition: str | UnsetType = UNSET
    environment: str | UnsetType = UNSET
    body: str | UnsetType = UNSET

    @property
    def content(self) -> bytes | None:
        """The body of the answer, if the receipt contains it. Errors: ReceiptInvalid."""
        if self.body is UNSET:
            return None
        try:
            return b64decode(self.body, validate=True)
        except (Base64Error, ValueError) as error:
            raise ReceiptInvalid("The answer in the receipt cannot be decoded") from error

    @property
    def question(self) -> str:
        """The question in one line, such as `GET /convert?from=EUR&to=USD&amount=100`."""
        return f"{self.method} {self.path}{'?' if self.query else ''}{self.query}"


def encode_claims(claims: ReceiptClaims) -> bytes:
    """Return claims as the JSON that is signed."""
    return msgspec.json.encode(claims)


def decode_claims(payload: bytes) -> ReceiptClaims:
    """Return the claims of a payload. Errors: ReceiptInvalid."""
    try:
        return msgspec.json.decode(payload, type=ReceiptClaims)
    except (ValueError, RecursionError) as error:
        raise ReceiptInvalid(f"The receipt does not say what a receipt says: {error}") from error


def encode_content(content: bytes) -> str:
    """Return the body of an answer as the claim `body`."""
    return b64encode(content).decode()


def hash_content(content: bytes) -> str:
    """Return the SHA-256 of the body of an answer, in hexadecimal digits."""
    return sha256(content).hexdigest()
