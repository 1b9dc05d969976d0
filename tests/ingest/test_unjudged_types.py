"""Rates of other types and markets never enter the vote on the official and market rates."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.ingest.snapshot_builder import judging_of, rate_matrix_from_archive
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import RateType
from cambist.storage.sql import SqlStore
from cambist.verdicts.verdict import DayStatus

FIRST = date(2026, 10, 1)
LAST = FIRST + timedelta(days=19)


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("key", "rate_type"),
    [("bcc:segment_3", RateType.OFFICIAL), ("street", RateType.PARALLEL), ("abroad", RateType.OFFSHORE)],
)
def test_a_rate_of_another_type_has_no_vote(store: SqlStore, a_source: Any, key: str, rate_type: RateType) -> None:
    others = [f"{key}{number}" for number in range(3)]
    said = {"bcc": "24", **dict.fromkeys(others, "410")}
    for number, (source, value) in enumerate(said.items()):
        fixings = [Fixing(source, Pair("USD", "CUP"), FIRST + timedelta(days=n), Decimal(value)) for n in range(20)]
        store.archive.file(DeliveryRecord(source, datetime(2026, 11, 1, number, tzinfo=UTC), source, "d"), fixings)
    sources = [
        *(a_source(each, anchor="USD", rate_type=rate_type) for each in others),
        a_source("bcc", anchor="USD", rate_type=RateType.OFFICIAL),
    ]
    judging = judging_of(store, sources)
    judging.update()
    judgement = judging.judge_whole("CUP")
    assert judgement is not None
    assert [source.key for source in judgement.sources] == ["bcc"]
    assert set(judgement.status.tolist()) == {DayStatus.SINGLE}
    assert rate_matrix_from_archive(store, sources, LAST).cell(LAST, "CUP") == 24
