from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isnan

import pytest

from cambist.history.build import Publication, build
from cambist.history.fixing import Fixing
from cambist.history.image import RateImage
from cambist.market.pair import Pair
from cambist.market.precision import plain, plain_float

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


def built(*publications: tuple[str, Iterable[Fixing]], last: date = LAST) -> RateImage:
    return build([Publication(anchor, list(given)) for anchor, given in publications], last, "a test")


def shown(image: RateImage, day: date | str, base: str, quote: str) -> str:
    day = date.fromisoformat(day) if isinstance(day, str) else day
    value = image.cell(day, quote) / image.cell(day, base)
    return "none" if isnan(value) else plain_float(value)


def listed(image: RateImage, day: date) -> set[str]:
    return {image.codes[column] for column in image.eras[image.era_of_day[image.row(day)]]}


@pytest.fixture(scope="module")
def image() -> RateImage:
    return built(("EUR", fixings(EURO_FIXINGS)))


def test_what_was_published_reads_as_it_was_published(image: RateImage) -> None:
    assert shown(image, DAY, "EUR", "USD") == "1.25"
    assert shown(image, DAY, "EUR", "JPY") == "180"
    assert shown(image, DAY, "USD", "JPY") == "144"


def test_a_cell_is_what_one_dollar_buys(image: RateImage) -> None:
    assert image.cell(DAY, "EUR") == 0.8
    assert image.cell(DAY, "JPY") == 144
    assert image.cell(DAY, "USD") == 1


def test_the_image_says_what_it_was_built_from_and_how_far_it_reaches(image: RateImage) -> None:
    assert (image.revision, image.first_day, image.last_day, image.last_fixing) == (
        "a test",
        date(1970, 1, 1),
        LAST,
        DAY,
    )


def test_the_dollar_is_there_on_every_day(image: RateImage) -> None:
    assert image.span("USD") == (date(1970, 1, 1), LAST)


def test_a_fixing_is_carried_fourteen_days_and_not_a_day_more(image: RateImage) -> None:
    assert shown(image, DAY - ONE_DAY, "EUR", "JPY") == "none"
    assert shown(image, DAY + 14 * ONE_DAY, "EUR", "JPY") == "180"
    assert shown(image, DAY + 15 * ONE_DAY, "EUR", "JPY") == "none"


def test_the_rouble_reads_fourteen_days_after_its_last_fixing_and_not_a_day_more(image: RateImage) -> None:
    assert shown(image, "2022-03-15", "EUR", "RUB") == "117.201"
    assert shown(image, "2022-03-15", "EUR", "USD") == "1.096"
    assert shown(image, "2022-03-16", "EUR", "RUB") == "none"


def test_what_is_carried_is_the_rate_published_and_not_its_cross(image: RateImage) -> None:
    assert shown(image, "2022-03-14", "USD", "RUB") == plain(Fraction("117.201") / Fraction("1.0960"))


def test_a_source_that_quotes_foreign_money_per_hundred_in_its_own_is_turned_around() -> None:
    zloty = [
        Fixing("nbp", Pair("USD", "PLN"), DAY, Decimal("4.0")),
        Fixing("nbp", Pair("JPY", "PLN"), DAY, Decimal("2.5"), 100),
    ]
    image = built(("PLN", zloty))
    assert shown(image, DAY, "USD", "PLN") == "4"
    assert shown(image, DAY, "JPY", "PLN") == "0.025"
    assert shown(image, DAY, "USD", "JPY") == "160"


def test_a_nominal_counts_in_the_sources_direction_too() -> None:
    image = built(("EUR", [*fixings("2026-03-02 EUR/USD 1.25"), *fixings("2026-03-02 EUR/JPY 18000", 100)]))
    assert shown(image, DAY, "EUR", "JPY") == "180"


def test_a_swapped_direction_gives_the_same_rate() -> None:
    straight = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/GBP 0.8")))
    swapped = built(("EUR", fixings("2026-03-02 USD/EUR 0.8 2026-03-02 GBP/EUR 1.25")))
    for base, quote in (("EUR", "USD"), ("GBP", "USD"), ("EUR", "GBP"), ("GBP", "EUR")):
        assert shown(straight, DAY, base, quote) == shown(swapped, DAY, base, quote)


