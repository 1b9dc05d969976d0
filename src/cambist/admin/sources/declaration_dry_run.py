"""Try a declaration of a source: fetch or read one answer, and store nothing."""

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
from cambist.registry.sources.source_adapters import OWN_SOURCES, RESERVED_KEYS, source_keys
from cambist.settings import Settings
from cambist.settings.outgoing import OutgoingProxies, outgoing_proxies
from cambist.sources.base import Source, SourceRequest
from cambist.sources.declaration import DeclaredAdapter, read_declaration
from cambist.sources.declaration.payload_summary import PayloadSummary, summarize_payload


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """The result of a dry run: the declared source, where its answer came from, and what was parsed."""

    source: Source
    request: SourceRequest
    origin: str
    summary: PayloadSummary


@dataclass(frozen=True, slots=True)
class DeclarationDryRun:
    """Tries declarations. `today` (UTC) is the newest day that it requests."""

    settings: Settings
    environment: Mapping[str, str]
    today: date

    def fetch(self, file: Path, first: date | None) -> DryRunResult:
        """Fetch an answer from the day `first` on, or the newest. Errors: SourceRefused, BadParameter, SourceBroken."""
        adapter = self._read_declaration(file)
        keys = source_keys(self.settings, [adapter], self.environment)
        if adapter.key_variable and not keys:
            raise BadParameter(
                f"The source [{adapter.source.key}] needs a key: set the variable {adapter.key_variable}"
            )
        request = self._request(adapter, first)
        set_on_retry_hooks([])
        try:
            proxies = outgoing_proxies(self.settings, self.environment)
            content = asyncio.run(_fetch(adapter, request, self.settings.gateway, keys, proxies))
            return DryRunResult(adapter.source, request, request.origin, summarize_payload(adapter, content, request))
        except NothingPublished as error:
            raise NothingPublished(f"{error}: {request.first} to {request.last}; --from asks for other days") from error

    def read(self, file: Path, payload: Path, first: date | None) -> DryRunResult:
        """Parse a saved answer to the request that begins on the day `first`; without it, to a request for any days.

        Errors: SourceRefused, BadParameter, SourceBroken, OSError.
        """
        adapter = self._read_declaration(file)
        request = self._request(adapter, first)
        if first is None and request.subject:
            raise BadParameter("The answer does not say its day: --from names the one that it was asked for")
        if first is None:
            request = replace(request, first=adapter.source.first_day, last=self.today)
        return DryRunResult(
            adapter.source, request, str(payload), summarize_payload(adapter, payload.read_bytes(), request)
        )

    def _read_declaration(self, file: Path) -> DeclaredAdapter:
        return read_declaration(file, existing_keys=[*RESERVED_KEYS, *self._other_keys(file)])

    def _other_keys(self, file: Path) -> list[str]:
        """Return the keys of the other declared sources, except those whose declarations are broken."""
        keys = []
        for path in (self.settings.data / OWN_SOURCES).glob("*.toml"):
            if path.resolve() != file.resolve():
                try:
                    keys.append(read_declaration(path).source.key)
                except SourceRefused:
                    continue
        return keys

    def _request(self, adapter: DeclaredAdapter, first: date | None) -> SourceRequest:
        """Return the first request from the day `first` on, or the newest one."""
        if first is not None and first > self.today:
            raise BadParameter(f"Invalid --from: [{first}] lies ahead")
        schedule = adapter.source.schedule
        requests = list(adapter.requests(first or self.today - timedelta(days=schedule.reread_days), self.today))
        if not requests:
            raise BadParameter(
                f"The source [{adapter.source.key}] would be asked for nothing: its first day or its schedule leaves "
                f"no day up to {self.today}"
            )
        if first is not None:
            return requests[0]
        # The last of several requests may cover few days; one that covers as many as the first says more.
        covered = requests[0].last - requests[0].first
        return [*requests, *adapter.requests(self.today - covered, self.today)][-1]


async def _fetch(
    adapter: DeclaredAdapter, request: SourceRequest, gateway: str, keys: Mapping[str, str], proxies: OutgoingProxies
) -> bytes:
    async with aiohttp.ClientSession() as session:
        content = await Fetcher(session, gateway, keys, proxies, attempts=1).fetch(adapter.source.key, request)
    if content is None:
        raise SourceBroken(f"{adapter.source.key}: answered that nothing has changed, although nothing is known yet")
    return content
