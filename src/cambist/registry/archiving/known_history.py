"""What rebuilds the history as it was known, and reads its corrections, over the database of a service."""

from __future__ import annotations

from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.clock import utc_now
from cambist.history.correction_feed import CorrectionFeed
from cambist.ingest.snapshot_builder import rules_of
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.settings import Settings
from cambist.storage import ReadOnlyStore

_WAITING = 4
"""How many requests of a worker wait for one another; more are refused at once."""

_WITHIN_SECONDS = 2.0


def open_known_history(settings: Settings, store: ReadOnlyStore) -> KnownHistory:
    """Return what answers `as_of`: one thread rebuilds, so that the other requests of a worker are not held up."""
    rules = rules_of([adapter.source for adapter in fixing_adapters(settings).values()])
    pool = ReaderPool(_WAITING, readers=1, within=_WITHIN_SECONDS)
    return KnownHistory(store.archive, store.editions, store.verdicts, pool, utc_now, rules)


def open_correction_feed(settings: Settings, store: ReadOnlyStore) -> CorrectionFeed:
    """Return what reads the corrections of sources, and those of what is published by the rules of this service."""
    rules = rules_of([adapter.source for adapter in fixing_adapters(settings).values()])
    return CorrectionFeed(store.archive, store.editions, store.verdicts, rules)
