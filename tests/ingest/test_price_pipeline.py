from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Interval
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.tick_validator import OUT_OF_ORDER
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.pricing.trading_hours import is_open
from cambist.pricing.validation import JUMP

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
BITCOIN, TETHERED = Pair("BTC", "USD"), Pair("BTC", "USDT")


@pytest.fixture
def pipeline(a_source) -> PricePipeline:
    """A pipeline of three venues, best first."""
    names = ("first", "second", "third")
    return PricePipeline({key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in names})


def tick(
    bid: float | str, ask: float | str | None = None, source: str = "first", pair: Pair = BITCOIN, **rest: Any
) -> Tick:
    return Tick(source, pair, Decimal(str(bid)), Decimal(str(bid if ask is None else ask)), **rest)


def agree(pipeline: PricePipeline, pair: Pair, now: datetime) -> Quote | None:
    return pipeline.pair_consensus.agree(pair, pipeline.tick_store.by_source(pair), now)


def agreed(pipeline: PricePipeline, now: datetime = NOON, pair: Pair = BITCOIN) -> Quote:
    quote = agree(pipeline, pair, now)
    assert quote is not None
    return quote


def expect(pipeline: PricePipeline, pair: Pair, mid: str) -> None:
    quote = Quote(pair, Fraction(mid), Fraction(mid), NOON, NOON, Origin(Derivation.PUBLISHED, ("bank",)))
    pipeline.rate_books.agreed.expect(quote)


def test_a_quote_has_the_prices_and_times_of_its_tick(pipeline: PricePipeline) -> None:
    assert pipeline.apply_tick(tick("100.10", "100.30", as_of=NOON - SECOND), NOON) is None
    quote = agreed(pipeline)
    assert (quote.pair, quote.bid, quote.ask) == (BITCOIN, Fraction("100.1"), Fraction("100.3"))
    assert (quote.as_of, quote.received_at) == (NOON - SECOND, NOON)
    assert (quote.origin.made, quote.origin.sources) == (Derivation.PUBLISHED, ("first",))


def test_a_tick_without_a_time_has_the_time_when_it_was_received(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100), NOON)
    assert agreed(pipeline).as_of == NOON


def test_a_tick_up_to_a_minute_ahead_gets_the_time_when_it_was_received(pipeline: PricePipeline) -> None:
    assert pipeline.apply_tick(tick(100, as_of=NOON + MINUTE), NOON) is None
    assert agreed(pipeline).as_of == NOON


def test_a_tick_more_than_a_minute_ahead_is_refused(pipeline: PricePipeline) -> None:
    assert pipeline.apply_tick(tick(100, as_of=NOON + MINUTE + SECOND), NOON) == "dated ahead of our clock"
    assert agree(pipeline, BITCOIN, NOON) is None


@pytest.mark.parametrize(
    ("bid", "ask", "reason"),
    [
        ("100", "100", None),
        ("100.01", "100", "bid above ask"),
        ("98", "100", None),
        ("97.99", "100", "sides more than 2 % apart"),
        ("0", "100", "zero or negative"),
        ("0", "0", "zero or negative"),
        ("-2", "-1", "zero or negative"),
    ],
)
def test_invalid_sides_are_refused(pipeline: PricePipeline, bid: str, ask: str, reason: str | None) -> None:
    assert pipeline.apply_tick(tick(bid, ask), NOON) == reason
    assert pipeline.tick_store.pairs() == (set() if reason else {BITCOIN})


def test_a_refused_tick_does_not_replace_the_last_accepted_one(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100, as_of=NOON - MINUTE), NOON - MINUTE)
    pipeline.apply_tick(tick(101, 100), NOON)
    assert (agreed(pipeline).bid, agreed(pipeline).as_of) == (100, NOON - MINUTE)


def test_accepted_and_refused_ticks_are_counted_by_source_and_reason(pipeline: PricePipeline) -> None:
    for given_ in (tick(100), tick(100), tick(101, 100), tick(0), tick(0), tick(100, source="second")):
        pipeline.apply_tick(given_, NOON)
    assert pipeline.accepted == {"first": 2, "second": 1}
    assert pipeline.refused == {"first": {"bid above ask": 1, "zero or negative": 2}}


# Order


def test_a_tick_with_a_lower_sequence_is_refused(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100, sequence=7), NOON)
    assert pipeline.apply_tick(tick(101, sequence=6), NOON) == "out of order"
    assert pipeline.apply_tick(tick(102, sequence=7), NOON) is None
    assert pipeline.apply_tick(tick(103, sequence=8), NOON) is None
    assert agreed(pipeline).bid == 103