def test_a_source_without_the_pivot_adds_nothing() -> None:
    image = built(("EUR", fixings("2026-03-02 EUR/JPY 180")))
    assert "JPY" not in image.codes
    assert "EUR" not in image.codes


def test_a_code_that_no_table_knows_is_left_out() -> None:
    image = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/ZZZ 7")))
    assert "ZZZ" not in image.codes


def test_a_fixing_after_the_last_day_is_left_out() -> None:
    image = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-04 EUR/USD 1.5")), last=DAY + ONE_DAY)
    assert shown(image, DAY + ONE_DAY, "EUR", "USD") == "1.25"


BETTER = "2026-03-02 EUR/USD 1.25 2026-03-02 EUR/GBP 0.80"
WORSE = "2026-03-01 EUR/USD 1.20 2026-03-01 EUR/GBP 0.90 2026-03-03 EUR/USD 1.20 2026-03-03 EUR/GBP 0.90"


def test_the_better_source_is_read_where_it_has_a_rate_and_the_other_where_it_has_none() -> None:
    image = built(("EUR", fixings(BETTER)), ("EUR", fixings(f"{WORSE} 2026-03-03 EUR/SEK 11")))
    assert shown(image, "2026-03-01", "EUR", "GBP") == "0.9"
    assert shown(image, DAY, "EUR", "GBP") == "0.8"
    assert shown(image, "2026-03-03", "EUR", "GBP") == "0.8"
    assert shown(image, DAY + 14 * ONE_DAY, "EUR", "GBP") == "0.8"
    assert shown(image, DAY + 15 * ONE_DAY, "EUR", "GBP") == "0.9"
    assert shown(image, "2026-03-03", "USD", "SEK") == plain(Fraction(11) / Fraction("1.20"))
    assert shown(built(("EUR", fixings(WORSE)), ("EUR", fixings(BETTER))), "2026-03-03", "EUR", "GBP") == "0.9"


def test_sources_of_two_anchors_meet_in_the_dollar() -> None:
    zloty = fixings("2026-03-02 USD/PLN 4 2026-03-02 CZK/PLN 0.2")
    image = built(("EUR", fixings("2026-03-02 EUR/USD 1.25")), ("PLN", zloty))
    assert shown(image, DAY, "EUR", "PLN") == "5"
    assert shown(image, DAY, "EUR", "CZK") == "25"


def test_a_currency_has_no_market_before_its_first_day() -> None:
    image = built(("EUR", fixings("2018-08-17 EUR/USD 1.25 2018-08-17 EUR/VES 75")), last=date(2018, 9, 30))
    assert shown(image, "2018-08-19", "EUR", "VES") == "none"
    assert shown(image, "2018-08-20", "EUR", "VES") == "75"


def test_a_currency_has_no_market_after_its_last_day(image: RateImage) -> None:
    assert shown(image, "2018-08-19", "EUR", "VEF") == "282000"
    assert shown(image, "2018-08-20", "EUR", "VEF") == "none"


def test_the_lev_reads_as_published_until_its_end_and_then_at_its_fixed_rate(image: RateImage) -> None:
    assert shown(image, "2025-12-31", "EUR", "BGN") == "1.9558"
    assert shown(image, "2026-01-01", "EUR", "BGN") == "1.95583"
    assert shown(image, "2026-01-05", "EUR", "BGN") == "1.95583"
    assert shown(image, DAY, "EUR", "BGN") == "1.95583"


def test_where_its_own_pair_is_not_published_a_peg_holds(image: RateImage) -> None:
    assert shown(image, "2022-03-01", "EUR", "BGN") == "1.95583"
    assert shown(image, DAY, "USD", "AED") == "3.6725"


def test_a_peg_yields_to_what_a_source_publishes_of_the_currency_and_stands_again_after_it() -> None:
    image = built(("EUR", fixings("2026-03-02 EUR/USD 1.25 2026-03-02 EUR/AED 4.6001")))
    assert shown(image, DAY, "USD", "AED") == "3.68008"
    assert shown(image, DAY - ONE_DAY, "USD", "AED") == "3.6725"


