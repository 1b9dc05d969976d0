"""The simulated market: the same for everyone, plausible, and still in closed hours."""

import os
import random
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cambist.errors import NoRate, UnknownSymbol
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import parities_on
from cambist.pricing.quote import Derivation, Quote
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference import assets
from cambist.reference.assets import MetalKind
from cambist.reference.closures import CLOSURES
from cambist.reference.currency_tables import CURRENCIES, REDENOMINATIONS
from cambist.sandbox.levels import METALS
from cambist.sandbox.market import SimulatedMarket

COINS = ["BTC", "ETH", "USDT", "SOL", *(f"C{number}" for number in range(200))]
MARKET = SimulatedMarket(11, COINS)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
LME_CLOSE = datetime(2026, 11, 20, 19, tzinfo=UTC)
PRECIOUS, BASE = (
    {code for code in METALS if assets.METALS[code].kind is kind} for kind in (MetalKind.PRECIOUS, MetalKind.BASE)
)
FIRST, LAST = date(1970, 1, 1), date(2027, 12, 31)
DAYS = (LAST - FIRST).days + 1
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2099, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001

PRINT_PRICES = """
from datetime import UTC, date, datetime
from cambist.pricing.pair import Pair
from cambist.sandbox.market import SimulatedMarket
market = SimulatedMarket(11, ["BTC", "ETH", "USDT"])
moment = datetime(2026, 11, 20, 12, tzinfo=UTC)
print([str(market.quote(code, moment).bid) for code in market.codes(moment.date())])
print([str(market.pair_quote(pair, moment).ask) for pair in market.pairs()])
print(market.daily("DEM", date(1995, 1, 1), 400).tobytes().hex())
"""


def significant(value: Fraction) -> int:
    power = 0
    while (value * 10**power).denominator != 1:
        power += 1
    return len(str(int(value * 10**power)).rstrip("0"))


def all_quotes(market: SimulatedMarket, moment: datetime) -> list[Quote]:
    codes = [market.quote(code, moment) for code in market.codes(moment.date())]
    return codes + [market.pair_quote(pair, moment) for pair in market.pairs()]


@pytest.mark.long
def test_another_process_with_another_hash_seed_has_the_same_prices() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT_PRICES],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    small = SimulatedMarket(11, ["BTC", "ETH", "USDT"])
    assert printed[0].startswith(f"['{small.quote('AFN', NOON).bid}', ")


