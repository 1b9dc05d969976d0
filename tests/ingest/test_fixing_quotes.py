from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cambist.history.fixing import GRAM, Fixing, Receipt
from cambist.ingest.fixing_quotes import daily_offers, offers_by_code
from cambist.pricing.consensus import Offer
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.storage.sql import SqlStore

FRIDAY = date(2026, 3, 6)
RECEIVED = datetime(2026, 3, 6, 18, tzinfo=UTC)
Offers = Callable[..., dict[str, Offer]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def offers(store: SqlStore, a_source) -> Offers:
    """File lines of day, pair, value and nominal, and give what the source offers on a Friday."""

    def offer(text: str, anchor: str = "USD", today: date = FRIDAY, **rest: Any) -> dict[str, Offer]:
        filed = []
        for line in text.strip().splitlines():
            day, pair, value, *more = line.split()
            unit = GRAM if GRAM in more else ""
            nominal = next((int(word) for word in more if word.isdigit()), 1)
            filed.append(Fixing("mint", Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value), nominal, unit))
        store.archive.file(Receipt("mint", RECEIVED, "a test", "d"), filed)
        return daily_offers(store.archive, a_source("mint", anchor=anchor, **rest), 7, today)

    return offer


def per_dollar(found: dict[str, Offer]) -> dict[str, Fraction]:
    return {code: found[code].quote.worth("USD") for code in found}


def test_the_offer_of_a_source_in_dollars_is_its_fixing(offers: Offers) -> None:
    found = offers("2026-03-06 USD/JPY 150\n2026-03-06 GBP/USD 1.25\n2026-03-05 USD/CZK 20")
    assert per_dollar(found) == {"JPY": 150, "GBP": Fraction(4, 5), "CZK": 20}
    assert found["GBP"].quote.pair == Pair("GBP", "USD")


def test_a_source_in_another_currency_is_crossed_through_its_own_dollar_rate(offers: Offers) -> None:
    # A dollar is 20 koruny and 100 yen 12.5: a dollar is 160 yen.
    found = offers("2026-03-06 USD/CZK 20\n2026-03-06 JPY/CZK 12.5 100", "CZK")
    assert per_dollar(found) == {"CZK": 20, "JPY": 160}


def test_gold_by_the_gram_is_offered_by_the_ounce(offers: Offers) -> None:
    found = offers("2026-03-06 USD/RUB 80\n2026-03-06 XAU/RUB 10000 gram", "RUB")
    assert found["XAU"].quote.worth("XAU") == Fraction("31.1034768") * 125


def test_a_fixing_without_a_dollar_rate_of_its_day_is_left_out(offers: Offers) -> None:
    found = offers("2026-03-05 USD/CZK 20\n2026-03-06 JPY/CZK 12.5 100\n2026-03-05 EUR/CZK 25", "CZK")
    assert set(found) == {"CZK", "EUR"}


def test_the_newest_fixing_of_each_pair_counts(offers: Offers) -> None:
    found = offers("2026-03-05 USD/JPY 149\n2026-03-06 USD/JPY 150\n2026-03-04 USD/CHF 0.8")
    assert per_dollar(found) == {"JPY": 150, "CHF": Fraction("0.8")}


def test_an_offer_has_the_rank_and_kind_of_its_source(offers: Offers) -> None:
    found = offers(
        "2026-03-06 USD/JPY 150", pace=Pace.INTRADAY, rate_type=RateType.PARALLEL, compiled=True, today=FRIDAY
    )
    (offer,) = found.values()
    assert (offer.source, offer.pace, offer.rate_type, offer.compiled) == (
        "mint",
        Pace.INTRADAY,
        RateType.PARALLEL,
        True,
    )
    assert offer.rank == 7


