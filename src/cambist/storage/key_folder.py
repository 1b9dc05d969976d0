"""The folder with the signing key of a node, and a copy of all public keys."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cambist.storage.atomic_file import write_atomically

SIGNING_KEY = "signing.key"
"""The private key, as a JWK. Whoever has it can sign in the name of the service: a backup has it only if asked to."""

PUBLIC_KEYS = "jwks.json"


class KeyFolder:
    """The files of one node. The folder is created with mode 0700 and its files with 0600."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._private = path / SIGNING_KEY
        self._public = path / PUBLIC_KEYS

    def stamp(self) -> tuple[int, int]:
        """Return what changes when the signing key is replaced; zeros if there is none."""
        try:
            status = self._private.stat()
        except FileNotFoundError:
            return (0, 0)
        return (status.st_ino, status.st_mtime_ns)

    def private_key(self) -> bytes | None:
        """Return the file of the signing key; None if there is none. Errors: OSError."""
        try:
            return self._private.read_bytes()
        except FileNotFoundError:
            return None

    def public_keys(self) -> bytes | None:
        """Return the copy of the public keys; None if there is none. Errors: OSError."""
        try:
            return self._public.read_bytes()
        except FileNotFoundError:
            return None

    def replace_private_key(self, content: bytes) -> None:
        """Replace the signing key; no trace of the former one remains. Errors: Unwritable."""
        write_atomically(self._private, content)

    def copy_public_keys(self, content: bytes) -> None:
        """Replace the copy of the public keys. Errors: Unwritable."""
        if self.public_keys() != content:
            write_atomically(self._public, content)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Change the keys in a block while no other process does. Errors: OSError."""
        self.path.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
