"""Consensus: who is heard, whose word is published, and what stays on record of the others."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import permutations
from math import e
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from cambist.pricing.consensus import Offer, agree
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace, RateType

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
EURO = Pair("EUR", "USD")
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
NEWEST = timedelta()


def offer(
    source: str,
    mid: str | Fraction,
    *,
    rank: int = 5,
    age: timedelta = NEWEST,
    pace: Pace = Pace.DAILY,
    rate_type: RateType = RateType.OFFICIAL,
    compiled: bool = False,
    pair: Pair = EURO,
    half_spread: str = "0",
) -> Offer:
    value, half = Fraction(mid), Fraction(half_spread)
    as_of = NOON - age
    quote = Quote(pair, value - half, value + half, as_of, as_of + SECOND, Origin(Derivation.PUBLISHED, (source,)))
    return Offer(source, quote, pace, rate_type, rank, compiled)


def said(*offers: Offer) -> Quote:
    quote = agree(offers, NOON)
    assert quote is not None
    return quote


def heard(*offers: Offer) -> tuple[str, ...]:
    """Whose word is published."""
    return said(*offers).origin.sources


def weights(quote: Quote) -> dict[str, float]:
    return {vote.source: vote.weight for vote in quote.origin.votes}


# What is published


def test_without_offers_there_is_no_consensus() -> None:
    assert agree([], NOON) is None


def test_a_lone_source_is_published_as_it_is_with_its_own_vote() -> None:
    alone = offer("ecb", "1.0867", age=2 * DAY, half_spread="0.0001")
    quote = said(alone)
    assert replace(quote, origin=alone.quote.origin) == alone.quote
    assert [(vote.source, vote.mid, vote.as_of, vote.weight) for vote in quote.origin.votes] == [
        ("ecb", 1.0867, NOON - 2 * DAY, 1.0)
    ]


def test_what_is_published_is_one_sources_own_number_and_never_a_mean() -> None:
    offers = [offer("a", "1.10"), offer("b", "1.1133", half_spread="0.0002"), offer("c", "1.13")]
    quote = said(*offers)
    assert (quote.bid, quote.ask) == (Fraction("1.1131"), Fraction("1.1135"))
    assert quote.origin.sources == ("b",)
    assert (quote.as_of, quote.received_at) == (NOON, NOON + SECOND)


def test_of_two_the_better_ranked_decides_and_both_are_on_record() -> None:
    worse, better = offer("worse", "1.12", rank=4), offer("better", "1.10", rank=3, age=DAY)
    for both in permutations((worse, better)):
        quote = said(*both)
        assert quote.mid == Fraction("1.10")
        assert {vote.source: vote.mid for vote in quote.origin.votes} == {"worse": 1.12, "better": 1.10}


@pytest.mark.parametrize(("age", "source"), [(4 * DAY, "better"), (4 * DAY + SECOND, "worse")])
def test_of_two_the_better_one_gives_way_when_it_is_more_than_a_long_weekend_behind(
    age: timedelta, source: str
) -> None:
    assert heard(offer("better", "1.10", rank=1, age=age), offer("worse", "1.12", rank=2)) == (source,)


def test_far_apart_as_two_may_be_the_better_ranked_decides() -> None:
    """Of two nobody can say which is wrong: that is for acceptance."""
    quote = said(offer("better", "1.10", rank=1), offer("worse", "2.20", rank=2))
    assert quote.mid == Fraction("1.10")
    assert weights(quote) == {"better": 1.0, "worse": 1.0}


def test_from_three_up_the_median_decides_whatever_the_ranks() -> None:
    assert heard(offer("a", "1.10", rank=1), offer("b", "1.12", rank=9), offer("c", "1.11", rank=5)) == ("c",)


# Outliers


def test_an_outlier_weighs_nothing_and_is_still_on_record() -> None:
    # Were the last one counted, 1.01 and 1.02 were both in the middle and the better-ranked of them published.
    offers = [offer("a", "1.00"), offer("b", "1.01", rank=6), offer("c", "1.02", rank=2), offer("d", "1.40", rank=1)]
    quote = said(*offers)
    assert quote.origin.sources == ("b",)
    assert weights(quote) == {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}
    assert {vote.source: vote.mid for vote in quote.origin.votes}["d"] == 1.4


@pytest.mark.parametrize("mid", [Fraction("1.25") * 100, Fraction("1.25") / 100, 1 / Fraction("1.25")])
def test_a_mistaken_unit_or_a_swapped_pair_among_others_weighs_nothing(mid: Fraction) -> None:
    offers = [offer("wrong", mid, rank=0), *(offer(name, f"1.25{name}") for name in "123")]
    quote = said(*offers)
    assert quote.origin.sources == ("2",)
    assert weights(quote)["wrong"] == 0


@pytest.mark.parametrize(("mid", "weight"), [("1.049", 1.0), ("1.051", 0.0), ("0.951", 1.0), ("0.949", 0.0)])
def test_five_percent_from_others_that_agree_is_the_most_that_counts(mid: str, weight: float) -> None:
    quote = said(offer("a", "1"), offer("b", "1"), offer("c", "1"), offer("d", mid))
    assert weights(quote)["d"] == weight


@pytest.mark.parametrize(("mid", "weight"), [("2.09", 1.0), ("2.11", 0.0)])
def test_where_sources_scatter_ten_times_their_scatter_counts(mid: str, weight: float) -> None:
    # The median is 1.1, and half of the others lie within 0.1 of it.
    quote = said(offer("a", "0.9"), offer("b", "1.0"), offer("c", "1.1"), offer("d", "1.2"), offer("e", mid))
    assert weights(quote)["e"] == weight


# Age


@pytest.mark.parametrize(
    ("pace", "age"), [(Pace.REALTIME, timedelta(minutes=1)), (Pace.INTRADAY, HOUR), (Pace.DAILY, 2 * DAY)]
)
def test_an_offer_loses_all_but_a_third_of_its_weight_in_the_time_of_its_pace(pace: Pace, age: timedelta) -> None:
    ages = {"a": NEWEST, "b": age, "c": 2 * age}
    quote = said(*(offer(source, "1.1", pace=pace, age=age) for source, age in ages.items()))
    assert weights(quote) == pytest.approx({"a": 1, "b": 1 / e, "c": 1 / e**2})


def test_a_new_offer_outweighs_two_old_ones() -> None:
    """Where all speak at once the one in the middle is published, where two are four days old the new one."""
    assert heard(offer("new", "1.12"), offer("b", "1.20"), offer("c", "1.21")) == ("b",)
    assert heard(offer("new", "1.12"), offer("b", "1.20", age=4 * DAY), offer("c", "1.21", age=4 * DAY)) == ("new",)


def test_weight_is_lost_against_the_newest_offer_and_not_against_the_clock() -> None:
    quote = said(*(offer(source, "1.1", age=9 * DAY) for source in "abc"))
    assert set(weights(quote).values()) == {1.0}


@pytest.mark.parametrize(("age", "votes"), [(14 * DAY, {"old", "new"}), (14 * DAY + SECOND, {"new"})])
def test_an_offer_more_than_two_weeks_behind_the_newest_is_not_compared(age: timedelta, votes: set[str]) -> None:
    quote = said(offer("old", "1.10", rank=1, age=age), offer("new", "1.12"))
    assert weights(quote).keys() == votes
    assert quote.origin.sources == ("new",)


def test_a_lone_daily_offer_is_used_however_old() -> None:
    assert heard(offer("cbr", "80", age=2000 * DAY)) == ("cbr",)


# Ties


@pytest.mark.parametrize(("ranks", "source"), [((3, 4), "b"), ((4, 3), "c")])
def test_of_two_in_the_middle_the_better_ranked_is_published(ranks: tuple[int, int], source: str) -> None:
    offers = [offer("a", "1.00", rank=1), offer("d", "1.03", rank=1)]
    offers += [offer("b", "1.01", rank=ranks[0]), offer("c", "1.02", rank=ranks[1])]
    assert heard(*offers) == (source,)


def test_sources_of_one_rank_are_ordered_by_name() -> None:
    """Two may be ranked first for a currency: who issues it, and its archive."""
    for both in permutations((offer("boc", "1.10", rank=-1), offer("boc_noon", "1.11", rank=-1))):
        assert heard(*both) == ("boc",)


# Classes


@pytest.mark.parametrize(
    ("faster", "slower", "limit"),
    [
        (Pace.REALTIME, Pace.INTRADAY, timedelta(minutes=15)),
        (Pace.REALTIME, Pace.DAILY, timedelta(minutes=15)),
        (Pace.INTRADAY, Pace.DAILY, 6 * HOUR),
    ],
)
def test_the_fastest_pace_is_used_while_its_offer_is_fresh(faster: Pace, slower: Pace, limit: timedelta) -> None:
    slow = offer("slow", "1.10", rank=0, pace=slower, age=SECOND)
    for age, source in ((limit, "fast"), (limit + SECOND, "slow")):
        quote = said(slow, offer("fast", "1.12", rank=9, pace=faster, age=age))
        assert weights(quote).keys() == {source}
        assert quote.origin.sources == (source,)


def test_a_monthly_source_is_never_used() -> None:
    assert agree([offer("inforeuro", "1.1", pace=Pace.MONTHLY)], NOON) is None
    quote = said(offer("inforeuro", "1.1", rank=0, pace=Pace.MONTHLY), offer("ecb", "1.2", rank=9, age=90 * DAY))
    assert weights(quote).keys() == {"ecb"}


def test_a_stale_live_offer_is_not_used() -> None:
    assert agree([offer("venue", "1.1", pace=Pace.REALTIME, age=HOUR)], NOON) is None
    assert agree([offer("bank", "1.1", pace=Pace.INTRADAY, age=7 * HOUR)], NOON) is None


# Types of rate


def test_official_and_parallel_rates_are_never_mixed() -> None:
    peso = Pair("USD", "ARS")
    parallel = [
        offer(name, "1500", rank=0, pair=peso, rate_type=RateType.PARALLEL) for name in ("blue", "mep", "street")
    ]
    official = offer("bcra", "1000", rank=9, age=3 * DAY, pair=peso)
    quote = said(*parallel, official)
    assert quote.mid == 1000
    assert weights(quote) == {"bcra": 1.0}
    assert weights(said(*parallel)).keys() == {"blue", "mep", "street"}


@pytest.mark.parametrize("pace", [Pace.REALTIME, Pace.INTRADAY, Pace.DAILY])
def test_at_one_pace_rate_types_are_used_in_their_order_and_one_at_a_time(pace: Pace) -> None:
    order = [RateType.OFFICIAL, RateType.MARKET, RateType.OFFSHORE, RateType.PARALLEL, RateType.SIMULATED]
    offers = [
        offer(f"{kind}-{number}", "1.1", pace=pace, rate_type=kind, rank=number)
        for kind in reversed(order)
        for number in range(2)
    ]
    while order:
        kind = order.pop(0)
        assert weights(said(*offers)).keys() == {f"{kind}-0", f"{kind}-1"}
        offers = [each for each in offers if each.rate_type is not kind]


def test_a_fresh_market_rate_is_preferred_to_a_daily_official_rate() -> None:
    market = offer("venue", "1.12", rank=9, pace=Pace.REALTIME, rate_type=RateType.MARKET)
    assert heard(offer("ecb", "1.10", rank=0, age=HOUR), market) == ("venue",)


@pytest.mark.parametrize("rate_type", [RateType.OFFSHORE, RateType.PARALLEL, RateType.SIMULATED])
def test_no_other_market_is_preferred_to_an_official_rate_however_fresh(rate_type: RateType) -> None:
    other = offer("other", "1.5", rank=0, pace=Pace.REALTIME, rate_type=rate_type)
    assert heard(offer("bank", "1.1", rank=9, age=30 * DAY), other) == ("bank",)
    assert heard(other) == ("other",)


# Who compiles what others publish


def test_a_compiler_is_used_only_if_no_original_source_has_an_offer() -> None:
    compilers = [offer(name, "1.20", rank=0, compiled=True) for name in ("x", "y", "z")]
    quote = said(*compilers, offer("bank", "1.10", rank=9, age=3 * DAY))
    assert quote.origin.sources == ("bank",)
    assert weights(quote).keys() == {"bank"}
    assert weights(said(*compilers)).keys() == {"x", "y", "z"}


@pytest.mark.parametrize(("age", "source"), [(14 * DAY, "bank"), (14 * DAY + SECOND, "compiler")])
def test_a_compiler_is_used_if_the_original_source_has_long_been_silent(age: timedelta, source: str) -> None:
    assert heard(offer("bank", "1.10", rank=0, age=age), offer("compiler", "1.12", compiled=True)) == (source,)


# Both directions


def test_sources_of_both_directions_vote_on_one_price_seen_from_the_published_side() -> None:
    """A bank's own dollar is USD/EUR where the dollar is its foreign money, and EUR/USD where the euro is."""
    straight = offer("straight", "1.25", rank=2)
    turned = offer("turned", "0.78125", rank=1, pair=EURO.inverse)  # 1.28
    for both in permutations((straight, turned)):
        quote = said(*both)
        assert (quote.pair, quote.mid) == (EURO.inverse, Fraction("0.78125"))
        assert {vote.source: vote.mid for vote in quote.origin.votes} == pytest.approx(
            {"straight": 0.8, "turned": 0.78125}
        )