def test_a_central_bank_is_ranked_best_for_its_own_currency(offers: Offers) -> None:
    found = offers("2026-03-06 USD/BRL 5\n2026-03-06 EUR/BRL 6", "BRL", alias="BRX")
    assert {code: offer.rank for code, offer in found.items()} == {"BRL": -1, "BRX": -1, "EUR": 7}


def test_an_alias_has_the_rate_of_the_anchor(offers: Offers) -> None:
    found = offers("2026-03-06 USD/BRL 5", "BRL", alias="BRX")
    assert (found["BRX"].quote.pair, found["BRX"].quote.mid) == (Pair("USD", "BRX"), 5)
    assert found["BRL"].quote.pair == Pair("USD", "BRL")


def test_the_time_of_an_offer_is_the_market_time_in_the_sources_zone(offers: Offers) -> None:
    frankfurt = {"fixed_at": time(14, 15), "zone": ZoneInfo("Europe/Berlin")}
    found = offers("2026-03-06 USD/JPY 150", **frankfurt)
    assert found["JPY"].quote.as_of == datetime(2026, 3, 6, 13, 15, tzinfo=UTC)
    assert found["JPY"].quote.received_at == RECEIVED


def test_a_rate_for_tomorrow_has_the_time_when_it_was_received(offers: Offers) -> None:
    assert offers("2026-03-07 USD/JPY 150")["JPY"].quote.as_of == RECEIVED


def test_monthly_sources_make_no_offers(offers: Offers) -> None:
    assert offers("2026-03-06 USD/JPY 150", pace=Pace.MONTHLY) == {}


PEGGED = "2026-03-06 EUR/USD 1.25\n2026-03-06 EUR/SAR 4.7\n2026-03-06 EUR/JPY 180"


def test_only_a_source_that_outranks_pegs_offers_a_pegged_currency(offers: Offers) -> None:
    assert set(offers(PEGGED, "EUR")) == {"EUR", "JPY"}
    assert set(offers(PEGGED, "EUR", outranks_pegs=True)) == {"EUR", "JPY", "SAR"}


def test_a_central_bank_offers_its_own_pegged_currency(offers: Offers) -> None:
    assert set(offers("2026-03-06 USD/SAR 3.76\n2026-03-06 EUR/SAR 4.7", "SAR")) == {"SAR", "EUR"}


def test_a_peg_counts_from_its_first_day(offers: Offers) -> None:
    # The riyal of Qatar was tied to the dollar on 2001-07-09.
    lines = "2001-07-05 EUR/USD 0.84\n2001-07-05 EUR/QAR 3.0576"
    assert set(offers(lines, "EUR", today=date(2001, 7, 8))) == {"EUR", "QAR"}
    assert set(offers(lines, "EUR", today=date(2001, 7, 9))) == {"EUR"}


def test_an_ended_currency_is_not_offered(offers: Offers) -> None:
    found = offers("2026-03-06 EUR/USD 1.25\n2026-03-06 EUR/HRK 7.5\n2026-03-06 EUR/JPY 180", "EUR", outranks_pegs=True)
    assert set(found) == {"EUR", "JPY"}


def test_three_month_prices_of_metals_are_offered(offers: Offers) -> None:
    found = offers("2026-03-06 XCU/USD 9600\n2026-03-06 XCU-3M/USD 9800\n2026-03-06 XAU/USD 5000")
    assert {code: offer.quote.mid for code, offer in found.items()} == {"XCU": 9600, "XCU-3M": 9800, "XAU": 5000}


def test_an_empty_archive_makes_no_offers(offers: Offers) -> None:
    assert offers("") == {}


def test_offers_are_grouped_by_code(offers: Offers) -> None:
    found = offers("2026-03-06 USD/JPY 150\n2026-03-06 GBP/USD 1.25")
    yen, pound = found["JPY"], found["GBP"]
    assert offers_by_code([{"JPY": yen, "GBP": pound}, {}, {"JPY": yen}]) == {"JPY": [yen, yen], "GBP": [pound]}
    assert offers_by_code([]) == {}
