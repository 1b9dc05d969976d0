"""The rate limit as its users see it: whichever worker they land on, and whatever it has seen of the others."""

from __future__ import annotations

import random
from bisect import bisect_left
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.rate_limit import Bucket, seconds_until_next

START = 1_795_176_000.0
"""2026-11-20 at noon: the moments of the service have as few digits behind the point as these."""

PLANS = read_plans(default_plans(), "plans.toml")
LIMITS = [(plan.rate, plan.burst) for plan in PLANS.values() if plan.rate is not None and plan.burst is not None]
RATES = st.one_of(st.sampled_from([0.1, 1 / 3, 0.5, 1.0, 50.0, 100.0, 500.0]), st.floats(0.01, 2000))
BURSTS = st.integers(1, 2000)


@dataclass
class Counter:
    """The requests let in, which every worker can read, and when."""

    moments: list[float] = field(default_factory=list)

    def within(self, begin: float, seconds: float) -> int:
        return bisect_left(self.moments, begin + seconds) - bisect_left(self.moments, begin)

    def most_within(self, seconds: float) -> int:
        self.moments.sort()
        return max((self.within(moment, seconds) for moment in self.moments), default=0)


class Worker:
    """One reading of the bucket."""

    def __init__(self, counter: Counter, rate: float, burst: int, now: float = START) -> None:
        self.counter, self.rate, self.burst = counter, rate, burst
        self.bucket = Bucket(burst, len(counter.moments), now)

    def look(self, now: float) -> float:
        self.bucket = self.bucket.read(len(self.counter.moments), now, self.rate, self.burst)
        return self.bucket.level

    def ask(self, now: float) -> bool:
        is_in = self.look(now) >= 1
        if is_in:
            self.counter.moments.append(now)
        return is_in


def let_in(worker: Worker, now: float, requests: int) -> int:
    return sum(worker.ask(now) for _ in range(requests))


@given(rate=RATES, burst=BURSTS)
def test_the_whole_burst_comes_in_at_once_and_not_one_more(rate: float, burst: int) -> None:
    worker = Worker(Counter(), rate, burst)
    assert let_in(worker, START, burst) == burst
    assert not worker.ask(START)


@pytest.mark.parametrize(("rate", "burst"), [*LIMITS, (1.0, 1), (0.5, 4), (0.25, 1)])
def test_after_the_burst_come_so_many_a_second_as_the_rate_says(rate: float, burst: int) -> None:
    worker = Worker(Counter(), rate, burst)
    let_in(worker, START, burst)
    seconds = 8
    assert let_in(worker, START + seconds, 10 * burst) == min(burst, rate * seconds)
    steps = 4 * round(rate * seconds)
    each = [worker.ask(START + seconds + seconds * step / steps) for step in range(1, steps + 1)]
    assert sum(each) == pytest.approx(rate * seconds, abs=1)


@given(rate=RATES, burst=BURSTS, idle=st.floats(0, 1e7))
def test_an_idle_bucket_fills_to_the_brim_and_never_over_it(rate: float, burst: int, idle: float) -> None:
    worker = Worker(Counter(), rate, burst)
    let_in(worker, START, burst)
    assert worker.look(START + idle) <= burst
    assert worker.look(START + idle + burst / rate + 1) == burst


@given(rate=RATES, burst=BURSTS, refused=st.integers(1, 50))
def test_a_refused_request_draws_nothing(rate: float, burst: int, refused: int) -> None:
    worker = Worker(Counter(), rate, burst)
    let_in(worker, START, burst)
    assert let_in(worker, START, refused) == 0
    assert worker.look(START) == 0


def test_two_that_are_let_in_at_once_are_made_up_for_by_those_after_them() -> None:
    counter = Counter()
    worker = Worker(counter, 1.0, 2)
    counter.moments += [START] * 4  # two threads saw the last places free
    assert worker.look(START) == -2
    assert [worker.ask(START + second) for second in (1, 2, 3, 4)] == [False, False, True, True]


def test_what_one_worker_lets_in_is_drawn_from_the_bucket_of_another() -> None:
    counter = Counter()
    one, other = Worker(counter, 50, 100), Worker(counter, 50, 100)
    assert let_in(one, START, 70) == 70
    assert let_in(other, START, 70) == 30
    assert not one.ask(START)
    assert let_in(one, START + 1, 70) + let_in(other, START + 1, 70) == 50


