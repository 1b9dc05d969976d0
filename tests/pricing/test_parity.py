from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.pair import Pair
from cambist.pricing.parity import Parity, legal_rate, parities_on
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.reference.currency_tables import CURRENCIES, PEGS

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAYS = st.dates(date(1970, 1, 1), date(2030, 12, 31))
TODAY = date(2026, 11, 20)


def held(day: date) -> dict[str, Parity]:
    return {parity.code: parity for parity in parities_on(day)}


@given(DAYS)
def test_an_anchor_comes_before_what_hangs_on_it(day: date) -> None:
    codes = [parity.code for parity in parities_on(day)]
    for place, parity in enumerate(parities_on(day)):
        assert parity.anchor not in codes[place:]


@given(DAYS)
def test_a_currency_has_one_parity_at_a_time(day: date) -> None:
    codes = [parity.code for parity in parities_on(day)]
    assert len(codes) == len(set(codes))


@given(DAYS)
def test_pegs_hold_from_their_first_day_to_their_last(day: date) -> None:
    holding = held(day)
    in_force = {peg.code: peg for peg in PEGS if peg.holds_on(day)}
    converted = {code for code, parity in holding.items() if parity.made is Derivation.CONVERTED}
    pegged = {code: parity for code, parity in holding.items() if parity.made is Derivation.PEGGED}
    assert pegged.keys() == in_force.keys() - converted
    assert all(
        (each.anchor, each.factor) == (in_force[code].anchor, in_force[code].factor) for code, each in pegged.items()
    )


@given(DAYS)
def test_what_is_once_converted_stays_converted(day: date) -> None:
    earlier = {code: parity.anchor for code, parity in held(day).items() if parity.made is Derivation.CONVERTED}
    later = held(day + timedelta(days=400))
    # But the Zimbabwean dollar of 2008, whose successor was abandoned and its code given to other money in 2019.
    given_up = {"ZWR"} if date(2019, 2, 22) <= day + timedelta(days=400) else set()
    assert earlier.keys() - later.keys() <= given_up
    earlier = {code: anchor for code, anchor in earlier.items() if code not in given_up}
    assert all(
        later[code].made is Derivation.CONVERTED and later[code].anchor == anchor for code, anchor in earlier.items()
    )


def test_the_dirham_is_pegged_to_the_dollar() -> None:
    dirham = held(TODAY)["AED"]
    assert (dirham.pair, dirham.factor, dirham.made) == (Pair("USD", "AED"), Fraction("3.6725"), Derivation.PEGGED)


def test_a_peg_holds_from_its_first_day() -> None:
    assert "SAR" not in held(date(1986, 5, 31))
    assert "SAR" in held(date(1986, 6, 1))


def test_a_rial_is_a_whole_number_of_ten_thousandths_of_a_dollar() -> None:
    assert legal_rate("OMR", "USD", TODAY) == Fraction("2.6008")


def test_the_dollars_of_zimbabwe_that_ended_in_2009_are_none_of_those_of_2019() -> None:
    assert legal_rate("ZWD", "ZWG", TODAY) is None
    assert legal_rate("ZWR", "ZWL", TODAY) is None
    assert legal_rate("ZWL", "ZWG", TODAY) == 1 / Fraction("2498.7242")


@pytest.mark.parametrize("day", [date(2009, 2, 2), date(2009, 4, 13), date(2019, 2, 21)])
def test_until_its_code_was_given_to_other_money_the_old_dollar_is_the_end_of_its_chain(day: date) -> None:
    assert legal_rate("ZWR", "ZWL", day) == Fraction(1, 10**12)
    assert legal_rate("ZWD", "ZWL", day) == Fraction(1, 10**25)


def test_old_dollars_of_zimbabwe_convert_among_each_other_in_both_directions() -> None:
    assert legal_rate("ZWD", "ZWR", TODAY) == Fraction(1, 10**13)
    assert legal_rate("ZWR", "ZWD", TODAY) == 10**13


def test_a_peg_ends_after_its_last_day() -> None:
    assert held(date(1979, 3, 29))["IEP"].anchor == "GBP"
    assert "IEP" not in held(date(1979, 3, 30))


