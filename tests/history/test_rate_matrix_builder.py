from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.code_rates import HELD, WITHDRAWN
from cambist.history.fixing import GRAM, Fixing
from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.number_format import plain, plain_float
from cambist.pricing.pair import Pair

ONE_DAY = timedelta(days=1)
DAY = date(2026, 3, 2)
LAST = date(2026, 4, 10)

# Day, pair, value: what one source with the euro for its anchor might have published.
EURO_FIXINGS = """
    2001-12-31 EUR/USD 0.8813
    2018-08-17 EUR/USD 1.1391    2018-08-17 EUR/VEF 282000
    2021-09-30 EUR/USD 1.1579
    2022-02-28 EUR/USD 1.1199
    2022-03-01 EUR/USD 1.1162    2022-03-01 EUR/RUB 117.201
    2022-03-14 EUR/USD 1.0960
    2022-03-25 EUR/USD 1.1002
    2022-12-30 EUR/USD 1.0666    2022-12-30 EUR/HRK 7.5365
    2023-01-02 EUR/USD 1.0683    2023-01-02 EUR/HRK 7.6000
    2025-12-31 EUR/USD 1.1750    2025-12-31 EUR/BGN 1.9558
    2026-01-05 EUR/USD 1.1700    2026-01-05 EUR/BGN 1.9000
    2026-03-02 EUR/USD 1.2500    2026-03-02 EUR/JPY 180
"""


def fixings(text: str, nominal: int = 1) -> Iterator[Fixing]:
    words = text.split()
    for day, pair, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        yield Fixing("a source", Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value), nominal)


def built(*publications: tuple[str, Iterable[Fixing]], last: date = LAST) -> RateMatrix:
    return build_rate_matrix([SourceHistory(anchor, list(given)) for anchor, given in publications], last, "a test")


def shown(matrix: RateMatrix, day: date | str, base: str, quote: str) -> str:
    day = date.fromisoformat(day) if isinstance(day, str) else day
    value = matrix.cell(day, quote) / matrix.cell(day, base)
    return "none" if isnan(value) else plain_float(value)


def listed(matrix: RateMatrix, day: date) -> set[str]:
    return {matrix.codes[column] for column in matrix.listed_sets[matrix.listed_set_of_day[matrix.row(day)]]}


@pytest.fixture(scope="module")
def matrix() -> RateMatrix:
    return built(("EUR", fixings(EURO_FIXINGS)))


def test_what_was_published_reads_as_it_was_published(matrix: RateMatrix) -> None:
    assert shown(matrix, DAY, "EUR", "USD") == "1.25"
    assert shown(matrix, DAY, "EUR", "JPY") == "180"
    assert shown(matrix, DAY, "USD", "JPY") == "144"


def test_a_cell_is_what_one_dollar_buys(matrix: RateMatrix) -> None:
    assert matrix.cell(DAY, "EUR") == 0.8
    assert matrix.cell(DAY, "JPY") == 144
    assert matrix.cell(DAY, "USD") == 1


def test_the_rate_matrix_has_a_revision_and_a_last_fixing(matrix: RateMatrix) -> None:
    assert (matrix.revision, matrix.first_day, matrix.last_day, matrix.last_fixing) == (
        "a test",
        date(1970, 1, 1),
        LAST,
        DAY,
    )


def test_the_dollar_is_there_on_every_day(matrix: RateMatrix) -> None:
    assert not isnan(matrix.cell(date(1970, 1, 1), "USD"))
    assert not isnan(matrix.cell(LAST, "USD"))
    assert matrix.span("USD") == (date(1970, 1, 1), matrix.last_fixing)


def test_a_fixing_is_carried_fourteen_days_and_not_a_day_more(matrix: RateMatrix) -> None:
    assert shown(matrix, DAY - ONE_DAY, "EUR", "JPY") == "none"
    assert shown(matrix, DAY + 14 * ONE_DAY, "EUR", "JPY") == "180"
    assert shown(matrix, DAY + 15 * ONE_DAY, "EUR", "JPY") == "none"


def test_the_rouble_reads_fourteen_days_after_its_last_fixing_and_not_a_day_more(matrix: RateMatrix) -> None:
    assert shown(matrix, "2022-03-15", "EUR", "RUB") == "117.201"
    assert shown(matrix, "2022-03-15", "EUR", "USD") == "1.096"
    assert shown(matrix, "2022-03-16", "EUR", "RUB") == "none"


