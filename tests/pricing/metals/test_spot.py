"""Spot: which instrument prices a metal, where it comes from, and what any weight of any purity of it costs."""

import decimal
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from cambist.errors import RateUnavailable
from cambist.pricing.forward_adjusted import forward_adjusted
from cambist.pricing.metals.fineness import PURE, parse_purity
from cambist.pricing.metals.mass import STANDARD, ratio
from cambist.pricing.metals.spot import Spot, own_unit, source_text, spot
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import METALS, MetalKind
from cambist.reference.weights import PURITIES, UNITS, Purity

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIXED = datetime(2026, 11, 19, 13, 15, tzinfo=UTC)
GOLD, COPPER, SILVER = METALS["XAU"], METALS["XCU"], METALS["XAG"]
OUNCE, TONNE = UNITS["oz_t"], UNITS["metric_tonne"]
PRICES = st.builds(Fraction, st.integers(1, 10**12), st.integers(1, 10**12)) | st.builds(
    lambda digits, places: Fraction(digits, 10**places), st.integers(1, 10**20), st.integers(0, 20)
)


def quote_of(pair: str, bid: str | Fraction = "1", ask: str | Fraction = "1", **rest: Any) -> Quote:
    """Make a quote of a pair such as `XAU/USD`; `as_of`, `made`, `sources`, `legs` and `pace` may be given."""
    as_of = rest.pop("as_of", NOON)
    legs = tuple(Pair(*leg.split("/")) for leg in rest.pop("legs", ()))
    origin = Origin(made=Derivation.PUBLISHED, sources=("swissquote",), legs=legs, pace=Pace.REALTIME)
    sides = Fraction(bid), Fraction(ask)
    return Quote(Pair(*pair.split("/")), *sides, as_of, NOON, structs.replace(origin, **rest))


def book_of(quotes: Iterable[Quote] = (), pairs: Iterable[Quote] = ()) -> RateBook:
    """Make a book of quotes against the pivot and of pairs that are dealt as such."""
    by_code = {quote.pair.other(PIVOT): quote for quote in quotes}
    return RateBook.of(QuotedBook(1, NOON, by_code, (), {quote.pair: quote for quote in pairs}))


def fresh(_quote: Quote) -> bool:
    return True


GOLD_IN_DOLLARS = quote_of("XAU/USD", "4000.12", "4000.88")
GOLD_IN_EUROS = quote_of("XAU/EUR", "3440.5", "3441.75", as_of=NOON - timedelta(seconds=5))
EURO = quote_of("EUR/USD", "1.16", "1.17", sources=("ecb",), pace=Pace.DAILY, as_of=FIXED)
# As a bank's grams of gold in its own currency come into the book: crossed, and the other way round.
FIXING = quote_of(
    "USD/XAU",
    "1/3900",
    "1/3900",
    sources=("nbp",),
    legs=("USD/PLN", "XAU/PLN"),
    made=Derivation.CROSSED,
    pace=Pace.DAILY,
    as_of=FIXED,
)


@st.composite
def ties(draw: st.DrawFn, code: str) -> Quote:
    """What ties a code to the dollar: either way round, with a gap or without, published or crossed."""
    bid, ask = sorted((draw(PRICES), draw(PRICES)))
    pair = draw(st.sampled_from([f"{code}/USD", f"USD/{code}"]))
    how = draw(
        st.sampled_from([{}, {"made": Derivation.CROSSED, "legs": ("USD/PLN", f"{code}/PLN")}, {"pace": Pace.INTRADAY}])
    )
    return quote_of(pair, bid, draw(st.sampled_from([bid, ask])), **how)


BOOKS = st.builds(lambda *quotes: book_of(quotes), ties("XAU"), ties("XCU"), ties("EUR"))
BOTH = st.sampled_from([GOLD, COPPER])
ANY_UNIT = st.sampled_from(list(STANDARD.values()))
ADJUSTED = Derivation.FORWARD_ADJUSTED
ANY_PURITY = st.sampled_from([PURE, *PURITIES["XAU"]]) | st.integers(10**6, 10**9).map(
    lambda millionths: parse_purity("XAU", f"{Decimal(millionths).scaleb(-6):f}")
)


def gap(bid: Fraction | Decimal, ask: Fraction | Decimal) -> Fraction:
    return Fraction(ask) / Fraction(bid)


# Which instrument


