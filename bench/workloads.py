"""The workloads: what is requested, and the targets."""

import datetime as dt
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cambist.pricing.crypto_pairs import is_coin_pair
from cambist.reference.tables import CURRENCIES
from cambist.reference.weights import PURITIES, UNITS
from cambist.registry.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.levels import METALS
from cambist.sandbox.market import SimulatedMarket

FIRST_DAY, LAST_DAY = dt.date(1999, 1, 4), dt.date(2026, 10, 30)
MARKET = SimulatedMarket(0, COINS_BY_SIZE)  # what is quoted does not depend on the seed
SPOT, PRICES, QUESTIONS = "/metals/spot", "/crypto/fetch-prices", 20_000


@dataclass(frozen=True)
class Target:
    """A minimum for a ratio or for answers a second, or a maximum for a median in ms."""

    of: Literal["ratio", "answers", "p50"]
    limit: float

    def reached(self, figure: float) -> bool:
        """Return whether a figure reaches the target."""
        return figure < self.limit if self.of == "p50" else figure >= self.limit

    def __str__(self) -> str:
        return {
            "ratio": f"≥ {self.limit}",
            "answers": f"≥ {self.limit:,.0f}/s",
            "p50": f"< {self.limit:g} ms",
        }[self.of]


@dataclass(frozen=True)
class Workload:
    """One kind of request: its paths, and `shown` as the table has it."""

    name: str
    shown: str
    paths: tuple[str, ...]
    target: Target | None = None
    key_in_query: bool = False
    is_sequential: bool = False
    of_sandbox: bool = False


def _days() -> Iterator[dt.date]:
    """Yield every day of the euro's reference rates, weekends included."""
    for day in range((LAST_DAY - FIRST_DAY).days + 1):
        yield FIRST_DAY + dt.timedelta(days=day)


def _year_after(day: dt.date) -> dt.date:
    """Return the same day a year later, 28 February after a leap day."""
    return day.replace(year=day.year + 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


def _metal_paths() -> Iterator[str]:
    """Yield a path for every metal, in every currency that is quoted, by every unit and purity."""
    quoted = MARKET.codes(dt.datetime.now(dt.UTC).date())
    currencies = [code for code in quoted if code in CURRENCIES]
    for metal, currency, unit in itertools.product(METALS, currencies, UNITS):
        for purity in PURITIES.get(metal, ()):
            yield f"{SPOT}?metal={metal}&currency={currency}&unit={unit}&purity={purity.code}"
        if metal not in PURITIES:
            yield f"{SPOT}?metal={metal}&currency={currency}&unit={unit}"


def _price_paths(pairs: int) -> Iterator[str]:
    """Yield paths with a number of random pairs."""
    pair_list = [str(pair) for pair in MARKET.pairs() if is_coin_pair(pair)]
    chance = random.Random(pairs)  # noqa: S311 - the same pairs in every run, no secret
    for _ in range(QUESTIONS):
        yield f"{PRICES}?pairs={','.join(chance.sample(pair_list, pairs))}"


PAIR, ALL = "/fetch-one?from=EUR&to=USD", "/fetch-all?from=USD"
SERIES = "/time-series?from=EUR&to=USD"
PAST_DAYS = tuple(f"/historical?from=USD&date={day}" for day in _days())
YEARS = tuple(f"{SERIES}&start={day}&end={_year_after(day)}" for day in _days() if _year_after(day) <= LAST_DAY)
LONG_SERIES = tuple(f"{SERIES}&start={FIRST_DAY}&end={LAST_DAY - dt.timedelta(days=day)}" for day in range(64))
"""Each is requested once: a second request would measure the cache."""
GRAM, TWO = f"{SPOT}?currency=EUR&unit=gram&purity=750", f"{PRICES}?pairs=BTC/USD,ETH/BTC"

WORKLOADS = (
    Workload("W1", PAIR, (PAIR,), Target("ratio", 0.65)),
    Workload("W1Q", f"{PAIR}&api_key=…", (PAIR,), key_in_query=True),
    Workload("W2", ALL, (ALL,), Target("ratio", 0.65)),
    Workload("W3", "/historical?from=USD&date=<random>", PAST_DAYS, Target("ratio", 0.35)),
    Workload("W4", f"{SERIES}&start=<random>&end=<+1 year>", YEARS, Target("answers", 5000)),
    Workload("W5", f"{SERIES}&start={FIRST_DAY}&end=<each>", LONG_SERIES, Target("p50", 8), is_sequential=True),
    Workload("M1", GRAM, (GRAM,), Target("ratio", 0.6), of_sandbox=True),
    Workload("M2", f"{SPOT}?metal=<random>&currency=…", tuple(_metal_paths()), of_sandbox=True),
    Workload("C1", TWO, (TWO,), Target("ratio", 0.6), of_sandbox=True),
    Workload("C2", f"{PRICES}?pairs=<two random>", tuple(_price_paths(2)), of_sandbox=True),
    Workload("C3", f"{PRICES}?pairs=<ten random>", tuple(_price_paths(10)), of_sandbox=True),
)