def test_what_is_carried_is_the_rate_published_and_not_its_cross(matrix: RateMatrix) -> None:
    assert shown(matrix, "2022-03-14", "USD", "RUB") == plain(Fraction("117.201") / Fraction("1.0960"))


def test_a_source_that_quotes_foreign_money_per_hundred_in_its_own_is_turned_around() -> None:
    zloty = [
        Fixing("nbp", Pair("USD", "PLN"), DAY, Decimal("4.0")),
        Fixing("nbp", Pair("JPY", "PLN"), DAY, Decimal("2.5"), 100),
    ]
    matrix = built(("PLN", zloty))
    assert shown(matrix, DAY, "USD", "PLN") == "4"
    assert shown(matrix, DAY, "JPY", "PLN") == "0.025"
    assert shown(matrix, DAY, "USD", "JPY") == "160"


def test_a_nominal_counts_in_the_sources_direction_too() -> None:
    matrix = built(("EUR", [*fixings("2026-03-02 EUR/USD 1.25"), *fixings("2026-03-02 EUR/JPY 18000", 100)]))
    assert shown(matrix, DAY, "EUR", "JPY") == "180"


def test_a_swapped_direction_gives_the_same_rate() -> None:
    straight = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/GBP 0.8")))
    swapped = built(("EUR", fixings("2026-03-02 USD/EUR 0.8 2026-03-02 GBP/EUR 1.25")))
    for base, quote in (("EUR", "USD"), ("GBP", "USD"), ("EUR", "GBP"), ("GBP", "EUR")):
        assert shown(straight, DAY, base, quote) == shown(swapped, DAY, base, quote)


def test_a_source_without_the_pivot_adds_nothing() -> None:
    matrix = built(("EUR", fixings("2026-03-02 EUR/JPY 180")))
    assert "JPY" not in matrix.codes
    assert "EUR" not in matrix.codes


def test_a_code_that_no_table_knows_is_left_out() -> None:
    matrix = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/ZZZ 7")))
    assert "ZZZ" not in matrix.codes


def test_a_fixing_after_the_last_day_is_left_out() -> None:
    matrix = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-04 EUR/USD 1.5")), last=DAY + ONE_DAY)
    assert shown(matrix, DAY + ONE_DAY, "EUR", "USD") == "1.25"


BETTER = "2026-03-02 EUR/USD 1.25 2026-03-02 EUR/GBP 0.80"
WORSE = "2026-03-01 EUR/USD 1.20 2026-03-01 EUR/GBP 0.90 2026-03-03 EUR/USD 1.20 2026-03-03 EUR/GBP 0.90"


def test_the_better_source_is_read_where_it_has_a_rate_and_the_other_where_it_has_none() -> None:
    matrix = built(("EUR", fixings(BETTER)), ("EUR", fixings(f"{WORSE} 2026-03-03 EUR/SEK 11")))
    assert shown(matrix, "2026-03-01", "EUR", "GBP") == "0.9"
    assert shown(matrix, DAY, "EUR", "GBP") == "0.8"
    assert shown(matrix, "2026-03-03", "EUR", "GBP") == "0.9"
    assert shown(matrix, DAY + 15 * ONE_DAY, "EUR", "GBP") == "0.9"
    assert shown(matrix, "2026-03-03", "USD", "SEK") == plain(Fraction(11) / Fraction("1.20"))
    assert shown(built(("EUR", fixings(WORSE)), ("EUR", fixings(BETTER))), "2026-03-03", "EUR", "GBP") == "0.9"


def test_sources_of_two_anchors_meet_in_the_dollar() -> None:
    zloty = fixings("2026-03-02 USD/PLN 4 2026-03-02 CZK/PLN 0.2")
    matrix = built(("EUR", fixings("2026-03-02 EUR/USD 1.25")), ("PLN", zloty))
    assert shown(matrix, DAY, "EUR", "PLN") == "5"
    assert shown(matrix, DAY, "EUR", "CZK") == "25"