def test_a_tick_without_a_sequence_is_accepted_after_one_with_it(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100, sequence=7), NOON)
    assert pipeline.apply_tick(tick(101), NOON) is None


def test_sequences_are_compared_within_a_source_and_pair(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100, sequence=7), NOON)
    assert pipeline.apply_tick(tick(100, sequence=1, source="second"), NOON) is None
    assert pipeline.apply_tick(tick(100, sequence=1, pair=TETHERED), NOON) is None


def test_an_older_tick_is_refused_but_not_one_of_the_same_moment(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100, as_of=NOON - SECOND), NOON)
    assert pipeline.apply_tick(tick(101, as_of=NOON - 2 * SECOND), NOON) == "out of order"
    assert pipeline.apply_tick(tick(102, as_of=NOON - SECOND), NOON) is None
    assert pipeline.apply_tick(tick(103, as_of=NOON - MINUTE, source="second"), NOON) is None


def test_a_polled_tick_without_a_time_does_not_replace_one_that_was_sent_meanwhile(pipeline: PricePipeline) -> None:
    asked_at, answered_at = NOON, NOON + 2 * SECOND
    assert pipeline.apply_tick(tick(100), NOON - SECOND) is None
    assert pipeline.apply_tick(tick(101), answered_at, asked_at) is None
    assert pipeline.apply_tick(tick(102), answered_at + SECOND) is None
    assert pipeline.apply_tick(tick(101), answered_at + 2 * SECOND, answered_at) == OUT_OF_ORDER
    assert agreed(pipeline, answered_at + 2 * SECOND).bid == 102


@pytest.mark.parametrize("as_of", [None, NOON + 2 * HOUR - SECOND])
@pytest.mark.parametrize("sequence", [0, 9])
def test_a_tick_of_a_clock_that_was_ahead_keeps_no_later_one_away(
    pipeline: PricePipeline, as_of: datetime | None, sequence: int
) -> None:
    assert pipeline.apply_tick(tick(100, as_of=as_of, sequence=sequence), NOON + 2 * HOUR) is None
    assert pipeline.apply_tick(tick(101, as_of=NOON, sequence=0), NOON + SECOND) is None
    assert pipeline.apply_tick(tick(102, as_of=NOON + SECOND, sequence=1), NOON + 2 * SECOND) is None
    assert pipeline.apply_tick(tick(101, as_of=NOON, sequence=0), NOON + 3 * SECOND) == OUT_OF_ORDER


def test_a_polled_tick_without_a_time_replaces_an_older_one_that_arrived_late(pipeline: PricePipeline) -> None:
    assert pipeline.apply_tick(tick(101, as_of=NOON - 6 * SECOND), NOON + SECOND) is None
    assert pipeline.apply_tick(tick(102), NOON + 2 * SECOND, NOON) is None
    assert agreed(pipeline, NOON + 2 * SECOND).bid == 102


def test_resetting_the_sequences_of_a_source_does_not_reset_its_times(pipeline: PricePipeline) -> None:
    for source in ("first", "second"):
        pipeline.apply_tick(tick(100, source=source, sequence=700, as_of=NOON - SECOND), NOON)
    pipeline.tick_store.reset_sequences("first")
    assert pipeline.apply_tick(tick(101, sequence=1, as_of=NOON - 2 * SECOND), NOON) == "out of order"
    assert pipeline.apply_tick(tick(101, sequence=1, as_of=NOON - SECOND), NOON) is None
    assert pipeline.apply_tick(tick(101, source="second", sequence=1, as_of=NOON), NOON) == "out of order"


def test_ticks_of_a_closed_market_are_refused(a_source) -> None:
    pipeline = PricePipeline({"first": a_source("first")}, lambda _pair, moment: moment > NOON)
    assert pipeline.apply_tick(tick(100, as_of=NOON - MINUTE), NOON) == "outside the market's hours"
    assert pipeline.apply_tick(tick(100), NOON) == "outside the market's hours"
    assert pipeline.apply_tick(tick(100, as_of=NOON - MINUTE), NOON + SECOND) is None


def test_the_listed_pairs_are_the_union_of_all_venues_lists(pipeline: PricePipeline) -> None:
    pipeline.listings.replace("first", [BITCOIN, TETHERED])
    pipeline.listings.replace("second", [TETHERED])
    assert pipeline.listings.pairs == {BITCOIN, TETHERED}
    pipeline.listings.replace("first", [])
    assert pipeline.listings.pairs == {TETHERED}


FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
"""17:00 in New York."""

SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
GOLD = Pair("XAU", "USD")


def gold_pipeline(a_source) -> PricePipeline:
    names = ("first", "second")
    return PricePipeline({key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in names}, is_open)


def test_the_last_tick_before_the_close_is_accepted_after_it(a_source) -> None:
    pipeline = gold_pipeline(a_source)
    last = tick(4000, 4001, pair=GOLD, as_of=FRIDAY_CLOSE - SECOND)
    assert pipeline.apply_tick(last, SUNDAY) is None
    quote = agreed(pipeline, SUNDAY, GOLD)
    assert (quote.mid, quote.as_of) == (Fraction("4000.5"), FRIDAY_CLOSE - SECOND)


def test_a_tick_of_closed_hours_is_refused(a_source) -> None:
    pipeline = gold_pipeline(a_source)
    assert (
        pipeline.apply_tick(tick(4000, pair=GOLD, as_of=FRIDAY_CLOSE + SECOND), SUNDAY) == "outside the market's hours"
    )
    assert pipeline.apply_tick(tick(4000, pair=GOLD), SUNDAY) == "outside the market's hours"
    assert agree(pipeline, GOLD, SUNDAY) is None


def test_a_source_that_stopped_before_the_close_does_not_count_at_the_weekend(a_source) -> None:
    pipeline = gold_pipeline(a_source)
    assert pipeline.apply_tick(tick(4000, pair=GOLD, as_of=FRIDAY_CLOSE - 16 * MINUTE), SUNDAY) is None
    assert agree(pipeline, GOLD, SUNDAY) is None
    pipeline.apply_tick(tick(4000, source="second", pair=GOLD, as_of=FRIDAY_CLOSE - 14 * MINUTE), SUNDAY)
    assert agreed(pipeline, SUNDAY, GOLD).origin.sources == ("second",)


def test_after_the_opening_the_last_close_no_longer_counts(a_source) -> None:
    pipeline = gold_pipeline(a_source)
    pipeline.apply_tick(tick(4000, pair=GOLD, as_of=FRIDAY_CLOSE - SECOND), SUNDAY)
    assert agree(pipeline, GOLD, SUNDAY + timedelta(hours=10, minutes=59)) is not None
    assert agree(pipeline, GOLD, SUNDAY + timedelta(hours=11)) is None


# Jumps


@pytest.fixture
def settled(pipeline: PricePipeline) -> PricePipeline:
    """The same pipeline; all sources agreed on 100 a minute ago."""
    for source in ("first", "second", "third"):
        pipeline.apply_tick(tick(100, source=source), NOON - MINUTE)
    assert agreed(pipeline).bid == 100
    return pipeline


@pytest.mark.parametrize(
    ("mid", "is_jump"), [("100.5", False), ("100.51", True), ("99.51", False), ("99.49", True), ("10000", True)]
)
def test_a_jump_is_more_than_half_a_percent_in_calm_times(settled: PricePipeline, mid: str, is_jump: bool) -> None:  # noqa: FBT001  a row's cell
    assert settled.apply_tick(tick(mid), NOON) == (JUMP if is_jump else None)


def test_a_jump_is_measured_from_the_agreed_price_and_not_from_the_sources_last_tick(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick("100.4"), NOON) is None
    assert settled.apply_tick(tick("100.8"), NOON) == JUMP


def test_in_a_restless_market_a_jump_is_more_than_ten_usual_moves(settled: PricePipeline) -> None:
    for step in range(40):
        now = NOON + step * SECOND
        for source in ("first", "second", "third"):
            assert settled.apply_tick(tick(100 + 0.2 * (step % 2), source=source), now) is None
        agreed(settled, now)
    assert settled.apply_tick(tick("101.5"), NOON + 40 * SECOND) is None
    assert settled.apply_tick(tick("103"), NOON + 40 * SECOND) == JUMP


def test_before_anything_is_agreed_on_no_tick_is_a_jump(pipeline: PricePipeline) -> None:
    assert pipeline.apply_tick(tick(100), NOON) is None
    assert pipeline.apply_tick(tick(900), NOON) is None, "nothing was agreed on yet"


