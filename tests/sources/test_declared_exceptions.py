"""Rates that a source gives twice, or the other way round than its others."""

import pytest

from cambist.errors import CellBroken, SourceBroken, SourceRefused
from cambist.sources.declaration import DeclaredAdapter, read_declaration

DECLARED = """
key = "own"
name = "Own"
licence = "internal"
rate_type = "official"
first_day = 2020-01-01

[request]
url = "https://own.example/rates"
span = "all"

[rates]
anchor = "KES"
direction = "anchor_per_other"
MORE

[day]
at = "day"

[schedule]
zone = "Africa/Nairobi"

[csv]
layout = "long"
code = "code"
rate = "rate"
"""
ANSWER = """\
day,code,rate
2026-03-04,USD,129.5
2026-03-04,UGX,28.1
2026-03-05,USD,129.6
"""


def declared(more: str) -> DeclaredAdapter:
    return read_declaration(DECLARED.replace("MORE", more), "own.toml")


def test_a_rate_may_have_the_other_direction() -> None:
    read = declared('inverted = ["UGX"]').parse(ANSWER.encode())
    assert [str(fixing.pair) for fixing in read] == ["USD/KES", "KES/UGX", "USD/KES"]


@pytest.mark.parametrize(
    "more", ['inverted = ["KES"]', 'inverted = ["shilling"]', 'inverted = ["UGX"]\nnominal = { UGX = 100 }']
)
def test_a_direction_of_what_is_not_another_currency_is_refused(more: str) -> None:
    with pytest.raises(SourceRefused, match=r"\[rates.inverted\]"):
        declared(more)


def test_a_rate_with_other_decimals_than_all_is_refused() -> None:
    counting = declared("places = 1")
    assert len([*counting.parse(ANSWER.encode())]) == 3
    with pytest.raises(CellBroken, match=r"USD/KES on 2026-03-05 does not have 1 decimals: \[129\]"):
        list(counting.parse(ANSWER.replace("129.6", "129").encode()))


def test_a_rate_may_stand_in_a_text() -> None:
    matching = declared("rate_pattern = 'KSh (?P<rate>[0-9.]+)'")
    priced = ANSWER.replace("USD,", "USD,KSh ").replace("UGX,", "UGX,KSh ")
    assert [*matching.parse(priced.encode())] == [*declared("").parse(ANSWER.encode())]
    with pytest.raises(CellBroken, match=r"rates.rate_pattern: \[US\$ 129.6\]"):
        list(matching.parse(priced.replace("KSh 129.6", "US$ 129.6").encode()))
    with pytest.raises(SourceRefused, match=r"\[rates.rate_pattern\]"):
        declared("rate_pattern = 'KSh ([0-9.]+)'")


REPEATED = ANSWER + "2026-03-04,USD,129.5\n"
CONTRADICTED = ANSWER + "2026-03-04,USD,140.0\n"


def test_a_repeated_rate_is_refused_unless_declared() -> None:
    with pytest.raises(SourceBroken, match="twice"):
        list(declared("").parse(REPEATED.encode()))


def test_equal_rates_of_a_day_are_one() -> None:
    merging = declared('repeats = "merge"')
    assert [*merging.parse(REPEATED.encode())] == [*merging.parse(ANSWER.encode())]


def test_rates_that_contradict_each_other_are_left_out_and_reported() -> None:
    merging = declared('repeats = "merge"')
    taken = merging.parse_tolerantly(CONTRADICTED.encode())
    assert [str(fixing.value) for fixing in taken.fixings] == ["28.1", "129.6"]
    assert taken.left_out == ("own: [USD 2026-03-04] is given several times, as 129.5 and 140.0",)
    with pytest.raises(CellBroken):
        list(merging.parse(CONTRADICTED.encode()))
