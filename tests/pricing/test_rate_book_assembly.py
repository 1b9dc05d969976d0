from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from cambist.history.fixing import Fixing
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import plain, plain_float
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import RateBookAssembler, assemble_rate_book

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEV_DAY = datetime(2025, 12, 30, 12, tzinfo=UTC)


def published(pair: Pair, value: str, as_of: datetime = NOON) -> Quote:
    return Quote(pair, Fraction(value), Fraction(value), as_of, as_of, Origin(Derivation.PUBLISHED, ("ecb",)))


def crossed(code: str, value: str, as_of: datetime = NOON) -> Quote:
    """A currency published against the euro, as `latest_quotes` gives it."""
    origin = Origin(Derivation.CROSSED, ("ecb",), (Pair("EUR", "USD"), Pair("EUR", code)))
    return Quote(Pair("USD", code), Fraction(value), Fraction(value), as_of, as_of, origin)


def euro(as_of: datetime = NOON) -> Quote:
    return published(Pair("EUR", "USD"), "1.25", as_of)


def replace_sides(quote: Quote, value: str) -> Quote:
    return Quote(quote.pair, Fraction(value), Fraction(value), quote.as_of, quote.received_at, quote.origin)


def rate(book: QuotedBook, base: str, quote: str) -> Fraction:
    return Fraction(*exact_midpoint(RateBook.of(book), Pair(base, quote)))


def test_a_book_has_the_version_and_the_newest_market_time() -> None:
    book = assemble_rate_book(
        {"EUR": euro(), "JPY": crossed("JPY", "150", NOON - timedelta(days=1))}, 7, NOON + timedelta(days=2)
    )
    assert (book.version, book.as_of) == (7, NOON)


def test_an_empty_book_is_of_now_and_lists_what_hangs_on_the_dollar() -> None:
    book = assemble_rate_book({}, 1, NOON)
    assert book.as_of == NOON
    assert {"USD", "AED"} <= set(book.listed)
    assert not RateBook.of(book).holds("EUR")
    assert not RateBook.of(book).holds("XOF")


def test_pegs_are_added_exactly() -> None:
    book = assemble_rate_book({"EUR": euro()}, 1, NOON)
    assert rate(book, "USD", "AED") == Fraction("3.6725")
    assert rate(book, "EUR", "XOF") == Fraction("655.957")
    assert rate(book, "USD", "KYD") == Fraction(5, 6)


def test_an_ended_currency_converts_exactly() -> None:
    book = assemble_rate_book({"EUR": euro()}, 1, NOON)
    assert rate(book, "DEM", "FRF") == Fraction("6.55957") / Fraction("1.95583")
    assert rate(book, "EUR", "HRK") == Fraction("7.5345")


def test_a_chain_of_conversions_is_followed_to_its_end() -> None:
    book = assemble_rate_book({"VES": published(Pair("USD", "VES"), "200")}, 1, NOON)
    assert rate(book, "USD", "VEF") == 200 * 10**11
    assert rate(book, "USD", "VEB") == 200 * 10**14


def test_a_currency_that_was_split_is_not_in_the_book() -> None:
    book = assemble_rate_book({"CZK": crossed("CZK", "20"), "EUR": euro(), "SKK": crossed("SKK", "24")}, 1, NOON)
    assert not RateBook.of(book).holds("CSK")


def test_a_peg_yields_to_its_own_published_pair() -> None:
    book = assemble_rate_book({"EUR": euro(LEV_DAY), "BGN": crossed("BGN", "1.56464", LEV_DAY)}, 1, LEV_DAY)
    assert rate(book, "EUR", "BGN") == Fraction("1.9558")
    assert book.quotes["BGN"].origin.made is Derivation.CROSSED


def test_a_peg_holds_where_its_own_pair_is_not_published() -> None:
    assert rate(assemble_rate_book({"EUR": euro(LEV_DAY)}, 1, LEV_DAY), "EUR", "BGN") == Fraction("1.95583")


def test_a_conversion_yields_to_nothing() -> None:
    book = assemble_rate_book({"EUR": euro(), "BGN": crossed("BGN", "1.6"), "HRK": crossed("HRK", "6")}, 1, NOON)
    assert rate(book, "EUR", "BGN") == Fraction("1.95583")
    assert rate(book, "EUR", "HRK") == Fraction("7.5345")
    assert book.quotes["BGN"].origin.made is Derivation.CONVERTED


def test_a_dollar_peg_yields_to_its_own_published_pair() -> None:
    book = assemble_rate_book({"AED": published(Pair("USD", "AED"), "3.6730")}, 1, NOON)
    assert rate(book, "USD", "AED") == Fraction("3.6730")


def test_a_peg_yields_to_what_a_source_publishes_of_the_currency() -> None:
    book = assemble_rate_book({"EUR": euro(), "AED": crossed("AED", "3.6801")}, 1, NOON)
    assert rate(book, "USD", "AED") == Fraction("3.6801")


