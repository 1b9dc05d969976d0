from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs

from cambist.history.fixing import GRAM, DeliveryRecord, Fixing
from cambist.ingest.fixing_quotes import DailyQuotes
from cambist.ingest.snapshot_builder import judging_of
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.source_kind import Pace
from cambist.storage.sql import SqlStore

FRIDAY = date(2026, 3, 6)
RECEIVED = datetime(2026, 3, 6, 18, tzinfo=UTC)
EVENING = datetime(2026, 3, 6, 20, tzinfo=UTC)
Quotes = Callable[..., dict[str, Quote]]


@pytest.fixture
def quotes(store: SqlStore, a_source) -> Quotes:
    """File lines of source, day, pair, value and nominal, and give the daily quotes of a Friday."""

    def quote(text: str, anchor: str = "USD", now: datetime = EVENING, **rest: Any) -> dict[str, Quote]:
        filed: dict[str, list[Fixing]] = {"mint": []}
        for line in text.strip().splitlines():
            *key, day, pair, value = line.split("|")[0].split()
            more = line.partition("|")[2].split()
            nominal = next((int(word) for word in more if word.isdigit()), 1)
            source = key[0] if key else "mint"
            fixing = Fixing(source, Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value), nominal)
            filed.setdefault(source, []).append(structs.replace(fixing, unit=GRAM if GRAM in more else ""))
        for source, fixings in filed.items():
            store.archive.file(DeliveryRecord(source, RECEIVED, "a test", "d"), fixings)
        sources = {key: a_source(key, anchor=anchor, **rest) for key in sorted(filed)}
        judging = judging_of(store, list(sources.values()))
        judging.update()
        return DailyQuotes(store.archive, judging, sources).all_quotes(now)

    return quote


def per_dollar(found: dict[str, Quote]) -> dict[str, Fraction]:
    return {code: found[code].worth("USD") for code in found}


def test_the_quote_of_a_source_in_dollars_is_its_fixing(quotes: Quotes) -> None:
    found = quotes("2026-03-06 USD/JPY 150\n2026-03-06 GBP/USD 1.25\n2026-03-05 USD/CZK 20")
    assert per_dollar(found) == {"JPY": 150, "GBP": Fraction(4, 5), "CZK": 20}
    assert found["GBP"].pair == Pair("GBP", "USD")


def test_a_source_in_another_currency_is_crossed_through_its_own_dollar_rate(quotes: Quotes) -> None:
    # A dollar is 20 koruny and 100 yen 12.5: a dollar is 160 yen.
    found = quotes("2026-03-06 USD/CZK 20\n2026-03-06 JPY/CZK 12.5 | 100", "CZK")
    assert per_dollar(found) == {"CZK": 20, "JPY": 160}


def test_gold_by_the_gram_is_quoted_by_the_ounce(quotes: Quotes) -> None:
    found = quotes("2026-03-06 USD/RUB 80\n2026-03-06 XAU/RUB 10000 | gram", "RUB")
    assert found["XAU"].worth("XAU") == Fraction("31.1034768") * 125


def test_a_fixing_without_a_dollar_rate_of_its_day_is_left_out(quotes: Quotes) -> None:
    found = quotes("2026-03-05 USD/CZK 20\n2026-03-06 JPY/CZK 12.5 | 100\n2026-03-05 EUR/CZK 25", "CZK")
    assert set(found) == {"CZK", "EUR"}


def test_the_newest_fixing_of_each_pair_counts(quotes: Quotes) -> None:
    found = quotes("2026-03-05 USD/JPY 149\n2026-03-06 USD/JPY 150\n2026-03-04 USD/CHF 0.8")
    assert per_dollar(found) == {"JPY": 150, "CHF": Fraction("0.8")}


def test_an_alias_has_the_rate_of_the_anchor(quotes: Quotes) -> None:
    found = quotes("2026-03-06 USD/BRL 5", "BRL", alias="BRX")
    assert (found["BRX"].pair, found["BRX"].mid) == (Pair("USD", "BRX"), 5)
    assert found["BRL"].pair == Pair("USD", "BRL")


def test_the_time_of_a_quote_is_the_market_time_in_the_sources_zone(quotes: Quotes) -> None:
    frankfurt = {"fixed_at": time(14, 15), "zone": ZoneInfo("Europe/Berlin")}
    found = quotes("2026-03-06 USD/JPY 150", **frankfurt)
    assert found["JPY"].as_of == datetime(2026, 3, 6, 13, 15, tzinfo=UTC)
    assert found["JPY"].received_at == RECEIVED


def test_a_rate_for_tomorrow_has_the_time_when_it_was_received(quotes: Quotes) -> None:
    assert quotes("2026-03-07 USD/JPY 150")["JPY"].as_of == RECEIVED


def test_monthly_sources_make_no_quotes(quotes: Quotes) -> None:
    assert quotes("2026-03-06 USD/JPY 150", pace=Pace.MONTHLY) == {}


PEGGED = "2026-03-06 EUR/USD 1.25\n2026-03-06 EUR/SAR 4.7\n2026-03-06 EUR/JPY 180"


def test_only_a_source_that_outranks_pegs_quotes_a_pegged_currency(quotes: Quotes) -> None:
    assert set(quotes(PEGGED, "EUR")) == {"EUR", "JPY"}
    assert set(quotes(PEGGED, "EUR", outranks_pegs=True)) == {"EUR", "JPY", "SAR"}


