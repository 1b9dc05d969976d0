"""Signed checkpoints (c2sp.org/tlog-checkpoint, c2sp.org/signed-note): how long a log is, and the root of its tree."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Protocol

from cambist.errors import LogInconsistent
from cambist.transparency.merkle_tree import leaf_hash, tree_hash

_ED25519 = b"\x01"


@dataclass(frozen=True, slots=True)
class LogCheckpoint:
    """The head of a log: the name of the log, how many entries it has, and the root of their tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


class LogCheckpoints(Protocol):
    """The signed checkpoints of a log. They are only added."""

    def newest(self) -> str | None:
        """Return the last checkpoint with its signature; None before the first."""

    def add(self, size: int, note: str, previous: int, signed_at: datetime) -> bool:
        """Add a checkpoint after that of the size `previous`, 0 for none; return whether that was still the last."""


def checkpoint_of(origin: str, entries: Sequence[bytes]) -> LogCheckpoint:
    """Return the head of a log with these entries."""
    return LogCheckpoint(origin, len(entries), tree_hash([leaf_hash(entry) for entry in entries]))


def parse_checkpoint(note: str) -> LogCheckpoint:
    """Return the head of a log from a signed note, whose signature is not verified. Errors: LogInconsistent."""
    try:
        origin, size, root = note.partition("\n\n")[0].split("\n")[:3]
        return LogCheckpoint(origin, int(size), b64decode(root, validate=True))
    except (ValueError, Base64Error) as error:
        raise LogInconsistent(f"The checkpoint of the log cannot be read: {error}") from error


def signed_note(text: str, name: str, public_key: bytes, signature: bytes) -> str:
    """Return a text with an Ed25519 signature of it, under the name of its key."""
    encoded = b64encode(_key_id(name, public_key) + signature).decode()
    return f"{text}\n\N{EM DASH} {name} {encoded}\n"


def verifier_key(name: str, public_key: bytes) -> str:
    """Return a public key as programs for signed notes take it: `<name>+<key ID>+<type and key>`."""
    return f"{name}+{_key_id(name, public_key).hex()}+{b64encode(_ED25519 + public_key).decode()}"


def _key_id(name: str, public_key: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:4]