def test_the_median_is_of_prices_and_not_of_the_numbers_written() -> None:
    offers = [offer("a", "1.25"), offer("b", "0.79", pair=EURO.inverse), offer("c", "1.28")]  # 1.2658…
    quote = said(*offers)
    assert (quote.pair, quote.mid) == (EURO.inverse, Fraction("0.79"))
    assert {vote.source: vote.mid for vote in quote.origin.votes} == pytest.approx({"a": 0.8, "b": 0.79, "c": 0.78125})
    assert set(weights(quote).values()) == {1.0}


# Whatever is offered

RATES = st.sampled_from([Fraction("1.10"), Fraction("1.11"), Fraction("1.12"), Fraction("1.3"), Fraction(11)])
AGES = st.sampled_from([NEWEST, SECOND, timedelta(minutes=3), HOUR, 2 * DAY, 4 * DAY, 10 * DAY, 20 * DAY])


@st.composite
def words(draw: st.DrawFn) -> list[Offer]:
    """What up to seven sources say of the euro, either way round: many alike in price, rank or age."""
    found = []
    for number in range(draw(st.integers(1, 7))):
        rate, half, is_turned = draw(RATES), draw(st.sampled_from([0, 1, 5])), draw(st.booleans())
        each = offer(
            f"source {number}",
            1 / rate if is_turned else rate,
            pair=EURO.inverse if is_turned else EURO,
            half_spread=f"{half}/1000",
            rank=draw(st.integers(-1, 2)),
            age=draw(AGES),
            pace=draw(st.sampled_from([*Pace, Pace.DAILY, Pace.DAILY])),
            rate_type=draw(st.sampled_from([RateType.OFFICIAL, RateType.OFFICIAL, RateType.MARKET, RateType.PARALLEL])),
            compiled=draw(st.integers(0, 3)) == 0,
        )
        found.append(each)
    return found