@pytest.mark.parametrize("fixing", ["USD/AED 3.6730", "AED/USD 0.272257010618023414"])
def test_a_dollar_peg_yields_to_its_own_published_pair_either_way_round(fixing: str) -> None:
    image = built(("USD", fixings(f"2026-03-02 {fixing}")))
    assert shown(image, DAY, "USD", "AED") == "3.673"
    assert shown(image, DAY - ONE_DAY, "USD", "AED") == "3.6725"


def test_a_conversion_yields_to_nothing(image: RateImage) -> None:
    assert shown(image, "2022-12-31", "EUR", "HRK") == "7.5365"
    assert shown(image, "2023-01-01", "EUR", "HRK") == "7.5345"
    assert shown(image, "2023-01-02", "EUR", "HRK") == "7.5345"


def test_a_conversion_wins_over_a_fixing_while_the_old_money_still_lives() -> None:
    marks = fixings("2001-12-31 EUR/USD 0.8813 2001-12-31 EUR/DEM 1.9600")
    assert shown(built(("EUR", marks), last=date(2002, 1, 31)), "2001-12-31", "EUR", "DEM") == "1.95583"


def test_ended_currencies_cross_at_their_fixed_rates(image: RateImage) -> None:
    assert shown(image, DAY, "DEM", "FRF") == plain(Fraction("6.55957") / Fraction("1.95583"))
    assert shown(image, DAY, "EUR", "XOF") == "655.957"


def test_an_old_bolivar_follows_its_successors_through_the_cut_of_2021() -> None:
    bolivars = fixings(
        "2021-09-30 EUR/USD 1.25 2021-09-30 EUR/VES 5000000 2021-10-01 EUR/USD 1.25 2021-10-01 EUR/VES 5"
    )
    image = built(("EUR", bolivars), last=date(2021, 10, 31))
    assert shown(image, "2021-09-30", "VES", "VEF") == "100000"
    assert shown(image, "2021-10-01", "VES", "VEF") == "100000000000"
    assert shown(image, "2021-09-30", "EUR", "VEB") == shown(image, "2021-10-01", "EUR", "VEB")


def test_a_fixing_is_not_carried_into_a_new_unit_under_the_same_code() -> None:
    """Venezuela cut six zeros on 2021-10-01: an older fixing reads in new bolívares after it, or not at all."""
    image = built(
        ("EUR", fixings("2021-09-30 EUR/USD 1.25 2021-09-30 EUR/VES 5000000 2021-10-04 EUR/USD 1.25")),
        last=date(2021, 10, 31),
    )
    assert shown(image, "2021-09-30", "EUR", "VES") == "5000000"
    assert shown(image, "2021-10-04", "EUR", "VES") in {"none", "5"}


def test_a_day_lists_who_lives_on_it_and_has_a_rate(image: RateImage) -> None:
    assert {"EUR", "USD", "DEM", "FRF", "AED"} <= listed(image, date(2001, 12, 31))
    assert {"DEM", "FRF"}.isdisjoint(listed(image, date(2002, 1, 1)))
    assert "HRK" in listed(image, date(2022, 12, 31))
    assert "HRK" not in listed(image, date(2023, 1, 1))
    assert "RUB" in listed(image, date(2022, 3, 15))
    assert "RUB" not in listed(image, date(2022, 3, 16))


def test_days_that_list_the_same_share_an_era(image: RateImage) -> None:
    assert len(set(image.eras)) == len(image.eras)
    assert image.era_of_day[image.row(DAY)] == image.era_of_day[image.row(DAY + ONE_DAY)]
    assert len(image.era_of_day) == (LAST - date(1970, 1, 1)).days + 1


def test_without_anything_published_only_the_dollar_and_its_pegs_are_there() -> None:
    image = build([], date(2026, 3, 2), "a test")
    assert shown(image, DAY, "USD", "AED") == "3.6725"
    assert "EUR" not in image.codes
    assert "XOF" not in image.codes