def test_a_currency_has_no_market_before_its_first_day() -> None:
    matrix = built(("EUR", fixings("2018-08-17 EUR/USD 1.25 2018-08-17 EUR/VES 75")), last=date(2018, 9, 30))
    assert shown(matrix, "2018-08-19", "EUR", "VES") == "none"
    assert shown(matrix, "2018-08-20", "EUR", "VES") == "75"


def test_a_currency_has_no_market_after_its_last_day(matrix: RateMatrix) -> None:
    assert shown(matrix, "2018-08-19", "EUR", "VEF") == "282000"
    assert shown(matrix, "2018-08-20", "EUR", "VEF") == "none"


def test_the_lev_reads_as_published_until_its_end_and_then_at_its_fixed_rate(matrix: RateMatrix) -> None:
    assert shown(matrix, "2025-12-31", "EUR", "BGN") == "1.9558"
    assert shown(matrix, "2026-01-01", "EUR", "BGN") == "1.95583"
    assert shown(matrix, "2026-01-05", "EUR", "BGN") == "1.95583"
    assert shown(matrix, DAY, "EUR", "BGN") == "1.95583"


def test_where_its_own_pair_is_not_published_a_peg_holds(matrix: RateMatrix) -> None:
    assert shown(matrix, "2022-03-01", "EUR", "BGN") == "1.95583"
    assert shown(matrix, DAY, "USD", "AED") == "3.6725"


def test_a_peg_yields_to_what_a_source_publishes_of_the_currency_and_stands_again_after_it() -> None:
    matrix = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/AED 4.6001")))
    assert shown(matrix, DAY, "USD", "AED") == "3.68008"
    assert shown(matrix, DAY - ONE_DAY, "USD", "AED") == "3.6725"


@pytest.mark.parametrize("fixing", ["USD/AED 3.6730", "AED/USD 0.272257010618023414"])
def test_a_dollar_peg_yields_to_its_own_published_pair_either_way_round(fixing: str) -> None:
    matrix = built(("USD", fixings(f"2026-03-02 {fixing}")))
    assert shown(matrix, DAY, "USD", "AED") == "3.673"
    assert shown(matrix, DAY - ONE_DAY, "USD", "AED") == "3.6725"


def test_a_conversion_yields_to_nothing(matrix: RateMatrix) -> None:
    assert shown(matrix, "2022-12-31", "EUR", "HRK") == "7.5365"
    assert shown(matrix, "2023-01-01", "EUR", "HRK") == "7.5345"
    assert shown(matrix, "2023-01-02", "EUR", "HRK") == "7.5345"


def test_a_conversion_wins_over_a_fixing_while_the_old_money_still_lives() -> None:
    marks = fixings("2001-12-31 EUR/USD 0.8813 2001-12-31 EUR/DEM 1.9600")
    assert shown(built(("EUR", marks), last=date(2002, 1, 31)), "2001-12-31", "EUR", "DEM") == "1.95583"


def test_ended_currencies_cross_at_their_fixed_rates(matrix: RateMatrix) -> None:
    assert shown(matrix, DAY, "DEM", "FRF") == plain(Fraction("6.55957") / Fraction("1.95583"))
    assert shown(matrix, DAY, "EUR", "XOF") == "655.957"


def test_an_old_bolivar_follows_its_successors_through_the_cut_of_2021() -> None:
    bolivars = fixings(
        "2021-09-30 EUR/USD 1.25 2021-09-30 EUR/VES 5000000 2021-10-01 EUR/USD 1.25 2021-10-01 EUR/VES 5"
    )
    matrix = built(("EUR", bolivars), last=date(2021, 10, 31))
    assert shown(matrix, "2021-09-30", "VES", "VEF") == "100000"
    assert shown(matrix, "2021-10-01", "VES", "VEF") == "100000000000"
    assert shown(matrix, "2021-09-30", "EUR", "VEB") == shown(matrix, "2021-10-01", "EUR", "VEB")


def test_a_fixing_is_not_carried_into_a_new_unit_under_the_same_code() -> None:
    """Venezuela cut six zeros on 2021-10-01: an older fixing reads in new bolívares after it, or not at all."""
    matrix = built(
        ("EUR", fixings("2021-09-30 EUR/USD 1.25 2021-09-30 EUR/VES 5000000 2021-10-04 EUR/USD 1.25")),
        last=date(2021, 10, 31),
    )
    assert shown(matrix, "2021-09-30", "EUR", "VES") == "5000000"
    assert shown(matrix, "2021-10-04", "EUR", "VES") in {"none", "5"}


