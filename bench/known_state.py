"""Measure how fast past days are answered as they were known at an edition, against today's answers.

    make bench-known

Twenty sources have thirty currencies each on the working days of ten years, beside the European Central Bank's whole
history. Then all of them correct a day, and the questions are asked as of the edition before that. *Cold* is the first
question about a day or a year, *warm* one about the same day and another currency, or with other parameters.
"""

import argparse
import datetime as dt
import http.client
import random
import tempfile
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sources.source_adapters import ADAPTERS, built_in
from cambist.sources.base import FixingAdapter, Source
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore
from load import HOST, NotMeasuredError, percentile
from servers import Cambist

SOURCES, CODES, YEARS, QUESTIONS = 20, 30, 10, 200
PATIENCE = 60.0
NOW = dt.datetime.now(dt.UTC)
LAST = NOW.date() - dt.timedelta(days=1)
FIRST = LAST - dt.timedelta(days=365 * YEARS)


def chosen_sources() -> list[Source]:
    """Return the best sources that are on, besides the European Central Bank."""
    adapters = (built_in(key) for key in ADAPTERS if key != "ecb")
    daily = (each.source for each in adapters if isinstance(each, FixingAdapter))
    return [one for one in daily if not one.disabled_reason and one.is_of_main_market and not one.alias][:SOURCES]


def codes_of(anchor: str) -> list[str]:
    """Return what a source publishes: the dollar, and other currencies that lived all the time."""
    living = (code for code, one in CURRENCIES.items() if one.lives_on(FIRST) and one.lives_on(LAST))
    others = [code for code in living if code not in (anchor, "USD")]
    return [code for code in ("USD", *random.Random(anchor).sample(others, CODES)) if code != anchor]  # noqa: S311


def fixings(source: Source, days: list[dt.date]) -> Iterator[Fixing]:
    """Yield the fixings of a source on some days; each time they are others."""
    for code in codes_of(source.anchor):
        for day in days:
            value = Decimal(str(round(1 + random.random(), 4)))  # noqa: S311  nothing secret
            yield Fixing(source.key, Pair(source.anchor, code), day, value)


def file_all(folder: Path, days: list[dt.date], note: str) -> int:
    """File a delivery of each source about some days; return how many fixings were stored."""
    store, count = SqlStore(f"sqlite:///{folder / 'cambist.db'}"), 0
    for source in chosen_sources():
        filed = store.archive.file(
            DeliveryRecord(source.key, dt.datetime.now(dt.UTC), note, note), fixings(source, days)
        )
        count += filed.added + filed.corrected
    store.close()
    data_changes(folder).notify(Topic.ARCHIVE)
    return count


class Client:
    """One keep-alive connection of the owner."""

    def __init__(self, cambist: Cambist) -> None:
        self._headers = cambist.headers
        self._connection = http.client.HTTPConnection(HOST, cambist.port, timeout=PATIENCE)

    def ask(self, path: str) -> tuple[float, str]:
        """Return the milliseconds until the answer, and its edition."""
        started = time.perf_counter()
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        took = time.perf_counter() - started
        if response.status != http.client.OK:
            raise NotMeasuredError(f"GET {path} answered {response.status}: {body[:200].decode(errors='replace')}")
        return took * 1000, response.headers["Cambist-Edition"]


def measure(client: Client, edition: str) -> dict[str, list[float]]:
    """Return the milliseconds of each kind of answer."""
    chance = random.Random(1)  # noqa: S311  nothing secret
    found: dict[str, list[float]] = {"historical cold": [], "historical warm": [], "today's matrix": []}
    found |= {"time-series cold": [], "time-series warm": []}
    bases = codes_of("EUR")[1:]
    for number in range(QUESTIONS):
        day = FIRST + dt.timedelta(days=30 + chance.randrange((LAST - FIRST).days - 60))
        base, other = chance.sample(bases, 2)
        question = f"/historical?date={day}&from=EUR&to={base}"
        found["historical cold"].append(client.ask(f"{question}&as_of={edition}")[0])
        found["historical warm"].append(client.ask(f"/historical?date={day}&from=EUR&to={other}&as_of={edition}")[0])
        found["today's matrix"].append(client.ask(question)[0])
        if number % 4 == 0:
            start = dt.date(day.year if day.year < LAST.year else day.year - 1, 1, 1)
            series = f"/time-series?start={start}&end={start + dt.timedelta(days=364)}&from=EUR&as_of={edition}"
            found["time-series cold"].append(client.ask(f"{series}&to={other}")[0])
            found["time-series warm"].append(client.ask(f"{series}&to={other}&verbose=true")[0])
    return found


def main() -> None:
    """Fill a data folder, correct it, and print the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-known-") as name:
        cambist = Cambist(Path(name) / "service", 4, pinned=False)
        with cambist.started():
            pass  # the first start imports the European Central Bank's history
        days = [FIRST + dt.timedelta(days=each) for each in range((LAST - FIRST).days + 1)]
        count = file_all(cambist.data, [day for day in days if day.weekday() < 5], "history")
        print(f"{count:,} fixings of {SOURCES} sources beside the European Central Bank's")
        with cambist.started():
            edition = Client(cambist).ask(f"/historical?date={LAST}&from=EUR&to=USD")[1]
        file_all(cambist.data, days[-40:-30], "corrections")
        with cambist.started():
            client = Client(cambist)
            newer = client.ask(f"/historical?date={LAST}&from=EUR&to=USD")[1]
            if newer == edition:
                raise NotMeasuredError("the corrections have made no edition")
            found = measure(client, edition)
        size = DataDirectory(cambist.data).matrix.stat().st_size / 1e6
    print(f"rate matrix {size:.0f} MB; edition {edition}, corrected by {newer}")
    for kind, times in found.items():
        p50, p99 = percentile(times, 50), percentile(times, 99)
        print(f"{kind:20} {len(times):4} questions   p50 {p50:7.1f} ms   p99 {p99:7.1f} ms")


if __name__ == "__main__":
    main()
