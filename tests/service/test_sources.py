"""The whole service with sources that are played on a loopback port: it gathers, it goes on when its parts are killed,
and whatever a source does, the answers stay right.

The tests share one service and go in their order: each begins with what the one before has left.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port
from websockets.sync.client import ClientConnection, connect

from cambist.pricing.rate_book import RateBook
from cambist.sources.adapters import ADAPTERS
from cambist.storage.shared.rate_book_file import RateBookFile

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PLAYER = Path(__file__).parent.parent / "loopback" / "play.py"
RECORDED = Path(__file__).parents[2].parent / "shared" / "payloads"
IS_RECORDED = RECORDED.is_dir()
"""Whether the real recordings are here; of the small files, which stand in for them, less is heard."""

"""Seconds; on a machine of its own each thing takes less than ten."""

STOP_SECONDS = 20
PER_DOLLAR = {"EUR": 1 / 1.1555, "GBP": 0.86438 / 1.1555, "JPY": 183.46 / 1.1555, "CHF": 0.9096 / 1.1555}
"""From the ECB's rates of 2026-03-20, on which the simulated prices are based."""

FAULTS = (
    *("garbage", "reset", "429", "html", "truncated", "500", "empty", "slow"),
    *("redirect", "stale", "future", "latency", "huge"),
)
"""What rounds of all sources go through; what they do to a rate itself has a test of its own."""

OFFICIAL = (
    *("boc", "boe", "boi", "bnr", "cnb", "cbr", "fed", "mnb", "nbg", "nbp", "nbu", "norges", "rba", "riksbank", "tcmb"),
    *("bdi", "ecb", "boj", "hkma", "bcb"),
)
CLOSED = {"bbk", "boc_noon"}
"""Sources that have nothing of today, and are asked for their past alone."""

VENUES = ("kraken", "coinbase", "bitstamp", "okx", "binance")
PLAYED = {
    *(*OFFICIAL, *CLOSED, *VENUES, "bis", "imf", "fred", "fbil", "inforeuro", "fawazahmed0", "openexchangerates"),
    *("westmetall", "lbma", "swissquote", "twelvedata", "sina"),
}
"""The sources that `tests/loopback` plays; the others are off."""

EVERY_SOURCE = {
    "CAMBIST_FEEDS_ON": "imf,fbil,lbma,westmetall,swissquote,sina",
    "CAMBIST_FEEDS_OFF": ",".join(sorted(set(ADAPTERS) - PLAYED)),
    "CAMBIST_FRED_KEY": "a-key",
    "CAMBIST_OPENEXCHANGERATES_KEY": "a-key",
    "CAMBIST_TWELVEDATA_KEY": "a-key",
}


def exchange(port: int, method: str, target: str, body: str = "", **headers: str) -> tuple[int, Any]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, target, body or None, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


@dataclass
class SimulatedSources:
    """The sources as they are played."""

    port: int

    def told(self) -> dict[str, Any]:
        return exchange(self.port, "GET", "/control")[1]

    @property
    def requests(self) -> Counter[str]:
        return Counter(self.told()["requests"])

    def fault(self, source: str, fault: str | None, seconds: float = 1) -> None:
        said = json.dumps({"source": source, "fault": fault, "seconds": seconds})
        status, told = exchange(self.port, "POST", "/control", said)
        assert status == 200, told


@dataclass
class Listener:
    """A client of the stream."""

    socket: ClientConnection

    def say(self, **fields: Any) -> None:
        self.socket.send(json.dumps(fields))

    def told(self, op: str) -> dict[str, Any]:
        """Give the next frame of that kind, which for a status is asked for."""
        if op == "status":
            time.sleep(0.1)  # more than twenty frames a second are too many
            self.say(op=op)
        while (frame := json.loads(self.socket.recv(PATIENCE)))["op"] != op:
            assert frame["status" if "status" in frame else "op"] in {200, "price"}, frame
        return dict(frame)

    def silent_for(self, seconds: float) -> bool:
        try:
            self.socket.recv(seconds)
        except TimeoutError:
            return True
        return False