def test_a_day_lists_who_lives_on_it_and_has_a_rate(matrix: RateMatrix) -> None:
    assert {"EUR", "USD", "DEM", "FRF", "AED"} <= listed(matrix, date(2001, 12, 31))
    assert {"DEM", "FRF"}.isdisjoint(listed(matrix, date(2002, 1, 1)))
    assert "HRK" in listed(matrix, date(2022, 12, 31))
    assert "HRK" not in listed(matrix, date(2023, 1, 1))
    assert "RUB" in listed(matrix, date(2022, 3, 15))
    assert "RUB" not in listed(matrix, date(2022, 3, 16))


def test_days_that_list_the_same_share_an_era(matrix: RateMatrix) -> None:
    assert len(set(matrix.listed_sets)) == len(matrix.listed_sets)
    assert matrix.listed_set_of_day[matrix.row(DAY)] == matrix.listed_set_of_day[matrix.row(DAY + ONE_DAY)]
    assert len(matrix.listed_set_of_day) == (LAST - date(1970, 1, 1)).days + 1


def test_without_anything_published_only_the_dollar_and_its_pegs_are_there() -> None:
    matrix = build_rate_matrix([], date(2026, 3, 2), "a test")
    assert shown(matrix, DAY, "USD", "AED") == "3.6725"
    assert "EUR" not in matrix.codes
    assert "XOF" not in matrix.codes


# Many sources: whose word a cell is, and how old


def spoken(*publications: SourceHistory, last: date = LAST) -> RateMatrix:
    return build_rate_matrix(publications, last, "a test")


def word(matrix: RateMatrix, day: date | str, code: str) -> tuple[str, int]:
    """Whose word a cell is, and how many days it was carried."""
    source_index, age = matrix.source_and_age(date.fromisoformat(day) if isinstance(day, str) else day, code)
    return {NOBODY: "nobody", BY_LAW: "the law"}.get(source_index) or matrix.sources[source_index], age


def daily(pairs: str, *days: int, start: date = DAY) -> Iterator[Fixing]:
    """The same rates, as `EUR/USD 1.25`, on some days counted from one."""
    for day in days:
        words = pairs.split()
        for pair, value in zip(words[::2], words[1::2], strict=True):
            yield from fixings(f"{start + day * ONE_DAY} {pair} {value}")


def test_for_its_own_currency_a_central_bank_is_preferred_to_any_better_source() -> None:
    ecb = SourceHistory("EUR", daily("EUR/USD 1.25 EUR/PLN 5 EUR/SEK 11", 0), "ecb")
    nbp = SourceHistory("PLN", daily("USD/PLN 4.02 EUR/PLN 5.10 SEK/PLN 0.40", 0), "nbp")
    matrix = spoken(ecb, nbp)
    assert matrix.sources == ("ecb", "nbp")
    assert [word(matrix, DAY, code) for code in ("EUR", "PLN", "SEK")] == [("ecb", 0), ("nbp", 0), ("ecb", 0)]
    assert shown(matrix, DAY, "USD", "PLN") == "4.02"
    assert shown(matrix, DAY, "EUR", "USD") == "1.25"
    assert shown(matrix, DAY, "USD", "SEK") == "8.8"
    turned = spoken(nbp, ecb)
    assert [word(turned, DAY, code) for code in ("EUR", "PLN", "SEK")] == [("ecb", 0), ("nbp", 0), ("nbp", 0)]
    assert shown(turned, DAY, "USD", "SEK") == "10.05"


@pytest.mark.parametrize(("anchor", "pairs"), [("EUR", "EUR/USD 1.25 EUR/SEK 11"), ("SEK", "USD/SEK 8.8")])
def test_of_each_day_the_best_source_that_published_is_used(anchor: str, pairs: str) -> None:
    """Better by rank, or because the krona is its own."""
    better = SourceHistory(anchor, daily(pairs, 0, 3), "better")
    worse = SourceHistory("USD", daily("USD/SEK 8.5", -1, 0, 1, 3), "worse")
    matrix = spoken(*((better, worse) if anchor == "EUR" else (worse, better)))
    words = [word(matrix, DAY + day * ONE_DAY, "SEK") for day in range(-1, 5)]
    assert words == [("worse", 0), ("better", 0), ("worse", 0), ("worse", 1), ("better", 0), ("better", 1)]


