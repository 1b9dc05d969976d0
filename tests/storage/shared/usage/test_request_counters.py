from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.errors import StoreBroken
from cambist.storage.shared.usage.request_counters import BOUNDS, RequestCounts

SECOND = 10**9


@pytest.fixture
def counts(tmp_path: Path) -> RequestCounts:
    return RequestCounts(tmp_path / "requests", ["/a", "/b"], 2)


def test_nothing_is_counted_at_first(counts: RequestCounts) -> None:
    assert (counts.figures(), counts.in_flight(SECOND)) == ([], 0)


def test_requests_are_counted_by_endpoint_status_and_duration(counts: RequestCounts, tmp_path: Path) -> None:
    for path, status, nanoseconds, cached in (
        ("/a", 200, 100_000, True),
        ("/a", 200, 100_001, False),
        ("/a", 429, 2 * SECOND, False),
        ("/nowhere", 404, 1, False),
        ("/b", 418, 1, False),
    ):
        counts.begin(SECOND)
        counts.end(path, status, nanoseconds, cached=cached)
    a, b, other = RequestCounts(tmp_path / "requests", ["/a", "/b"], 2).figures()
    assert (a.endpoint, a.by_status, a.cached) == ("/a", {200: 2, 429: 1}, 1)
    assert a.buckets == [1, *[2] * (len(BOUNDS) - 1), 3]
    assert a.seconds == pytest.approx(2.000200001)
    assert (b.by_status, other.endpoint, other.by_status) == ({0: 1}, "other", {404: 1})


def test_a_request_is_in_flight_until_it_ends_or_for_a_minute(counts: RequestCounts) -> None:
    counts.begin(100 * SECOND)
    assert [counts.in_flight(second * SECOND) for second in (99, 100, 159, 160)] == [0, 1, 1, 0]
    counts.end("/a", 200, SECOND, cached=False)
    assert counts.in_flight(101 * SECOND) == 0


def test_counts_continue_after_a_restart(counts: RequestCounts, tmp_path: Path) -> None:
    for _ in range(2):
        counts.end("/a", 200, 1, cached=False)
        counts.close()
        counts = RequestCounts(tmp_path / "requests", ["/a", "/b"], 2)
    assert counts.figures()[0].by_status == {200: 2}


def test_requests_of_threads_without_a_slot_are_not_counted(counts: RequestCounts) -> None:
    barrier = threading.Barrier(10)

    def ask() -> None:
        counts.begin(1)
        barrier.wait(10)
        counts.end("/a", 200, 1, cached=False)
        barrier.wait(10)

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts.figures()[0].by_status == {200: 6}


def test_the_error_on_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(StoreBroken, match=r"requests/.*free some space on its disk"):
        RequestCounts(tmp_path / "requests", ["/a"], 1)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    asked=st.lists(st.tuples(st.sampled_from("abx"), st.sampled_from([200, 304, 500]), st.integers(0, 3 * SECOND))),
    threads=st.integers(1, 4),
)
def test_the_counts_of_all_threads_add_up(tmp_path: Path, asked: list[tuple[str, int, int]], threads: int) -> None:
    counts = RequestCounts(tmp_path / os.urandom(8).hex(), ["a", "b"], 2)

    def ask(number: int) -> None:
        for path, status, nanoseconds in asked[number::threads]:
            counts.begin(nanoseconds)
            counts.end(path, status, nanoseconds, cached=status == 304)

    workers = [threading.Thread(target=ask, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    expected = Counter(("other" if path == "x" else path, status) for path, status, _ in asked)
    figures = counts.figures()
    assert {(one.endpoint, status): n for one in figures for status, n in one.by_status.items()} == expected
    assert sum(one.buckets[-1] for one in figures) == len(asked)
    assert sum(one.cached for one in figures) == sum(status == 304 for _, status, _ in asked)