@dataclass
class Service:
    """A service that polls the simulated sources."""

    process: subprocess.Popen[bytes]
    simulated_sources: SimulatedSources
    port: int
    data: Path
    log: Path
    stream_port: int = 0
    book_file: RateBookFile | None = None

    def get(self, target: str) -> tuple[int, Any]:
        key = (self.data / "owner.key").read_text().strip()
        return exchange(self.port, "GET", target, **{"X-API-Key": key})

    def answers(self) -> bool:
        try:
            return self.get("/currencies")[0] == 200
        except OSError:
            return False

    @property
    def book(self) -> RateBook:
        self.book_file = self.book_file or RateBookFile(self.data)
        book = self.book_file.current_with_votes()
        assert book is not None
        return book

    @contextlib.contextmanager
    def listening(self, *pairs: str) -> Iterator[Listener]:
        """Listen to pairs through the stream."""
        key = (self.data / "owner.key").read_text().strip()
        with connect(f"ws://127.0.0.1:{self.stream_port}", compression=None) as socket:
            listener = Listener(socket)
            listener.say(op="auth", key=key)
            listener.say(op="subscribe", stream="fx", pairs=pairs)
            yield listener

    def archived(self) -> list[tuple[object, ...]]:
        """Give every fixing that is on file, in the order in which it came."""
        return self.archived_with_deliveries()[0]

    def archived_with_deliveries(self) -> tuple[list[tuple[object, ...]], dict[int, int]]:
        """Give every fixing, and by delivery how many it says that there were, both of one moment."""
        with closing(sqlite3.connect(self.data / "cambist.db", timeout=20)) as database:
            database.execute("BEGIN")
            fixings = database.execute(
                "SELECT s.source, s.base, s.quote, s.unit, f.day, f.delivery_id, f.nominal, f.value FROM fixings f "
                "JOIN series s ON s.id = f.series_id ORDER BY s.id, f.day, f.delivery_id"
            ).fetchall()
            return fixings, dict(database.execute("SELECT id, added + corrected FROM deliveries"))

    def asked(self, question: str) -> Any:
        with closing(sqlite3.connect(self.data / "cambist.db", timeout=20)) as database:
            return database.execute(question).fetchone()[0]

    def ingest_process(self) -> int | None:
        """Return the id of the ingest process: the one that has a child process, the archive worker."""
        return next((child for child in spawned(self.process.pid) if spawned(child)), None)

    def archive_worker(self) -> int | None:
        ingest_process = self.ingest_process()
        return next(iter(spawned(ingest_process)), None) if ingest_process else None

    def newest(self, source: str, base: str, quote: str) -> float:
        """Give the value of a source's newest fixing of a pair, as it was corrected last."""
        pair = f"WHERE s.source = '{source}' AND s.base = '{base}' AND s.quote = '{quote}'"
        newest = f"{pair} ORDER BY f.day DESC, f.delivery_id DESC LIMIT 1"
        return float(self.asked(f"SELECT f.value FROM fixings f JOIN series s ON s.id = f.series_id {newest}"))  # noqa: S608

    def ask_all_again(self, sources: list[str]) -> None:
        """Have sources asked now, and wait until what they sent is dealt with."""
        asked = self.simulated_sources.requests
        self.start_gathering_anew()
        assert until(
            lambda: all(self.simulated_sources.requests[source] > asked[source] for source in sources), PATIENCE
        )
        # One source is asked on and on for minutes; the others are done when nothing of them comes any more.
        of_others = "SELECT count(*) FROM deliveries WHERE source NOT IN ('bis', 'fed', 'bdi', 'tcmb')"
        filed = -1
        while filed != (filed := self.asked(of_others)):
            time.sleep(1.5)

    def start_gathering_anew(self) -> None:
        """Kill the ingest process: its successor polls every source at once."""
        killed = self.ingest_process()
        assert killed
        os.kill(killed, signal.SIGKILL)
        assert until(lambda: self.ingest_process() not in (None, killed), PATIENCE), self.log.read_text()[-3000:]


def spawned(process: int) -> list[int]:
    """Return the Python processes that a process has started, without the resource tracker."""
    found = set()
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= {int(number) for number in path.read_text().split()}
    return sorted(child for child in found if b"resource_tracker" not in command_line(child))


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="module")
def simulated_sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedSources]:
    ready = tmp_path_factory.mktemp("sources") / "port"
    arguments = ["--ready", str(ready), "--for", "900", "--rate", "150"]
    process = subprocess.Popen([sys.executable, str(PLAYER), *arguments])
    with ended_in_the_end(process):
        assert until(lambda: ready.exists() or process.poll() is not None, PATIENCE)
        yield SimulatedSources(int(ready.read_text()))


