"""The quarantine as the operator decides about it, beside a service that runs or does not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from cambist.accounts.names import echo, nearest
from cambist.errors import BadParameter, CannotStart, SourceRefused
from cambist.history.fixing import FilingResult, Fixing, Receipt
from cambist.history.quarantine import QuarantinedFixing, QuarantineState
from cambist.registry.components import open_store
from cambist.registry.sources import load_adapters
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes


@dataclass(frozen=True, slots=True)
class AcceptedFixing:
    """A fixing that was accepted, and what that changed in the archive."""

    quarantined: QuarantinedFixing
    filed: FilingResult


class QuarantineAdmin:
    """What waits in a data folder's quarantine; each decision is kept whole or not at all, then ingest is told.

    Errors when made: CannotStart where there is no database, or in a sandbox.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        if not settings.data.is_dir() or not (settings.database or (settings.data / "cambist.db").exists()):
            raise CannotStart(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
        DataDirectory(settings.data).check(Environment.LIVE)
        self._settings = settings
        self._clock = clock
        self._store = open_store(settings)
        self._changes = data_changes(settings.data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._store.close()

    def quarantined(self, source: str | None = None, *, decided: bool = False) -> list[QuarantinedFixing]:
        """Give what waits, or all there ever was; of one source or of all. Errors: BadParameter."""
        found = self._store.quarantine.quarantined(None if decided else QuarantineState.WAITING)
        if source is None:
            return list(found)
        self._check_known(source)
        return [each for each in found if each.fixing.source == source]

    def accept(self, numbers: Iterable[int]) -> list[AcceptedFixing]:
        """File fixings as they were published. Errors: BadParameter, and nothing is done.

        Filing releases what still waits, so each is marked first. A command that was cut off between the two is
        typed again: what is marked already is filed then, and filing twice changes nothing.
        """
        chosen = self._chosen(numbers, QuarantineState.ACCEPTED)
        try:
            return [AcceptedFixing(self._decide(each, QuarantineState.ACCEPTED), self._file(each)) for each in chosen]
        finally:
            self._changes.notify(Topic.ARCHIVE)

    def reject(self, numbers: Iterable[int]) -> list[QuarantinedFixing]:
        """Drop fixings for good, also when their source sends them again. Errors: BadParameter, and nothing is done."""
        chosen = self._chosen(numbers, QuarantineState.REJECTED)
        try:
            return [self._decide(each, QuarantineState.REJECTED) for each in chosen]
        finally:
            self._changes.notify(Topic.ARCHIVE)

    def _chosen(self, numbers: Iterable[int], state: QuarantineState) -> list[QuarantinedFixing]:
        """Give what is of these numbers, each once: it waits, or was decided so before."""
        known = {each.number: each for each in self._store.quarantine.quarantined(None)}
        wanted = list(dict.fromkeys(numbers))
        for number in wanted:
            if number not in known:
                raise BadParameter(f"There is no number [{number}] in quarantine: see [cambist quarantine list]")
            if known[number].state not in (QuarantineState.WAITING, state):
                raise BadParameter(f"Number [{number}] waits no more: it was {known[number].state}")
        return [known[number] for number in wanted]

    def _decide(self, each: QuarantinedFixing, state: QuarantineState) -> QuarantinedFixing:
        if each.state is state:
            return each
        decided = self._store.quarantine.decide(each.number, state, self._clock())
        if decided is None:
            raise BadParameter(f"Number [{each.number}] waits no more: it was decided meanwhile")
        return decided

    def _file(self, each: QuarantinedFixing) -> FilingResult:
        origin = f"quarantine {each.number}, accepted"
        digest = hashlib.sha256(_statement(each.fixing).encode()).hexdigest()
        receipt = Receipt(each.fixing.source, self._clock(), origin, digest)
        return self._store.archive.file(receipt, [each.fixing])

    def _check_known(self, source: str) -> None:
        known = {each.fixing.source for each in self._store.quarantine.quarantined(None)}
        # A declaration that is broken now keeps nobody from seeing what waits.
        with suppress(SourceRefused):
            known |= set(load_adapters(self._settings))
        if source not in known:
            raise BadParameter(f"Unknown source: [{echo(source)}]; {nearest(source, known)}")


def _statement(fixing: Fixing) -> str:
    return f"{fixing.source} {fixing.nominal} {fixing.unit} {fixing.pair} {fixing.value} {fixing.day}"
