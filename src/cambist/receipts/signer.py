"""Who signs receipts, as the API sees it."""

from __future__ import annotations

from typing import Protocol

from cambist.errors import ReceiptInvalid, ReceiptUnavailable
from cambist.receipts.claims import ReceiptClaims
from cambist.receipts.signing_key import JwkSet


class ReceiptSigner(Protocol):
    """Signs receipts with the key of this node."""

    issuer: str
    """The name of the service in receipts."""

    def prepare(self) -> None:
        """See to it that a key can sign and is announced. Errors: ReceiptUnavailable, StoreBusy."""

    def sign(self, claims: ReceiptClaims) -> str:
        """Return a receipt: a JWS in compact form. Errors: ReceiptUnavailable."""

    def sign_lock(self, payload: bytes) -> str:
        """Return a token that holds rates: a JWS in compact form. Errors: ReceiptUnavailable."""

    def verify_lock(self, token: str) -> bytes:
        """Return the payload of a token that a node of this service has signed. Errors: ReceiptInvalid."""

    def keys(self) -> JwkSet:
        """Return the public keys of all nodes, current and former ones."""


class NoReceipts:
    """Signs nothing: answers that are computed without a service have no receipts."""

    issuer = ""

    def prepare(self) -> None:
        """Refuse. Errors: ReceiptUnavailable."""
        raise ReceiptUnavailable("Receipts are not available here")

    def sign(self, _claims: ReceiptClaims) -> str:
        """Refuse. Errors: ReceiptUnavailable."""
        raise ReceiptUnavailable("Receipts are not available here")

    def sign_lock(self, _payload: bytes) -> str:
        """Refuse. Errors: ReceiptUnavailable."""
        raise ReceiptUnavailable("Rates cannot be locked here: without a service nothing is signed")

    def verify_lock(self, _token: str) -> bytes:
        """Refuse. Errors: ReceiptInvalid."""
        raise ReceiptInvalid("it was signed elsewhere")

    def keys(self) -> JwkSet:
        """Return none."""
        return JwkSet([])
