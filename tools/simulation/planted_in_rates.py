"""Planted faults in what is served: rate matrices, editions, consensus and rate books."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any

import numpy as np
from msgspec import structs
from tools.simulation.patches import Patch

from cambist.history import carry_forward, latest_fixings, rate_matrix_builder
from cambist.history.edition import with_edition
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import RateMatrix
from cambist.history.source_history import SourceHistory
from cambist.ingest import snapshot_builder
from cambist.ingest.fixing_consensus import FixingConsensus
from cambist.ingest.rate_book_builder import RateBookBuilder
from cambist.pricing import consensus
from cambist.registry import archive_tasks
from cambist.sources.base import Source
from cambist.storage.sql import pair_series, reading
from cambist.storage.sql.reading import LastRows, day_number


def _not_inverted() -> list[Patch]:
    def per_anchor(self: SourceHistory, anchor: str, code: str, days: int, first_row: int) -> Any:
        series = self._series[anchor][code]
        return carry_forward.carry_forward(series.rows - first_row, series.rates, days)

    return [(SourceHistory, "_per_anchor", per_anchor)]


def _nominal_ignored() -> list[Patch]:
    def rates_of(last: LastRows, unit: str) -> tuple[list[int], list[float]]:
        del unit
        values = [float(content.split(b"|")[3]) for content in last.by_day.values()]
        return [day_number(day) for day in last.by_day], values

    return [(reading, "rates_of", rates_of), (pair_series, "rates_of", rates_of)]


def _day_off_by_one() -> list[Patch]:
    read = snapshot_builder._source_history  # noqa: SLF001  what is broken is inside

    def source_history(*arguments: Any) -> SourceHistory:
        found = read(*arguments)
        moved = {
            anchor: {code: PairSeries(one.pair, one.rows + 1, one.rates) for code, one in line.items()}
            for anchor, line in found._series.items()  # noqa: SLF001
        }
        object.__setattr__(found, "_series", moved)
        return found

    return [(snapshot_builder, "_source_history", source_history)]


def _oldest_row_wins() -> list[Patch]:
    read = reading.read_last_rows

    def read_last_rows(*arguments: Any, **bounds: Any) -> LastRows:
        return read(*arguments, **{**bounds, "up_to": max(1, (bounds.get("up_to") or 2) - 2)})

    return [(reading, "read_last_rows", read_last_rows)]


def _always_current() -> list[Patch]:
    def is_current(matrix: RateMatrix, *_: Any) -> bool:
        return bool(matrix.edition)

    return [(archive_tasks, "is_current", is_current)]


def _receipts_to_come() -> list[Patch]:
    def ahead(matrix: RateMatrix, receipt: int, rules: str) -> RateMatrix:
        return with_edition(matrix, receipt + 1, rules)

    return [(snapshot_builder, "with_edition", ahead)]


def _not_recorded() -> list[Patch]:
    def record_edition(editions: Any, matrix: RateMatrix, sources: Any) -> RateMatrix:
        del editions
        rules = snapshot_builder.rules_of(sources)
        return with_edition(matrix, int(matrix.revision.partition("-")[0]), rules.version)

    return [(archive_tasks, "record_edition", record_edition)]


def _digest_of_another() -> list[Patch]:
    def changed(matrix: RateMatrix, receipt: int, rules: str) -> RateMatrix:
        named = with_edition(matrix, receipt, rules)
        cells = np.array(named.cells_by_day)
        cells[~np.isnan(cells)] *= 1 + 1e-13
        return replace(named, cells=memoryview(cells.tobytes()).cast("d"))

    return [(snapshot_builder, "with_edition", changed)]


def _farthest_offer_wins() -> list[Patch]:
    def decide(group: Any) -> Any:
        middle = median(offer.mid for offer in group)
        return consensus._published(max(group, key=lambda offer: abs(offer.mid - middle)), ())  # noqa: SLF001

    return [(consensus, "_decide", decide)]


def _stale_offers() -> list[Patch]:
    update = FixingConsensus.update

    def update_once(self: FixingConsensus, source: str, offers: Mapping[str, Any], now: datetime) -> None:
        if not self._codes.get(source):
            update(self, source, offers, now)

    return [(FixingConsensus, "update", update_once)]


def _version_begins_again() -> list[Patch]:
    def resume(self: RateBookBuilder, book: Any) -> None:
        self.pair_quotes.resume(book.pairs)

    return [(RateBookBuilder, "resume", resume)]


def _pivot_of_another_day() -> list[Patch]:
    quotes = latest_fixings.latest_quotes

    def latest_quotes(newest: Iterable[Any], pivots: Iterable[Any], *rest: Any) -> Any:
        found, of_days = list(newest), sorted(pivots, key=lambda one: one.fixing.day)
        days = {one.fixing.day for one in found}
        first = of_days[:1]
        moved = [replace(one, fixing=structs.replace(one.fixing, day=day)) for one in first for day in sorted(days)]
        return quotes(found, moved, *rest)

    return [("cambist.ingest.fixing_quotes", "latest_quotes", latest_quotes)]


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
    "a better source that is late is not waited for": lambda: [(rate_matrix_builder, "PATIENCE", 0)],
    "the rate matrix is never built again": _always_current,
    "an edition names a receipt that is to come": _receipts_to_come,
    "an edition is not recorded": _not_recorded,
    "an edition says something else than its matrix": _digest_of_another,
    "the offer that is farthest from the others is published": _farthest_offer_wins,
    "new fixings do not reach the rate book": _stale_offers,
    "versions of rate books begin again": _version_begins_again,
    "a cross has its legs from two days": _pivot_of_another_day,
    "market times are a day early": _market_time_a_day_off,
}
