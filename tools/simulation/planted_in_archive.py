"""Planted faults in filing, the archive, and what is derived from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete
from tools.simulation.patches import Patch

from cambist.history import code_judgement
from cambist.history.code_rates import CodeRates
from cambist.history.filed_values import DayValues
from cambist.history.fixing import Fixing
from cambist.history.judging import Judging
from cambist.history.verdict_log import Decision, Judged, VerdictChange
from cambist.ingest import filing
from cambist.ingest.fetch import Fetcher
from cambist.ingest.polling_round import PollRange
from cambist.storage.sql import filing as sql_filing
from cambist.storage.sql.backends.sqlite import SqliteBackend
from cambist.storage.sql.checksum import StoredRow, stored_rows
from cambist.storage.sql.reading import StoredSeries
from cambist.storage.sql.schema import fixings, verdicts
from cambist.storage.sql.verdicts import SqlVerdicts
from cambist.verdicts.frontier import BEGINNING, Frontier
from cambist.verdicts.judge import judge
from cambist.verdicts.rules import Rules
from cambist.verdicts.verdict import Judgement


def _correction_in_place() -> list[Patch]:
    insert = SqliteBackend.insert_fixings

    def insert_fixings(self: SqliteBackend, connection: Connection, rows: list[StoredRow]) -> None:
        for row in rows:
            day = date.fromisoformat(str(row[1]))
            connection.execute(delete(fixings).where(fixings.c.series_id == row[0], fixings.c.day == day))
        insert(self, connection, rows)

    return [(SqliteBackend, "insert_fixings", insert_fixings)]


def _lost_correction() -> list[Patch]:
    def new_rows(
        self: sql_filing.Filing, of_pair: StoredSeries, of_day: list[Fixing], stored: DayValues
    ) -> list[StoredRow]:
        new = [each for each in of_day if each.day not in stored]
        self._added += len(new)
        self._unchanged += len(of_day) - len(new)
        return list(stored_rows(of_pair.number, of_pair.seed, self._delivery_id, new))

    return [(sql_filing.Filing, "_new_rows", new_rows)]


def _duplicate_stored() -> list[Patch]:
    def new_rows(
        self: sql_filing.Filing, of_pair: StoredSeries, of_day: list[Fixing], stored: DayValues
    ) -> list[StoredRow]:
        self._corrected += sum(each.day in stored for each in of_day)
        self._added += sum(each.day not in stored for each in of_day)
        return list(stored_rows(of_pair.number, of_pair.seed, self._delivery_id, of_day))

    return [(sql_filing.Filing, "_new_rows", new_rows)]


def _delivery_of_its_own() -> list[Patch]:
    insert = sql_filing.Filing._insert_delivery  # noqa: SLF001  what is broken is inside

    def insert_delivery(self: sql_filing.Filing) -> int:
        number = insert(self)
        driver: Any = self._connection.connection.driver_connection
        driver.commit()
        self._connection.exec_driver_sql("BEGIN")
        return number

    return [(sql_filing.Filing, "_insert_delivery", insert_delivery)]


def _never_a_jump() -> list[Patch]:
    def judge_rates(rates: CodeRates, decisions: Any = (), after: Frontier = BEGINNING) -> Judgement:
        rules = Rules(jump=100.0, unit_jump=100.0, unproven_yields=100.0, prune=1000.0)
        reference = code_judgement.reference_of(rates.code, rates.days)
        return judge(rates.fixings(decisions), reference, rules, after)

    return [("cambist.history.judging", "judge_rates", judge_rates)]


def _first_arrival_wins() -> list[Patch]:
    replace_days = Judging._replace
    known: dict[str, dict[int, str]] = {}

    def replace(self: Judging, code: str, _outcomes: dict[int, str], first: int) -> list[VerdictChange]:
        of_code = known.setdefault(code, {})
        rates = self.rates(code)
        for row, day in enumerate(() if rates is None else rates.days.tolist()):
            if day not in of_code and rates is not None:
                column = int(np.flatnonzero(~np.isnan(rates.units[row]))[0])
                of_code[day] = rates.histories[column].key
        return replace_days(self, code, {day: key for day, key in of_code.items() if day >= first}, first)

    return [(Judging, "_replace", replace)]


def _history_unvoted() -> list[Patch]:
    def compare(self: Judging, *_: Any) -> list[VerdictChange]:
        del self
        return []

    return [(Judging, "_compare", compare)]


def _decisions_forgotten() -> list[Patch]:
    def holding_by_code(decisions: Any) -> dict[str, list[Decision]]:
        del decisions
        return {}

    return [("cambist.history.judging", "holding_by_code", holding_by_code)]


def _verdicts_overwritten() -> list[Patch]:
    append = SqlVerdicts.append

    def overwrite(self: SqlVerdicts, rules: str, changes: Any, now: Judged) -> Judged | None:
        with self._engine.begin() as connection:
            for each in changes:
                of_day = (verdicts.c.code == each.code, verdicts.c.day == each.day)
                connection.execute(delete(verdicts).where(*of_day))
        return append(self, rules, changes, now)

    return [(SqlVerdicts, "append", overwrite)]


def _future_accepted() -> list[Patch]:
    def check(fixings_of_day: Sequence[Fixing], received_at: Any) -> None:
        """Check nothing."""

    return [(filing, "_check_not_ahead", check)]


def _answers_remembered() -> list[Patch]:
    def forget(self: Fetcher, request: Any) -> None:
        """Forget nothing."""

    return [(Fetcher, "forget", forget)]


def _nothing_read_again() -> list[Patch]:
    def first(self: PollRange, today: date) -> date:
        del self
        return today - timedelta(days=1)

    return [(PollRange, "first", first)]


def _same_bytes_by_source() -> list[Patch]:
    file = filing.file_delivery

    def file_delivery(archive: Any, adapter: Any, delivery: Any, progress: Any) -> Any:
        if archive.sources() and delivery.received_at.hour % 2:
            return None
        return file(archive, adapter, delivery, progress)

    return [("cambist.registry.archiving.archive_tasks", "file_delivery", file_delivery)]


ARCHIVE_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "a correction overwrites the row before it": _correction_in_place,
    "a correction is lost": _lost_correction,
    "a fixing is stored again with each delivery": _duplicate_stored,
    "a delivery is committed before its fixings": _delivery_of_its_own,
    "fixings that wait do not confirm a jump": _never_a_jump,
    "the first arrival of a day is published": _first_arrival_wins,
    "the history is not voted on": _history_unvoted,
    "the operator's decisions are forgotten": _decisions_forgotten,
    "a verdict overwrites the one before it": _verdicts_overwritten,
    "a fixing of a day to come is accepted": _future_accepted,
    "an answer that was not stored is not fetched again": _answers_remembered,
    "past days are not read again": _nothing_read_again,
    "a delivery is taken for one that is stored": _same_bytes_by_source,
}
