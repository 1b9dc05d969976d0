from math import log
from random import Random

import pytest

from cambist.verdicts.tick_jumps import Jump, TickVerdict, VenueTick, continued_jump, judge_tick, jump_limit

OLD, NEW = log(100.0), log(80.0)
JUMP = Jump(60.0, NEW, OLD)


def test_the_limit_is_half_a_percent_or_ten_usual_moves() -> None:
    assert jump_limit(0.0001) == 0.005
    assert jump_limit(0.002) == pytest.approx(0.02)


def test_a_second_venue_that_made_half_of_the_move_confirms_it() -> None:
    other = {"b": Jump(59.0, OLD + (NEW - OLD) * 0.6, OLD)}
    assert judge_tick(60.1, NEW, JUMP, other, {}) is TickVerdict.CONFIRMED


@pytest.mark.parametrize(
    "other",
    [
        Jump(59.0, OLD + (NEW - OLD) * 0.4, OLD),
        Jump(59.0, log(125.0), OLD),
        Jump(-1.0, NEW, OLD),
    ],
    ids=["less than half", "the other direction", "more than a minute ago"],
)
def test_another_venue_does_not_confirm_it(other: Jump) -> None:
    assert judge_tick(60.1, NEW, JUMP, {"b": other}, {}) is TickVerdict.WAITING


def test_two_that_moved_are_not_believed_against_three_that_spoke_since() -> None:
    near = {venue: VenueTick(60.5, OLD) for venue in ("c", "d", "e")}
    other = {"b": Jump(60.2, NEW, OLD)}
    assert judge_tick(61.0, NEW, JUMP, other, near) is TickVerdict.CONTRADICTED
    assert judge_tick(61.0, NEW, JUMP, other, {"c": near["c"], "d": near["d"]}) is TickVerdict.CONFIRMED
    before = {venue: VenueTick(59.9, OLD) for venue in near}
    assert judge_tick(61.0, NEW, JUMP, other, before) is TickVerdict.CONFIRMED


@pytest.mark.parametrize("seconds", [0.5, 3.0, 60.0, 86_400.0])
def test_no_time_confirms_a_jump_that_is_contradicted(seconds: float) -> None:
    near = {"b": VenueTick(60.5, OLD)}
    assert judge_tick(60.0 + seconds, NEW, JUMP, {}, near) is TickVerdict.CONTRADICTED


def test_a_single_venue_is_believed_after_three_seconds_and_said_to_be_single() -> None:
    assert judge_tick(62.9, NEW, JUMP, {}, {}) is TickVerdict.WAITING
    assert judge_tick(63.0, NEW, JUMP, {}, {}) is TickVerdict.SINGLE


def test_a_jump_to_elsewhere_begins_anew() -> None:
    assert continued_jump(JUMP, 61.0, NEW + 0.01, OLD) is JUMP
    assert continued_jump(JUMP, 61.0, log(60.0), OLD) == Jump(61.0, log(60.0), OLD)


def seconds_wrong(venues: int, factor: float, until: float, *, is_true: bool, seed: int) -> float:
    """Seconds in which a price was used that is 1 % off, while one venue lies or all follow a true jump at 60 s."""
    random = Random(seed)  # noqa: S311 - it is only to be repeated
    lags = [0.0, *(random.uniform(0.05, 0.9) for _ in range(venues - 1))]
    ticks = []
    for number in range(venues):
        at = random.random()
        while at < 120:
            jumps = at - lags[number] >= 60 if is_true else number == 0 and 60 <= at < 60 + until
            ticks.append((at, number, OLD + (log(factor) if jumps else 0.0) + random.gauss(0, 0.0001)))
            at += random.uniform(0.3, 1.3)
    used: dict[str, VenueTick] = {}
    waiting: dict[str, Jump] = {}
    agreed, wrong, before = OLD, 0.0, 0.0
    for at, number, price in sorted(ticks):
        truth = OLD + (log(factor) if is_true and at >= 60 else 0.0)
        wrong += (at - before) * (abs(agreed - truth) > 0.01)
        before, venue = at, str(number)
        if abs(price - agreed) > jump_limit(0.0001):
            waiting[venue] = continued_jump(waiting.get(venue), at, price, agreed)
            others = {key: jump for key, jump in waiting.items() if key != venue}
            verdict = judge_tick(at, price, waiting[venue], others, {k: v for k, v in used.items() if k != venue})
            if verdict not in {TickVerdict.CONFIRMED, TickVerdict.SINGLE}:
                continue
            used.update({key: VenueTick(jump.since, jump.price) for key, jump in others.items()})
            used = {key: tick for key, tick in used.items() if abs(tick.price - price) < 0.01}
            waiting.clear()
        waiting.pop(venue, None)
        used[venue] = VenueTick(at, price)
        prices = sorted(tick.price for tick in used.values())
        agreed = prices[(len(prices) - 1) // 2]
    return wrong


@pytest.mark.parametrize("factor", [0.97, 0.8, 0.7, 1.5])
@pytest.mark.parametrize("venues", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_true_jump_is_used_within_seconds(factor: float, venues: int, seed: int) -> None:
    assert seconds_wrong(venues, factor, 0, is_true=True, seed=seed) < (6.0 if venues == 1 else 4.0)


@pytest.mark.parametrize(("factor", "until"), [(1.03, 1), (1.2, 1), (0.8, 12), (2, 1), (2, 12), (2, 60)])
@pytest.mark.parametrize("venues", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_one_venue_that_is_wrong_is_never_used(factor: float, until: float, venues: int, seed: int) -> None:
    assert seconds_wrong(venues, factor, until, is_true=False, seed=seed) == 0.0
