"""Answers over a simulated rate book have the digits of exact fractions."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest

from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.market import SimulatedMarket

AT = datetime(2026, 11, 20, 12, 0, 3, tzinfo=UTC)
NUMBER = re.compile(r'"([^"]+)":([0-9.]+)[,}]')


@pytest.fixture(scope="module")
def simulated() -> QuotedBook:
    """A rate book of exact quotes: in columns, what follows from a law by division is rounded to eighteen digits."""
    market = SimulatedMarket(0, COINS_BY_SIZE)
    return assemble_rate_book({code: market.quote(code, AT) for code in market.codes(AT.date())}, 1, AT)


@pytest.fixture
def simulated_client(make_client, simulated):
    client = make_client(clock=AT.timestamp)
    client.worker_state.apply_book(RateBook.of(simulated))
    return client


def ten_digits(value: Fraction) -> str:
    rounded = Context(prec=10, rounding=ROUND_HALF_UP).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(rounded, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def worth(book: RateBook, code: str) -> Fraction:
    if code == "USD":
        return Fraction(1)
    quote = book.quotes[code]
    mid = (quote.bid + quote.ask) / 2
    return mid if quote.pair.base == code else 1 / mid


def crosses(book: RateBook, base: str, quotes: list[str]) -> list[tuple[str, str]]:
    return [(quote, ten_digits(worth(book, base) / worth(book, quote))) for quote in quotes]


def test_all_rates_from_every_listed_currency_are_exact_to_their_digits(simulated_client, simulated):
    for base in simulated.listed:
        text = simulated_client.get(f"/fetch-all?from={base}").text
        assert NUMBER.findall(text.partition('"results":')[2])[:-1] == crosses(simulated, base, list(simulated.listed))


def test_random_rates_are_exact_to_their_digits(simulated_client, simulated):
    draw = random.Random(20261122)  # noqa: S311  it draws samples, not secrets
    codes = sorted({*simulated.quotes, "USD"})
    for _ in range(2000):
        base, quote = draw.sample(codes, 2)
        reply = simulated_client.get(f"/fetch-one?from={base}&to={quote}")
        if reply.status == 200:  # coins are not priced in metals
            found = NUMBER.findall(reply.text.partition('"result":')[2])[0]
            assert found == crosses(simulated, base, [quote])[0], (base, quote)


def test_random_matrices_are_exact_to_their_digits(simulated_client, simulated):
    draw = random.Random(20261123)  # noqa: S311  it draws samples, not secrets
    for _ in range(10):
        bases, quotes = draw.sample(simulated.listed, 20), draw.sample(simulated.listed, 20)
        text = simulated_client.get(f"/fetch-matrix?from={','.join(bases)}&to={','.join(quotes)}").text
        expected = [cross for base in bases for cross in crosses(simulated, base, quotes)]
        assert NUMBER.findall(text.partition('"matrix":')[2])[: len(expected)] == expected


def test_random_amounts_are_converted_exactly(simulated_client, simulated):
    draw = random.Random(20261124)  # noqa: S311  it draws samples, not secrets
    for _ in range(500):
        base, quote = draw.sample(simulated.listed, 2)
        places, amount = draw.randrange(7), draw.choice(["1", "100", "0.01", "12345.678"])
        text = simulated_client.get(f"/convert?from={base}&to={quote}&amount={amount}&precision={places}").text
        exact = Fraction(amount) * worth(simulated, base) / worth(simulated, quote)
        units = int(exact * 10**places + Fraction(1, 2))
        (code, converted), (_, rate) = NUMBER.findall(text.partition('"result":')[2])[:2]
        assert (code, Fraction(converted)) == (quote, Fraction(units, 10**places))
        assert rate == crosses(simulated, base, [quote])[0][1]