@pytest.fixture(scope="module")
def service(simulated_sources: SimulatedSources, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("sources")
    port, data, log = free_port(), folder / "data", folder / "log"
    asking = environment(**EVERY_SOURCE, CAMBIST_GATEWAY=f"http://127.0.0.1:{simulated_sources.port}")
    stream_port = free_port()
    arguments = [
        "--data",
        str(data),
        "--port",
        str(port),
        "--workers",
        "1",
        "--threads",
        "2",
        "--stream-port",
        str(stream_port),
    ]
    with log.open("wb") as to:
        process = subprocess.Popen([COMMAND, "serve", *arguments], stdout=to, stderr=to, env=asking)
    with ended_in_the_end(process):
        started = Service(process, simulated_sources, port, data, log, stream_port)
        assert until(lambda: process.poll() is not None or started.answers(), PATIENCE), log.read_text()
        yield started


def assert_right(service: Service) -> None:
    """See that currencies that everyone publishes and venues deal are answered as they are played."""
    for code, units in PER_DOLLAR.items():
        status, told = service.get(f"/fetch-one?from=USD&to={code}")
        assert status == 200, told
        assert told["result"][code] == pytest.approx(units, rel=0.02), code


def assert_nothing_is_doubled_or_lost(service: Service, before: list[tuple[object, ...]]) -> None:
    """See that what was on file is still there as it was, and that nothing is filed twice or by half."""
    assert service.asked("PRAGMA integrity_check") == "ok"
    after, deliveries = service.archived_with_deliveries()
    assert not set(before) - set(after)
    for (*earlier, _, nominal, value), (*later, _, new_nominal, new_value) in pairwise(after):
        # A second fixing of a day is a correction: it says something else than the one before.
        assert earlier != later or (nominal, value) != (new_nominal, new_value), later
    filed = Counter(row[5] for row in after)
    assert {delivery: count for delivery, count in deliveries.items() if count} == filed


def heard(book: RateBook) -> set[str]:
    """Give the sources whose word is in a book, also where another's was taken."""
    quotes = [*book.quotes.values(), *book.pairs.values()]
    voted = {vote.source for quote in quotes for vote in quote.origin.votes}
    return voted | {source for quote in quotes for source in quote.origin.sources}


def newest_word(book: RateBook, source: str) -> datetime:
    """Return the time of the newest quote of a traded pair."""
    votes = (vote for quote in book.pairs.values() for vote in quote.origin.votes)
    return max((vote.as_of for vote in votes if vote.source == source), default=datetime.min.replace(tzinfo=UTC))


def test_soon_after_a_start_the_book_has_fixings_of_many_sources(service: Service) -> None:
    expected = 12 if IS_RECORDED else 6
    # The first answers of all sources are read one after another, which takes long on a busy machine.
    assert until(lambda: len(heard(service.book) & set(OFFICIAL)) >= expected, 2 * PATIENCE), heard(service.book)
    assert until(lambda: len(service.book.listed) > (130 if IS_RECORDED else 70), PATIENCE), service.book.listed


def test_soon_every_venue_sends_prices_and_they_agree(service: Service) -> None:
    assert until(lambda: heard(service.book) >= set(VENUES), PATIENCE), heard(service.book)
    assert until(lambda: "BTC" in service.book.quotes, PATIENCE)
    bid, ask = service.book.quotes["BTC"].sides("BTC")
    assert 64_800 < bid < ask < 65_200
    assert until(lambda: len(service.book.pairs) > (1000 if IS_RECORDED else 10), PATIENCE)
    now = datetime.now(UTC)  # what is newer comes over the sockets: the next asking is a minute away
    assert until(lambda: all(newest_word(service.book, venue) > now for venue in VENUES), PATIENCE)


def test_every_request_to_a_source_has_the_address_of_that_source(service: Service) -> None:
    expected = PLAYED - CLOSED
    assert until(lambda: service.simulated_sources.requests.keys() >= expected, PATIENCE), (
        expected - service.simulated_sources.requests.keys()
    )
    assert service.simulated_sources.told()["unknown"] == []


def test_a_killed_archive_worker_is_replaced_and_its_delivery_is_stored_whole(service: Service) -> None:
    before, deliveries = service.archived(), service.asked("SELECT max(id) FROM deliveries")
    ingest_process, killed = service.ingest_process(), service.archive_worker()
    assert killed
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: service.archive_worker() not in (None, killed), PATIENCE)
    assert service.ingest_process() == ingest_process
    # One of the sources is asked about a currency every two seconds, for minutes.
    assert until(lambda: service.asked("SELECT max(id) FROM deliveries") > deliveries + 1, PATIENCE)
    assert_nothing_is_doubled_or_lost(service, before)
    assert_right(service)


def test_a_killed_ingest_process_is_replaced_while_answers_go_on_and_the_archive_stays_whole(
    service: Service,
) -> None:
    before, version, killed, archive_worker = (
        service.archived(),
        service.book.version,
        service.ingest_process(),
        service.archive_worker(),
    )
    assert killed
    os.kill(killed, signal.SIGKILL)
    versions = [version]

    def another_has_published() -> bool:
        assert_right(service)
        versions.append(service.book.version)
        return service.ingest_process() not in (None, killed) and versions[-1] > version + 20

    assert until(another_has_published, PATIENCE)
    assert versions == sorted(versions)
    assert until(lambda: not command_line(archive_worker or 0), PATIENCE), (
        "who filed for the one that was killed files on"
    )
    assert "The ingest died with exit code -9: another takes over" in service.log.read_text()
    assert until(lambda: heard(service.book) >= set(VENUES), PATIENCE)
    assert_nothing_is_doubled_or_lost(service, before)


