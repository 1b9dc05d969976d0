"""The direct way answers as the general way does: the same bytes, and the same is counted. `make direct-answers`."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.api.direct.questions import Questions
from tests.api.direct.two_ways import TwoWays, settled

from cambist.api.direct.answers import ANSWERS
from cambist.history.rate_matrix import RateMatrix

REQUESTS = int(os.environ.get("DIRECT_REQUESTS", "2000"))
SEED = int(os.environ.get("SEED", "1"))
STARTS = {
    "noon": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "the close of a week": datetime(2026, 11, 20, 21, 58, 30, tzinfo=UTC),
    "Sunday's open": datetime(2026, 11, 22, 21, 59, tzinfo=UTC),
    "midnight": datetime(2026, 11, 20, 23, 59, tzinfo=UTC),
}
LEAST_DIRECT = 0.25
"""The least share of requests that are answered directly: otherwise the test compares one way with itself."""


@pytest.mark.long(every=4)
@pytest.mark.parametrize("start", STARTS)
def test_both_ways_answer_and_count_the_same(real_matrix: RateMatrix, tmp_path: Path, start: str) -> None:
    number = list(STARTS).index(start)
    longest_age = timedelta(hours=2) if number % 2 else None
    both = TwoWays(real_matrix, tmp_path, SEED + number, STARTS[start], longest_age)
    questions = Questions(both.chance, list(both.keys), STARTS[start].date())
    direct, general = both.ways
    recent: list[bytes] = []
    for _ in range(REQUESTS // len(STARTS)):
        both.move()
        asked = questions.request()
        if recent and both.chance.random() < 0.3:
            asked = both.chance.choice(recent)
        recent = [*recent[-20:], asked]
        first, second = direct.respond(asked), general.respond(asked)
        assert settled(first) == settled(second), asked
        assert direct.counted() == general.counted(), asked
    assert direct.direct_answers.total() >= REQUESTS // len(STARTS) * LEAST_DIRECT
    assert {*ANSWERS} - {*direct.direct_answers} == set()