def expect_of_several(pipeline: PricePipeline, pair: Pair, mid: str) -> None:
    votes = tuple(Vote(bank, float(mid), NOON, 1.0) for bank in ("one", "two"))
    origin = Origin(Derivation.PUBLISHED, ("one",), votes=votes)
    pipeline.rate_books.agreed.expect(Quote(pair, Fraction(mid), Fraction(mid), NOON, NOON, origin))


def test_a_daily_quote_is_the_expected_price_until_a_price_is_agreed_on(pipeline: PricePipeline) -> None:
    expect(pipeline, BITCOIN, "100")
    assert pipeline.apply_tick(tick(900), NOON) == JUMP
    assert pipeline.apply_tick(tick(104), NOON) is None
    agreed(pipeline)
    expect(pipeline, BITCOIN, "900")
    assert pipeline.apply_tick(tick(900), NOON) == JUMP
    assert pipeline.apply_tick(tick("104.2"), NOON) is None


def test_a_venue_far_from_one_banks_daily_quote_is_believed_after_three_seconds(pipeline: PricePipeline) -> None:
    expect(pipeline, BITCOIN, "100")
    assert pipeline.apply_tick(tick(130), NOON) == JUMP
    assert pipeline.apply_tick(tick(130), NOON + 3 * SECOND) is None


def test_a_venue_far_from_what_several_banks_agree_on_waits_for_another_venue(pipeline: PricePipeline) -> None:
    expect_of_several(pipeline, BITCOIN, "100")
    for minute in range(20):
        assert pipeline.apply_tick(tick(130), NOON + minute * MINUTE) == JUMP
    assert pipeline.apply_tick(tick("130.5", source="second"), NOON + 20 * MINUTE) == JUMP
    assert pipeline.apply_tick(tick(130), NOON + 20 * MINUTE) is None
    assert set(pipeline.tick_store.by_source(BITCOIN)) == {"first", "second"}


def test_a_jump_that_a_second_source_makes_too_is_accepted_with_the_tick_that_waited(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick("200.5", source="second"), NOON + SECOND) is None
    assert settled.tick_store.by_source(BITCOIN)["first"].bid == 200
    assert agreed(settled, NOON + SECOND).bid in {200, Fraction("200.5")}
    assert settled.apply_tick(tick(100, source="third"), NOON + 2 * SECOND) == JUMP, "where it is now is the measure"


def test_a_second_source_that_makes_half_of_the_move_confirms_it(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(110), NOON) == JUMP
    assert settled.apply_tick(tick("104", source="second"), NOON) is None, "the first has moved farther"
    assert agreed(settled).bid in {100, 104}


def test_a_second_source_confirms_a_jump_for_a_minute_and_no_longer(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick(100, source="third"), NOON + SECOND) is None
    assert settled.apply_tick(tick(200, source="second"), NOON + MINUTE + SECOND) == JUMP


def test_a_second_source_that_jumps_the_other_way_confirms_nothing(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick(50, source="third"), NOON) == JUMP


def test_a_jump_of_another_pair_confirms_nothing(settled: PricePipeline) -> None:
    expect(settled, TETHERED, "100")
    assert settled.apply_tick(tick(200, pair=TETHERED, source="second"), NOON) == JUMP
    assert settled.apply_tick(tick(200), NOON) == JUMP


def test_a_source_cannot_confirm_its_own_jump_at_once(settled: PricePipeline) -> None:
    for _ in range(5):
        assert settled.apply_tick(tick(200), NOON) == JUMP


def test_a_jump_that_nobody_contradicts_for_three_seconds_is_accepted(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick(204), NOON + 2.9 * SECOND) == JUMP
    assert settled.apply_tick(tick(209), NOON + 3 * SECOND) is None


def test_a_jump_that_another_source_contradicts_is_never_accepted_by_time(settled: PricePipeline) -> None:
    for second in range(600):
        now = NOON + second * SECOND
        assert settled.apply_tick(tick(130), now) == JUMP
        assert settled.apply_tick(tick("100.01", source="second"), now + SECOND / 2) is None
    assert agreed(settled, NOON + 600 * SECOND).bid == Fraction("100.01")


def test_twelve_seconds_of_a_wrong_price_are_never_served_nor_the_ten_after_them(settled: PricePipeline) -> None:
    for second in range(24):
        now = NOON + second * SECOND
        price = 130 if second < 12 else 100
        assert (settled.apply_tick(tick(price), now) == JUMP) is (second < 12)
        for source in ("second", "third"):
            assert settled.apply_tick(tick(100, source=source), now) is None
        assert agreed(settled, now).bid == 100