def test_a_compiler_is_used_where_no_original_has_published() -> None:
    compiler = SourceHistory("USD", daily("USD/SEK 8.8", 0, 1), "compiler", compiled=True)
    original = SourceHistory("USD", daily("USD/SEK 8.5", 0), "original")
    matrix = spoken(compiler, original)
    assert word(matrix, DAY, "SEK") == ("original", 0)
    assert word(matrix, DAY + ONE_DAY, "SEK") == ("compiler", 0)


def test_what_a_verdict_names_is_used_and_what_it_holds_or_withdraws_is_not() -> None:
    first = SourceHistory("USD", daily("USD/SEK 8.8", 0, 1, 2, 3, 4), "first")
    second = SourceHistory("USD", daily("USD/SEK 8.5", 0, 1, 2, 4), "second")
    day = (DAY - date(1970, 1, 1)).days
    outcomes = {"SEK": {day + 1: "second", day + 2: HELD, day + 3: WITHDRAWN, day + 4: "nobody known"}}
    matrix = build_rate_matrix([first, second], LAST, "a test", outcomes)
    words = [word(matrix, DAY + number * ONE_DAY, "SEK") for number in range(5)]
    assert words[:3] == [("first", 0), ("second", 0), ("second", 1)]
    assert words[3][0] == words[4][0] == "nobody"


def test_two_originals_that_agree_break_a_peg_and_one_alone_does_not() -> None:
    one = SourceHistory("USD", daily("USD/AED 5", 0), "one", outranks_pegs=False)
    two = SourceHistory("USD", daily("USD/AED 5.01", 0), "two", outranks_pegs=False)
    assert word(spoken(one), DAY, "AED") == ("the law", 0)
    assert word(spoken(one, two), DAY, "AED") == ("one", 0)
    near = SourceHistory("USD", daily("USD/AED 3.68", 0), "near", outranks_pegs=False)
    also = SourceHistory("USD", daily("USD/AED 3.67", 0), "also", outranks_pegs=False)
    assert word(spoken(near, also), DAY, "AED") == ("the law", 0)


def test_a_peg_stays_broken_on_days_on_which_one_of_the_two_is_silent() -> None:
    one = SourceHistory("USD", daily("USD/AED 5", 0, 1, 2), "one", outranks_pegs=False)
    two = SourceHistory("USD", daily("USD/AED 5.01", 0), "two", outranks_pegs=False)
    matrix = spoken(one, two)
    assert [word(matrix, DAY + number * ONE_DAY, "AED") for number in range(3)] == [("one", 0)] * 3


def test_cells_have_source_indexes_and_ages() -> None:
    matrix = spoken(
        SourceHistory("EUR", fixings("2026-03-05 EUR/USD 1.25 2026-03-06 EUR/USD 1.25 2026-03-05 EUR/JPY 180"), "ecb")
    )
    assert word(matrix, "2026-03-06", "EUR") == ("ecb", 0)
    assert word(matrix, "2026-03-08", "EUR") == ("ecb", 2)
    assert word(matrix, "2026-03-08", "JPY") == ("ecb", 3)
    assert word(matrix, "2026-03-08", "USD") == ("nobody", 0)
    assert word(matrix, "2026-03-04", "EUR") == ("nobody", 255)


@given(st.lists(st.tuples(st.sampled_from(["EUR", "SEK", "USD"]), st.sets(st.integers(0, 39), max_size=6)), max_size=4))
def test_every_cell_is_a_fixing_of_its_source_for_that_day(spoke: list[tuple[str, set[int]]]) -> None:
    """Whatever is chosen among sources, voice and age name the fixing that a cell shows."""
    pairs = {"EUR": "EUR/USD 1.25 EUR/JPY {}", "SEK": "USD/SEK 8 SEK/JPY {}", "USD": "USD/JPY {}"}
    per_dollar = {"EUR": 1 / 1.25, "SEK": 8.0, "USD": 1.0}
    first = date(1970, 1, 1)
    publications = [
        SourceHistory(
            anchor,
            [each for day in days for each in daily(pairs[anchor].format(100 + day), day, start=first)],
            str(number),
        )
        for number, (anchor, days) in enumerate(spoke)
    ]
    matrix = spoken(*publications, last=first + 39 * ONE_DAY)
    for row in range(40):
        day = first + row * ONE_DAY
        who, age = word(matrix, day, "JPY")
        if who == "nobody":
            assert all(days.isdisjoint(range(row - 14, row + 1)) for _, days in spoke)
        else:
            anchor, days = spoke[int(who)]
            assert row - age in days
            assert age <= 14
            assert matrix.cell(day, "JPY") == pytest.approx((100 + row - age) * per_dollar[anchor])