@given(
    rate=RATES,
    burst=BURSTS,
    schedule=st.lists(st.tuples(st.floats(0, 3), st.integers(0, 400)), max_size=40),
)
def test_one_worker_never_lets_in_more_than_the_burst_and_the_rate(
    rate: float, burst: int, schedule: list[tuple[float, int]]
) -> None:
    counter, now = Counter(), START
    worker = Worker(counter, rate, burst)
    for pause, requests in schedule:
        now += pause
        let_in(worker, now, requests)
    for index, begin in enumerate(counter.moments):
        for last in (index, (index + len(counter.moments)) // 2, len(counter.moments) - 1):
            passed = counter.moments[last] - begin
            assert last - index + 1 <= burst + rate * passed + 1e-3


@pytest.mark.long(every=3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(("rate", "burst"), LIMITS)
def test_over_any_ten_seconds_the_error_is_within_two_per_cent(
    rate: float, burst: int, workers: int, seed: int
) -> None:
    """Requests come in far too many, and land on workers by turns, at random, or all on one for a while."""
    rng = random.Random(seed * 100 + workers)  # noqa: S311  a schedule, not a secret
    counter = Counter()
    team = [Worker(counter, rate, burst, START - 1 + rng.random()) for _ in range(workers)]
    looks = [START - 1 + rng.uniform(0, 0.1) for _ in team]
    now, chosen = START, team[0]
    while now < START + 16:
        now += rng.expovariate(2.5 * rate)
        for number, worker in enumerate(team):
            while looks[number] < now:
                worker.look(looks[number])
                looks[number] += rng.uniform(0.05, 0.1)
        if rng.random() < rng.choice([0.001, 1]):
            chosen = rng.choice(team)
        chosen.ask(now)
    whole = rate * 10 + burst
    assert counter.within(START, 10) == pytest.approx(whole, rel=0.02)
    assert counter.most_within(10) <= 1.02 * whole
    assert counter.within(START + 5, 10) == pytest.approx(rate * 10, rel=0.02)


@pytest.mark.parametrize(("rate", "burst"), LIMITS)
def test_a_burst_between_two_looks_of_another_worker_is_within_two_per_cent_too(rate: float, burst: int) -> None:
    """The worst case: one worker spends the whole burst just before the other looks, which then gets all the rest."""
    counter = Counter()
    one, other = Worker(counter, rate, burst), Worker(counter, rate, burst)
    other.look(START)
    let_in(one, START + 0.0999, burst)
    steps = 4 * round(rate * 10)
    for step in range(steps):
        other.ask(START + 0.1 + 9.9998 * step / steps)
    assert counter.most_within(10) <= 1.02 * (rate * 10 + burst)


@pytest.mark.parametrize(("rate", "burst"), LIMITS)
def test_threads_whose_moments_cross_do_not_fill_the_bucket_twice(rate: float, burst: int) -> None:
    """A thread reads the clock when its request begins: another may have read the bucket at a later moment since."""
    counter = Counter()
    worker = Worker(counter, rate, burst)
    for step in range(10_000):
        later = START + step / 1000
        worker.ask(later)
        worker.ask(later - 0.0005)
        worker.ask(later)
    assert counter.most_within(10) <= 1.02 * (rate * 10 + burst)


def test_a_clock_that_is_set_back_lets_in_again_after_at_most_the_time_that_a_bucket_takes_to_fill() -> None:
    worker = Worker(Counter(), 1.0, 2)
    let_in(worker, START, 2)
    back = START - 3600
    assert not worker.ask(back)
    assert [worker.ask(back + second) for second in (1, 2, 3)] == [True, True, True]


@pytest.mark.long
@settings(max_examples=2000)
@given(rate=RATES, level=st.floats(-50, 0.999999), later=st.floats(0, 1e6))
def test_waiting_as_long_as_it_says_lets_one_in_and_a_second_less_does_not(
    rate: float, level: float, later: float
) -> None:
    """But for the last digit of a float: a third of a request a second is not quite a third."""
    bucket = Bucket(level, 7, START + later)
    wait = seconds_until_next(bucket, rate)
    assert isinstance(wait, int)
    assert bucket.read(7, bucket.at + wait, rate, 100).level >= 1 - 1e-9
    if wait > 1:
        assert bucket.read(7, bucket.at + wait - 1, rate, 100).level < 1 + 1e-9


@pytest.mark.parametrize(
    ("rate", "level", "seconds"),
    [(1, 0, 1), (1, -0.5, 2), (1, -1, 2), (0.1, 0, 10), (0.1, 0.95, 1), (0.5, 0, 2), (500, 0, 1), (0.1, -1, 20)],
)
def test_the_wait_is_the_fewest_whole_seconds_and_at_least_one(rate: float, level: float, seconds: int) -> None:
    assert seconds_until_next(Bucket(level, 0, START), rate) == seconds
