"""Editions: which state of the history an answer was made from, as a name that is the same on every node."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import numpy as np
from msgspec import Struct

from cambist.history.as_of import CARRY_DAYS
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import Decision, Judged

_DIGEST_DIGITS = 16
_NAME = re.compile(r"(\d{1,18})-([0-9a-f]{12})-([0-9a-f]{16})")


class Edition(Struct, frozen=True):
    """An edition: the highest delivery that it shows, the version of its rules, and the SHA-256 of its rate matrix."""

    delivery: int
    rules: str
    digest: str

    def __str__(self) -> str:
        return f"{self.delivery}-{self.rules}-{self.digest[:_DIGEST_DIGITS]}"


class RecordedEdition(Struct, frozen=True):
    """An edition as it was recorded: its number in the order of recording, and when it was first used (UTC).

    `last_rows` are the newest days that the sources had fixed, counted from 1970-01-01, in the order of the rules.
    `last_verdict` is the last change of a verdict that it shows, `last_decision` the last decision of the operator that
    its verdicts follow; None for one from before they were recorded.
    """

    number: int
    name: str
    delivery: int
    rules: str
    digest: str
    recorded_at: datetime
    last_rows: tuple[int, ...] = ()
    last_verdict: int | None = None
    last_decision: int | None = None

    @property
    def judged(self) -> Judged:
        """Return what the verdicts of its rate matrix follow."""
        return Judged(self.delivery, self.last_verdict or 0, self.last_decision or 0)


class EditionName(Struct, frozen=True):
    """The parts of the name of an edition; `digest` is the beginning of that of the rate matrix."""

    delivery: int
    rules: str
    digest: str


class Editions(Protocol):
    """A store of all editions that rate matrices ever had, and of their rules. No row is ever changed or removed."""

    def record(
        self, matrix: RateMatrix, rules: RuleSet, tables: dict[str, bytes], judged: Judged | None = None
    ) -> RecordedEdition:
        """Record the edition of a rate matrix before it is used, unless it is the newest; return the newest.

        `tables` are the texts of the reference tables of the rules, `judged` is what its verdicts follow. Errors:
        StoreBroken.
        """

    def find(self, name: str) -> RecordedEdition | None:
        """Return an edition by its name, as it was recorded first."""

    def known_at(self, moment: datetime) -> RecordedEdition | None:
        """Return the edition that was the newest at a moment; None before the first."""

    def newest(self) -> RecordedEdition | None:
        """Return the newest edition; None before the first."""

    def after(self, number: int, limit: int) -> list[RecordedEdition]:
        """Return the editions after a number, oldest first."""

    def first_showing(self, delivery: int) -> RecordedEdition | None:
        """Return the first edition that shows a delivery; None if there is none yet."""

    def first_by(self, rules: str, verdict: int = 0) -> RecordedEdition | None:
        """Return the first edition by some rules that shows a change of a verdict; None if there is none yet."""

    def last_before(self, rules: str, verdict: int) -> RecordedEdition | None:
        """Return the newest edition by some rules that does not show a change of a verdict yet; None without one."""

    def rules(self, version: str) -> RuleSet | None:
        """Return the rules of a version."""

    def table(self, digest: str) -> bytes | None:
        """Return the text of a reference table."""


def decisions_of(edition: RecordedEdition, decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions that the verdicts of an edition follow.

    Of one from before they were recorded, these are the ones made until then, by the clocks of who made them.
    """
    if edition.last_decision is None:
        return [each for each in decisions if each.made_at <= edition.recorded_at]
    return [each for each in decisions if each.number <= edition.last_decision]


def parse_edition_name(text: str) -> EditionName | None:
    """Return the parts of the name of an edition; None for another text."""
    found = _NAME.fullmatch(text)
    return EditionName(int(found[1]), found[2], found[3]) if found else None


def with_edition(matrix: RateMatrix, delivery: int, rules: str) -> RateMatrix:
    """Return the rate matrix with its edition. It shows the deliveries up to `delivery`, by these rules."""
    digest = matrix_digest(matrix)
    return replace(matrix, edition=str(Edition(delivery, rules, digest)), digest=digest)


def matrix_digest(matrix: RateMatrix) -> str:
    """Return the SHA-256 of what a rate matrix says about the days up to two weeks after its last fixing.

    Later rows are the same whatever was fixed, and their number depends on the day of building. The byte order of the
    machine does not matter.
    """
    whole = hashlib.sha256()
    for part in _digested(matrix):
        whole.update(part)
    return whole.hexdigest()


def _digested(matrix: RateMatrix) -> Iterator[bytes | memoryview]:
    days = min(matrix.row(matrix.last_fixing) + CARRY_DAYS + 1, len(matrix.listed_set_of_day))
    width = len(matrix.codes)
    cells = np.where(np.isnan(head := matrix.cells_by_day[:days]), np.nan, head)  # NaN has many representations
    has_value = np.any(~np.isnan(cells), axis=0, keepdims=False)
    codes = [code for code, has in zip(matrix.codes, has_value, strict=True) if has]
    yield f"{matrix.first_day} {days} {','.join(codes)}\n".encode()
    for key, last, fixed_at in zip(
        matrix.sources, matrix.last_fixings, matrix.fixed_at or [()] * len(matrix.sources), strict=True
    ):
        yield f"{key} {last} {' '.join(fixed_at)}\n".encode()
    kept = np.ascontiguousarray(cells[:, has_value])
    yield (kept if sys.byteorder == "little" else kept.byteswap()).tobytes()
    for each in (matrix.source_indexes, matrix.ages):
        column_bytes = np.asarray(each, np.uint8)[: days * width]
        yield column_bytes.reshape(-1, width)[:, has_value].tobytes() if len(column_bytes) else b""
    yield from _listings(matrix, days)


def _listings(matrix: RateMatrix, days: int) -> Iterator[bytes]:
    """Yield on which days the set of listed currencies changes, and to which."""
    numbers = np.asarray(matrix.listed_set_of_day[:days])
    changes = np.flatnonzero(np.diff(numbers, prepend=-1)) if days else np.array([], np.int64)
    for row in changes.tolist():
        codes = ",".join(matrix.codes[column] for column in matrix.listed_sets[numbers[row]])
        yield f"{row} {codes}\n".encode()