# What the law decides


def test_pegs_and_conversions_are_by_law_and_as_old_as_their_anchor() -> None:
    matrix = spoken(SourceHistory("EUR", fixings("2026-03-06 EUR/USD 1.25"), "ecb"))
    for code in ("XOF", "HRK", "BGN", "DEM"):
        assert word(matrix, "2026-03-06", code) == ("the law", 0)
        assert word(matrix, "2026-03-08", code) == ("the law", 2)
    assert word(matrix, "2026-03-08", "AED") == ("the law", 0)
    assert word(matrix, "1998-06-01", "AED") == ("the law", 0)


@pytest.mark.parametrize(
    ("publication", "who"),
    [
        (SourceHistory("EUR", list(daily("EUR/USD 1.25 EUR/AED 4.60", 0)), "heard"), "heard"),
        (SourceHistory("EUR", list(daily("EUR/USD 1.25 EUR/AED 4.60", 0)), "a", outranks_pegs=False), "the law"),
        (SourceHistory("AED", list(daily("USD/AED 3.68", 0)), "heard", outranks_pegs=False), "heard"),
    ],
)
def test_only_a_source_that_outranks_pegs_or_the_issuer_overrides_a_peg(publication: SourceHistory, who: str) -> None:
    matrix = spoken(publication)
    assert word(matrix, DAY, "AED") == (who, 0)
    assert shown(matrix, DAY, "USD", "AED") == ("3.6725" if who == "the law" else "3.68")


def test_standing_goes_with_the_source_and_not_with_its_place() -> None:
    ecb = SourceHistory("EUR", daily("EUR/USD 1.25", 0), "ecb")
    compiler = SourceHistory("EUR", daily("EUR/USD 1.25 EUR/AED 4.75", 0), "compiler", outranks_pegs=False)
    heard = SourceHistory("EUR", daily("EUR/USD 1.25 EUR/AED 4.60", 10), "heard")
    matrix = spoken(compiler, ecb, heard)
    assert word(matrix, DAY, "AED") == ("the law", 0)
    assert word(matrix, DAY + 9 * ONE_DAY, "AED") == ("the law", 0)
    assert word(matrix, DAY + 10 * ONE_DAY, "AED") == ("heard", 0)


def test_without_a_rate_of_the_pegs_anchor_any_source_is_used() -> None:
    """The franc hangs on the euro: on days without a euro a bank that publishes the franc is better than nothing."""
    fed = SourceHistory("USD", daily("USD/XOF 600", 0), "fed", outranks_pegs=False)
    assert word(spoken(fed), DAY, "XOF") == ("fed", 0)
    ecb = SourceHistory("EUR", daily("EUR/USD 1.25", 0), "ecb", outranks_pegs=False)
    assert word(spoken(fed, ecb), DAY, "XOF") == ("the law", 0)


def test_a_chain_of_pegs_and_conversions_depends_on_one_fixing() -> None:
    """The mark of Bosnia hung on the German mark, and that on the euro."""
    matrix = spoken(SourceHistory("EUR", fixings("2001-06-01 EUR/USD 0.85"), "ecb"), last=date(2001, 6, 30))
    assert word(matrix, "2001-06-03", "BAM") == ("the law", 2)
    assert shown(matrix, "2001-06-03", "EUR", "BAM") == "1.95583"


