"""Signing keys: what everybody may know of them, and where they are announced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec import Struct

from cambist.errors import ReceiptInvalid

ALGORITHM = "Ed25519"
"""The name of the algorithm in JOSE (RFC 9864)."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of an Ed25519 key.

    `kid` is its RFC 7638 thumbprint and `x` the key itself, both in Base64 for URLs; `node` is the node that signs with
    it, empty for a service on one machine.
    """

    kid: str
    x: str
    node: str
    created_at: datetime
    is_current: bool = True


class PublicKeys(Protocol):
    """All public keys of a service. They are only added."""

    def all(self) -> Sequence[PublicKey]:
        """Return all keys, oldest first; the newest of each node is its current one."""

    def add(self, kid: str, x: str, node: str) -> None:
        """Add a key, unless it is there."""


class Jwk(Struct, frozen=True, kw_only=True):
    """A public key as JSON (RFC 7517, RFC 8037). `status` is `current` or `former`, `created` a time in UTC."""

    kid: str
    x: str
    kty: str = "OKP"
    crv: str = ALGORITHM
    alg: str = ALGORITHM
    use: str = "sig"
    status: str = ""
    node: str = ""
    created: str = ""


class JwkSet(Struct, frozen=True):
    """A JSON Web Key Set (RFC 7517)."""

    keys: list[Jwk]


def key_set(keys: Iterable[PublicKey]) -> JwkSet:
    """Return public keys as a JSON Web Key Set, current ones first."""
    ordered = sorted(keys, key=lambda key: not key.is_current)
    return JwkSet(
        [
            Jwk(
                kid=key.kid,
                x=key.x,
                status="current" if key.is_current else "former",
                node=key.node,
                created=f"{key.created_at:%Y-%m-%dT%H:%M:%SZ}",
            )
            for key in ordered
        ]
    )


def encode_key_set(keys: JwkSet) -> bytes:
    """Return a key set as JSON."""
    return msgspec.json.encode(keys)


def decode_key_set(content: bytes, name: str) -> JwkSet:
    """Return the Ed25519 keys of a JSON Web Key Set; `name` says where it is from. Errors: ReceiptInvalid."""
    try:
        found = msgspec.json.decode(content, type=dict[str, list[dict[str, object]]])["keys"]
        fit = [each for each in found if each.get("kty") == "OKP" and each.get("crv") == ALGORITHM]
        return JwkSet(msgspec.convert(fit, list[Jwk]))
    except (KeyError, ValueError, RecursionError) as error:
        raise ReceiptInvalid(f"The file [{name}] is no key set as /.well-known/jwks.json has it: {error}") from error
