"""The public log of editions: each night the editions of the day before are appended, and a checkpoint is signed."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile

import msgspec

from cambist.errors import LogInconsistent
from cambist.history.edition import Editions, RecordedEdition
from cambist.registry.signing.node_signer import NodeSigner
from cambist.storage.log_folder import LogFolder
from cambist.transparency.checkpoint import (
    LogCheckpoint,
    LogCheckpoints,
    checkpoint_of,
    parse_checkpoint,
    signed_note,
    verifier_key,
)
from cambist.transparency.tiles import log_files

_BATCH = 1000


class EditionLog:
    """The log of a service. Its entries are the editions in the order in which the database has them.

    One node at a time signs: a checkpoint is only added to the database after the one that its node has seen. All nodes
    write the files from the database, and so have the same.
    """

    def __init__(self, editions: Editions, checkpoints: LogCheckpoints, signer: NodeSigner, folder: LogFolder) -> None:
        self._editions = editions
        self._checkpoints = checkpoints
        self._signer = signer
        self._folder = folder
        self._complete_at: datetime | None = None
        """The midnight before which all editions were found in the log."""

    def is_due(self, now: datetime) -> bool:
        """Return whether an edition of a past day is not in the log, or the files show another checkpoint."""
        note = self._checkpoints.newest()
        if self._folder.checkpoint() != note:
            return True
        if self._complete_at == _midnight(now):
            return False
        if len(self._recorded_before(_midnight(now))) > (0 if note is None else parse_checkpoint(note).size):
            return True
        self._complete_at = _midnight(now)
        return False

    def update(self, now: datetime) -> int:
        """Append the editions of the days before today (UTC), and write the files; return how many entries there are.

        Errors: LogInconsistent if the database or the files have lost or changed an entry, StoreBroken, Unwritable,
        ReceiptUnavailable. Then nothing is signed.
        """
        entries = self._entries(now)
        note = self._checkpoints.newest()
        last = None if note is None else parse_checkpoint(note)
        for one in filter(None, (last, self._shown())):
            check_continues(one, entries)
        size = 0 if last is None else last.size
        if len(entries) > size:
            origin = f"{self._signer.issuer}/log" if last is None else last.origin
            note = self._sign(checkpoint_of(origin, entries))
            if not self._checkpoints.add(len(entries), note, size, now):
                note = self._checkpoints.newest()  # another node was first
        if note is None:
            return 0
        head = parse_checkpoint(note)
        self._folder.publish(log_files(entries[: head.size]), self._keys(head.origin), note)
        return head.size

    def _shown(self) -> LogCheckpoint | None:
        shown = self._folder.checkpoint()
        return None if shown is None else parse_checkpoint(shown)

    def _entries(self, now: datetime) -> list[bytes]:
        return [encode_entry(edition) for edition in self._recorded_before(_midnight(now))]

    def _recorded_before(self, end: datetime) -> list[RecordedEdition]:
        return list(takewhile(lambda edition: edition.recorded_at < end, all_editions(self._editions)))

    def _sign(self, head: LogCheckpoint) -> str:
        x, signature = self._signer.sign_note(head.text.encode())
        return signed_note(head.text, head.origin, _raw(x), signature)

    def _keys(self, origin: str) -> str:
        return "".join(f"{verifier_key(origin, _raw(key.x))}\n" for key in self._signer.keys().keys)


def all_editions(editions: Editions) -> Iterator[RecordedEdition]:
    """Yield all editions in their order. Errors: StoreBroken."""
    last = 0
    while batch := editions.after(last, _BATCH):
        yield from batch
        last = batch[-1].number


def encode_entry(edition: RecordedEdition) -> bytes:
    """Return an edition as an entry of the log: JSON in one line, with a fixed order of its members."""
    entry = {
        "edition": edition.name,
        "recorded_at": f"{edition.recorded_at:%Y-%m-%dT%H:%M:%S.%fZ}",
        "receipt": edition.delivery,  # the name that it has in the logs that were signed
        "rules": edition.rules,
        "digest": edition.digest,
    }
    return msgspec.json.encode(entry)


def check_continues(head: LogCheckpoint, entries: list[bytes]) -> None:
    """Refuse entries that do not continue a log. Errors: LogInconsistent."""
    if len(entries) < head.size:
        raise LogInconsistent(f"The log has {head.size} entries, the database {len(entries)}: was it restored?")
    if checkpoint_of(head.origin, entries[: head.size]) != head:
        raise LogInconsistent(f"The first {head.size} entries of the log are not those of the database")


def _midnight(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _raw(x: str) -> bytes:
    return urlsafe_b64decode(f"{x}==")
