"""The questions of the workloads: paths, some of them drawn at random from all that a service can be asked."""

import datetime as dt
import itertools
import random
from collections.abc import Iterator

from cambist.pricing.crypto_pairs import is_coin_pair
from cambist.pricing.parity import parities_on
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.weights import PURITIES, UNITS
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.levels import METALS
from cambist.sandbox.market import SimulatedMarket
from cambist.sandbox.pegs import floating_on

FIRST_DAY, LAST_DAY = dt.date(1999, 1, 4), dt.date(2026, 10, 30)
MARKET = SimulatedMarket(0, COINS_BY_SIZE)  # what is quoted does not depend on the seed
SPOT, PRICES, SERIES, QUOTE = "/metals/spot", "/crypto/fetch-prices", "/time-series", "/fx/quote"
QUESTIONS = 20_000
SIDE = 20
"""Currencies on each side of a matrix."""
DAILY = "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN NOK NZD PLN SEK SGD THB TRY USD ZAR"
"""Currencies that the European Central Bank fixes every working day, and the euro."""


def currencies() -> list[str]:
    """Return the currencies that have a price today: those that float, and those that the law ties to them."""
    today = dt.datetime.now(dt.UTC).date()
    known = {*floating_on(today), *(parity.code for parity in parities_on(today))}
    return sorted(code for code in known if code in CURRENCIES and CURRENCIES[code].lives_on(today))


def coins() -> list[str]:
    """Return the coins that can be asked for."""
    return [coin for coin in COINS_BY_SIZE if coin not in CURRENCIES and coin not in METALS]


def pair_paths() -> Iterator[str]:
    """Yield paths with two random currencies or coins."""
    chance, codes = _chance("pair"), [*currencies(), *coins()[:200]]
    for _ in range(QUESTIONS):
        base, quote = chance.sample(codes, 2)
        yield f"/fetch-one?from={base}&to={quote}"


def currency_paths() -> Iterator[str]:
    """Yield paths with two random currencies."""
    chance, codes = _chance("currency"), currencies()
    for _ in range(QUESTIONS):
        base, quote = chance.sample(codes, 2)
        yield f"/fetch-one?from={base}&to={quote}"


def base_paths() -> Iterator[str]:
    """Yield a path for all rates from each currency."""
    for code in currencies():
        yield f"/fetch-all?from={code}"


def paths_of(template: str) -> Iterator[str]:
    """Yield a path for each currency that is fixed every working day; in braces is where the currency is.

    Some dialects answer with the fixings of Friday at weekends.
    """
    for code in DAILY.split():
        yield template.format(code)


def convert_paths() -> Iterator[str]:
    """Yield paths with a random amount in two random currencies."""
    chance, codes = _chance("convert"), [*currencies(), *coins()[:200]]
    for _ in range(QUESTIONS):
        base, quote = chance.sample(codes, 2)
        yield f"/convert?from={base}&to={quote}&amount={chance.randrange(1, 1_000_000) / 100}"


def matrix_paths() -> Iterator[str]:
    """Yield paths with twenty random currencies on each side."""
    chance, codes = _chance("matrix"), currencies()
    for _ in range(QUESTIONS // 10):
        bases, quotes = (",".join(chance.sample(codes, SIDE)) for _ in range(2))
        yield f"/fetch-matrix?from={bases}&to={quotes}"


def multi_paths() -> Iterator[str]:
    """Yield paths with a random currency and five others."""
    chance, codes = _chance("multi"), currencies()
    for _ in range(QUESTIONS):
        base, *quotes = chance.sample(codes, 6)
        yield f"/fetch-multi?from={base}&to={','.join(quotes)}"


def quote_paths() -> Iterator[str]:
    """Yield paths with a random pair of the dollar and currencies that float, which have a bid and an ask."""
    chance, codes = _chance("quote"), ["USD", *sorted(floating_on(dt.datetime.now(dt.UTC).date()))]
    for _ in range(QUESTIONS):
        yield f"{QUOTE}?pairs={'/'.join(chance.sample(codes, 2))}"


def metal_paths() -> Iterator[str]:
    """Yield paths with a random metal, currency, unit and purity."""
    chance, codes, units = _chance("metal"), currencies(), list(UNITS)
    for _ in range(QUESTIONS):
        metal = chance.choice(METALS)
        purity = f"&purity={chance.choice(PURITIES[metal]).code}" if PURITIES.get(metal) else ""
        yield f"{SPOT}?metal={metal}&currency={chance.choice(codes)}&unit={chance.choice(units)}{purity}"


def price_paths(pairs: int) -> Iterator[str]:
    """Yield paths with a number of random pairs of coins."""
    names, chance = [str(pair) for pair in MARKET.pairs() if is_coin_pair(pair)], _chance("prices")
    for _ in range(QUESTIONS):
        yield f"{PRICES}?pairs={','.join(chance.sample(names, pairs))}"


def days() -> Iterator[dt.date]:
    """Yield every day of the euro's reference rates, weekends included."""
    for day in range((LAST_DAY - FIRST_DAY).days + 1):
        yield FIRST_DAY + dt.timedelta(days=day)


def past_day_paths() -> Iterator[str]:
    """Yield a path for every day, each from one of the currencies that had a rate on all of them."""
    bases = itertools.cycle(("USD", "EUR", "JPY", "GBP", "CHF", "CAD", "AUD"))
    for day, base in zip(days(), bases, strict=False):
        yield f"/historical?from={base}&date={day}"


def year_paths() -> Iterator[str]:
    """Yield a path for every year that begins on one of the days."""
    for day in days():
        if (end := year_after(day)) <= LAST_DAY:
            yield f"{SERIES}?from=EUR&to=USD&start={day}&end={end}"


def paths_between(first: dt.date, last: dt.date, codes: list[str]) -> tuple[list[str], list[str]]:
    """Return paths for random days and bases, and for nearly the whole series of the euro in random currencies."""
    chance, span = _chance("history"), (last - first).days
    single, series = [], []
    for _ in range(QUESTIONS):
        day = first + dt.timedelta(days=chance.randrange(span))
        single.append(f"/historical?from={chance.choice(codes)}&date={day}")
        start, end = (dt.timedelta(days=chance.randrange(span // 10)) for _ in range(2))
        series.append(f"{SERIES}?from=EUR&to={chance.choice(codes)}&start={first + start}&end={last - end}")
    return single, series


def long_series_paths() -> Iterator[str]:
    """Yield paths for nearly all days. Each is requested once: a second request would measure the cache."""
    for day in range(64):
        yield f"{SERIES}?from=EUR&to=USD&start={FIRST_DAY}&end={LAST_DAY - dt.timedelta(days=day)}"


def year_after(day: dt.date) -> dt.date:
    """Return the same day a year later, 28 February after a leap day."""
    return day.replace(year=day.year + 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


def _chance(name: str) -> random.Random:
    """Return what draws the same questions in every run."""
    return random.Random(name)  # noqa: S311  no secret
