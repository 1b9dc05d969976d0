from __future__ import annotations

from array import array
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from cambist.errors import StoreBroken
from cambist.history.edition import (
    Edition,
    RecordedEdition,
    decisions_of,
    matrix_digest,
    parse_edition_name,
    with_edition,
)
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rule_set import RuleSet, SourceRule, parse_rule_set
from cambist.history.verdict_log import Decision

NAN = float("nan")
RULES = RuleSet(1, (SourceRule("ecb", "EUR", "", False, "Europe/Berlin", "14:15:00"),), {"pegs.csv": "ab"})


def matrix(days: int = 30, fixed: int = 2, last: float = 2.0) -> RateMatrix:
    """Make a matrix of two currencies: the second has a rate until two weeks after its last fixing."""
    second = [last if row <= fixed + 14 else NAN for row in range(days)]
    cells = array("d", [value for each in second for value in (1.0, each)])
    return RateMatrix(
        revision="1-a-1",
        first_day=FIRST_DAY,
        last_fixing=FIRST_DAY + timedelta(days=fixed),
        codes=("USD", "ZZZ"),
        listed_sets=((0, 1), (0,)),
        listed_set_of_day=array("H", [int(np.isnan(each)) for each in second]),
        cells=memoryview(cells),
        sources=("ecb",),
        last_fixings=(FIRST_DAY + timedelta(days=fixed),),
        fixed_at=(("Europe/Berlin", "14:15:00"),),
        source_indexes=memoryview(bytes(2 * days)),
        ages=memoryview(bytes(2 * days)),
    )


def test_the_name_of_an_edition_has_delivery_rules_and_digest() -> None:
    made = with_edition(matrix(), 17, "abcdefabcdef")
    assert made.edition == f"17-abcdefabcdef-{made.digest[:16]}"
    assert made.digest == matrix_digest(matrix())
    name = parse_edition_name(made.edition)
    assert name is not None
    assert (name.delivery, name.rules, name.digest) == (17, "abcdefabcdef", made.digest[:16])
    assert str(Edition(17, "abcdefabcdef", made.digest)) == made.edition


@pytest.mark.parametrize(
    "text", ["", "17", "2026-03-06", "2026-03-06T12:00:00Z", "17-abc-0123456789abcdef", "17-abcdefabcdef-0123"]
)
def test_other_texts_are_no_editions(text: str) -> None:
    assert parse_edition_name(text) is None


def test_the_digest_does_not_depend_on_the_day_of_building() -> None:
    assert matrix_digest(matrix(days=30)) == matrix_digest(matrix(days=300))


def test_the_digest_does_not_depend_on_how_a_missing_rate_is_written() -> None:
    made = matrix()
    cells = np.array(made.cells)
    cells[np.isnan(cells)] = -np.nan
    cells.view(np.uint64)[np.isnan(cells)] |= np.uint64(1 << 63)
    assert matrix_digest(replace(made, cells=memoryview(cells))) == matrix_digest(made)


def changed_byte(content: memoryview[int]) -> memoryview[int]:
    changed = bytearray(content)
    changed[3] = 7
    return memoryview(changed)


def test_the_digest_depends_on_all_that_answers_are_made_from() -> None:
    made = matrix()
    others = [
        matrix(last=2.0000000000000004),
        matrix(fixed=3),
        replace(made, codes=("USD", "ZZY")),
        replace(made, sources=("nbp",)),
        replace(made, fixed_at=(("UTC", "14:15:00"),)),
        replace(made, last_fixings=(date(1970, 1, 2),)),
        replace(made, listed_sets=((0,), (0,))),
        replace(made, ages=changed_byte(made.ages)),
        replace(made, source_indexes=changed_byte(made.source_indexes)),
    ]
    assert len({matrix_digest(each) for each in [made, *others]}) == len(others) + 1


def test_a_matrix_of_one_day_has_a_digest() -> None:
    assert len(matrix_digest(matrix(days=1, fixed=0))) == 64


def test_the_version_of_rules_is_that_of_their_content() -> None:
    again = parse_rule_set(RULES.content)
    assert again == RULES
    assert again.version == RULES.version
    assert len(RULES.version) == 12
    others = [
        RuleSet(2, RULES.sources, RULES.tables),
        RuleSet(1, (), RULES.tables),
        RuleSet(1, RULES.sources, {"pegs.csv": "ac"}),
    ]
    assert len({each.version for each in [RULES, *others]}) == 4


def test_rules_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(StoreBroken, match="The rules of an edition cannot be read"):
        parse_rule_set(b"{")


NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("last_decision", "shown"),
    [(None, [1, 3]), (0, []), (2, [1, 2]), (3, [1, 2, 3])],
    ids=["from before they were recorded", "none", "some", "all"],
)
def test_an_edition_shows_the_decisions_that_its_verdicts_follow_whatever_the_clocks_say(
    last_decision: int | None, shown: list[int]
) -> None:
    made = [
        Decision(number, "EUR", 0, None, Decimal(1), accepts=True, reason="", made_at=NOON + timedelta(hours=hours))
        for number, hours in enumerate((-1, 2, 0), 1)
    ]
    edition = RecordedEdition(1, "name", 17, "abcdefabcdef", "", NOON, last_verdict=4, last_decision=last_decision)
    assert [each.number for each in decisions_of(edition, made)] == shown
