"""Planted faults in what is served: rate matrices, editions and rate books."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from zlib import crc32

import numpy as np
from tools.simulation.patches import Patch

from cambist.history import carry_forward, source_history
from cambist.history.edition import with_edition
from cambist.history.known_fixings import KnownFixings
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import RateMatrix
from cambist.history.source_history import SourceHistory
from cambist.ingest import snapshot_builder
from cambist.ingest.rate_book_builder import RateBookBuilder
from cambist.pricing.pair import Pair
from cambist.registry.archiving import archive_tasks
from cambist.sources.base import Source
from cambist.storage.sql import known_rows


def _not_inverted() -> list[Patch]:
    def per_anchor(series: PairSeries | None, anchor: str) -> Any:
        del anchor
        return None if series is None else (series.rows, series.rates)

    return [(source_history, "_per_anchor", per_anchor)]


def _nominal_ignored() -> list[Patch]:
    parse = known_rows._parse  # noqa: SLF001  what is broken is inside

    def parsed(rows: Any, stored: Any) -> Any:
        found = [
            (number, b"|".join([*(parts := content.split(b"|"))[:2], b"1", *parts[3:]])) for number, content, _ in rows
        ]
        return parse([(number, content, crc32(content, stored[number][1].seed)) for number, content in found], stored)

    return [(known_rows, "_parse", parsed)]


def _day_off_by_one() -> list[Patch]:
    at = KnownFixings.at

    def a_day_later(self: KnownFixings, *bounds: Any) -> dict[str, list[PairSeries]]:
        return {
            source: [PairSeries(one.pair, one.rows + 1, one.rates) for one in series]
            for source, series in at(self, *bounds).items()
        }

    return [(KnownFixings, "at", a_day_later)]


def _oldest_row_wins() -> list[Patch]:
    merged = SourceHistory.merged

    def without_corrections(self: SourceHistory, found: Any, first: int, last: int) -> SourceHistory:
        new = merged(self, found, first, last)
        first_said = [
            PairSeries(pair, np.union1d(old.rows, fresh.rows), _first_of(old, fresh))
            for pair, old, fresh in _both(self, new)
        ]
        return merged(new, first_said, 0, 10**6)

    return [(SourceHistory, "merged", without_corrections)]


def _both(before: SourceHistory, after: SourceHistory) -> list[tuple[Pair, PairSeries, PairSeries]]:
    nothing = np.empty(0, np.int64), np.empty(0)
    old = {one.pair: one for of_anchor in before._series.values() for one in of_anchor.values()}  # noqa: SLF001
    new = {one.pair: one for of_anchor in after._series.values() for one in of_anchor.values()}  # noqa: SLF001
    return [(pair, old.get(pair, PairSeries(pair, *nothing)), one) for pair, one in new.items()]


def _first_of(old: PairSeries, new: PairSeries) -> Any:
    known = dict(zip(new.rows.tolist(), new.rates.tolist(), strict=True))
    known |= dict(zip(old.rows.tolist(), old.rates.tolist(), strict=True))
    return np.array([known[row] for row in sorted(known)])


def _always_current() -> list[Patch]:
    def is_current(matrix: RateMatrix, *_: Any) -> bool:
        return bool(matrix.edition)

    return [(archive_tasks, "is_current", is_current)]


def _deliveries_to_come() -> list[Patch]:
    def ahead(matrix: RateMatrix, delivery: int, rules: str) -> RateMatrix:
        return with_edition(matrix, delivery + 1, rules)

    return [(snapshot_builder, "with_edition", ahead)]


def _not_recorded() -> list[Patch]:
    def record_edition(editions: Any, matrix: RateMatrix, sources: Any) -> RateMatrix:
        del editions
        rules = snapshot_builder.rules_of(sources)
        return with_edition(matrix, int(matrix.revision.partition("-")[0]), rules.version)

    return [(archive_tasks, "record_edition", record_edition)]


def _digest_of_another() -> list[Patch]:
    def changed(matrix: RateMatrix, delivery: int, rules: str) -> RateMatrix:
        named = with_edition(matrix, delivery, rules)
        cells = np.array(named.cells_by_day)
        cells[~np.isnan(cells)] *= 1 + 1e-13
        return replace(named, cells=memoryview(cells.tobytes()).cast("d"))

    return [(snapshot_builder, "with_edition", changed)]


def _stale_quotes() -> list[Patch]:
    apply_fixings = RateBookBuilder.apply_fixings

    def apply_once(self: RateBookBuilder, quotes: Mapping[str, Any]) -> None:
        apply_fixings(self, {code: quote for code, quote in quotes.items() if code not in self.fixings})

    return [(RateBookBuilder, "apply_fixings", apply_once)]


def _version_begins_again() -> list[Patch]:
    def resume(self: RateBookBuilder, book: Any) -> None:
        self.pair_quotes.resume(book.pairs)

    return [(RateBookBuilder, "resume", resume)]


def _market_time_a_day_off() -> list[Patch]:
    market_time = Source.market_time

    def a_day_early(self: Source, day: date) -> datetime:
        return market_time(self, day) - timedelta(days=1)

    return [(Source, "market_time", a_day_early)]


RATE_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "an inverted pair is not inverted": _not_inverted,
    "the nominal is ignored": _nominal_ignored,
    "each day of the matrix is the day before": _day_off_by_one,
    "corrections do not reach the matrix": _oldest_row_wins,
    "a fixing is carried forward for too long": lambda: [(carry_forward, "CARRY_DAYS", 15)],
    "the rate matrix is never built again": _always_current,
    "an edition names a delivery that is to come": _deliveries_to_come,
    "an edition is not recorded": _not_recorded,
    "an edition says something else than its matrix": _digest_of_another,
    "new fixings do not reach the rate book": _stale_quotes,
    "versions of rate books begin again": _version_begins_again,
    "market times are a day early": _market_time_a_day_off,
}
