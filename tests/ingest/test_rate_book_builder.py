from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.pricing.trading_hours import is_open
from cambist.pricing.validation import JUMP

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
FIXED_AT = datetime(2026, 3, 5, 13, 15, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
TENTH = timedelta(milliseconds=100)
EURO, MONERO, TETHERED = Pair("EUR", "USD"), Pair("XMR", "USD"), Pair("XMR", "USDT")
TETHER, BITCOIN = Pair("USDT", "USD"), Pair("BTC", "USD")
COPPER, COPPER_FORWARD = Pair("XCU", "USD"), Pair("XCU-3M", "USD")


@pytest.fixture
def pipeline(a_source) -> PricePipeline:
    """A pipeline of two venues."""
    venues = {key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in ("first", "second")}
    return PricePipeline(venues)


def fixed(pair: Pair, rate: str, as_of: datetime = FIXED_AT) -> Quote:
    origin = Origin(Derivation.PUBLISHED, ("bank",))
    return Quote(pair, Fraction(rate), Fraction(rate), as_of, as_of + MINUTE, origin)


def apply_tick(
    pipeline: PricePipeline, pair: Pair, bid: str, ask: str = "", *, at: datetime = NOON, source: str = "first"
) -> str | None:
    return pipeline.apply_tick(Tick(source, pair, Decimal(bid), Decimal(ask or bid), at), at)


def build(pipeline: PricePipeline, now: datetime = NOON) -> QuotedBook:
    book = pipeline.rate_books.build(now)
    assert book is not None
    return book


def current_rate_book(pipeline: PricePipeline, before: QuotedBook, now: datetime) -> QuotedBook:
    """Return the rate book of a moment: a new one, or the one from before."""
    return pipeline.rate_books.build(now) or before


def sides(book: QuotedBook, code: str) -> tuple[Fraction, Fraction]:
    return book.quotes[code].sides(code)


# Rate books


def test_each_rate_book_has_the_next_version(pipeline: PricePipeline) -> None:
    pipeline.rate_books.version = 41
    versions = []
    for step in range(4):
        apply_tick(pipeline, EURO, f"1.20{step}", at=NOON + step * SECOND)
        versions.append(build(pipeline, NOON + step * SECOND).version)
    assert versions == [42, 43, 44, 45]
    assert pipeline.rate_books.version == 45


def test_without_a_change_there_is_no_new_rate_book(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.25")
    build(pipeline)
    assert [pipeline.rate_books.build(NOON + step * TENTH) for step in range(1, 50)] == [None] * 49
    assert pipeline.rate_books.version == 1
    apply_tick(pipeline, EURO, "1.255", at=NOON + 5 * SECOND)
    assert build(pipeline, NOON + 5 * SECOND).version == 2


def test_a_refused_tick_is_no_change(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.25")
    build(pipeline)
    assert apply_tick(pipeline, EURO, "1.27", "1.26", at=NOON + SECOND) == "bid above ask"
    assert pipeline.rate_books.build(NOON + SECOND) is None


def test_new_fixings_are_a_change(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    assert build(pipeline).quotes["EUR"].bid == Fraction("1.25")
    assert pipeline.rate_books.build(NOON + TENTH) is None
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.26")})
    assert build(pipeline, NOON + 2 * TENTH).quotes["EUR"].bid == Fraction("1.26")


def test_checking_all_pairs_again_is_no_change(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(pipeline, MONERO, "150")
    build(pipeline)
    looked = [pipeline.rate_books.build(NOON + step * SECOND) for step in range(1, 600)]
    assert looked == [None] * 599
    assert pipeline.rate_books.version == 1


def test_quotes_age_even_if_no_tick_arrives(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(pipeline, EURO, "1.26")
    build(pipeline)
    changed = [step for step in range(1, 1000) if pipeline.rate_books.build(NOON + step * SECOND) is not None]
    assert len(changed) == 1
    assert 15 * 60 < changed[0] <= 15 * 60 + 20, "it is noticed within twenty seconds"


def test_a_clock_that_is_set_back_stops_no_rate_book(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.25")
    build(pipeline)
    earlier = NOON - 60 * MINUTE
    pipeline.rate_books.build(earlier)
    apply_tick(pipeline, EURO, "1.255", at=NOON + SECOND)
    assert build(pipeline, earlier + SECOND).quotes["EUR"].bid == Fraction("1.255")
    apply_tick(pipeline, EURO, "1.26", at=NOON + 2 * SECOND)
    assert build(pipeline, earlier + 21 * SECOND).quotes["EUR"].bid == Fraction("1.26")


# What is dealt, and what was fixed


def test_traded_quotes_are_preferred_to_fixings(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25"), "JPY": fixed(Pair("USD", "JPY"), "150")})
    apply_tick(pipeline, EURO, "1.26", "1.27")
    book = build(pipeline)
    assert sides(book, "EUR") == (Fraction("1.26"), Fraction("1.27"))
    assert (book.quotes["EUR"].as_of, book.quotes["JPY"].as_of) == (NOON, FIXED_AT)
    assert book.as_of == NOON
    assert {"EUR", "JPY", "USD"} <= set(book.listed)


def test_fifteen_minutes_after_its_last_tick_a_currency_falls_back_on_its_fixing(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(pipeline, EURO, "1.26")
    still = current_rate_book(pipeline, build(pipeline), NOON + 15 * MINUTE)
    assert (still.quotes["EUR"].bid, still.quotes["EUR"].as_of) == (Fraction("1.26"), NOON)
    after = build(pipeline, NOON + 15 * MINUTE + 20 * SECOND)
    assert (after.quotes["EUR"].bid, after.quotes["EUR"].as_of) == (Fraction("1.25"), FIXED_AT)
    later = NOON + 30 * MINUTE
    apply_tick(pipeline, EURO, "1.27", at=later)
    assert build(pipeline, later).quotes["EUR"].bid == Fraction("1.27")


FX_CLOSE = datetime(2026, 3, 6, 22, tzinfo=UTC)
FX_OPENING = datetime(2026, 3, 8, 21, tzinfo=UTC)  # summer time has begun that day


def test_the_close_of_a_currency_stands_over_a_weekend_and_ages_from_the_opening_on(
    pipeline: PricePipeline,
) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25"), "JPY": fixed(Pair("JPY", "USD"), "0.0067")})
    apply_tick(pipeline, EURO, "1.26", "1.27", at=FX_CLOSE - 30 * SECOND)
    friday = build(pipeline, FX_CLOSE - 30 * SECOND)
    sunday = current_rate_book(pipeline, friday, FX_OPENING - SECOND)
    assert (*sides(sunday, "EUR"), sunday.quotes["EUR"].as_of) == (
        Fraction("1.26"),
        Fraction("1.27"),
        FX_CLOSE - 30 * SECOND,
    )
    still = current_rate_book(pipeline, sunday, FX_OPENING + 14 * MINUTE)
    assert still.quotes["EUR"].bid == Fraction("1.26")
    assert build(pipeline, FX_OPENING + 16 * MINUTE).quotes["EUR"].bid == Fraction("1.25")


def test_a_currency_without_ticks_before_the_close_falls_back_over_the_weekend_too(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(pipeline, EURO, "1.26", at=FX_CLOSE - 16 * MINUTE)
    saturday = current_rate_book(pipeline, build(pipeline, FX_CLOSE - 16 * MINUTE), FX_CLOSE + timedelta(hours=9))
    assert saturday.quotes["EUR"].bid == Fraction("1.25")


def test_after_a_restart_the_last_rate_book_is_continued(pipeline: PricePipeline, a_source) -> None:
    apply_tick(pipeline, EURO, "1.26", "1.27", at=FX_CLOSE - MINUTE)
    last = build(pipeline, FX_CLOSE - MINUTE)
    successor = PricePipeline({"first": a_source("first", pace=Pace.REALTIME, rate_type=RateType.MARKET)})
    successor.rate_books.resume(last)
    successor.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    book = build(successor, FX_CLOSE + timedelta(hours=20))
    assert (book.version, book.pairs) == (last.version + 1, last.pairs)
    assert sides(book, "EUR") == (Fraction("1.26"), Fraction("1.27"))
    monday = build(successor, FX_OPENING + timedelta(hours=10))
    assert monday.quotes["EUR"].bid == Fraction("1.25")
    assert EURO in monday.pairs


def test_a_close_does_not_change_if_sources_repeat_their_last_tick_after_a_restart(
    pipeline: PricePipeline, a_source
) -> None:
    """In closed hours some repeat their last word, others do not: the close would be another after each start."""
    apply_tick(pipeline, EURO, "1.26", "1.27", at=FX_CLOSE - SECOND)
    last = build(pipeline, FX_CLOSE - SECOND)
    facts = {"pace": Pace.REALTIME, "rate_type": RateType.MARKET}
    successor = PricePipeline({key: a_source(key, **facts) for key in ("first", "second")}, is_open)
    successor.rate_books.resume(last)
    apply_tick(successor, EURO, "1.20", at=FX_CLOSE - 2 * SECOND)
    apply_tick(successor, EURO, "1.21", at=FX_CLOSE - SECOND / 2, source="second")
    assert sides(build(successor, FX_CLOSE + MINUTE), "EUR") == (Fraction("1.26"), Fraction("1.27"))
    apply_tick(successor, EURO, "1.22", at=FX_OPENING + SECOND)
    assert build(successor, FX_OPENING + SECOND).quotes["EUR"].bid == Fraction("1.22")
    apply_tick(successor, EURO, "1.223", at=FX_OPENING + MINUTE)
    assert build(successor, FX_OPENING + MINUTE).quotes["EUR"].bid == Fraction("1.223")


def test_a_pair_without_ticks_for_a_week_is_left_out(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.26")
    book = build(pipeline)
    assert current_rate_book(pipeline, book, NOON + timedelta(days=7)).pairs.keys() == {EURO}
    assert build(pipeline, NOON + timedelta(days=7, minutes=1)).pairs == {}


def test_a_currency_without_a_fixing_keeps_its_last_quote(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.26")
    later = current_rate_book(pipeline, build(pipeline), NOON + 5 * 60 * MINUTE)
    assert (later.quotes["EUR"].bid, later.quotes["EUR"].as_of) == (Fraction("1.26"), NOON)


def test_a_coin_keeps_its_last_quote_with_its_own_time(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, MONERO, "150", "151")
    later = current_rate_book(pipeline, build(pipeline), NOON + 5 * 60 * MINUTE)
    assert (*sides(later, "XMR"), later.quotes["XMR"].as_of) == (150, 151, NOON)
    assert later.pairs[MONERO].as_of == NOON


def test_anything_but_a_currency_uses_the_newer_of_tick_and_fixing(pipeline: PricePipeline) -> None:
    gold = Pair("XAU", "USD")
    pipeline.rate_books.apply_fixings({"XAU": fixed(gold, "5000")})
    apply_tick(pipeline, gold, "5010")
    assert current_rate_book(pipeline, build(pipeline), NOON + 60 * MINUTE).quotes["XAU"].bid == 5010
    pipeline.rate_books.apply_fixings({"XAU": fixed(gold, "5020", NOON + 30 * MINUTE)})
    assert build(pipeline, NOON + 61 * MINUTE).quotes["XAU"].bid == 5020


def test_a_fixing_that_a_source_no_longer_publishes_is_removed(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25"), "GBP": fixed(Pair("GBP", "USD"), "1.5")})
    pipeline.rate_books.apply_fixings({"GBP": None})
    assert "GBP" not in build(pipeline).quotes


@pytest.mark.parametrize(("pair", "bid"), [(EURO, "12.5"), (EURO.inverse, "0.08")])
def test_the_first_tick_is_compared_with_the_fixing(pipeline: PricePipeline, pair: Pair, bid: str) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    assert apply_tick(pipeline, pair, bid) == JUMP
    assert apply_tick(pipeline, pair, str(float(Fraction(bid) ** -1))) == JUMP, "swapped"
    assert apply_tick(pipeline, pair, {"12.5": "1.26", "0.08": "0.79"}[bid]) is None


def test_legal_rates_follow_their_anchor(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, EURO, "1.25")
    book = build(pipeline)
    # One euro is 655.957 CFA francs and 1.95583 German marks; one dollar 3.6725 dirhams of the Emirates.
    assert 1 / book.quotes["XAF"].mid == Fraction("655.957") / Fraction("1.25")
    assert 1 / book.quotes["DEM"].mid == Fraction("1.95583") / Fraction("1.25")
    assert 1 / book.quotes["AED"].mid == Fraction("3.6725")


# Crossing


def test_a_coin_traded_in_tether_is_crossed_through_the_price_of_tether(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, TETHER, "0.999", "1.001", at=NOON - SECOND)
    apply_tick(pipeline, TETHERED, "150", "151")
    quote = build(pipeline).quotes["XMR"]
    assert (quote.pair, quote.bid, quote.ask) == (MONERO, Fraction("149.85"), Fraction("151.151"))
    assert (quote.as_of, quote.received_at) == (NOON - SECOND, NOON)
    assert (quote.origin.made, quote.origin.legs) == (Derivation.CROSSED, (TETHERED, TETHER))


def test_tether_is_not_the_dollar(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, TETHERED, "150", "151")
    book = build(pipeline)
    assert "XMR" not in book.quotes
    assert "USDT" not in book.quotes
    assert book.pairs[TETHERED].bid == 150
    apply_tick(pipeline, TETHER, "0.9", at=NOON + SECOND)
    assert sides(build(pipeline, NOON + SECOND), "XMR") == (135, Fraction("135.9"))


def test_inverse_pairs_are_inverted(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, Pair("USD", "JPY"), "198", "200")
    apply_tick(pipeline, Pair("USDT", "DAI"), "49", "50")
    apply_tick(pipeline, TETHER, "0.5")
    book = build(pipeline)
    assert sides(book, "JPY") == (Fraction(1, 200), Fraction(1, 198))
    assert sides(book, "DAI") == (Fraction(1, 100), Fraction(1, 98))


def test_a_currency_is_never_priced_through_a_coin(pipeline: PricePipeline) -> None:
    """A tether in naira is a price of the parallel market: the official rate must not follow it."""
    apply_tick(pipeline, Pair("USDT", "NGN"), "1700", "1701")
    apply_tick(pipeline, TETHER, "1.0")
    book = build(pipeline)
    assert "NGN" not in book.quotes
    assert Pair("USDT", "NGN") in book.pairs


def test_a_code_is_priced_by_its_most_liquid_pair(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, TETHER, "1")
    apply_tick(pipeline, TETHERED, "150")
    apply_tick(pipeline, MONERO, "155")
    apply_tick(pipeline, Pair("XMR", "BTC"), "0.002")
    assert sides(build(pipeline), "XMR") == (155, 155)


def test_the_most_liquid_pair_counts_only_while_it_is_recent(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, MONERO, "155")
    build(pipeline)
    later = NOON + 20 * MINUTE
    apply_tick(pipeline, TETHER, "1", at=later)
    apply_tick(pipeline, TETHERED, "150", at=later)
    assert sides(build(pipeline, later), "XMR") == (150, 150)
    apply_tick(pipeline, MONERO, "151", at=later + 20 * SECOND)
    assert sides(build(pipeline, later + 20 * SECOND), "XMR") == (151, 151)


def test_a_pair_that_is_not_recent_stays_in_the_rate_book_while_its_coin_is_crossed_through_another(
    pipeline: PricePipeline,
) -> None:
    euros, later = Pair("XMR", "EUR"), NOON + 20 * MINUTE
    apply_tick(pipeline, euros, "100", "102")
    build(pipeline)
    for pair, bid in ((EURO, "1.25"), (TETHER, "0.9"), (TETHERED, "150")):
        apply_tick(pipeline, pair, bid, at=later)
    book = build(pipeline, later)
    assert (book.pairs[euros].bid, book.pairs[euros].as_of) == (100, NOON)
    assert (sides(book, "XMR"), book.quotes["XMR"].origin.legs) == ((135, 135), (TETHERED, TETHER))


@pytest.mark.parametrize(
    ("bid", "ask", "at", "mid"),
    [
        ("90090", "90110", NOON, 90100),
        ("90090", "90110", NOON - 15 * MINUTE - SECOND, 90200),
        ("90110", "90090", NOON, 90200),
        ("89000", "91200", NOON, 90200),
    ],
    ids=["as the others", "too old", "crossed", "wide"],
)
def test_the_median_of_all_venues_with_recent_and_valid_ticks_is_published(
    a_source, bid: str, ask: str, at: datetime, mid: int
) -> None:
    """Of the two in the middle of four the better-ranked is heard: that is who says what is in doubt here."""
    names = ("doubtful", "one", "two", "three")
    pipeline = PricePipeline({key: a_source(key, pace=Pace.REALTIME, rate_type=RateType.MARKET) for key in names})
    apply_tick(pipeline, BITCOIN, bid, ask, at=at, source="doubtful")
    for source, price in (("two", 90200), ("three", 90400), ("one", 90000)):
        apply_tick(pipeline, BITCOIN, str(price - 10), str(price + 10), source=source)
    book = build(pipeline)
    assert (book.pairs[BITCOIN].mid, book.quotes["BTC"].mid) == (mid, mid)


def test_a_fixing_can_be_a_leg(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(pipeline, Pair("XMR", "EUR"), "100", "102")
    quote = build(pipeline).quotes["XMR"]
    assert (quote.bid, quote.ask, quote.as_of) == (125, Fraction("127.5"), FIXED_AT)


def test_legs_are_priced_before_what_is_traded_in_them(pipeline: PricePipeline) -> None:
    """Monero in bitcoin, bitcoin in euros, euros in dollars: heard in the order that helps least."""
    apply_tick(pipeline, Pair("XMR", "BTC"), "0.002")
    apply_tick(pipeline, Pair("BTC", "EUR"), "60000")
    apply_tick(pipeline, EURO, "1.25")
    book = build(pipeline)
    assert (sides(book, "BTC"), sides(book, "XMR")) == ((75000, 75000), (150, 150))


# The same objects


def quotes_of(book: QuotedBook) -> dict[Any, Quote]:
    return {**book.quotes, **book.pairs}


def test_unchanged_quotes_are_the_same_objects(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"GBP": fixed(Pair("GBP", "USD"), "1.5")})
    for pair, bid in ((TETHER, "1"), (TETHERED, "150"), (Pair("SOL", "USDT"), "90"), (EURO, "1.25")):
        apply_tick(pipeline, pair, bid)
    before = quotes_of(build(pipeline))
    apply_tick(pipeline, EURO, "1.255", at=NOON + SECOND)
    after = quotes_of(build(pipeline, NOON + SECOND))
    stays = ["GBP", "USDT", "XMR", "SOL", TETHER, TETHERED, Pair("SOL", "USDT")]
    assert [name for name in stays if after[name] is not before[name]] == []
    assert after["EUR"] is not before["EUR"]
    assert after["EUR"].bid == Fraction("1.255")


def test_only_codes_with_a_new_leg_are_crossed_again(pipeline: PricePipeline) -> None:
    for pair, bid in ((TETHER, "1"), (TETHERED, "150"), (Pair("SOL", "USDT"), "90")):
        apply_tick(pipeline, pair, bid)
    first = build(pipeline)
    apply_tick(pipeline, TETHERED, "150.5", at=NOON + SECOND)
    second = build(pipeline, NOON + SECOND)
    assert sides(second, "XMR") == (150.5, 150.5)
    assert second.quotes["SOL"] is first.quotes["SOL"]
    apply_tick(pipeline, TETHER, "0.998", at=NOON + 2 * SECOND)
    apply_tick(pipeline, TETHER, "0.996", at=NOON + 2 * SECOND)
    third = build(pipeline, NOON + 2 * SECOND)
    assert (sides(third, "XMR"), sides(third, "SOL")) == ((Fraction("149.898"),) * 2, (Fraction("89.64"),) * 2)


# Pairs


def test_pairs_are_published_as_they_are_traded(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, Pair("USD", "JPY"), "150", "150.02")
    apply_tick(pipeline, TETHERED, "150", "151")
    book = build(pipeline)
    assert {pair: (quote.bid, quote.ask) for pair, quote in book.pairs.items()} == {
        Pair("USD", "JPY"): (150, Fraction("150.02")),
        TETHERED: (150, 151),
    }


def test_fixings_are_not_among_the_pairs(pipeline: PricePipeline) -> None:
    pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    assert dict(build(pipeline).pairs) == {}


# Base metals


@pytest.fixture
def copper(pipeline: PricePipeline) -> PricePipeline:
    """A pipeline in which copper was fixed: 9600 in cash, 9800 in three months."""
    quotes = {"XCU": fixed(COPPER, "9600"), "XCU-3M": fixed(COPPER_FORWARD, "9800")}
    pipeline.rate_books.apply_fixings(quotes)
    return pipeline


def test_an_official_cash_price_stands_until_the_three_month_price_trades(copper: PricePipeline) -> None:
    book = build(copper)
    assert (book.quotes["XCU"].bid, book.quotes["XCU"].as_of) == (9600, FIXED_AT)


def test_a_base_metal_is_adjusted_by_its_three_month_price(copper: PricePipeline) -> None:
    apply_tick(copper, COPPER_FORWARD, "9898", "9996")  # one and two per cent above what was fixed
    quote = build(copper).quotes["XCU"]
    assert (quote.pair, quote.bid, quote.ask) == (COPPER, 9696, 9792)
    assert (quote.as_of, quote.origin.made) == (NOON, Derivation.FORWARD_ADJUSTED)
    assert (quote.origin.sources, quote.origin.pace) == (("bank", "first"), Pace.REALTIME)
    assert quote.origin.legs == (COPPER, COPPER_FORWARD)


def test_a_three_month_price_is_never_in_the_rate_book(copper: PricePipeline) -> None:
    apply_tick(copper, COPPER_FORWARD, "9898")
    book = build(copper)
    assert [name for name in (*book.quotes, *book.listed, *map(str, book.pairs)) if "3M" in name] == []


def test_without_an_official_cash_price_there_is_no_price(pipeline: PricePipeline) -> None:
    apply_tick(pipeline, COPPER_FORWARD, "9898")
    assert "XCU" not in build(pipeline).quotes


CLOSE = datetime(2026, 3, 6, 19, tzinfo=UTC)
OPEN = datetime(2026, 3, 9, 1, tzinfo=UTC)
"""The London Metal Exchange's on the Friday of NOON, and on the Monday after."""


def copper_at(pipeline: PricePipeline, before: QuotedBook, now: datetime) -> tuple[Fraction, datetime]:
    quote = current_rate_book(pipeline, before, now).quotes["XCU"]
    return quote.bid, quote.as_of


def test_a_three_month_price_that_stops_in_open_hours_adjusts_nothing(copper: PricePipeline) -> None:
    apply_tick(copper, COPPER_FORWARD, "9898")
    first = build(copper)
    assert copper_at(copper, first, NOON + 15 * MINUTE) == (9696, NOON)
    assert copper_at(copper, first, NOON + 15 * MINUTE + 20 * SECOND) == (9600, FIXED_AT)
    again = NOON + 30 * MINUTE
    apply_tick(copper, COPPER_FORWARD, "9898", at=again)
    assert copper_at(copper, first, again) == (9696, again)


def test_how_long_a_three_month_price_counts_depends_on_its_pace(a_source) -> None:
    pipeline = PricePipeline({"slow": a_source("slow", pace=Pace.INTRADAY, rate_type=RateType.MARKET)})
    pipeline.rate_books.apply_fixings({"XCU": fixed(COPPER, "9600"), "XCU-3M": fixed(COPPER_FORWARD, "9800")})
    apply_tick(pipeline, COPPER_FORWARD, "9898", source="slow")
    first = build(pipeline)
    assert copper_at(pipeline, first, NOON + 360 * MINUTE) == (9696, NOON)
    assert copper_at(pipeline, first, NOON + 361 * MINUTE) == (9600, FIXED_AT)


def test_a_base_metals_last_price_stands_over_a_weekend(copper: PricePipeline) -> None:
    spoken = CLOSE - MINUTE
    apply_tick(copper, COPPER_FORWARD, "9898", at=spoken)
    first = build(copper, spoken)
    for now in (CLOSE, CLOSE + 16 * MINUTE, CLOSE + timedelta(days=1), OPEN - SECOND):
        assert copper_at(copper, first, now) == (9696, spoken)


def test_a_base_metals_last_price_stands_over_a_holiday(copper: PricePipeline) -> None:
    """From Maundy Thursday to the Tuesday after Easter; gold trades on Monday, copper does not."""
    spoken = datetime(2026, 4, 2, 17, 59, tzinfo=UTC)
    apply_tick(copper, COPPER_FORWARD, "9898", at=spoken)
    first = build(copper, spoken)
    assert copper_at(copper, first, datetime(2026, 4, 6, 12, tzinfo=UTC)) == (9696, spoken)
    assert copper_at(copper, first, datetime(2026, 4, 6, 23, 59, tzinfo=UTC)) == (9696, spoken)
    assert copper_at(copper, first, datetime(2026, 4, 7, 0, 14, tzinfo=UTC)) == (9696, spoken)
    assert copper_at(copper, first, datetime(2026, 4, 7, 0, 15, tzinfo=UTC)) == (9600, FIXED_AT)


@pytest.mark.parametrize(("minutes", "bid"), [(15, 9696), (16, 9600)])
def test_a_price_that_was_old_at_the_close_stays_old(copper: PricePipeline, minutes: int, bid: int) -> None:
    spoken = CLOSE - minutes * MINUTE
    apply_tick(copper, COPPER_FORWARD, "9898", at=spoken)
    assert copper_at(copper, build(copper, spoken), CLOSE + timedelta(days=1))[0] == bid


def test_quotes_age_from_the_opening_on_even_if_no_tick_arrives(copper: PricePipeline) -> None:
    copper.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    apply_tick(copper, COPPER_FORWARD, "9898", at=CLOSE - MINUTE)
    build(copper, CLOSE - MINUTE)
    silent = [OPEN + step * SECOND for step in range(-300, 1200)]
    found = {now: book for now in silent if (book := copper.rate_books.build(now)) is not None}
    ((now, book),) = found.items()
    assert 14 * MINUTE <= now - OPEN < 14 * MINUTE + 20 * SECOND + SECOND
    assert (book.quotes["XCU"].bid, book.quotes["XCU"].origin.made) == (9600, Derivation.PUBLISHED)


OTHER_DAYS: list[tuple[str, Callable[[], dict[str, Quote]]]] = [
    (
        "it traded before the fixing",
        lambda: {"XCU": fixed(COPPER, "9600", NOON + MINUTE)} | forward(NOON + MINUTE),
    ),
    (
        "both were fixed on different days",
        lambda: {"XCU": fixed(COPPER, "9600")} | forward(FIXED_AT - 24 * 60 * MINUTE),
    ),
    ("only cash was fixed", lambda: {"XCU": fixed(COPPER, "9600")}),
]


def forward(as_of: datetime) -> dict[str, Quote]:
    return {"XCU-3M": fixed(COPPER_FORWARD, "9800", as_of)}


@pytest.mark.parametrize("quotes", [row[1] for row in OTHER_DAYS], ids=[row[0] for row in OTHER_DAYS])
def test_an_official_cash_price_is_not_adjusted_if(
    pipeline: PricePipeline, quotes: Callable[[], dict[str, Quote]]
) -> None:
    pipeline.rate_books.apply_fixings(quotes())
    apply_tick(pipeline, COPPER_FORWARD, "9898")
    assert current_rate_book(pipeline, build(pipeline), NOON + 2 * MINUTE).quotes["XCU"].bid == 9600


def test_rate_books_stay_in_order_over_a_day(pipeline: PricePipeline) -> None:
    """A day in one test: quotes come and go, fixings come in between, and versions only grow."""
    seen: list[QuotedBook] = []
    for step in range(200):
        now = NOON + step * 7 * SECOND
        if step % 3 == 0:
            apply_tick(pipeline, EURO, f"1.2{step % 10}", at=now, source=("first", "second")[step % 2])
        if step % 50 == 10:
            pipeline.rate_books.apply_fixings({"EUR": fixed(EURO, f"1.2{step % 9}")})
        book = pipeline.rate_books.build(now)
        if book is not None:
            seen.append(book)
    assert all(later.version == earlier.version + 1 for earlier, later in pairwise(seen))
    assert seen[-1].version == pipeline.rate_books.version == len(seen)


def test_a_rate_book_has_the_pairs_that_venues_list(copper: PricePipeline) -> None:
    copper.rate_books.apply_fixings({"EUR": fixed(EURO, "1.25")})
    assert build(copper).venue_pairs == frozenset()
    copper.listings.replace("first", [Pair("BTC", "EUR")])
    book = copper.rate_books.build(NOON + MINUTE)
    assert book is not None
    assert book.venue_pairs == {Pair("BTC", "EUR")}