def test_rate_book_and_rate_matrix_agree_on_a_dollar_peg_that_a_third_currency_crosses() -> None:
    day = date(2026, 11, 20)
    fixings = [
        Fixing("ecb", Pair("EUR", "USD"), day, Decimal("1.25")),
        Fixing("ecb", Pair("EUR", "AED"), day, Decimal("4.6001")),
    ]
    matrix = build_rate_matrix([SourceHistory("EUR", fixings)], day, "a test")
    book = assemble_rate_book({"EUR": euro(), "AED": crossed("AED", "3.68008")}, 1, NOON)
    assert plain(rate(book, "USD", "AED")) == plain_float(matrix.cell(day, "AED"))


def test_the_living_and_current_are_listed_by_code() -> None:
    book = assemble_rate_book({"JPY": crossed("JPY", "150"), "EUR": euro()}, 1, NOON)
    assert {"AED", "EUR", "JPY", "USD", "XOF"} <= set(book.listed)
    assert list(book.listed) == sorted(set(book.listed))


def test_the_ended_are_answered_by_name_and_not_listed() -> None:
    book = assemble_rate_book({"EUR": euro()}, 1, NOON)
    for code in ("DEM", "HRK", "BGN"):
        assert RateBook.of(book).holds(code)
        assert code not in book.listed


@pytest.mark.parametrize(("behind", "listed"), [(timedelta(days=14), True), (timedelta(days=14, seconds=1), False)])
def test_what_lies_more_than_14_days_behind_the_newest_is_not_live(behind: timedelta, *, listed: bool) -> None:
    book = assemble_rate_book({"EUR": euro(), "RUB": crossed("RUB", "80", NOON - behind)}, 1, NOON + timedelta(days=60))
    over = RateBook.of(book)
    assert ("RUB" in book.listed) is over.holds("RUB") is ("RUB" in over.mids) is listed
    assert "RUB" in book.quotes
    assert "EUR" in book.listed


def test_what_hangs_on_an_old_quote_is_as_old_as_it() -> None:
    old = NOON - timedelta(days=20)
    book = assemble_rate_book({"EUR": euro(old), "JPY": crossed("JPY", "150")}, 1, NOON)
    assert book.quotes["XOF"].as_of == old
    assert "XOF" not in book.listed


def test_a_derived_quote_names_its_legs_and_its_authority() -> None:
    franc = assemble_rate_book({"EUR": euro()}, 1, NOON).quotes["XOF"].origin
    assert franc.made is Derivation.PEGGED
    assert franc.sources == ("ecb", "Central Bank of West African States")
    assert franc.legs == (Pair("EUR", "USD"), Pair("EUR", "XOF"))


def test_a_dollar_peg_rests_on_its_authority_alone() -> None:
    dirham = assemble_rate_book({"EUR": euro()}, 1, NOON).quotes["AED"].origin
    assert dirham.sources == ("Central Bank of the United Arab Emirates",)
    assert Pair("USD", "AED") in dirham.legs


def test_a_currency_converted_through_another_names_both_authorities() -> None:
    origin = assemble_rate_book({"VES": published(Pair("USD", "VES"), "200")}, 1, NOON).quotes["VEB"].origin
    assert origin.made is Derivation.CONVERTED
    assert origin.sources == ("ecb", "Central Bank of Venezuela", "Central Bank of Venezuela")
    assert origin.legs[-1] == Pair("VEF", "VEB")


def test_the_quotes_given_are_not_touched() -> None:
    quotes = {"EUR": euro(), "BGN": crossed("BGN", "1.6")}
    assemble_rate_book(quotes, 1, NOON)
    assert quotes.keys() == {"EUR", "BGN"}
    assert quotes["BGN"].mid == Fraction("1.6")


def test_one_book_after_another_is_as_if_it_were_the_first() -> None:
    assembler, later = RateBookAssembler(), NOON + timedelta(minutes=1)
    dollars = replace_sides(euro(), "1.26")
    steps: list[tuple[dict[str, Quote], datetime]] = [
        ({"EUR": euro()}, NOON),
        ({"EUR": dollars}, NOON),
        ({"EUR": dollars, "JPY": crossed("JPY", "150", later)}, later),
        ({"JPY": crossed("JPY", "151", later)}, later),
        ({"EUR": euro(LEV_DAY), "BGN": crossed("BGN", "1.56464", LEV_DAY)}, LEV_DAY),
        ({"EUR": euro(), "BGN": crossed("BGN", "1.6")}, NOON + timedelta(days=3)),
        ({}, NOON),
    ]
    for version, (quotes, now) in enumerate(steps):
        book = assembler.assemble(quotes, version, now, {}, frozenset())
        alone = assemble_rate_book(quotes, version, now)
        assert book == alone
        assert (list(book.quotes), book.listed) == (list(alone.quotes), alone.listed)


def test_a_currency_fixed_by_law_is_the_same_object_until_its_anchor_changes() -> None:
    assembler, quotes = RateBookAssembler(), {"EUR": euro()}
    first, second = (assembler.assemble(quotes, version, NOON, {}, frozenset()).quotes for version in (1, 2))
    assert {code for code in first if first[code] is not second[code]} == set()
    quotes["JPY"] = crossed("JPY", "150", NOON + timedelta(seconds=1))
    third = assembler.assemble(quotes, 3, NOON, {}, frozenset()).quotes
    assert third["XOF"] is second["XOF"]
    assert (third["AED"].as_of, third["AED"].mid) == (NOON + timedelta(seconds=1), second["AED"].mid)
