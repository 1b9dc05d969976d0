"""The table of rough levels, and the paths laid through it."""

from datetime import date, timedelta
from math import exp, log

import pytest

from cambist.pricing.parity import legal_rate
from cambist.reference.currency_tables import CURRENCIES, REDENOMINATIONS, Redenomination
from cambist.sandbox.levels import LEVELS, METALS, derived_level, midnight, read_levels
from cambist.sandbox.pegs import floating_on, future_pegs, pegged_on
from cambist.sandbox.price_paths import REFERENCE_DAY, PricePaths
from cambist.sandbox.volatility import IN_DOLLARS, VolatilityClass

HEADER = "code,volatility_class,follows,day,level\n"


def units(paths: PricePaths, code: str, day: date) -> float:
    return exp(paths.path(code).at(midnight(day)))


def test_nine_metals_and_forty_coins_have_a_level_in_dollars() -> None:
    assert len(METALS) == 9
    assert sum(level.volatility_class in IN_DOLLARS for level in LEVELS.values()) >= 49
    assert exp(-LEVELS["BTC"].knots[0][1]) == pytest.approx(90_000)


def test_every_floating_currency_has_a_level_of_its_own() -> None:
    assert floating_on(REFERENCE_DAY) - LEVELS.keys() == set()


def test_what_is_no_coin_and_no_metal_is_a_currency() -> None:
    assert {
        code for code, level in LEVELS.items() if level.volatility_class not in IN_DOLLARS
    } - CURRENCIES.keys() == set()


def test_a_fixed_currency_follows_its_anchor() -> None:
    assert [code for code in future_pegs() if code in LEVELS and LEVELS[code].follows] == []


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("EUR,major,,,0\n", "line 2"),
        ("EUR,wild,,,1\n", "line 2: 'wild'"),
        ("EUR,major,,,1\nEUR,minor,,,1\n", "line 3: EUR has another volatility_class"),
        ("EUR,major,,2020-01-01,1\nEUR,major,,2010-01-01,1\n", "line 3: EUR has a later level"),
        ("EUR,major,,2020-13-01,1\n", "line 2"),
    ],
)
def test_a_broken_row_is_named(rows: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_levels(HEADER + rows)


def test_a_header_that_is_not_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1"):
        read_levels("code,level\nEUR,1\n")


@pytest.mark.parametrize(
    ("volatility_class", "least", "most"), [(VolatilityClass.COIN, 1e-4, 500), (VolatilityClass.EXOTIC, 1 / 5000, 2)]
)
def test_a_derived_level_belongs_to_its_code_and_lies_within_bounds(
    volatility_class: VolatilityClass, least: float, most: float
) -> None:
    dollars = [exp(-derived_level(f"C{number}", volatility_class).knots[0][1]) for number in range(300)]
    assert least <= min(dollars) < 10 * least
    assert most / 10 < max(dollars) <= most * 1.000001
    assert len(set(dollars)) == 300
    assert derived_level("C7", volatility_class) == derived_level("C7", volatility_class)


@pytest.mark.parametrize(("code", "level"), [("EUR", 0.855), ("JPY", 156), ("VES", 300), ("SYP", 110)])
def test_a_currency_is_at_its_level_on_the_reference_day(code: str, level: float) -> None:
    assert units(PricePaths(3, ()), code, REFERENCE_DAY) == pytest.approx(level)


@pytest.mark.parametrize(
    "code", sorted(code for code, peg in future_pegs().items() if CURRENCIES[code].first_day < peg.day)
)
def test_a_currency_arrives_at_its_rate_by_law(code: str) -> None:
    paths, peg = PricePaths(3, ()), future_pegs()[code]
    assert units(paths, code, peg.day) == pytest.approx(units(paths, peg.root, peg.day) * peg.factor, rel=1e-9)
    if peg.root != "USD":
        law = legal_rate(peg.root, code, peg.day)
        assert law is not None
        assert peg.factor == pytest.approx(float(law))


def test_an_old_mark_wanders_with_the_euro_and_by_itself() -> None:
    paths = PricePaths(3, ())
    ratios = [units(paths, "DEM", day) / units(paths, "EUR", day) for day in (date(1975, 1, 2), date(1999, 1, 1))]
    assert ratios[1] == pytest.approx(1.95583)
    assert ratios[0] != pytest.approx(1.95583, rel=1e-3)


@pytest.mark.parametrize("cut", [each for each in REDENOMINATIONS if each.old == each.new], ids=lambda cut: cut.old)
def test_a_cut_under_the_same_code_is_a_jump_by_its_factor(cut: Redenomination) -> None:
    paths = PricePaths(3, ())
    before, after = midnight(cut.first_day) - 1, midnight(cut.first_day)
    jump = paths.path(cut.old).at(before) - paths.path(cut.old).at(after)
    assert jump == pytest.approx(log(cut.factor), abs=1e-3)


@pytest.mark.parametrize("day", [date(1970, 1, 1), date(1998, 12, 31), date(1999, 1, 1), date(2026, 11, 20)])
def test_a_floating_currency_exists_and_is_not_fixed_by_law(day: date) -> None:
    floating = floating_on(day)
    assert floating & pegged_on(day) == set()
    alive = {code for code, currency in CURRENCIES.items() if currency.lives_on(day)}
    assert floating | (pegged_on(day) & alive) | {"USD"} == alive


def test_a_level_after_the_peg_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    late = read_levels(f"{HEADER}DEM,member,,{date(1999, 1, 1) + timedelta(days=1)},2\n")
    monkeypatch.setattr("cambist.sandbox.price_paths.LEVELS", late)
    with pytest.raises(ValueError, match="DEM has a level on or after 1999-01-01"):
        PricePaths(3, ()).path("DEM")
