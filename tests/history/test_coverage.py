"""The coverage of a rate matrix that has one source."""

from __future__ import annotations

from datetime import timedelta

import pytest

from cambist.history.coverage import coverage_of_matrix
from cambist.pricing.pair import Pair


@pytest.mark.long
def test_each_code_runs_from_its_first_to_its_last_value(real_matrix):
    found = {each.pair: each for each in coverage_of_matrix(real_matrix, "sandbox")}
    assert {each.source for each in found.values()} == {"sandbox"}
    assert set(found) <= {Pair(code, "USD") for code in real_matrix.codes if code != "USD"}
    for pair, each in found.items():
        assert real_matrix.cell(each.first, pair.base) > 0
        assert real_matrix.cell(each.last, pair.base) > 0
        assert not real_matrix.cell(each.first - timedelta(days=1), pair.base) > 0
        is_last = each.last == real_matrix.last_fixing
        assert is_last or not real_matrix.cell(each.last + timedelta(days=1), pair.base) > 0
    without = [code for code in real_matrix.codes if code != "USD" and Pair(code, "USD") not in found]
    assert all(real_matrix.span(code) is None for code in without)
    assert len(found) > 30