def test_in_dollars_a_metal_costs_what_it_is_quoted_at() -> None:
    assert spot(book_of([GOLD_IN_DOLLARS]), GOLD, "USD", fresh) == Spot(
        bid=Fraction("4000.12"),
        ask=Fraction("4000.88"),
        as_of=NOON,
        digits=6,
        sources=("swissquote",),
        instrument=Pair("XAU", "USD"),
        is_crossed=False,
    )


def test_in_a_currency_that_it_is_dealt_in_it_is_not_crossed() -> None:
    found = spot(book_of([GOLD_IN_DOLLARS, EURO], [GOLD_IN_EUROS]), GOLD, "EUR", fresh)
    assert (found.bid, found.ask, found.instrument) == (Fraction("3440.5"), Fraction("3441.75"), Pair("XAU", "EUR"))
    assert (found.is_crossed, found.digits, found.as_of) == (False, 6, NOON - timedelta(seconds=5))


def test_in_any_other_currency_bid_is_crossed_with_bid_and_ask_with_ask() -> None:
    yen = quote_of("USD/JPY", "150", "151", as_of=NOON - timedelta(hours=1))
    found = spot(book_of([GOLD_IN_DOLLARS, yen], [GOLD_IN_EUROS]), GOLD, "JPY", fresh)
    assert (found.bid, found.ask) == (Fraction("600018"), Fraction("604132.88"))
    assert (found.as_of, found.digits, found.sources) == (NOON - timedelta(hours=1), 6, ("swissquote",))
    assert (found.instrument, found.is_crossed) == (Pair("XAU", "USD"), True)


def test_a_currency_that_stands_before_the_dollar_is_crossed_by_its_other_sides() -> None:
    found = spot(book_of([GOLD_IN_DOLLARS, EURO]), GOLD, "EUR", fresh)
    assert (found.bid, found.ask) == (Fraction("4000.12") / Fraction("1.17"), Fraction("4000.88") / Fraction("1.16"))
    assert (found.as_of, found.is_crossed) == (FIXED, True)


def test_a_cross_is_as_old_as_its_older_leg() -> None:
    old = replace(GOLD_IN_DOLLARS, as_of=FIXED - timedelta(days=1))
    assert spot(book_of([old, EURO]), GOLD, "EUR", fresh).as_of == FIXED - timedelta(days=1)


def test_a_direct_quote_that_is_too_old_gives_way_to_a_cross() -> None:
    book = book_of([GOLD_IN_DOLLARS, EURO], [GOLD_IN_EUROS])
    found = spot(book, GOLD, "EUR", lambda quote: quote != GOLD_IN_EUROS)
    assert found == spot(book_of([GOLD_IN_DOLLARS, EURO]), GOLD, "EUR", fresh)


def test_a_direct_quote_needs_neither_the_price_in_dollars_nor_the_currency() -> None:
    assert spot(book_of(pairs=[GOLD_IN_EUROS]), GOLD, "EUR", lambda quote: quote == GOLD_IN_EUROS).bid == 3440.5


def test_a_pair_the_other_way_round_or_of_another_metal_is_no_direct_quote() -> None:
    others = [quote_of("EUR/XAU"), quote_of("XAG/EUR"), quote_of("XAU/CHF")]
    assert spot(book_of([GOLD_IN_DOLLARS, EURO], others), GOLD, "EUR", fresh).is_crossed


def test_in_dollars_the_quote_of_the_book_is_used_and_not_the_pair() -> None:
    book = book_of([GOLD_IN_DOLLARS], [quote_of("XAU/USD", "1", "2")])
    assert spot(book, GOLD, "USD", fresh).bid == Fraction("4000.12")


def test_only_the_metal_must_be_fresh_a_currency_falls_back_on_its_fixing() -> None:
    found = spot(book_of([GOLD_IN_DOLLARS, EURO]), GOLD, "EUR", lambda quote: quote.pair.base == "XAU")
    assert found.is_crossed


@pytest.mark.parametrize("currency", ["USD", "EUR"])
def test_a_price_that_is_too_old_is_unavailable_and_its_time_is_in_the_error(currency: str) -> None:
    book = book_of([replace(GOLD_IN_DOLLARS, as_of=FIXED), EURO], [GOLD_IN_EUROS])
    with pytest.raises(RateUnavailable, match=r"^The newest price of \[XAU\] is of \[2026-11-19T13:15:00Z\] \("):
        spot(book, GOLD, currency, lambda quote: quote == EURO)


