from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from cambist.processes import gc_tuning


@pytest.fixture(autouse=True)
def _collector_as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_cycles_are_looked_for_seldom_and_not_in_what_is_there_already() -> None:
    gc.unfreeze()
    gc.set_threshold(usual := 700)
    gc_tuning.collect_seldom()
    assert gc.isenabled()
    assert gc.get_threshold()[0] > 100 * usual
    assert gc.get_freeze_count() > 10_000