@given(words())
def test_what_is_agreed_on_is_among_the_offers(offers: list[Offer]) -> None:
    quote = agree(offers, NOON)
    if quote is None:
        assert all(each.pace is not Pace.DAILY for each in offers)
    else:
        bare = replace(quote, origin=structs.replace(quote.origin, votes=()))
        assert bare in [each.quote for each in offers]
        assert weights(quote)[quote.origin.sources[0]] > 0


@given(words(), st.randoms(use_true_random=False))
def test_the_order_of_the_offers_does_not_matter(offers: list[Offer], random: Random) -> None:
    shuffled = list(offers)
    random.shuffle(shuffled)
    assert agree(shuffled, NOON) == agree(offers, NOON)


@pytest.mark.long
@given(words())
def test_those_who_vote_are_of_one_pace_and_one_type(offers: list[Offer]) -> None:
    quote = agree(iter(offers), NOON)
    if quote is not None:
        voters = [each for each in offers if each.source in weights(quote)]
        assert len({(each.pace, each.rate_type, each.compiled) for each in voters}) == 1


# The book that is made of it


def book_of(offers_by_code: dict[str, Sequence[Offer]], now: datetime = NOON) -> dict[str, Quote]:
    agreed = {code: agree(offers, now) for code, offers in offers_by_code.items()}
    return dict(assemble_rate_book({code: quote for code, quote in agreed.items() if quote is not None}, 1, now).quotes)


@pytest.mark.long
@given(words())
def test_in_a_book_that_was_agreed_on_no_bid_is_above_its_ask(offers: list[Offer]) -> None:
    quotes = book_of({"EUR": offers})
    assert {"EUR", "XOF", "HRK"} <= quotes.keys() or agree(offers, NOON) is None
    assert all(0 < quote.bid <= quote.ask for quote in quotes.values())


@pytest.mark.parametrize(("code", "rate", "lie"), [("HRK", "7.5345", "7.9"), ("BGN", "1.95583", "2.1")])
def test_an_ended_currency_floats_in_no_book_whatever_a_source_publishes(code: str, rate: str, lie: str) -> None:
    lies = [offer(name, lie, rank=-1, pair=Pair("USD", code)) for name in ("its own bank", "b", "c")]
    book = assemble_rate_book({"EUR": said(offer("ecb", "1.25")), code: said(*lies)}, 1, NOON)
    assert Fraction(*exact_midpoint(RateBook.of(book), Pair("EUR", code))) == Fraction(rate)
    assert book.quotes[code].origin.made is Derivation.CONVERTED
    assert code not in book.listed