@settings(deadline=None, max_examples=25)
@given(st.lists(MOMENTS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_asking_does_not_matter(moments: list[datetime], order: random.Random) -> None:
    asked = [(code, moment) for moment in moments for code in ("JPY", "XAU", "BTC", "GBP", "INR")]
    forth = {each: MARKET.quote(*each) for each in asked}
    order.shuffle(asked)
    fresh = SimulatedMarket(11, COINS)
    assert {each: fresh.quote(*each) for each in asked} == forth


def test_a_coin_is_the_same_whichever_others_are_quoted() -> None:
    assert SimulatedMarket(11, ["C5"]).quote("C5", NOON) == MARKET.quote("C5", NOON)


def test_other_seeds_have_other_prices() -> None:
    other = SimulatedMarket(12, COINS)
    codes = MARKET.codes(NOON.date())
    assert [code for code in codes if other.quote(code, NOON).bid == MARKET.quote(code, NOON).bid] == []


@pytest.mark.long
@settings(deadline=None, max_examples=30)
@given(MOMENTS)
def test_all_that_is_quoted_has_two_positive_sides_and_a_small_spread(moment: datetime) -> None:
    for code in MARKET.codes(moment.date()):
        quote = MARKET.quote(code, moment)
        assert 0 < quote.bid <= quote.mid <= quote.ask
        assert quote.spread / quote.mid < Fraction("0.00201")
        assert quote.as_of <= quote.received_at == moment


def test_prices_are_decimals_of_eight_digits_and_most_use_them() -> None:
    digits = [significant(side) for quote in all_quotes(MARKET, NOON) for side in (quote.bid, quote.ask)]
    assert max(digits) == 8
    assert digits.count(8) > 0.8 * len(digits)


def test_majors_are_dealt_closer_than_others() -> None:
    spread = {code: float(quote.spread / quote.mid) for code in ("EUR", "INR") for quote in [MARKET.quote(code, NOON)]}
    assert spread["EUR"] == pytest.approx(1e-4, rel=1e-2)
    assert 4e-4 < spread["INR"] < 11e-4


def test_quotes_say_that_the_sandbox_published_them_in_real_time() -> None:
    origins = [quote.origin for quote in all_quotes(MARKET, NOON)]
    assert {(origin.made, origin.sources, origin.pace) for origin in origins} == {
        (Derivation.PUBLISHED, ("sandbox",), Pace.REALTIME)
    }


@pytest.mark.parametrize(
    ("code", "pair"),
    [
        ("EUR", Pair("EUR", "USD")),
        ("JPY", Pair("USD", "JPY")),
        ("XAU", Pair("XAU", "USD")),
        ("BTC", Pair("BTC", "USD")),
    ],
)
def test_a_code_is_quoted_the_way_round_that_dealers_write_it(code: str, pair: Pair) -> None:
    assert MARKET.quote(code, NOON).pair == pair


@settings(deadline=None, max_examples=30)
@given(st.dates(FIRST, LAST))
def test_on_every_day_all_that_lives_is_quoted_or_fixed_by_law(day: date) -> None:
    codes, tied = MARKET.codes(day), {parity.code for parity in parities_on(day)}
    assert len(codes) == len(set(codes))
    alive = {code for code, currency in CURRENCIES.items() if currency.lives_on(day)}
    assert {code for code in codes if code in CURRENCIES} == alive - tied - {PIVOT}
    assert {*METALS, *COINS} <= set(codes)


def test_all_that_lives_can_be_priced_from_a_book_of_its_quotes() -> None:
    today = NOON.date()
    quotes = {code: MARKET.quote(code, NOON) for code in MARKET.codes(today) if code in CURRENCIES}
    alive = {code for code, currency in CURRENCIES.items() if currency.lives_on(today)}
    assert alive - set(assemble_rate_book(quotes, 1, NOON).listed) == set()


def test_in_closed_hours_a_price_stands_where_trade_ended() -> None:
    for code in ("JPY", "XAU"):
        standing, closing = MARKET.quote(code, SATURDAY), MARKET.quote(code, FRIDAY_CLOSE)
        assert (standing.bid, standing.ask, standing.as_of) == (closing.bid, closing.ask, FRIDAY_CLOSE)
        assert standing.received_at == SATURDAY
        assert MARKET.quote(code, FRIDAY_CLOSE - timedelta(hours=1)).bid != closing.bid


def test_a_base_metal_stands_where_the_exchange_closed_while_gold_trades_on() -> None:
    evening = LME_CLOSE + timedelta(hours=1)
    for code in BASE:
        standing, closing = MARKET.quote(code, evening), MARKET.quote(code, LME_CLOSE)
        assert (standing.bid, standing.ask, standing.as_of) == (closing.bid, closing.ask, LME_CLOSE)
        assert MARKET.pair_quote(Pair(code, PIVOT), evening).as_of == LME_CLOSE
        assert MARKET.quote(code, LME_CLOSE - timedelta(hours=1)).bid != closing.bid
    assert {MARKET.quote(code, evening).as_of for code in PRECIOUS} == {evening}


def test_a_base_metal_stands_on_a_bank_holiday_of_england() -> None:
    holiday, before = datetime(2026, 12, 28, 12, tzinfo=UTC), datetime(2026, 12, 24, 19, tzinfo=UTC)
    assert {MARKET.quote(code, holiday).as_of for code in BASE} == {before}
    assert {MARKET.quote(code, holiday).as_of for code in PRECIOUS} == {holiday}


def test_coins_trade_on_saturdays_even_in_euros() -> None:
    earlier, later = SATURDAY - timedelta(minutes=5), SATURDAY
    assert MARKET.quote("BTC", earlier).bid != MARKET.quote("BTC", later).bid
    assert MARKET.pair_quote(Pair("BTC", "EUR"), later).as_of == SATURDAY
    assert MARKET.pair_quote(Pair("EUR", "GBP"), later).as_of == FRIDAY_CLOSE


@pytest.mark.parametrize("moment", [NOON, SATURDAY, datetime(2010, 5, 6, 7, 8, 9, tzinfo=UTC)])
def test_a_direct_pair_agrees_with_its_legs(moment: datetime) -> None:
    for pair in MARKET.pairs():
        base, quote = (
            Fraction(1) if side == PIVOT else MARKET.quote(side, moment).worth(side) for side in (pair.base, pair.quote)
        )
        direct = MARKET.pair_quote(pair, moment)
        assert direct.bid <= base / quote <= direct.ask, pair


def test_pairs_are_many_and_each_once() -> None:
    pairs = SimulatedMarket(11, [*COINS, *(f"D{number}" for number in range(400))]).pairs()
    assert len(pairs) == len(set(pairs))
    assert sum(pair.base in CURRENCIES for pair in pairs) >= 30
    assert sum(pair.base in METALS for pair in pairs) == 4 * 6 + 5
    assert sum(pair.base not in CURRENCIES and pair.base not in METALS for pair in pairs) >= 1000
    assert {Pair("C0", "USD"), Pair("ETH", "BTC"), Pair("SOL", "USDT"), Pair("BTC", "EUR")} <= set(pairs)
    assert [pair for pair in pairs if pair.base == pair.quote] == []


def test_base_metals_are_dealt_in_dollars_alone_and_precious_ones_in_six_currencies() -> None:
    dealt = {metal: {pair.quote for pair in MARKET.pairs() if pair.base == metal} for metal in METALS}
    assert " ".join(sorted(PRECIOUS)) == "XAG XAU XPD XPT"
    assert " ".join(sorted(BASE)) == "XAL XCU XNI XPB XZN"
    six = {"USD", "EUR", "GBP", "CHF", "AUD", "JPY"}
    assert dealt == {metal: six if metal in PRECIOUS else {"USD"} for metal in METALS}
    with pytest.raises(NoRate, match="XCU/EUR"):
        MARKET.pair_quote(Pair("XCU", "EUR"), NOON)


def test_a_coin_that_shares_a_currencys_code_is_left_out() -> None:
    market = SimulatedMarket(11, ["MNT", "XAU", "ETH", "ETH"])
    assert market.codes(NOON.date())[-10:] == (*METALS, "ETH")
    assert market.quote("MNT", NOON).pair == Pair("USD", "MNT")


@pytest.mark.parametrize("code", ["USD", "QQQ", ""])
def test_an_unknown_code_is_refused(code: str) -> None:
    with pytest.raises(UnknownSymbol):
        MARKET.quote(code, NOON)
    with pytest.raises(UnknownSymbol):
        MARKET.daily(code, FIRST, 3)


@pytest.mark.parametrize("code", ["AED", "DEM", "XOF"])
def test_a_currency_that_is_fixed_by_law_or_has_ended_is_not_quoted(code: str) -> None:
    with pytest.raises(NoRate, match=code):
        MARKET.quote(code, NOON)
    assert np.isnan(MARKET.daily(code, NOON.date(), 30)).all()


def test_a_pair_that_is_not_direct_or_not_yet_alive_is_refused() -> None:
    with pytest.raises(NoRate, match="ISK/ZAR"):
        MARKET.pair_quote(Pair("ISK", "ZAR"), NOON)
    with pytest.raises(NoRate, match="EUR"):
        MARKET.pair_quote(Pair("EUR", "GBP"), datetime(1998, 12, 31, 12, tzinfo=UTC))


@pytest.mark.parametrize("code", ["EUR", "JPY", "XAU", "XCU", "DKK", "BTC", "VES", "BGL"])
def test_a_days_fixing_is_the_price_of_that_moment(code: str) -> None:
    fixed = MARKET.daily(code, FIRST, DAYS)
    for row in np.flatnonzero(~np.isnan(fixed))[::997].tolist():
        moment = datetime(1970, 1, 1, 14, 15, tzinfo=UTC) + timedelta(days=row)
        quote = MARKET.quote(code, moment)
        assert float(1 / quote.worth(code)) == pytest.approx(fixed[row], rel=3e-6)


@pytest.mark.parametrize("code", ["EUR", "JPY", "BTC", "VES"])
def test_one_day_alone_reads_as_within_all_days(code: str) -> None:
    fixed = MARKET.daily(code, FIRST, DAYS)
    for row in range(20_000, 20_010):
        alone = MARKET.daily(code, FIRST + timedelta(days=row), 1)
        assert alone == pytest.approx(fixed[row : row + 1], rel=1e-12, nan_ok=True)


def test_weekends_have_no_fixing_but_for_coins() -> None:
    week = date(2026, 11, 16)
    assert np.isnan(MARKET.daily("EUR", week, 7)).tolist() == [False] * 5 + [True] * 2
    assert np.isnan(MARKET.daily("XAG", week, 7)).tolist() == [False] * 5 + [True] * 2
    assert not np.isnan(MARKET.daily("BTC", week, 7)).any()


@pytest.mark.parametrize("first", [FIRST, date(2026, 3, 30), date(2026, 12, 28), date(2039, 6, 1)])
def test_base_metals_are_not_fixed_on_the_exchanges_closed_days(first: date) -> None:
    days = [first + timedelta(days=row) for row in range(DAYS)]
    closed = [day.weekday() >= 5 or day in CLOSURES["lme"] for day in days]
    for code in BASE:
        assert np.isnan(MARKET.daily(code, first, DAYS)).tolist() == closed
    assert np.isnan(MARKET.daily("XAU", first, DAYS)).tolist() == [day.weekday() >= 5 for day in days]


@pytest.mark.parametrize(
    ("code", "first", "last"),
    [
        ("EUR", date(1999, 1, 1), LAST),
        ("DEM", FIRST, date(1998, 12, 31)),
        ("HRK", date(1994, 5, 30), date(2022, 12, 30)),
        ("ZWN", date(2006, 8, 1), date(2008, 7, 31)),
    ],
)
def test_a_currency_is_fixed_while_it_lives_and_floats(code: str, first: date, last: date) -> None:
    rows = np.flatnonzero(~np.isnan(MARKET.daily(code, FIRST, DAYS)))
    assert (FIRST + timedelta(days=int(rows[0])), FIRST + timedelta(days=int(rows[-1]))) == (first, last)


@pytest.mark.long(every=2)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_currency_and_no_metal_jumps_by_a_quarter_in_a_day(seed: int) -> None:
    market = SimulatedMarket(seed)
    for code in market.known:
        fixed = market.daily(code, FIRST, DAYS)
        for change in REDENOMINATIONS:
            if change.old == change.new == code:
                fixed[: (change.first_day - FIRST).days] /= float(change.factor)
        rows = np.flatnonzero(~np.isnan(fixed))
        a_day = np.abs(np.diff(np.log(fixed[rows]))) / np.diff(rows)
        assert a_day.max(initial=0) < np.log(1.25), code


def test_a_new_unit_goes_on_from_the_old_one() -> None:
    compared = 0
    for change in REDENOMINATIONS:
        # Both floated and one took the other's place: Czechoslovakia's crown had two successors.
        if PIVOT in (change.old, change.new) or (change.old, change.new) == ("CSK", "SKK"):
            continue
        before = MARKET.daily(change.old, change.first_day - timedelta(days=4), 4) / float(change.factor)
        after = MARKET.daily(change.new, change.first_day, 4)
        both = np.concatenate([before, after])
        rows = np.flatnonzero(~np.isnan(both))
        if np.isnan(before).all() or np.isnan(after).all():
            continue
        compared += 1
        a_day = np.abs(np.diff(np.log(both[rows]))) / np.diff(rows)
        assert a_day.max() < np.log(1.25), change
    assert compared > 60


def test_the_euro_goes_on_from_the_mark() -> None:
    marks, euros = MARKET.daily("DEM", date(1998, 12, 31), 1), MARKET.daily("EUR", date(1999, 1, 1), 1)
    assert marks / 1.95583 == pytest.approx(euros, rel=0.03)
