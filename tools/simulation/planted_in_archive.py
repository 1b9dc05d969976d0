"""Planted faults in validation, filing, the archive and the quarantine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, delete, update
from tools.simulation.patches import Patch

from cambist.history.filed_values import DayValues
from cambist.history.fixing import Fixing, Receipt
from cambist.history.quarantine import FixingKey, QuarantineState
from cambist.ingest import filing
from cambist.ingest.fetch import Fetcher
from cambist.ingest.other_sources import OtherSources
from cambist.ingest.polling_round import PollRange
from cambist.pricing import validation
from cambist.storage.sql import filing as sql_filing
from cambist.storage.sql.checksum import StoredRow, stored_rows
from cambist.storage.sql.dialects.sqlite import SqliteDialect
from cambist.storage.sql.quarantine import SqlQuarantine
from cambist.storage.sql.reading import StoredSeries
from cambist.storage.sql.schema import fixings, quarantine


def _correction_in_place() -> list[Patch]:
    insert = SqliteDialect.insert_fixings

    def insert_fixings(self: SqliteDialect, connection: Connection, rows: list[StoredRow]) -> None:
        for row in rows:
            day = date.fromisoformat(str(row[1]))
            connection.execute(delete(fixings).where(fixings.c.series_id == row[0], fixings.c.day == day))
        insert(self, connection, rows)

    return [(SqliteDialect, "insert_fixings", insert_fixings)]


def _lost_correction() -> list[Patch]:
    def new_rows(
        self: sql_filing.Filing, of_pair: StoredSeries, of_day: list[Fixing], stored: DayValues
    ) -> list[StoredRow]:
        new = [each for each in of_day if each.day not in stored]
        self._added += len(new)
        self._unchanged += len(of_day) - len(new)
        return list(stored_rows(of_pair.number, of_pair.seed, self._receipt_id, new))

    return [(sql_filing.Filing, "_new_rows", new_rows)]


def _duplicate_stored() -> list[Patch]:
    def new_rows(
        self: sql_filing.Filing, of_pair: StoredSeries, of_day: list[Fixing], stored: DayValues
    ) -> list[StoredRow]:
        self._corrected += sum(each.day in stored for each in of_day)
        self._added += sum(each.day not in stored for each in of_day)
        return list(stored_rows(of_pair.number, of_pair.seed, self._receipt_id, of_day))

    return [(sql_filing.Filing, "_new_rows", new_rows)]


def _receipt_of_its_own() -> list[Patch]:
    insert = sql_filing.Filing._insert_receipt  # noqa: SLF001  what is broken is inside

    def insert_receipt(self: sql_filing.Filing) -> int:
        number = insert(self)
        driver: Any = self._connection.connection.driver_connection
        driver.commit()
        self._connection.exec_driver_sql("BEGIN")
        return number

    return [(sql_filing.Filing, "_insert_receipt", insert_receipt)]


def _no_median() -> list[Patch]:
    def read_other_sources(*arguments: Any) -> OtherSources:
        return OtherSources(arguments[4], arguments[5])

    return [(filing, "read_other_sources", read_other_sources)]


def _no_jump_rule() -> list[Patch]:
    kept = (validation.wrong_unit, validation.jumped, validation.inverted)
    rules = tuple(rule for rule in validation.FIXING_RULES if rule not in kept)
    return [(validation, "FIXING_RULES", rules)]


def _every_move_refused() -> list[Patch]:
    def far_from_others(candidate: validation.Candidate) -> str | None:
        return None if candidate.others is None or candidate.units == candidate.others else "from the other sources"

    def none(units: Any, previous: Any, others: Any) -> Any:
        del previous, others
        return units < 0

    rules = (*validation.FIXING_RULES, far_from_others)
    return [(validation, "FIXING_RULES", rules), ("cambist.ingest.fixing_columns", "are_clearly_valid", none)]


def _future_accepted() -> list[Patch]:
    def check(fixings_of_day: Sequence[Fixing], received_at: Any) -> None:
        """Check nothing."""

    return [(filing, "_check_not_ahead", check)]


def _refused_word_lost() -> list[Patch]:
    def add_refused(connection: Connection, receipt: Receipt, refused: Any) -> int:
        del connection, receipt
        return len(list(refused))

    return [(sql_filing, "add_refused", add_refused)]


def _decision_forgotten() -> list[Patch]:
    def decisions(self: SqlQuarantine, source: str) -> Mapping[FixingKey, QuarantineState]:
        del self, source
        return {}

    return [(SqlQuarantine, "decisions", decisions)]


def _rejected_accepted() -> list[Patch]:
    decided = SqlQuarantine.decisions

    def decisions(self: SqlQuarantine, source: str) -> Mapping[FixingKey, QuarantineState]:
        return dict.fromkeys(decided(self, source), QuarantineState.ACCEPTED)

    return [(SqlQuarantine, "decisions", decisions)]


def _released_unseen() -> list[Patch]:
    def release_passed(connection: Connection, receipt: Receipt, passed: Any) -> None:
        del passed
        of_source = quarantine.c.source == receipt.source
        connection.execute(update(quarantine).where(of_source).values(state=QuarantineState.RELEASED))

    return [(sql_filing, "release_passed", release_passed)]


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

    def file_delivery(context: Any, adapter: Any, delivery: Any, progress: Any) -> Any:
        if context.archive.sources() and delivery.received_at.hour % 2:
            return None
        return file(context, adapter, delivery, progress)

    return [("cambist.registry.archive_tasks", "file_delivery", file_delivery)]


ARCHIVE_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "a correction overwrites the row before it": _correction_in_place,
    "a correction is lost": _lost_correction,
    "a fixing is stored again with each delivery": _duplicate_stored,
    "a receipt is committed before its fixings": _receipt_of_its_own,
    "a delivery is judged without the other sources": _no_median,
    "a jump is not refused": _no_jump_rule,
    "every word that differs from the other sources is refused": _every_move_refused,
    "a word of a day to come is accepted": _future_accepted,
    "a refused word does not reach the quarantine": _refused_word_lost,
    "the operator's decisions are forgotten": _decision_forgotten,
    "a rejected word is accepted": _rejected_accepted,
    "what waits in quarantine is released unseen": _released_unseen,
    "an answer that was not stored is not fetched again": _answers_remembered,
    "past days are not read again": _nothing_read_again,
    "a delivery is taken for one that is stored": _same_bytes_by_source,
}