def test_what_one_source_alone_said_is_taken_back_when_another_says_the_old_price(settled: PricePipeline) -> None:
    later = NOON + 20 * MINUTE
    assert settled.apply_tick(tick(100), later - SECOND) is None
    assert agreed(settled, later - SECOND).origin.sources == ("first",)
    assert settled.apply_tick(tick(130), later) == JUMP
    assert settled.apply_tick(tick(130), later + 3 * SECOND) is None
    assert agreed(settled, later + 3 * SECOND).bid == 130
    assert settled.apply_tick(tick("100.02", source="second"), later + 5 * SECOND) is None
    assert agreed(settled, later + 5 * SECOND).bid == Fraction("100.02")
    assert settled.apply_tick(tick(130), later + 6 * SECOND) == JUMP


def test_a_source_takes_its_own_lone_jump_back_at_once(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(130), NOON) == JUMP
    assert settled.apply_tick(tick(130), NOON + 3 * SECOND) is None
    assert settled.apply_tick(tick(100), NOON + 12 * SECOND) is None
    assert agreed(settled, NOON + 12 * SECOND).bid == 100


def test_a_lone_jump_that_another_source_follows_is_not_taken_back(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(130), NOON) == JUMP
    assert settled.apply_tick(tick(130), NOON + 3 * SECOND) is None
    assert settled.apply_tick(tick(130, source="second"), NOON + 4 * SECOND) is None
    assert settled.apply_tick(tick(100, source="third"), NOON + 5 * SECOND) == JUMP


def test_one_tick_after_which_nothing_comes_is_used_after_three_seconds(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(130), NOON) == JUMP
    settled.release_singles(NOON + 2.9 * SECOND)
    assert agreed(settled, NOON + 2.9 * SECOND).bid == 100
    settled.release_singles(NOON + 3 * SECOND)
    assert settled.tick_store.by_source(BITCOIN)["first"].bid == 130
    assert agreed(settled, NOON + 3 * SECOND).bid in {100, 130}


def test_two_late_sources_do_not_flip_a_true_jump_back(a_source: Any) -> None:
    names = ("first", "second", "third", "fourth", "fifth")
    pipeline = PricePipeline({key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in names})
    for source in names:
        pipeline.apply_tick(tick(100, source=source), NOON - MINUTE)
    agreed(pipeline)
    for source in names[:3]:
        pipeline.apply_tick(tick(130, source=source), NOON)
    agreed(pipeline, NOON)
    assert pipeline.apply_tick(tick(100, source="fourth"), NOON + SECOND) == JUMP
    for source in names[:3]:
        assert pipeline.apply_tick(tick(130, source=source), NOON + 1.2 * SECOND) is None
    assert pipeline.apply_tick(tick(100, source="fifth"), NOON + 1.5 * SECOND) == JUMP


def test_a_jump_that_was_undone_starts_again(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick(100), NOON + SECOND) is None
    assert settled.apply_tick(tick(200), NOON + 4 * SECOND) == JUMP


def test_a_jump_that_was_undone_confirms_no_other_source(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(200), NOON) == JUMP
    assert settled.apply_tick(tick(100), NOON + SECOND) is None
    assert settled.apply_tick(tick(200, source="second"), NOON + 2 * SECOND) == JUMP


def test_a_tick_that_waited_long_ago_is_not_believed_and_costs_no_bar(a_source: Any) -> None:
    euro, pound, bars = Pair("EUR", "USD"), Pair("GBP", "USD"), BarAggregator()
    names = ("first", "second", "third")
    sources = {key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in names}
    pipeline, later = PricePipeline(sources, aggregator=bars), NOON + 5 * MINUTE
    for source in names:
        assert pipeline.apply_tick(tick(100, source=source, pair=euro), NOON) is None
    agreed(pipeline, NOON, euro)
    assert pipeline.apply_tick(tick("100.8", pair=euro), NOON + SECOND) == JUMP
    assert pipeline.apply_tick(tick("1.3", pair=pound), later) is None
    for source in ("second", "third"):
        assert pipeline.apply_tick(tick("100.4", source=source, pair=euro), later) is None
    assert agreed(pipeline, later, euro).bid == Fraction("100.4")
    assert pipeline.apply_tick(tick("100.5", source="second", pair=euro), later + SECOND) is None
    assert pipeline.tick_store.by_source(euro)["first"].bid == 100
    completed = {(each.pair, each.interval, each.bar.start) for each in bars.completed(later + MINUTE)}
    assert (pound, Interval.MINUTE, later) in completed


