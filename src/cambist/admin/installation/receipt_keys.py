"""What an operator does with receipts: see the keys, replace one, and verify a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, ReceiptInvalid
from cambist.receipts.signing_key import JwkSet, PublicKey, decode_key_set, key_set
from cambist.registry.node.nodes import node_name
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import HistoryStore, Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.key_folder import KeyFolder


class ReceiptKeyAdmin:
    """The signing keys of a data folder and its database."""

    def __init__(self, settings: Settings, store: HistoryStore, clock: Callable[[], datetime]) -> None:
        folder = DataDirectory(settings.data)
        self._store = store
        self._signer = NodeSigner(KeyFolder(folder.keys), store.public_keys, node_name(settings))
        self._audit = AuditRecorder(settings, clock)

    def all_keys(self) -> Sequence[PublicKey]:
        """Return the public keys of all nodes, oldest first. Errors: StoreBroken."""
        return self._store.public_keys.all()

    def rotate(self) -> PublicKey:
        """Replace the key of this node, and return the new one. Errors: StoreBroken, OSError."""
        with self._audit.action("receipts.rotate", "receipts") as action:
            kid = self._signer.rotate()
            action.detail = f"key {kid}"
        return next(key for key in self.all_keys() if key.kid == kid)


@contextmanager
def open_receipt_keys(settings: Settings, clock: Callable[[], datetime]) -> Iterator[ReceiptKeyAdmin]:
    """Open the signing keys of the data folder that the settings name. Errors: BadParameter if there is none."""
    store = _existing_store(settings)
    try:
        yield ReceiptKeyAdmin(settings, store, clock)
    finally:
        store.close()


def known_keys(settings: Settings, file: Path | None) -> JwkSet:
    """Return the keys of a file, or those of the data folder's service. Errors: BadParameter, ReceiptInvalid."""
    if file is not None:
        return decode_key_set(read_file(file), str(file))
    try:
        store = _existing_store(settings)
    except BadParameter as error:
        raise BadParameter(
            "Whose receipt is it? Name the keys of the service with --keys: the file that it serves at "
            "/.well-known/jwks.json"
        ) from error
    try:
        return key_set(store.public_keys.all())
    finally:
        store.close()


def read_file(path: Path) -> bytes:
    """Return the content of a file that an operator names. Errors: ReceiptInvalid."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReceiptInvalid(f"The file [{path}] cannot be read: {error.strerror}") from error


def _existing_store(settings: Settings) -> Store:
    if not settings.data.exists() and not settings.database:
        raise BadParameter(f"There is no data folder {settings.data}: run [cambist serve] once, or name --data")
    store = open_store(settings)
    if store.is_new():
        store.close()
        raise BadParameter(f"The data folder {settings.data} has no database: run [cambist serve] once")
    return store
