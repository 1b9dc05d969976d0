"""The network of a simulation: scripted sources answer after some seconds, fail, or have nothing new."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from tools.simulation.scripted_source import ScriptedFixing, ScriptedSource, content_of

from cambist.errors import NothingPublished, SourceUnreachable
from cambist.ingest.fetch import Fetcher
from cambist.sources.base import SourceRequest

_SLOWEST_SECONDS = 20.0


class Fetched(Protocol):
    """Is called with the fixings that a source shows, and whether there is something new in its answer."""

    def __call__(self, source: str, fixings: list[ScriptedFixing], *, is_new: bool) -> None:
        """See an answer."""


class ScriptedFetcher(Fetcher):
    """A fetcher that asks scripted sources; what it knows of earlier answers is the real one's."""

    def __init__(
        self,
        sources: Mapping[str, ScriptedSource],
        now: Callable[[], datetime],
        chance: random.Random,
        fetched: Fetched,
    ) -> None:
        self._sources = sources
        self._now = now
        self._chance = chance
        self._fetched = fetched
        self._validators = {}

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        """Return what the source shows now. Errors: SourceUnreachable, NothingPublished."""
        await asyncio.sleep(self._chance.uniform(0.1, _SLOWEST_SECONDS))
        scripted = self._sources[source]
        if scripted.hangs_at(self._now()):
            raise SourceUnreachable(f"{source}: no answer in time")
        fixings = scripted.fixings(self._now(), request.first, request.last)
        if not fixings:
            raise NothingPublished(f"{source}: has nothing")
        content = content_of(fixings)
        tag = {"If-None-Match": hashlib.sha256(content).hexdigest()}
        if self._validators.get(request.origin) == tag:
            self._fetched(source, fixings, is_new=False)
            return None
        self._keep_validators(request.origin, tag)
        self._fetched(source, fixings, is_new=True)
        return content