def test_a_central_bank_quotes_its_own_pegged_currency(quotes: Quotes) -> None:
    assert set(quotes("2026-03-06 USD/SAR 3.76\n2026-03-06 EUR/SAR 4.7", "SAR")) == {"SAR", "EUR"}


def test_a_peg_counts_from_its_first_day(quotes: Quotes) -> None:
    # The riyal of Qatar was tied to the dollar on 2001-07-09.
    lines = "2001-07-05 EUR/USD 0.84\n2001-07-05 EUR/QAR 3.0576"
    assert set(quotes(lines, "EUR", now=datetime(2001, 7, 8, tzinfo=UTC))) == {"EUR", "QAR"}
    assert set(quotes(lines, "EUR", now=datetime(2001, 7, 9, tzinfo=UTC))) == {"EUR"}


def test_an_ended_currency_is_not_quoted(quotes: Quotes) -> None:
    found = quotes("2026-03-06 EUR/USD 1.25\n2026-03-06 EUR/HRK 7.5\n2026-03-06 EUR/JPY 180", "EUR", outranks_pegs=True)
    assert set(found) == {"EUR", "JPY"}


def test_an_ended_currency_is_not_quoted_by_its_own_bank_either(quotes: Quotes) -> None:
    assert "HRK" not in quotes("2026-03-06 USD/HRK 7\n2026-03-06 EUR/HRK 7.5345", "HRK")
    pegged = "2026-03-06 USD/BGN 1.5\n2026-03-06 EUR/BGN 1.95583"
    assert "BGN" not in quotes(pegged, "BGN", outranks_pegs=True)
    assert "BGN" in quotes(pegged.replace("2026", "2025"), "BGN", now=datetime(2025, 3, 6, 20, tzinfo=UTC))


def test_three_month_prices_of_metals_are_quoted(quotes: Quotes) -> None:
    found = quotes("2026-03-06 XCU/USD 9600\n2026-03-06 XCU-3M/USD 9800\n2026-03-06 XAU/USD 5000")
    assert {code: quote.mid for code, quote in found.items()} == {"XCU": 9600, "XCU-3M": 9800, "XAU": 5000}


def test_an_empty_archive_makes_no_quotes(quotes: Quotes) -> None:
    assert quotes("") == {}


def test_a_tomorrow_that_is_published_already_does_not_replace_today(quotes: Quotes) -> None:
    found = quotes("2026-03-06 USD/JPY 150\n2026-03-07 USD/JPY 151")
    assert found["JPY"].mid == 150


THREE = "a 2026-03-06 USD/JPY 150.10\nb 2026-03-06 USD/JPY 150.2\nc 2026-03-06 USD/JPY {}\n" + "\n".join(
    f"{source} 2026-02-{day:02} USD/JPY 150.{day}" for source in "abc" for day in range(1, 28)
)


def test_the_votes_are_those_of_all_sources_and_who_is_far_off_has_none(quotes: Quotes) -> None:
    quote = quotes(THREE.format("15020"))["JPY"]
    assert (str(quote.bid.limit_denominator(1000)), quote.origin.sources) == ("1501/10", ("a",))
    votes = {vote.source: (round(vote.mid, 2), vote.weight) for vote in quote.origin.votes}
    assert votes == {"a": (150.1, 1.0), "b": (150.2, 1.0), "c": (15020, 0.0)}


def test_who_has_not_published_since_yesterday_has_less_weight(quotes: Quotes) -> None:
    quote = quotes("a 2026-03-05 USD/JPY 150\nb 2026-03-06 USD/JPY 150.2")["JPY"]
    assert quote.origin.sources == ("b",)
    assert {vote.source: vote.weight for vote in quote.origin.votes} == {"a": 0.5, "b": 1.0}


def test_a_peg_breaks_if_two_sources_agree_on_another_rate(quotes: Quotes) -> None:
    one = "a 2026-03-06 EUR/USD 1.25\na 2026-03-06 EUR/SAR 6.25"
    assert "SAR" not in quotes(one, "EUR")
    two = f"{one}\nb 2026-03-06 EUR/USD 1.25\nb 2026-03-06 EUR/SAR 6.26"
    assert quotes(two, "EUR")["SAR"].worth("USD") == 5


def test_a_broken_peg_stays_broken_while_one_source_has_published_a_day_and_the_other_not_yet(quotes: Quotes) -> None:
    both = "\n".join(f"{key} 2026-03-05 EUR/USD 1.25\n{key} 2026-03-05 EUR/SAR 6.25" for key in "ab")
    found = quotes(f"{both}\na 2026-03-06 EUR/USD 1.25\na 2026-03-06 EUR/SAR 6.3", "EUR")
    assert found["SAR"].worth("USD") == Fraction("6.3") / Fraction("1.25")


def test_a_held_fixing_leaves_the_quote_of_the_day_before(quotes: Quotes) -> None:
    days = "\n".join(f"2026-02-{day:02} USD/JPY 150.{day}" for day in range(1, 28))
    quote = quotes(f"{days}\n2026-03-02 USD/JPY 1.502")["JPY"]
    assert float(quote.mid) == 150.27
    assert quote.as_of.date() == date(2026, 2, 27)
