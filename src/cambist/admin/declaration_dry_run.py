"""Trying out a source that the operator declares: it is asked once, or an answer is read; nothing is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import aiohttp
from stamina.instrumentation import set_on_retry_hooks

from cambist.errors import BadParameter, NothingPublished, SourceBroken, SourceRefused
from cambist.ingest.fetch import Fetcher
from cambist.registry.sources import OWN_SOURCES, RESERVED_KEYS, source_keys
from cambist.settings import Settings
from cambist.sources.base import Inquiry, Source
from cambist.sources.declaration import DeclaredAdapter, read_declaration
from cambist.sources.declaration.dry_run import Trial, try_out


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """What a dry run found: the source that it would be, where the answer came from, and what was read."""

    source: Source
    inquiry: Inquiry
    origin: str
    trial: Trial


@dataclass(frozen=True, slots=True)
class DeclarationDryRun:
    """Tries declarations out; `today` (UTC) is the newest day that is asked for."""

    settings: Settings
    environment: Mapping[str, str]
    today: date

    def ask(self, file: Path, first: date | None) -> DryRunResult:
        """Ask a declared source once: from a day on, or for the newest days.

        Errors: SourceRefused, BadParameter, SourceBroken.
        """
        adapter = self._declared(file)
        keys = source_keys(self.settings, [adapter], self.environment)
        if adapter.key_variable and not keys:
            raise BadParameter(
                f"The source [{adapter.source.key}] needs a key: set the variable {adapter.key_variable}"
            )
        inquiry = self._inquiry(adapter, first)
        set_on_retry_hooks([])
        try:
            content = asyncio.run(_asked(adapter, inquiry, self.settings.gateway, keys))
            return DryRunResult(adapter.source, inquiry, inquiry.origin, try_out(adapter, content, inquiry))
        except NothingPublished as error:
            raise NothingPublished(f"{error}: {inquiry.first} to {inquiry.last}; --from asks for other days") from error

    def read(self, file: Path, payload: Path, first: date | None) -> DryRunResult:
        """Read a saved answer, as one to the inquiry that begins on a day; without a day it may be about any.

        Errors: SourceRefused, BadParameter, SourceBroken, OSError.
        """
        adapter = self._declared(file)
        inquiry = self._inquiry(adapter, first)
        if first is None and inquiry.about:
            raise BadParameter("The answer does not say its day: --from names the one that it was asked for")
        if first is None:
            inquiry = replace(inquiry, first=adapter.source.first_day, last=self.today)
        return DryRunResult(adapter.source, inquiry, str(payload), try_out(adapter, payload.read_bytes(), inquiry))

    def _declared(self, file: Path) -> DeclaredAdapter:
        return read_declaration(file, taken=[*RESERVED_KEYS, *self._others(file)])

    def _others(self, file: Path) -> list[str]:
        """Give the keys of the operator's other sources; one that is broken holds up the service, but no trial."""
        keys = []
        for path in (self.settings.data / OWN_SOURCES).glob("*.toml"):
            if path.resolve() != file.resolve():
                try:
                    keys.append(read_declaration(path).source.key)
                except SourceRefused:
                    continue
        return keys

    def _inquiry(self, adapter: DeclaredAdapter, first: date | None) -> Inquiry:
        """Give the first inquiry from a day on, or the newest one."""
        if first is not None and first > self.today:
            raise BadParameter(f"Invalid --from: [{first}] lies ahead")
        schedule = adapter.source.schedule
        inquiries = list(adapter.inquiries(first or self.today - timedelta(days=schedule.reread), self.today))
        if not inquiries:
            raise BadParameter(
                f"The source [{adapter.source.key}] would be asked for nothing: its first day or its schedule leaves "
                f"no day up to {self.today}"
            )
        if first is not None:
            return inquiries[0]
        # The last of several may be a short rest: as many days as one answer covers say more.
        covered = inquiries[0].last - inquiries[0].first
        return [*inquiries, *adapter.inquiries(self.today - covered, self.today)][-1]


async def _asked(adapter: DeclaredAdapter, inquiry: Inquiry, gateway: str, keys: Mapping[str, str]) -> bytes:
    async with aiohttp.ClientSession() as session:
        content = await Fetcher(session, gateway, keys, attempts=1).ask(adapter.source.key, inquiry)
    if content is None:
        raise SourceBroken(f"{adapter.source.key}: answered that nothing has changed, although nothing is known yet")
    return content
