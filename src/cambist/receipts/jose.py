"""Ed25519 signatures as JWS. Imported when the first receipt is signed or verified: it needs 20 MB of memory."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from cambist.errors import ReceiptInvalid, ReceiptUnavailable
from cambist.receipts.signing_key import ALGORITHM, Jwk

_RECEIPT = "cambist-receipt+jws"
RATE_LOCK = "cambist-rate-lock+jws"
"""The type of a token that holds rates: it is signed as a receipt is, and is none."""

_JOSE_ERRORS = (JoseError, ValueError, TypeError, KeyError)
_REGISTRY = jws.JWSRegistry(algorithms=[ALGORITHM])
_REGISTRY.max_payload_length = 256 * 1024 * 1024  # a receipt may contain a long answer


class PrivateKey:
    """A key that signs. `content` is it as a JWK with its private half, as a file keeps it."""

    def __init__(self, key: OKPKey) -> None:
        self._key = key
        self.kid = key.thumbprint()
        self.x = str(key.as_dict(private=False)["x"])

    @classmethod
    def generate(cls) -> PrivateKey:
        """Return a new random key."""
        return cls(OKPKey.generate_key("Ed25519"))

    @classmethod
    def read(cls, content: bytes) -> PrivateKey:
        """Return the key of a file. Errors: ReceiptUnavailable."""
        try:
            key = OKPKey.import_key(msgspec.json.decode(content, type=dict[str, str | list[str]]))
            if not key.is_private or key.curve_name != ALGORITHM:
                raise ReceiptUnavailable("The file of the signing key has no private key of Ed25519")
        except _JOSE_ERRORS as error:
            raise ReceiptUnavailable(f"The file of the signing key cannot be read: {error}") from error
        return cls(key)

    @property
    def content(self) -> bytes:
        """The key as JSON, with its private half."""
        return msgspec.json.encode(self._key.as_dict(private=True))

    def sign(self, payload: bytes, kind: str = _RECEIPT) -> str:
        """Return a payload as a JWS of a type, in compact form."""
        header = {"alg": ALGORITHM, "typ": kind, "kid": self.kid}
        return jws.serialize_compact(header, payload, self._key, registry=_REGISTRY)

    def sign_bytes(self, content: bytes) -> bytes:
        """Return the plain signature of bytes, 64 bytes long."""
        signature: bytes = self._key.get_op_key("sign").sign(content)  # type: ignore[union-attr]
        return signature


def key_id(receipt: str, kind: str = _RECEIPT) -> str:
    """Return which key a receipt names, before anything is verified. Errors: ReceiptInvalid."""
    try:
        header = jws.extract_compact(receipt.encode("ascii"), registry=_REGISTRY).headers()
    except (*_JOSE_ERRORS, UnicodeError) as error:
        raise ReceiptInvalid("This is no receipt: a receipt is a JWS in compact form") from error
    if header.get("alg") != ALGORITHM or header.get("typ") != kind:
        raise ReceiptInvalid("This is a JWS, but no receipt of Cambist: its header names another algorithm or type")
    return str(header.get("kid", ""))


def verify(receipt: str, jwk: Jwk) -> bytes:
    """Return the payload of a receipt that a key has signed. Errors: ReceiptInvalid."""
    try:
        key = OKPKey.import_key({"kty": "OKP", "crv": ALGORITHM, "x": jwk.x})
        payload = jws.deserialize_compact(receipt, key, registry=_REGISTRY).payload
    except _JOSE_ERRORS as error:
        raise ReceiptInvalid("The signature does not fit: the receipt was changed, or another key signed it") from error
    if not _is_canonical(receipt.rpartition(".")[2]):
        raise ReceiptInvalid("The signature does not fit: it is not written as it was")
    return payload


def _is_canonical(encoded: str) -> bool:
    """Return whether text is the only way to write its bytes: the last character has bits that decoders ignore."""
    try:
        decoded = urlsafe_b64decode(f"{encoded}==")
    except (Base64Error, ValueError):
        return False
    return urlsafe_b64encode(decoded).rstrip(b"=").decode() == encoded