def test_marks_and_francs_are_at_the_councils_rates_through_the_euro() -> None:
    euro = held(date(1999, 1, 1))
    assert euro["FRF"].factor / euro["DEM"].factor == Fraction("6.55957") / Fraction("1.95583")
    assert {euro["FRF"].anchor, euro["DEM"].anchor} == {"EUR"}
    assert "DEM" not in held(date(1998, 12, 31))


def test_the_kuna_is_fixed_from_its_end_on_and_not_before() -> None:
    assert "HRK" not in held(date(2022, 12, 31))
    kuna = held(date(2023, 1, 1))["HRK"]
    assert (kuna.anchor, kuna.factor, kuna.made) == ("EUR", Fraction("7.5345"), Derivation.CONVERTED)
    assert held(TODAY)["HRK"] == kuna


def test_the_lev_is_pegged_while_it_lives_and_converted_after() -> None:
    last, first = held(date(2025, 12, 31))["BGN"], held(date(2026, 1, 1))["BGN"]
    assert (last.made, first.made) == (Derivation.PEGGED, Derivation.CONVERTED)
    assert last.factor == first.factor == Fraction("1.95583")


def test_bolivars_convert_along_the_chain_of_their_names() -> None:
    today = held(TODAY)
    assert (today["VEB"].anchor, today["VEB"].factor) == ("VEF", 1000)
    assert today["VEF"].anchor == "VES"


@pytest.mark.parametrize(
    ("day", "factor"),
    [(date(2018, 8, 20), 10**5), (date(2021, 9, 30), 10**5), (date(2021, 10, 1), 10**11), (TODAY, 10**11)],
)
def test_an_old_bolivar_follows_the_cut_under_the_same_code(day: date, factor: int) -> None:
    assert held(day)["VEF"].factor == factor


def test_the_strong_bolivar_floats_until_its_end() -> None:
    assert "VEF" not in held(date(2018, 8, 19))


def test_the_cfa_franc_hangs_on_the_euro_and_before_it_on_the_french_franc() -> None:
    assert (held(TODAY)["XOF"].anchor, held(TODAY)["XOF"].factor) == ("EUR", Fraction("655.957"))
    before = held(date(1998, 12, 31))["XOF"]
    assert (before.anchor, before.factor) == ("FRF", 100)
    assert held(date(1994, 1, 11))["XOF"].factor == 50


def test_a_currency_that_was_split_converts_to_nothing() -> None:
    assert CURRENCIES["CSK"].successor is None
    assert all("CSK" not in held(day) for day in (date(1992, 12, 31), date(1993, 1, 1), TODAY))


def test_a_conversion_wins_over_a_peg_of_the_same_currency() -> None:
    assert held(date(1998, 12, 31))["LUF"].anchor == "BEF"
    luxembourg = held(date(1999, 1, 1))["LUF"]
    assert (luxembourg.anchor, luxembourg.made) == ("EUR", Derivation.CONVERTED)


def test_every_parity_names_its_authority() -> None:
    assert all(parity.authority for parity in parities_on(TODAY))
    assert "2866/98" in held(TODAY)["DEM"].authority


@pytest.mark.parametrize("pair", [Pair("EUR", "USD"), Pair("USD", "EUR")])
def test_a_derived_quote_is_its_anchors_over_the_factor_whichever_way_round(pair: Pair) -> None:
    bid, ask = (Fraction("1.1"), Fraction("1.2")) if pair.base == "EUR" else (1 / Fraction("1.2"), 1 / Fraction("1.1"))
    anchor = Quote(pair, bid, ask, NOON, NOON + timedelta(hours=1), Origin(Derivation.PUBLISHED, ("ecb",)))
    franc = held(TODAY)["XOF"].quote(anchor, "USD")
    assert franc.pair == Pair("XOF", "USD")
    assert (franc.bid, franc.ask) == (Fraction("1.1") / Fraction("655.957"), Fraction("1.2") / Fraction("655.957"))
    assert (franc.as_of, franc.received_at) == (NOON, NOON + timedelta(hours=1))


def test_a_derived_quote_names_its_legs_and_its_authority() -> None:
    anchor = Quote(Pair("EUR", "USD"), Fraction(1), Fraction(1), NOON, NOON, Origin(Derivation.PUBLISHED, ("ecb",)))
    parity = held(TODAY)["XOF"]
    assert parity.quote(anchor, "USD").origin == Origin(
        Derivation.PEGGED, ("ecb", parity.authority), (Pair("EUR", "USD"), Pair("EUR", "XOF"))
    )
