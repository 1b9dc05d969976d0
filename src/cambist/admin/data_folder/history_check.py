"""Check the history of a data directory: its editions, and whether the archive still gives its rate matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from cambist.errors import LogInconsistent, StoreBroken
from cambist.history.edition import Editions, RecordedEdition, matrix_digest, parse_edition_name
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import text_digest
from cambist.history.verdict_log import Judged
from cambist.ingest.snapshot_builder import judging_of, rate_matrix_at, rules_of, shown_by
from cambist.registry.signing.edition_log import all_editions, check_continues, encode_entry
from cambist.sources.base import Source
from cambist.storage import HistoryStore
from cambist.transparency.checkpoint import parse_checkpoint

_MOST_NAMED = 20


def edition_faults(store: HistoryStore) -> list[str]:
    """Return what is wrong with the editions, their rules, and the newest checkpoint of the log."""
    try:
        editions, last_delivery = list(all_editions(store.editions)), store.archive.revision()
        faults = [fault for each in editions for fault in _faults(each, last_delivery)]
        for version in sorted({each.rules for each in editions}):
            faults += _rule_faults(store.editions, version)
        note = store.log_checkpoints.newest()
        if note is not None:
            check_continues(parse_checkpoint(note), [encode_entry(each) for each in editions])
    except (StoreBroken, LogInconsistent) as error:
        return [str(error)]
    return faults[:_MOST_NAMED]


def _faults(edition: RecordedEdition, last_delivery: int) -> Iterator[str]:
    name = parse_edition_name(edition.name)
    if name is None or (name.delivery, name.rules) != (edition.delivery, edition.rules):
        yield f"the edition {edition.number} has the name [{edition.name}], which is not its own"
    elif not edition.digest.startswith(name.digest):
        yield f"the edition {edition.name} has another digest than its name"
    if edition.delivery > last_delivery:
        yield f"the edition {edition.name} shows the delivery {edition.delivery}, the archive ends with {last_delivery}"


def _rule_faults(editions: Editions, version: str) -> Iterator[str]:
    rules = editions.rules(version)
    if rules is None:
        yield f"the rules {version} are missing"
    elif rules.version != version:
        yield f"the rules {version} are not what was stored"
    else:
        for name, digest in rules.tables.items():
            table = editions.table(digest)
            if table is None or text_digest(table) != digest:
                yield f"the table {name} of the rules {version} is missing or changed"


class ArchiveComparison:
    """Compares what the archive gives by this service's rules with what was made of it before.

    `sources` are the adapters' sources, best first.
    """

    def __init__(self, store: HistoryStore, sources: Sequence[Source], today: date) -> None:
        self._store = store
        self._sources = sources
        self._today = today
        self._rules = rules_of(sources).version

    def matrix_faults(self, matrix: RateMatrix) -> list[str]:
        """Return how a rate matrix differs from the archive. One without an edition is compared as a whole."""
        shown = shown_by(matrix)
        if not matrix.edition:
            is_same = matrix_digest(self._built(shown)) == matrix_digest(matrix)
            return [] if is_same else ["the fixings of the archive give another rate matrix"]
        if matrix_digest(matrix) != matrix.digest:
            return [f"it is not what its edition {matrix.edition} was"]
        return self._edition_faults(matrix.edition, matrix.digest, shown)

    def newest_edition_faults(self) -> list[str]:
        """Return how the newest edition differs from the archive."""
        newest = self._store.editions.newest()
        if newest is None or newest.last_verdict is None:
            return []
        return self._edition_faults(newest.name, newest.digest, newest.judged)

    def verdict_faults(self) -> list[str]:
        """Return how the log of verdicts differs from what the archive gives."""
        return judging_of(self._store, self._sources).faults()[:_MOST_NAMED]

    def _edition_faults(self, edition: str, digest: str, shown: Judged) -> list[str]:
        """Build the rate matrix of an edition, unless it was made by other rules or tables than this service's."""
        name = parse_edition_name(edition)
        if name is None or name.rules != self._rules or matrix_digest(self._built(shown)) == digest:
            return []
        return [f"the fixings of the archive give another rate matrix than the edition {edition} had"]

    def _built(self, shown: Judged) -> RateMatrix:
        return rate_matrix_at(self._store, self._sources, self._today, shown)