def test_an_old_agreed_price_is_only_an_expected_one(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(104), NOON + 20 * MINUTE) is None
    agreed(settled, NOON + 20 * MINUTE)
    assert settled.apply_tick(tick(106), NOON + 21 * MINUTE) == JUMP


def test_a_jump_down_is_confirmed_like_one_up(settled: PricePipeline) -> None:
    assert settled.apply_tick(tick(50), NOON) == JUMP
    assert settled.apply_tick(tick(51, source="third"), NOON) is None


# What is agreed on


def test_of_two_sources_the_better_ranked_is_published(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(101, source="second"), NOON)
    pipeline.apply_tick(tick(102, source="third"), NOON)
    assert (agreed(pipeline).bid, agreed(pipeline).origin.sources) == (101, ("second",))
    assert {vote.source: vote.mid for vote in agreed(pipeline).origin.votes} == {"second": 101.0, "third": 102.0}


def test_of_three_sources_the_middle_one_is_published(pipeline: PricePipeline) -> None:
    for source, bid in (("first", 103), ("second", 101), ("third", 102)):
        pipeline.apply_tick(tick(bid, source=source), NOON)
    assert agreed(pipeline).bid == 102


def test_a_tick_counts_for_fifteen_minutes(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100), NOON)
    assert agree(pipeline, BITCOIN, NOON + 15 * MINUTE) is not None
    assert agree(pipeline, BITCOIN, NOON + 15 * MINUTE + SECOND) is None
    assert agree(pipeline, TETHERED, NOON) is None


def test_sources_without_recent_ticks_are_ignored(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100), NOON - 20 * MINUTE)
    pipeline.apply_tick(tick(101, source="third"), NOON)
    assert agreed(pipeline).origin.sources == ("third",)


def test_changed_pairs_are_returned_once(pipeline: PricePipeline) -> None:
    pipeline.apply_tick(tick(100), NOON)
    pipeline.apply_tick(tick(101), NOON)
    pipeline.apply_tick(tick(101, 100, pair=TETHERED), NOON)
    assert pipeline.tick_store.pop_changed() == {BITCOIN}
    assert pipeline.tick_store.pop_changed() == set()
    pipeline.apply_tick(tick(100, pair=TETHERED), NOON)
    assert pipeline.tick_store.pop_changed() == {TETHERED}
    assert pipeline.tick_store.pairs() == {BITCOIN, TETHERED}


TICKS = st.lists(
    st.tuples(
        st.sampled_from(["first", "second", "third"]),
        st.sampled_from([90, 100, 101, 130, 200, 9000]),
        st.integers(0, 30),
        st.integers(0, 3),
    ),
    max_size=30,
)


@pytest.mark.long
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=TICKS)
def test_the_agreed_quote_is_always_an_accepted_tick_of_a_source(
    a_source, steps: list[tuple[str, int, int, int]]
) -> None:
    pipeline = PricePipeline({key: a_source(key, pace=Pace.REALTIME) for key in ("first", "second", "third")})
    now = NOON
    for source, mid, seconds, sequence in steps:
        now += seconds * SECOND
        pipeline.apply_tick(tick(mid, source=source, sequence=sequence), now)
        stored = pipeline.tick_store.by_source(BITCOIN)
        quote = agree(pipeline, BITCOIN, now)
        assert (quote is None) == (not stored)
        assert quote is None or (quote.bid, quote.as_of) in {(each.bid, each.as_of) for each in stored.values()}


def test_bars_use_the_steady_clock_and_the_times_of_ticks_while_the_machines_clock_is_ahead(a_source: Any) -> None:
    """A tick without a time is of the steady time; one with a time keeps its own."""
    ahead, euro, folding = NOON + 2 * HOUR, Pair("EUR", "USD"), BarAggregator()
    sources = {key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in ("first", "second")}
    pipeline = PricePipeline(sources, aggregator=folding, bar_time=lambda now: now - 2 * HOUR)
    assert pipeline.apply_tick(tick("1.1", pair=euro, as_of=NOON + SECOND), ahead) is None
    assert pipeline.apply_tick(tick("1.2", pair=euro), ahead + 2 * SECOND) is None
    (minute,) = [each for each in folding.completed(NOON + MINUTE) if each.interval is Interval.MINUTE]
    assert (minute.bar.start, str(minute.bar.bid.o), str(minute.bar.bid.c)) == (NOON, "1.1", "1.2")