@pytest.mark.parametrize(
    ("code", "end", "rate"), [("HRK", date(2022, 12, 31), "7.5345"), ("BGN", date(2025, 12, 31), "1.95583")]
)
def test_an_ended_currency_floats_no_more_whatever_a_source_publishes(code: str, end: date, rate: str) -> None:
    lie = f"EUR/USD 1.25 EUR/{code} 9.9"
    days = range(-3, 10)
    sources = [
        SourceHistory("EUR", daily(lie, *days, start=end), "better"),
        SourceHistory(code, daily(f"USD/{code} 8 EUR/{code} 9.9", *days, start=end), "its own bank"),
        SourceHistory("USD", daily(f"USD/{code} 7", *days, start=end), "worse"),
    ]
    matrix = spoken(*sources, last=end + 20 * ONE_DAY)
    assert word(matrix, end, code) == ("its own bank", 0)
    assert shown(matrix, end, "USD", code) == "8"
    for ahead in range(1, 20):
        assert word(matrix, end + ahead * ONE_DAY, code)[0] == "the law"
        assert shown(matrix, end + ahead * ONE_DAY, "EUR", code) == rate
        assert code not in listed(matrix, end + ahead * ONE_DAY)


def test_a_conversion_wins_over_a_fixing_even_where_the_euro_has_no_rate() -> None:
    """From 1999 on the mark was a share of the euro and nothing else."""
    matrix = spoken(
        SourceHistory("EUR", fixings("1999-06-01 EUR/USD 1.04"), "ecb"),
        SourceHistory("USD", fixings("1999-06-01 USD/DEM 1.90 1999-08-02 USD/DEM 1.90"), "fed"),
        last=date(1999, 12, 31),
    )
    assert shown(matrix, "1999-06-01", "EUR", "DEM") == "1.95583"
    assert shown(matrix, "1999-08-02", "USD", "DEM") == "none"


def test_outside_its_life_a_currency_has_no_source() -> None:
    bolivar = SourceHistory("USD", fixings("2018-08-17 USD/VES 60"), "fed")
    matrix = spoken(bolivar, last=date(2018, 9, 30))
    assert word(matrix, "2018-08-19", "VES") == ("nobody", 255)
    assert word(matrix, "2018-08-20", "VES") == ("fed", 3)
    # The koruna of Czechoslovakia became two others, and is converted into neither.
    koruna = SourceHistory("USD", fixings("1993-02-05 USD/CSK 28"), "fed")
    matrix = spoken(koruna, last=date(1993, 2, 28))
    assert word(matrix, "1993-02-07", "CSK") == ("fed", 2)
    assert word(matrix, "1993-02-08", "CSK") == ("nobody", 255)


def test_between_the_two_lives_of_a_code_it_has_no_source() -> None:
    said = "2009-04-10 USD/ZWL 300 2009-04-20 USD/ZWL 361.9 2019-02-20 USD/ZWL 361.9 2019-02-22 USD/ZWL 2.5"
    matrix = spoken(SourceHistory("USD", fixings(said), "fed"), last=date(2019, 2, 28))
    assert word(matrix, "2009-04-12", "ZWL") == ("fed", 2)
    assert word(matrix, "2009-04-13", "ZWL") == ("nobody", 255)
    assert word(matrix, "2009-04-20", "ZWL") == ("nobody", 255)
    assert word(matrix, "2019-02-21", "ZWL") == ("nobody", 255)
    assert word(matrix, "2019-02-22", "ZWL") == ("fed", 0)
    # The dollars before the first of them ended with it.
    assert matrix.cell(date(2009, 4, 12), "ZWR") == 300 * 10**12
    assert isnan(matrix.cell(date(2019, 2, 22), "ZWR"))


def test_before_its_end_the_kuna_floated_and_is_not_converted_backwards() -> None:
    matrix = spoken(SourceHistory("EUR", fixings(EURO_FIXINGS), "ecb"))
    assert word(matrix, "2022-12-31", "HRK") == ("ecb", 1)
    assert word(matrix, "2022-12-29", "HRK") == ("nobody", 255)


# Cuts under the same code


@pytest.mark.parametrize(
    ("code", "cut", "before", "after"),
    [("VES", date(2021, 10, 1), "4181000", "4.181"), ("SYP", date(2026, 1, 1), "11000", "110")],
)
def test_a_fixing_that_is_carried_over_a_cut_reads_in_the_new_unit(
    code: str, cut: date, before: str, after: str
) -> None:
    source = SourceHistory("USD", daily(f"USD/{code} {before}", -2, start=cut), "source")
    home = SourceHistory(code, daily(f"USD/{code} {before}", -2, start=cut), "home")
    for matrix in (spoken(source, last=cut + 30 * ONE_DAY), spoken(home, last=cut + 30 * ONE_DAY)):
        assert shown(matrix, cut - ONE_DAY, "USD", code) == before
        assert shown(matrix, cut, "USD", code) == after
        assert shown(matrix, cut + 12 * ONE_DAY, "USD", code) == after
        assert shown(matrix, cut + 13 * ONE_DAY, "USD", code) == "none"
        assert word(matrix, cut, code) == (matrix.sources[0], 2)


