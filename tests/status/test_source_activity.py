from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import msgspec

from cambist.status.source_activity import SLOTS, ActivityCounts, SourceActivity, aligned

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND, SLOT = timedelta(seconds=1), timedelta(minutes=30)


def test_what_happens_in_half_an_hour_is_one_slot() -> None:
    counts = ActivityCounts()
    counts.record_poll(NOON, SECOND)
    counts.record_poll(NOON + SLOT - SECOND, SECOND * 3)
    counts.record_answer(NOON)
    counts.record_failure(NOON)
    for held in (2, 5, 1):
        counts.record_held(NOON, held)
    (slot,) = counts.last_day(NOON)
    assert (slot.start, slot.polls, slot.answers, slot.failures) == (NOON, 2, 1, 1)
    assert (slot.mean, slot.slowest, slot.held) == (2000, 3000, 5)


def test_only_the_last_day_is_kept() -> None:
    counts = ActivityCounts()
    for number in range(3 * SLOTS):
        counts.record_answer(NOON + number * SLOT)
    last = NOON + (3 * SLOTS - 1) * SLOT
    found = counts.last_day(last)
    assert (len(found), found[0].start, found[-1].start) == (SLOTS, last - timedelta(hours=23.5), last)
    assert counts.last_day(last + timedelta(days=2)) == ()


def test_a_slot_without_anything_is_empty_where_slots_are_aligned() -> None:
    counts = ActivityCounts()
    counts.record_answer(NOON)
    counts.record_answer(NOON - 3 * SLOT)
    slots = list(aligned(counts.last_day(NOON), NOON))
    assert len(slots) == SLOTS
    assert [slot.answers for slot in slots[-4:]] == [1, 0, 0, 1]
    assert all(later.start - slot.start == SLOT for slot, later in itertools.pairwise(slots))
    assert slots[-2].mean is None


def test_counts_go_on_after_a_restart() -> None:
    before, after = ActivityCounts(), ActivityCounts()
    for moment in (NOON - timedelta(days=2), NOON - SLOT, NOON):
        before.record_answer(moment)
    written = msgspec.json.encode(SourceActivity(NOON, {"ecb": before.last_day(NOON)}))
    after.resume(msgspec.json.decode(written, type=SourceActivity).sources["ecb"], NOON)
    after.record_answer(NOON)
    assert [slot.answers for slot in after.last_day(NOON)] == [1, 2]


def test_slots_of_the_future_are_not_resumed() -> None:
    before, after = ActivityCounts(), ActivityCounts()
    before.record_answer(NOON + timedelta(days=400))
    after.resume(before.last_day(NOON + timedelta(days=400)), NOON)
    assert after.last_day(NOON) == ()