def test_while_ingest_is_stopped_sockets_stay_open_and_prices_continue_afterwards(service: Service) -> None:
    with service.listening("BTCUSD") as client:
        assert client.told("price")["sym"] == "BTCUSD"
        assert client.told("status")["msg"] == "Prices flow"
        stopped = service.ingest_process()
        assert stopped
        os.kill(stopped, signal.SIGSTOP)
        try:
            assert until(lambda: client.told("status")["status"] == 503, PATIENCE)
            assert "Prices stand still: the newest book is" in client.told("status")["msg"]
            assert client.silent_for(1)
        finally:
            os.kill(stopped, signal.SIGKILL)
        assert client.told("price")["sym"] == "BTCUSD"
        assert until(lambda: client.told("status")["status"] == 200, PATIENCE)
        assert client.told("price")["sym"] == "BTCUSD"


@pytest.mark.parametrize("round_", [0, 1])
def test_whatever_faults_the_sources_have_answers_stay_right(service: Service, round_: int) -> None:
    before = service.get("/fetch-all?from=USD")[1]["results"]
    sources = [source for source in OFFICIAL if source in ADAPTERS]
    for place, source in enumerate(sources):
        service.simulated_sources.fault(source, FAULTS[(place + 6 * round_) % len(FAULTS)])
    try:
        service.ask_all_again(sources)
        assert_right(service)
        after = service.get("/fetch-all?from=USD")[1]["results"]
        assert after.keys() == before.keys()
        moved = [code for code in before if after[code] != pytest.approx(before[code], rel=0.05)]
        assert not moved, [(before[code], after[code], service.book.quotes[code]) for code in moved]
    finally:
        service.simulated_sources.fault("*", None)
    assert "Traceback" not in service.log.read_text()


def test_whatever_a_venue_sends_the_price_of_a_coin_is_that_of_the_other_venues(service: Service) -> None:
    simulated_sources = service.simulated_sources
    for venue, fault in zip(VENUES, ("hundredfold", "garbage", "reset", "future", "truncated"), strict=True):
        version = service.book.version
        simulated_sources.fault(venue, fault)
        assert until(lambda version=version: service.book.version > version + 10, PATIENCE)
        simulated_sources.fault(venue, None)
        simulated_sources.fault(venue, "drop")
        assert 64_500 < service.book.quotes["BTC"].worth("BTC") < 65_500, (venue, fault)
        assert_right(service)
    assert until(lambda: simulated_sources.told()["sockets"].keys() >= set(VENUES), PATIENCE)
    assert "Traceback" not in service.log.read_text()


def held(explained: dict[str, Any]) -> list[str]:
    """Return the sources whose fixings were judged and are held."""
    verdict = explained["legs"][0].get("verdict", {"fixings": []})
    return [fixing["source"] for fixing in verdict["fixings"] if fixing["status"] == "held"]


def test_a_source_that_publishes_a_rate_wrong_on_all_days_changes_no_answer(service: Service) -> None:
    dollar, hryvnia = "/historical?from=EUR&to=USD&date=2026-09-15", "/fetch-one?from=USD&to=UAH"
    fixed = service.get(dollar)[1]["results"]  # before the days that are requested again
    assert fixed["USD"] == pytest.approx(1.13, rel=0.05)
    assert until(lambda: service.get(hryvnia)[0] == 200, PATIENCE), service.get(hryvnia)
    hryvnias = service.get(hryvnia)[1]["result"]["UAH"]
    euro = service.get("/fetch-one?from=EUR&to=USD")[1]["result"]["USD"]
    service.simulated_sources.fault("ecb", "swapped")
    service.simulated_sources.fault("nbu", "hundredfold")
    try:
        service.ask_all_again(["ecb", "nbu"])
        wrong = pytest.approx(100 * hryvnias, rel=0.05)  # what it says is kept
        assert until(lambda: service.newest("nbu", "USD", "UAH") == wrong, PATIENCE)
        assert until(lambda: "nbu" in held(service.get("/explain?from=USD&to=UAH")[1]), PATIENCE)
        # What it says of that day is held too, so that another source's rate is published.
        assert service.get(dollar)[1]["results"] == pytest.approx(fixed, rel=0.05)
        assert service.get(hryvnia)[1]["result"]["UAH"] == pytest.approx(hryvnias, rel=0.05)
        assert service.get("/fetch-one?from=EUR&to=USD")[1]["result"]["USD"] == pytest.approx(euro, rel=0.02)
    finally:
        service.simulated_sources.fault("*", None)
