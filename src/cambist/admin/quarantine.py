"""The operator's decisions on quarantined fixings, whether the service runs or not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from cambist.accounts.names import echo, nearest
from cambist.admin.audit import AuditRecorder
from cambist.admin.quarantine_context import FixingNeighbours, neighbours_of
from cambist.errors import BadParameter, CannotStart, SourceRefused
from cambist.history.fixing import Fixing, Receipt
from cambist.history.quarantine import AcceptedFixing, QuarantinedFixing, QuarantineState
from cambist.history.rate_matrix import RateMatrix
from cambist.registry.components import open_store
from cambist.registry.sources import load_adapters
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes

Decided = TypeVar("Decided")


class QuarantineAdmin:
    """Lists, accepts and rejects the quarantined fixings of a data directory, and notifies the ingest process.

    Decisions are recorded in the audit log as those of `who`, by default of the user who runs this process.
    Errors when made: CannotStart for a directory without a database, or of a sandbox.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        if not settings.data.is_dir() or not (settings.database or (settings.data / "cambist.db").exists()):
            raise CannotStart(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
        DataDirectory(settings.data).check(Environment.LIVE)
        self._settings = settings
        self._clock = clock
        self._audit = AuditRecorder(settings, clock, who)
        self._store = open_store(settings)
        self._changes = data_changes(settings.data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._store.close()

    def quarantined(self, source: str | None = None, *, decided: bool = False) -> list[QuarantinedFixing]:
        """Return the waiting fixings, or with `decided` all; of one source or of all. Errors: BadParameter."""
        found = self._store.quarantine.quarantined(None if decided else QuarantineState.WAITING)
        if source is None:
            return list(found)
        self._check_source(source)
        return [each for each in found if each.fixing.source == source]

    def find(self, number: int) -> QuarantinedFixing:
        """Return the fixing of a number, decided or not. Errors: BadParameter."""
        for each in self._store.quarantine.quarantined(None):
            if each.number == number:
                return each
        raise BadParameter(f"There is no number [{number}] in quarantine: see [cambist quarantine list]")

    def neighbours(self, each: QuarantinedFixing, matrix: RateMatrix | None) -> FixingNeighbours:
        """Return what its source published around its day, and what others did; `matrix` has the agreed rates."""
        return neighbours_of(each.fixing, self._store.archive, matrix)

    def accept(self, numbers: Iterable[int], reason: str = "") -> list[AcceptedFixing]:
        """Store fixings as they were published. Errors: BadParameter, and nothing is changed.

        The reason is kept in the audit log. An interrupted command can be repeated: storing one twice changes nothing.
        """
        chosen = self._find(numbers, QuarantineState.ACCEPTED)
        try:
            return [self._accept(each, reason) for each in chosen]
        finally:
            self._changes.notify(Topic.ARCHIVE)

    def reject(self, numbers: Iterable[int], reason: str = "") -> list[QuarantinedFixing]:
        """Reject fixings for good, also if their source sends them again. Errors: BadParameter, and nothing changes.

        The reason is kept in the audit log.
        """
        chosen = self._find(numbers, QuarantineState.REJECTED)
        try:
            return [self._reject(each, reason) for each in chosen]
        finally:
            self._changes.notify(Topic.ARCHIVE)

    def _accept(self, each: QuarantinedFixing, reason: str) -> AcceptedFixing:
        with self._audit.action("quarantine.accept", f"number {each.number}", _detail(each, reason)):
            digest = hashlib.sha256(_statement(each.fixing).encode()).hexdigest()
            origin = f"quarantine {each.number}, accepted"
            receipt = Receipt(each.fixing.source, self._clock(), origin, digest)
            return _still_decided(each, self._store.archive.accept(receipt, each.number))

    def _reject(self, each: QuarantinedFixing, reason: str) -> QuarantinedFixing:
        with self._audit.action("quarantine.reject", f"number {each.number}", _detail(each, reason)):
            if each.state is QuarantineState.REJECTED:
                return each
            decided = self._store.quarantine.decide(each.number, QuarantineState.REJECTED, self._clock())
            return _still_decided(each, decided)

    def _find(self, numbers: Iterable[int], state: QuarantineState) -> list[QuarantinedFixing]:
        """Return the fixings of these numbers, each once. They must be waiting, or in `state` already."""
        stored = {each.number: each for each in self._store.quarantine.quarantined(None)}
        wanted = list(dict.fromkeys(numbers))
        for number in wanted:
            if number not in stored:
                raise BadParameter(f"There is no number [{number}] in quarantine: see [cambist quarantine list]")
            if stored[number].state not in (QuarantineState.WAITING, state):
                raise BadParameter(f"Number [{number}] waits no more: it was {stored[number].state}")
        return [stored[number] for number in wanted]

    def _check_source(self, source: str) -> None:
        sources = {each.fixing.source for each in self._store.quarantine.quarantined(None)}
        # A broken declaration must not keep the operator from the quarantine.
        with suppress(SourceRefused):
            sources |= set(load_adapters(self._settings))
        if source not in sources:
            raise BadParameter(f"Unknown source: [{echo(source)}]; {nearest(source, sources)}")


def _still_decided(each: QuarantinedFixing, decided: Decided | None) -> Decided:
    if decided is None:
        raise BadParameter(f"Number [{each.number}] waits no more: it was decided meanwhile")
    return decided


def _detail(each: QuarantinedFixing, reason: str) -> str:
    return f"{_statement(each.fixing)}{f': {echo(reason)}' if reason else ''}"


def _statement(fixing: Fixing) -> str:
    return f"{fixing.source} {fixing.nominal} {fixing.unit} {fixing.pair} {fixing.value} {fixing.day}"