def test_a_price_is_unavailable_where_metal_or_currency_was_never_delivered() -> None:
    with pytest.raises(RateUnavailable, match=r"for \[XAG\] yet"):
        spot(book_of([GOLD_IN_DOLLARS]), SILVER, "USD", fresh)
    with pytest.raises(RateUnavailable, match=r"for \[EUR\] yet"):
        spot(book_of([GOLD_IN_DOLLARS]), GOLD, "EUR", fresh)
    with pytest.raises(RateUnavailable, match=r"for \[XAU\] yet"):
        spot(book_of([EURO], [GOLD_IN_EUROS]), GOLD, "EUR", lambda quote: quote != GOLD_IN_EUROS)


@pytest.mark.parametrize(
    ("made", "pair", "legs", "instrument"),
    [
        (Derivation.CROSSED, "USD/XAU", ("USD/PLN", "XAU/PLN"), "XAU/PLN"),
        (Derivation.CROSSED, "USD/XAU", ("USD/RUB", "RUB/XAU"), "XAU/RUB"),
        (Derivation.CROSSED, "XAU/USD", ("XAU/EUR", "EUR/USD"), "XAU/EUR"),
        (Derivation.CROSSED, "USD/XAU", ("EUR/USD", "XAU/EUR"), "XAU/EUR"),
        (Derivation.CROSSED, "XAU/USD", ("USD/PLN", "EUR/PLN"), "XAU/USD"),
        (Derivation.CROSSED, "XAU/USD", (), "XAU/USD"),
        (Derivation.PUBLISHED, "USD/XAU", (), "XAU/USD"),
        (Derivation.FORWARD_ADJUSTED, "XAU/USD", ("XAU/CNH", "XAU-3M/USD"), "XAU/USD"),
    ],
)
def test_the_instrument_is_what_the_source_itself_quotes(
    made: Derivation, pair: str, legs: tuple[str, ...], instrument: str
) -> None:
    book = book_of([quote_of(pair, made=made, legs=legs), EURO])
    for currency in ("USD", "EUR"):
        found = spot(book, GOLD, currency, fresh)
        assert str(found.instrument) == instrument
        assert found.is_crossed == (made is Derivation.CROSSED or currency == "EUR")


def test_a_fixing_the_other_way_round_is_one_price_without_a_gap() -> None:
    found = spot(book_of([FIXING]), GOLD, "USD", fresh)
    assert (found.bid, round(found.bid, 12), found.is_crossed) == (found.ask, 3900, True)
    assert (found.sources, str(found.instrument)) == (("nbp, daily fixing",), "XAU/PLN")
    assert str(found.sides.mid) == "3900.0000"


# Who says so


@pytest.mark.parametrize(
    ("metal", "sources", "made", "pace", "text"),
    [
        ("XAU", ("swissquote",), Derivation.PUBLISHED, Pace.REALTIME, "swissquote"),
        ("XAU", ("swissquote", "sina"), Derivation.PUBLISHED, Pace.REALTIME, "swissquote, sina"),
        ("XAU", ("sandbox",), Derivation.PUBLISHED, Pace.REALTIME, "sandbox"),
        ("XCU", ("sandbox",), Derivation.PUBLISHED, Pace.REALTIME, "sandbox"),
        ("XAU", ("own",), Derivation.CROSSED, Pace.INTRADAY, "own"),
        ("XAU", ("nbp",), Derivation.CROSSED, Pace.DAILY, "nbp, daily fixing"),
        ("XAG", ("lbma", "cbr"), Derivation.PUBLISHED, Pace.DAILY, "lbma, cbr, daily fixing"),
        ("XCU", ("westmetall",), Derivation.PUBLISHED, Pace.DAILY, "lme cash via westmetall"),
        ("XCU", ("westmetall", "own"), Derivation.PUBLISHED, Pace.DAILY, "lme cash via westmetall, own"),
        (
            "XCU",
            ("westmetall", "sina"),
            Derivation.FORWARD_ADJUSTED,
            Pace.REALTIME,
            "lme cash via westmetall, moved by 3-month",
        ),
        ("XCU", ("westmetall",), Derivation.FORWARD_ADJUSTED, Pace.DAILY, "lme cash via westmetall, moved by 3-month"),
    ],
)
def test_a_source_is_named_with_its_kind(
    metal: str, sources: tuple[str, ...], made: Derivation, pace: Pace, text: str
) -> None:
    quote = quote_of(f"{metal}/USD", sources=sources, made=made, pace=pace)
    assert source_text(METALS[metal], quote) == text
    assert spot(book_of([quote]), METALS[metal], "USD", fresh).sources == (text,)


