"""Instruments: what is quoted of metals, and the ratios of one metal to another."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import RateUnavailable
from cambist.pricing.metals.instrument import RATIOS, Instrument, find_instrument, instruments
from cambist.pricing.metals.spot import Spot, instrument_spot, spot
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import METALS, MetalKind

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PRECIOUS = ("XAU", "XAG", "XPT", "XPD")
IN_DOLLARS = [f"{code}USD" for code in METALS]
WATCHED = ["XAUXAG", "XAUXPT", "XAUXPD", "XPTXPD"]
PRICES = st.builds(Fraction, st.integers(1, 10**12), st.integers(1, 10**12)) | st.builds(
    lambda digits, places: Fraction(digits, 10**places), st.integers(1, 10**20), st.integers(0, 20)
)


def of(pair: str, bid: str | Fraction = "1", ask: str | Fraction = "1", source: str = "swissquote") -> Quote:
    base, quote = pair.split("/")
    origin = Origin(Derivation.PUBLISHED, (source,), pace=Pace.REALTIME)
    return Quote(Pair(base, quote), Fraction(bid), Fraction(ask), NOON, NOON, origin)


def book_of(quotes: Iterable[Quote] = (), pairs: Iterable[Quote] = ()) -> RateBook:
    """Make a book of quotes against the pivot and of pairs that are dealt as such."""
    by_code = {quote.pair.other(PIVOT): quote for quote in quotes}
    return RateBook.of(QuotedBook(1, NOON, by_code, (), {quote.pair: quote for quote in pairs}))


def ratio_of(one: str, other: str) -> Instrument:
    return Instrument(METALS[one], other)


def fresh(_quote: Quote) -> bool:
    return True


@st.composite
def books(draw: st.DrawFn) -> RateBook:
    """Books of the precious metals, each tied to the dollar one way round or the other, with a gap or without."""
    quotes = []
    for code in PRECIOUS:
        bid, ask = sorted((draw(PRICES), draw(PRICES)))
        pair = draw(st.sampled_from([f"{code}/USD", f"USD/{code}"]))
        quotes.append(of(pair, bid, draw(st.sampled_from([bid, ask]))))
    return book_of(quotes)


TWO, THREE = (st.sampled_from(list(permutations(PRECIOUS, count))) for count in (2, 3))


# The list


def test_every_metal_is_quoted_in_dollars_and_four_ratios_are_watched_whatever_the_book_holds() -> None:
    assert list(instruments(book_of())) == IN_DOLLARS + WATCHED
    assert [str(pair) for pair in RATIOS] == ["XAU/XAG", "XAU/XPT", "XAU/XPD", "XPT/XPD"]


def test_a_metal_is_quoted_in_what_it_is_dealt_in_directly_by_code_after_the_dollar() -> None:
    pairs = [of(pair) for pair in ("XAU/JPY", "XAG/EUR", "XAU/CHF", "XAU/EUR", "XCU/CNH")]
    assert list(instruments(book_of(pairs=pairs))) == [
        "XAUUSD",
        "XAUCHF",
        "XAUEUR",
        "XAUJPY",
        "XAGUSD",
        "XAGEUR",
        "XPTUSD",
        "XPDUSD",
        "XALUSD",
        "XCUUSD",
        "XCUCNH",
        "XPBUSD",
        "XNIUSD",
        "XZNUSD",
        *WATCHED,
    ]


@pytest.mark.parametrize(
    "pair", ["XAU/USD", "EUR/XAU", "USD/XAU", "XAU/BTC", "XAU/USDT", "PAXG/USD", "XAU/XAG", "XCU-3M/EUR", "EUR/USD"]
)
def test_no_other_pair_makes_an_instrument(pair: str) -> None:
    assert list(instruments(book_of(pairs=[of(pair)]))) == IN_DOLLARS + WATCHED


def test_symbols_are_keys_of_six_capitals_and_tell_metal_and_target() -> None:
    for symbol, one in instruments(book_of(pairs=[of("XAU/EUR"), of("XCU/GBP")])).items():
        assert re.fullmatch("[A-Z]{6}", symbol)
        assert one.symbol == symbol == one.metal.code + one.target
        assert one.pair == Pair(one.metal.code, one.target)
        assert one.metal is METALS[symbol[:3]]


def test_a_ratio_is_one_metal_in_another_and_precious_ones_are_told_from_base_ones() -> None:
    found = instruments(book_of(pairs=[of("XAU/EUR")]))
    assert [symbol for symbol, one in found.items() if one.is_ratio] == WATCHED
    assert not ratio_of("XAU", "BTC").is_ratio
    assert {symbol[:3] for symbol, one in found.items() if one.is_precious} == set(PRECIOUS)
    assert all(one.is_precious == (one.metal.kind is MetalKind.PRECIOUS) for one in found.values())


# Ratios


def test_a_ratio_is_bid_over_ask_and_ask_over_bid() -> None:
    book = book_of([of("XAU/USD", "4000", "4001"), of("XAG/USD", "50", "50.5", "lbma")])
    gold_in_silver = instrument_spot(book, ratio_of("XAU", "XAG"), fresh)
    assert gold_in_silver == Spot(
        bid=Fraction(8000, 101),
        ask=Fraction(4001, 50),
        as_of=NOON,
        digits=4,
        sources=("swissquote", "lbma"),
        instrument=Pair("XAU", "XAG"),
        is_crossed=True,
    )
    assert (str(gold_in_silver.sides.bid), str(gold_in_silver.sides.ask)) == ("79.20792079", "80.02000000")


def test_a_ratio_without_gaps_has_none() -> None:
    book = book_of([of("XPT/USD", "1500", "1500"), of("USD/XPD", "1/1200", "1/1200")])
    sides = instrument_spot(book, ratio_of("XPT", "XPD"), fresh).sides
    assert (str(sides.bid), str(sides.ask), str(sides.spread)) == ("1.2500000", "1.2500000", "0E-7")


@pytest.mark.parametrize(
    ("gold", "silver", "digits"), [("4000.123", "50.1", 7), ("4000.1", "50.12345", 7), ("1/3", "5.123456789012", 13)]
)
def test_a_ratio_has_the_digits_of_the_finer_quote(gold: str, silver: str, digits: int) -> None:
    book = book_of([of("XAU/USD", gold, gold), of("XAG/USD", silver, silver)])
    for pair in (("XAU", "XAG"), ("XAG", "XAU")):
        assert instrument_spot(book, ratio_of(*pair), fresh).digits == digits


def test_a_ratio_is_as_old_as_its_older_metal_and_names_each_source_once() -> None:
    gold, silver = of("XAU/USD"), of("XAG/USD")
    old = Quote(gold.pair, gold.bid, gold.ask, NOON - timedelta(minutes=9), NOON, gold.origin)
    for pair in (("XAU", "XAG"), ("XAG", "XAU")):
        found = instrument_spot(book_of([old, silver]), ratio_of(*pair), fresh)
        assert (found.as_of, found.sources) == (NOON - timedelta(minutes=9), ("swissquote",))


def test_a_ratio_is_made_of_prices_in_dollars_even_where_the_pair_itself_is_dealt() -> None:
    book = book_of([of("XAU/USD", "4000", "4000"), of("XAG/USD", "50", "50")], [of("XAU/XAG", "1", "1")])
    assert instrument_spot(book, ratio_of("XAU", "XAG"), fresh).bid == 80


@given(books(), TWO)
def test_turned_around_a_ratio_swaps_and_inverts_its_sides(book: RateBook, two: tuple[str, str]) -> None:
    there, back = instrument_spot(book, ratio_of(*two), fresh), instrument_spot(book, ratio_of(*reversed(two)), fresh)
    assert (there.bid * back.ask, there.ask * back.bid) == (1, 1)


@given(books(), THREE)
def test_a_chain_of_ratios_is_the_ratio_of_its_ends_but_for_the_gap_of_the_metal_between(
    book: RateBook, three: tuple[str, str, str]
) -> None:
    one, between, other = three
    first, second = (
        instrument_spot(book, ratio_of(one, between), fresh),
        instrument_spot(book, ratio_of(between, other), fresh),
    )
    ends, passed = instrument_spot(book, ratio_of(one, other), fresh), spot(book, METALS[between], PIVOT, fresh)
    gap = passed.ask / passed.bid
    assert first.bid * second.bid * gap == ends.bid
    assert first.ask * second.ask == ends.ask * gap
    assert first.bid * second.bid <= ends.bid <= ends.ask <= first.ask * second.ask


@given(books(), TWO)
def test_a_ratio_is_never_tighter_than_either_metal_exactly_and_as_written(
    book: RateBook, two: tuple[str, str]
) -> None:
    found = instrument_spot(book, ratio_of(*two), fresh)
    gaps = [spot(book, METALS[code], PIVOT, fresh) for code in two]
    assert found.ask / found.bid >= max(one.ask / one.bid for one in gaps)
    written = found.sides
    assert Fraction(written.ask) / Fraction(written.bid) >= max(one.ask / one.bid for one in gaps)
    assert written.bid <= written.mid <= written.ask


@pytest.mark.parametrize(("stale", "missing"), [("XAU", "XPD"), ("XAG", "XPT")])
def test_a_ratio_needs_both_metals_and_both_fresh(stale: str, missing: str) -> None:
    book = book_of(of(f"{code}/USD") for code in PRECIOUS if code != missing)
    other = "XPD" if missing == "XPT" else "XPT"

    def is_fresh(quote: Quote) -> bool:
        return stale not in {quote.pair.base, quote.pair.quote}

    for instrument in (ratio_of(stale, other), ratio_of(other, stale)):
        with pytest.raises(RateUnavailable, match=rf"\[{stale}\] is of \[2026-11-20T12:00:00Z\] \("):
            instrument_spot(book, instrument, is_fresh)
    for instrument in (ratio_of(missing, other), ratio_of(other, missing)):
        with pytest.raises(RateUnavailable, match=rf"No source has delivered a rate for \[{missing}\] yet"):
            instrument_spot(book, instrument, is_fresh)


# Spot instruments


def test_a_base_metal_is_quoted_by_its_tonne_in_dollars() -> None:
    found = instrument_spot(
        book_of([of("XCU/USD", "10800", "10802", "sandbox")]), Instrument(METALS["XCU"], "USD"), fresh
    )
    assert (found.bid, found.ask, found.sources, str(found.instrument)) == (10800, 10802, ("sandbox",), "XCU/USD")


def test_a_spot_instrument_is_the_price_of_its_metal_in_its_currency() -> None:
    book = book_of([of("XAU/USD", "4000", "4001"), of("EUR/USD", "1.15", "1.16")], [of("XAU/EUR", "3450", "3455")])
    found = instruments(book)
    assert instrument_spot(book, found["XAUUSD"], fresh) == spot(book, METALS["XAU"], "USD", fresh)
    in_euro = instrument_spot(book, found["XAUEUR"], fresh)
    assert (in_euro.bid, in_euro.ask, in_euro.instrument, in_euro.is_crossed) == (3450, 3455, Pair("XAU", "EUR"), False)


def test_an_instrument_that_is_not_quoted_or_no_more_fresh_is_never_crossed_instead() -> None:
    dollars = [of("XAU/USD", "4000", "4001"), of("EUR/USD", "1.15", "1.16")]
    in_euro = Instrument(METALS["XAU"], "EUR")
    with pytest.raises(RateUnavailable, match=r"^No source has delivered a price of \[XAU\] there yet;"):
        instrument_spot(book_of(dollars, [of("XAG/EUR"), of("XAU/CHF"), of("EUR/XAU")]), in_euro, fresh)
    book = book_of(dollars, [of("XAU/EUR", "3450", "3455")])
    with pytest.raises(RateUnavailable, match=r"\[XAU\] is of \[2026-11-20T12:00:00Z\] \("):
        instrument_spot(book, in_euro, lambda quote: quote.pair.quote == PIVOT)
    assert spot(book, METALS["XAU"], "EUR", lambda quote: quote.pair.quote == PIVOT).is_crossed


def test_in_dollars_an_instrument_is_the_quote_of_the_book_whatever_the_pair_says() -> None:
    book = book_of([of("XAU/USD", "4000", "4001")], [of("XAU/USD", "1", "2")])
    assert instrument_spot(book, Instrument(METALS["XAU"], "USD"), fresh).bid == 4000
    with pytest.raises(RateUnavailable, match=r"\[XAU\] is of \[2026-11-20T12:00:00Z\] \("):
        instrument_spot(book, Instrument(METALS["XAU"], "USD"), lambda quote: quote.bid == 1)


@given(st.sampled_from([*METALS, "XXX", "EUR"]), st.sampled_from(["USD", "EUR", "PLN", "ZZZ", "", "X", *METALS]))
def test_a_symbol_names_an_instrument_where_the_list_has_one(metal: str, target: str) -> None:
    book = book_of(pairs=[of("XAU/EUR"), of("EUR/PLN"), of("XCU/PLN"), of("XAU/ZZZ")])
    assert find_instrument(book, metal + target) == instruments(book).get(metal + target)
