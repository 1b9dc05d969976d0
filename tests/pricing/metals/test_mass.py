"""Mass: units against the figures that law and trade give, and what one is in another, exactly."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.metals.mass import STANDARD, grams, ratio, units_with
from cambist.reference.weights import UNITS, Unit

HANDLES = st.sampled_from(list(UNITS))
WEIGHTS = st.decimals(min_value="0.000001", max_value=10**9, allow_nan=False, allow_infinity=False)

# The agreement of 1959 made a pound 0.45359237 kg, of 7000 grains: a grain is 64.79891 mg. Everything else is grains.
GRAIN = Fraction("0.06479891")
IN_GRAINS = {
    "grain": 1,
    "pennyweight": 24,
    "oz_t": 480,
    "lb_t": 5760,
    "oz_av": Fraction(7000, 16),
    "lb_av": 7000,
    "tola": 180,
}
IN_GRAMS = {"gram": 1, "kilogram": 1000, "metric_tonne": 10**6}
BY_TRADE = {"tael": Fraction("37.429"), "baht": Fraction("15.244")}


def test_every_unit_weighs_what_law_and_trade_say() -> None:
    expected = {handle: Fraction(amount) for handle, amount in IN_GRAMS.items()}
    expected |= {handle: amount * GRAIN for handle, amount in IN_GRAINS.items()}
    assert {handle: grams(unit) for handle, unit in STANDARD.items()} == expected | BY_TRADE


def test_a_pound_is_that_of_the_agreement_of_1959() -> None:
    assert grams(STANDARD["lb_av"]) / 1000 == Fraction("0.45359237")
    assert grams(STANDARD["oz_av"]) == Fraction("28.349523125")
    assert grams(STANDARD["oz_t"]) == Fraction("31.1034768")


@pytest.mark.parametrize(
    ("unit", "amount", "other"),
    [
        ("kilogram", 1000, "gram"),
        ("metric_tonne", 1000, "kilogram"),
        ("tola", Fraction(3, 8), "oz_t"),
        ("lb_t", 12, "oz_t"),
        ("oz_t", 20, "pennyweight"),
        ("pennyweight", 24, "grain"),
        ("lb_av", 16, "oz_av"),
        ("oz_av", Fraction(1, 16), "lb_av"),
        ("lb_av", 7000, "grain"),
        ("lb_av", Fraction(175, 144), "lb_t"),
        ("oz_av", Fraction(175, 192), "oz_t"),
        ("tael", Fraction(37429, 1000), "gram"),
        ("baht", Fraction(15244, 1000), "gram"),
        ("kilogram", Fraction(10**11, 3110347680), "oz_t"),
        ("metric_tonne", Fraction(10**11, 45359237), "lb_av"),
    ],
)
def test_a_unit_is_exactly_so_many_of_another(unit: str, amount: Fraction | int, other: str) -> None:
    assert ratio(STANDARD[unit], STANDARD[other]) == amount
    assert ratio(STANDARD[other], STANDARD[unit]) == 1 / Fraction(amount)


@pytest.mark.parametrize(
    ("unit", "figure", "other"),
    [
        ("kilogram", "32.1507465686", "oz_t"),
        ("metric_tonne", "2204.622621848776", "lb_av"),
        ("tael", "1.20337", "oz_t"),
        ("baht", "0.490106", "oz_t"),
        ("gram", "15.4323583529", "grain"),
        ("lb_av", "14.583333333", "oz_t"),
    ],
)
def test_a_unit_is_as_much_of_another_as_books_print(unit: str, figure: str, other: str) -> None:
    places = len(figure.partition(".")[2])
    assert round(ratio(STANDARD[unit], STANDARD[other]), places) == Fraction(figure)


@given(HANDLES, HANDLES, HANDLES)
def test_there_and_back_and_around_is_exactly_one(a: str, b: str, c: str) -> None:
    one, two, three = (STANDARD[handle] for handle in (a, b, c))
    assert ratio(one, two) * ratio(two, one) == 1
    assert ratio(one, two) * ratio(two, three) * ratio(three, one) == 1
    assert ratio(one, one) == 1


def test_no_two_units_weigh_the_same() -> None:
    assert all(ratio(one, other) != 1 for one, other in permutations(STANDARD.values(), 2))


# The tael and the baht


def test_the_standard_units_are_those_of_the_table_in_its_order() -> None:
    assert list(STANDARD) == list(UNITS)
    assert {handle: unit.grams for handle, unit in STANDARD.items()} == {
        handle: unit.grams for handle, unit in UNITS.items()
    }


def test_the_tael_and_the_baht_say_how_many_grams_they_are() -> None:
    units = units_with(Decimal("37.5"), Decimal("15.16"))
    assert units["tael"] == Unit("tael", "Tael (37.5 g)", Decimal("37.5"), "the settings")
    assert units["baht"] == Unit("baht", "Baht (15.16 g)", Decimal("15.16"), "the settings")
    assert (STANDARD["tael"].name, STANDARD["baht"].name) == ("Tael (37.429 g)", "Baht (15.244 g)")


@pytest.mark.parametrize(
    ("grams", "name"), [("5E+1", "50 g"), ("1E-7", "0.0000001 g"), ("37.50", "37.50 g"), ("50", "50 g")]
)
def test_grams_in_a_name_have_no_exponent(grams: str, name: str) -> None:
    assert units_with(Decimal(grams), Decimal(1))["tael"].name == f"Tael ({name})"
    assert units_with(Decimal(1), Decimal(grams))["baht"].name == f"Baht ({name})"


@given(WEIGHTS, WEIGHTS)
def test_a_chosen_tael_and_baht_weigh_exactly_that_and_no_other_unit_changes(tael: Decimal, baht: Decimal) -> None:
    units = units_with(tael, baht)
    assert (grams(units["tael"]), grams(units["baht"])) == (Fraction(tael), Fraction(baht))
    assert list(units) == list(UNITS)
    for handle in units.keys() - {"tael", "baht"}:
        assert units[handle] == UNITS[handle]
    assert UNITS["tael"].grams == Decimal("37.429")


def test_the_ambient_context_changes_no_weight() -> None:
    def everything() -> tuple[object, ...]:
        units = units_with(Decimal("37.42912345"), Decimal("15.24412345"))
        return units, [ratio(one, units["oz_t"]) for one in units.values()]

    expected = everything()
    with localcontext(Context(prec=3)) as context:
        before = repr(context)
        assert everything() == expected
        assert repr(context) == before