def test_forward_adjusted_copper_names_both_and_has_the_time_of_the_three_month_price() -> None:
    cash = quote_of("XCU/USD", "10800", "10800", sources=("westmetall",), pace=Pace.DAILY, as_of=FIXED)
    then = quote_of("XCU-3M/USD", "10850", "10850", sources=("westmetall",), pace=Pace.DAILY, as_of=FIXED)
    now = quote_of("XCU-3M/USD", "10958.5", "10960.67", sources=("sina",))
    found = spot(book_of([forward_adjusted(cash, then, now)]), COPPER, "USD", fresh)
    assert found.sources == ("lme cash via westmetall, moved by 3-month",)
    assert (found.as_of, str(found.instrument), found.is_crossed) == (NOON, "XCU/USD", False)
    assert (found.bid, found.ask) == (10908, Fraction("10910.16"))


# Units and purities


def test_precious_metals_are_priced_by_the_troy_ounce_and_base_metals_by_the_tonne() -> None:
    for metal in METALS.values():
        assert own_unit(metal) is (OUNCE if metal.kind is MetalKind.PRECIOUS else TONNE)


@pytest.mark.parametrize(
    ("unit", "code", "costs"),
    [
        ("gram", None, "100"),
        ("gram", "750", "75"),
        ("gram", "916", "91.67"),
        ("gram", "9999", "99.99"),
        ("kilogram", None, "100000"),
        ("metric_tonne", None, "100000000"),
        ("grain", None, "6.479891"),
        ("pennyweight", None, "155.517384"),
        ("oz_t", None, "3110.34768"),
        ("oz_t", "585", "1819.5533928"),
        ("lb_t", None, "37324.17216"),
        ("oz_av", None, "2834.9523125"),
        ("lb_av", None, "45359.237"),
        ("tael", None, "3742.9"),
        ("baht", "965", "1471.046"),
        ("tola", "417", "486.03071846"),
    ],
)
def test_gold_at_a_hundred_a_gram_costs_so_much(unit: str, code: str | None, costs: str) -> None:
    book = book_of([quote_of("XAU/USD", "3110.34768", "6220.69536")])
    purity = parse_purity("XAU", code) if code else PURE
    found = spot(book, GOLD, "USD", fresh).per(STANDARD[unit], purity, OUNCE)
    expected = Fraction(costs) if code != "417" else Fraction("1166.38038") * Fraction("0.4167")
    assert (found.bid, found.ask) == (expected, 2 * expected)


def test_copper_by_the_pound_is_a_2204_6226th_of_a_tonne() -> None:
    found = spot(book_of([quote_of("XCU/USD", "10000", "10000")]), COPPER, "USD", fresh)
    pound = found.per(STANDARD["lb_av"], PURE, TONNE)
    assert pound.bid == Fraction("4.5359237")
    assert round(found.bid / pound.bid, 12) == Fraction("2204.622621848776")


@given(BOOKS, BOTH, st.sampled_from(["USD", "EUR"]))
def test_parts_make_up_the_whole_exactly(book: RateBook, metal: Any, currency: str) -> None:
    priced = spot(book, metal, currency, fresh)

    def cost(unit: str, fineness: Fraction = Fraction(1000)) -> Fraction:
        purity = Purity("part", "custom", fineness)  # type: ignore[arg-type]
        part = priced.per(STANDARD[unit], purity, own_unit(metal))
        assert part.ask / part.bid == priced.ask / priced.bid
        return part.bid

    assert 24 * cost("oz_t", Fraction(1000, 24)) == cost("oz_t")
    assert cost(metal.unit) == priced.bid
    assert cost("kilogram") == 1000 * cost("gram") == cost("oz_t") * (1000 / Fraction("31.1034768"))
    assert cost("tola") == cost("oz_t") * 3 / 8
    assert cost("lb_t") == 12 * cost("oz_t")
    assert cost("pennyweight") == 24 * cost("grain")
    assert cost("lb_av") == 16 * cost("oz_av")
    assert cost("gram", Fraction(750)) == cost("gram") * 3 / 4