def test_history_before_a_cut_stays_in_the_units_of_its_day() -> None:
    pounds = "2025-12-31 USD/SYP 11000 2026-01-01 USD/SYP 110.5"
    matrix = spoken(SourceHistory("USD", fixings(pounds), "source"))
    assert shown(matrix, "2025-12-31", "USD", "SYP") == "11000"
    assert shown(matrix, "2026-01-01", "USD", "SYP") == "110.5"


# Aliases, metals


def test_an_alias_is_its_sources_anchor_alone() -> None:
    """BRX is the real at the PTAX: what anybody else says of the real is no PTAX."""
    bcb = SourceHistory("BRL", daily("USD/BRL 5.50", 0), "bcb", alias="BRX")
    ecb = SourceHistory("EUR", daily("EUR/USD 1.25 EUR/BRL 7", -1, 0, 6, 20), "ecb")
    matrix = spoken(ecb, bcb)
    assert [word(matrix, DAY, code) for code in ("BRL", "BRX")] == [("bcb", 0), ("bcb", 0)]
    assert word(matrix, DAY - ONE_DAY, "BRL") == ("ecb", 0)
    assert word(matrix, DAY - ONE_DAY, "BRX")[0] == "nobody"
    later = DAY + 6 * ONE_DAY
    assert (word(matrix, later, "BRL"), shown(matrix, later, "USD", "BRL")) == (("ecb", 0), "5.6")
    assert (word(matrix, later, "BRX"), shown(matrix, later, "USD", "BRX")) == (("bcb", 6), "5.5")
    assert word(matrix, DAY + 20 * ONE_DAY, "BRX")[0] == "nobody"
    assert "BRX" not in spoken(ecb).codes


def test_metals_are_in_the_rate_matrix_and_never_listed() -> None:
    metals = SourceHistory("USD", daily("XAU/USD 4000 XAG/USD 50 XCU/USD 9000 XCU-3M/USD 9100", 0), "metals")
    matrix = spoken(metals)
    assert [shown(matrix, DAY, code, "USD") for code in ("XAU", "XAG", "XCU")] == ["4000", "50", "9000"]
    assert word(matrix, DAY + ONE_DAY, "XAU") == ("metals", 1)
    assert "XCU-3M" not in matrix.codes
    assert {"USD", "AED"} <= listed(matrix, DAY)
    assert {"XAU", "XAG", "XCU"}.isdisjoint(
        matrix.codes[column] for listed_set in matrix.listed_sets for column in listed_set
    )


def test_gold_by_the_gram_is_an_ounce_in_the_rate_matrix() -> None:
    """Wrong by 31.1 it would be 125 dollars, and inverted 0.00026."""
    gold = Fixing("cbr", Pair("XAU", "RUB"), DAY, Decimal(10_000), unit=GRAM)
    matrix = spoken(SourceHistory("RUB", [gold, *daily("USD/RUB 80", 0)], "cbr"))
    assert shown(matrix, DAY, "XAU", "USD") == "3887.9346"


def test_the_last_fixing_is_the_newest_of_any_source() -> None:
    ecb = SourceHistory("EUR", daily("EUR/USD 1.25", 0), "ecb")
    nbp = SourceHistory("PLN", daily("USD/PLN 4", 3), "nbp")
    assert spoken(ecb, nbp).last_fixing == spoken(nbp, ecb).last_fixing == DAY + 3 * ONE_DAY


def test_a_source_that_has_published_nothing_yet_keeps_its_place() -> None:
    matrix = spoken(SourceHistory("PLN", [], "nbp"), SourceHistory("EUR", daily("EUR/USD 1.25", 0), "ecb"))
    assert matrix.sources == ("nbp", "ecb")
    assert word(matrix, DAY, "EUR") == ("ecb", 0)
