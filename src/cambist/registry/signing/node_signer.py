"""The signing key of this node: created at first need, announced to all nodes, read again when it was replaced."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import Any

from cambist.errors import ReceiptInvalid, ReceiptUnavailable, StoreBroken, StoreBusy
from cambist.receipts.claims import ReceiptClaims, encode_claims
from cambist.receipts.signing_key import JwkSet, PublicKeys, decode_key_set, encode_key_set, key_set
from cambist.storage.key_folder import KeyFolder

log = logging.getLogger(__name__)

_KEYS_SECONDS = 10.0
"""How long the public keys are not read again."""

Call = Callable[..., Any]
_GONE = (StoreBroken, StoreBusy)


def _call(function: Callable[..., Any], *arguments: object) -> Any:
    return function(*arguments)


class NodeSigner:
    """The `ReceiptSigner` protocol, with a key in a folder and the public keys of all nodes in a store.

    `call` calls what reads or writes the store, with a deadline. Threads may race here harmlessly.
    """

    def __init__(
        self, folder: KeyFolder, public_keys: PublicKeys, node: str = "", issuer: str = "", call: Call = _call
    ) -> None:
        self.issuer = issuer or "cambist"
        self._folder = folder
        self._public_keys = public_keys
        self._node = node
        self._call = call
        self._read: tuple[tuple[int, int], Any] = ((0, 0), None)
        self._announced: set[str] = set()
        self._seen: tuple[float, JwkSet] | None = None

    def prepare(self) -> None:
        """See to it that a key can sign and is announced. Errors: ReceiptUnavailable, StoreBusy."""
        try:
            key = self._current() or self._create()
            if key.kid not in self._announced:
                self._announce(key)
        except (OSError, StoreBroken) as error:
            log.error("Receipts: the key cannot be used: %s", error)  # noqa: TRY400  a trace would add nothing
            raise ReceiptUnavailable("No receipt can be signed now; the operator can find the reason in the log") from (
                error
            )

    def sign(self, claims: ReceiptClaims) -> str:
        """Return a receipt: a JWS in compact form. Errors: ReceiptUnavailable."""
        return str(self._signing().sign(encode_claims(claims)))

    def sign_lock(self, payload: bytes) -> str:
        """Return a token that holds rates: a JWS in compact form. Errors: ReceiptUnavailable."""
        return str(self._signing().sign(payload, _jose().RATE_LOCK))

    def verify_lock(self, token: str) -> bytes:
        """Return the payload of a token that a node of this service has signed. Errors: ReceiptInvalid."""
        kid = _jose().key_id(token, _jose().RATE_LOCK)
        key = next((each for each in self.keys().keys if each.kid == kid), None)
        if key is None:
            raise ReceiptInvalid("No node of this service has the key that it names")
        return bytes(_jose().verify(token, key))

    def sign_note(self, text: bytes) -> tuple[str, bytes]:
        """Return the public key (`x` of its JWK) that signs a text for the log, and its plain signature."""
        key = self._signing()
        return key.x, key.sign_bytes(text)

    def keys(self) -> JwkSet:
        """Return the public keys of all nodes; while the store is gone, those that this node has seen."""
        if self._seen is None or monotonic() - self._seen[0] > _KEYS_SECONDS:
            try:
                self._seen = monotonic(), key_set(self._call(self._public_keys.all))
            except _GONE:
                self._seen = monotonic(), self._copied()
        return self._seen[1]

    def rotate(self) -> str:
        """Replace the key, and return the identifier of the new one. Errors: StoreBroken, OSError.

        The new key is announced before it signs, so that whoever sees a receipt can find its key. An interruption
        leaves the old key in use, and perhaps a new one announced that nobody has.
        """
        with self._folder.locked():
            return str(self._replace().kid)

    def _signing(self) -> Any:
        key = self._current()
        if key is None:
            self.prepare()
            key = self._current()
        return key

    def _current(self) -> Any:
        """Return the key in the folder, read again if it was replaced; None if there is none."""
        stamp = self._folder.stamp()
        if self._read[0] != stamp:
            content = self._folder.private_key()
            key = None if content is None else _jose().PrivateKey.read(content)
            self._read = stamp, key
        return self._read[1]

    def _create(self) -> Any:
        with self._folder.locked():
            return self._current() or self._replace()

    def _replace(self) -> Any:
        key = _jose().PrivateKey.generate()
        self._announce(key)
        self._folder.replace_private_key(key.content)
        self._seen = None
        return self._current()

    def _announce(self, key: Any) -> None:
        """Announce a key that may not be in the store, such as after a restored backup."""
        try:
            self._call(self._public_keys.add, key.kid, key.x, self._node)
            self._folder.copy_public_keys(encode_key_set(key_set(self._call(self._public_keys.all))))
        except _GONE:
            if key.kid not in {each.kid for each in self._copied().keys}:
                raise
            return  # it was announced before the store went away; it is looked up again
        self._announced.add(key.kid)

    def _copied(self) -> JwkSet:
        content = self._folder.public_keys()
        return JwkSet([]) if content is None else decode_key_set(content, str(self._folder.path))


def _jose() -> Any:
    """Import the cryptography when the first key is used."""
    return import_module("cambist.receipts.jose")
