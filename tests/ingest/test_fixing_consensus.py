"""The consensus on fixings: which codes are agreed on again when a source's fixings are replaced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.ingest import fixing_consensus
from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.fixing_consensus import FixingConsensus
from cambist.pricing.consensus import FRESH_FOR, Offer
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.source_kind import Pace, RateType

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def offer(source: str, price: str, pace: Pace = Pace.DAILY, code: str = "EUR") -> Offer:
    mid = Fraction(price)
    quote = Quote(Pair(code, "USD"), mid, mid, NOON, NOON, Origin(Derivation.PUBLISHED, (source,)))
    return Offer(source, quote, pace, RateType.OFFICIAL, 0)


@pytest.fixture
def consensus() -> FixingConsensus:
    return FixingConsensus(AgreedPrices())


def test_a_changed_fixing_is_agreed_on(consensus: FixingConsensus) -> None:
    for price in ("1.25", "1.26"):
        consensus.update("bank", {"EUR": offer("bank", price)}, NOON)
        assert consensus.quotes["EUR"].mid == Fraction(price)


def test_what_a_source_no_longer_fixes_is_left_to_the_others(consensus: FixingConsensus) -> None:
    consensus.update("bank", {"EUR": offer("bank", "1.25"), "GBP": offer("bank", "1.4", code="GBP")}, NOON)
    consensus.update("mint", {"EUR": offer("mint", "1.26")}, NOON)
    consensus.update("bank", {}, NOON)
    assert {code: quote.mid for code, quote in consensus.quotes.items()} == {"EUR": Fraction("1.26")}


def test_an_intraday_fixing_becomes_stale_although_it_stays_the_same(consensus: FixingConsensus) -> None:
    offers = {"EUR": offer("bank", "1.25", Pace.INTRADAY)}
    consensus.update("bank", offers, NOON)
    consensus.update("bank", offers, NOON + FRESH_FOR[Pace.INTRADAY])
    assert "EUR" in consensus.quotes
    consensus.update("bank", offers, NOON + FRESH_FOR[Pace.INTRADAY] + MINUTE)
    assert consensus.quotes == {}


def test_a_daily_fixing_that_another_source_repeats_beside_a_stale_one_is_agreed_on(consensus: FixingConsensus) -> None:
    consensus.update("bank", {"EUR": offer("bank", "1.25", Pace.INTRADAY)}, NOON)
    consensus.update("mint", {"EUR": offer("mint", "1.26")}, NOON)
    assert consensus.quotes["EUR"].mid == Fraction("1.25")
    consensus.update("mint", {"EUR": offer("mint", "1.26")}, NOON + FRESH_FOR[Pace.INTRADAY] + MINUTE)
    assert consensus.quotes["EUR"].mid == Fraction("1.26")


def test_daily_fixings_that_stay_the_same_are_not_agreed_on_again(
    consensus: FixingConsensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed, agree = [], fixing_consensus.agree

    def counted(offers, now: datetime) -> Quote | None:
        agreed.append(now)
        return agree(offers, now)

    monkeypatch.setattr(fixing_consensus, "agree", counted)
    for day in range(3):
        consensus.update("bank", {"EUR": offer("bank", "1.25")}, NOON + timedelta(days=day))
    assert agreed == [NOON]