@given(BOOKS, ANY_UNIT, ANY_UNIT, ANY_PURITY)
def test_a_price_per_another_unit_and_back_is_the_same_price(
    book: RateBook, unit: Any, via: Any, purity: Purity
) -> None:
    priced = spot(book, GOLD, "USD", fresh)
    there = priced.per(via, PURE, OUNCE).per(unit, purity, via)
    assert there == priced.per(unit, purity, OUNCE)
    assert there.bid * 1000 == priced.bid * ratio(unit, OUNCE) * Fraction(str(purity.fineness))
    assert (there.as_of, there.digits, there.sources) == (priced.as_of, priced.digits, priced.sources)
    assert (there.instrument, there.is_crossed) == (priced.instrument, priced.is_crossed)


# What is written


@given(BOOKS, BOTH, st.sampled_from(["USD", "EUR"]), ANY_UNIT, ANY_PURITY)
def test_every_price_is_written_with_its_mid_between_its_sides_and_no_tighter_than_it_is(
    book: RateBook, metal: Any, currency: str, unit: Any, purity: Purity
) -> None:
    found = spot(book, metal, currency, fresh).per(unit, purity, own_unit(metal))
    sides = found.sides
    assert 0 < sides.bid <= sides.mid <= sides.ask
    assert Fraction(sides.mid) * 2 == Fraction(sides.bid) + Fraction(sides.ask)
    assert Fraction(sides.spread) == Fraction(sides.ask) - Fraction(sides.bid)
    assert (sides.spread == 0) == (found.bid == found.ask)
    if found.bid < found.ask:
        assert Fraction(sides.bid) <= found.bid < found.ask <= Fraction(sides.ask)
    assert min(len(f"{side:f}".replace(".", "").lstrip("0")) for side in (sides.bid, sides.ask)) >= 8


@given(BOOKS, BOTH)
def test_a_cross_is_never_tighter_than_either_leg_exactly_and_as_written(book: RateBook, metal: Any) -> None:
    found, legs = spot(book, metal, "EUR", fresh), (book.leg(metal.code), book.leg("EUR"))
    widest = max(gap(leg.bid, leg.ask) for leg in legs)
    assert gap(found.bid, found.ask) >= widest
    assert gap(found.sides.bid, found.sides.ask) >= widest
    assert gap(found.bid, found.ask) == gap(legs[0].bid, legs[0].ask) * gap(legs[1].bid, legs[1].ask)


@given(st.integers(1, 10**18), st.integers(1, 10**18), st.integers(0, 20))
def test_what_a_source_quotes_is_written_as_it_quotes_it(one: int, other: int, places: int) -> None:
    bid, ask = (Fraction(side, 10**places) for side in sorted((one, other)))
    sides = spot(book_of([quote_of("XAU/USD", bid, ask)]), GOLD, "USD", fresh).sides
    assert (Fraction(f"{sides.bid:f}"), Fraction(f"{sides.ask:f}")) == (bid, ask)


@pytest.mark.parametrize(("bid", "ask"), [("4000.123456789012", "4001"), ("4000", "4001.123456789012")])
def test_the_digits_are_those_of_the_finer_side_and_are_kept_through_cross_unit_and_purity(bid: str, ask: str) -> None:
    book = book_of([quote_of("XAU/USD", bid, ask), quote_of("USD/JPY", "150.1", "150.3")])
    for currency in ("USD", "JPY"):
        found = spot(book, GOLD, currency, fresh).per(STANDARD["gram"], parse_purity("XAU", "916"), OUNCE)
        assert found.digits == 16
        assert len(f"{found.sides.bid:f}".replace(".", "")) == 16


def test_the_ambient_context_changes_no_price() -> None:
    def everything() -> list[Any]:
        book = book_of([GOLD_IN_DOLLARS, EURO, quote_of("XCU/USD", "10800.5", "10801.25")])
        found = [spot(book, metal, currency, fresh) for metal in (GOLD, COPPER) for currency in ("USD", "EUR")]
        gram, purity = STANDARD["gram"], parse_purity("XAU", "916.6666666667")
        sides = [one.per(gram, purity, OUNCE).sides for one in found]
        return [*found, *sides, *(one.mid for one in sides), *(one.spread for one in sides)]

    expected = everything()
    with localcontext(Context(prec=3, traps=[decimal.Inexact, decimal.Rounded, decimal.FloatOperation])) as context:
        before = repr(context)
        assert everything() == expected
        assert repr(context) == before
