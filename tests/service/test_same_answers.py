"""Nothing but the rate book changes an answer: not the cache, not the number of workers.

Two real services, with one worker and with four, get the same rate books. Their answers to random requests are the same
bytes but for `ms`. SAME_ANSWERS=100 runs the tests a hundred times as long (`make bench-answers`).
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

BENCH = Path(__file__).parents[2] / "bench"
LENGTH = int(os.environ.get("SAME_ANSWERS", "1"))
COINS, WORKERS, BOOKS, QUESTIONS, CONNECTIONS = 300, 4, 5, 40, 8
PUBLISH_SECONDS, MOVING_SECONDS = 0.1, 3.0
START_SECONDS, SHOWN_SECONDS = 120, 20
MILLISECONDS = re.compile(rb'"ms":\d+}$')


def load(name: str) -> ModuleType:
    """Import a script of the benchmarks, which are no package."""
    spec = spec_from_file_location(name, BENCH / f"{name}.py")
    assert spec
    assert spec.loader
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


moving_book, questions = load("moving_book"), load("questions")
COIN, CURRENCY = "BTC", "JPY"
MARKED = f"/fetch-one?from={COIN}&to=USD"

Place = tuple[str, ...]
"""Where an answer says which book it was made from: the code whose price does, and the names that lead to it."""


class Client:
    """One connection to a service."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {"X-API-Key": key}

    def ask(self, path: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer, without its `ms`."""
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        return response.status, MILLISECONDS.sub(b"", response.read())

    def get(self, path: str) -> bytes:
        """Return the body of an answer that must be a 200."""
        status, body = self.ask(path)
        assert status == 200, (path, body)
        return body

    def close(self) -> None:
        self._connection.close()

    def number(self) -> int:
        """Return which book the worker of this connection shows; 0 for the first one, which has no coins."""
        status, body = self.ask(MARKED)
        return marked_number(body, (COIN, "result", "USD")) if status == 200 else 0


@dataclass
class Services:
    """The two services, and what publishes into both."""

    files: list[RateBookFile]
    ports: list[int]
    key: str
    books: moving_book.MovingBook = field(init=False)

    def __post_init__(self) -> None:
        before = self.files[0].current()
        assert before is not None
        self.books = moving_book.MovingBook(datetime.now(UTC), COINS, version=before.version)

    def publish(self) -> None:
        book = self.books.next(datetime.now(UTC))
        for file in self.files:
            file.publish(book)

    @contextmanager
    def clients(self, count: int) -> Iterator[list[Client]]:
        """Open connections, every fourth of them to the service with one worker."""
        with ExitStack() as stack:
            ports = [self.ports[bool(number % 4)] for number in range(count)]
            yield [stack.enter_context(closing(Client(port, self.key))) for port in ports]


@contextmanager
def served(folder: Path, workers: int, port: int) -> Iterator[None]:
    command = [COMMAND, "serve", "--data", str(folder), "--port", str(port), "--workers", str(workers), "--threads"]
    with folder.with_name(f"{folder.name}.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "2"], env=environment(CAMBIST_FETCH="false"), stdout=log, stderr=subprocess.STDOUT
        )
    with ended_in_the_end(process):
        yield


def answers(port: int, key: str) -> bool:
    with closing(Client(port, key)) as client:
        try:
            return bool(client.get("/currencies"))
        except (OSError, http.client.HTTPException):
            return False


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    base = tmp_path_factory.mktemp("same") / "base"
    bootstrap = Bootstrap(Settings(data=base, fetch=False), utc_now)
    bootstrap.prepare(lambda _count: None)
    key = bootstrap.create_owner()
    bootstrap.close()
    assert key
    folders = [shutil.copytree(base, base.with_name(name)) for name in ("one", "four")]
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        for folder, workers, port in zip(folders, (1, WORKERS), ports, strict=True):
            stack.enter_context(served(folder, workers, port))
        assert until(lambda: all(answers(port, key) for port in ports), START_SECONDS)
        yield Services([RateBookFile(folder) for folder in folders], ports, key)


def random_paths(chance: random.Random, count: int) -> list[str]:
    """Draw paths of all kinds; pairs of coins are those of the books."""
    kinds = [
        list(questions.pair_paths())[:2000],
        list(questions.base_paths()),
        list(questions.convert_paths())[:2000],
        list(questions.matrix_paths())[:200],
        list(questions.quote_paths())[:2000],
        list(questions.metal_paths())[:2000],
        list(questions.past_day_paths()),
        list(questions.year_paths()),
        list(price_paths(chance, 500)),
    ]
    return [chance.choice(kinds[number % len(kinds)]) for number in range(count)]


def price_paths(chance: random.Random, count: int) -> Iterator[str]:
    coins = [coin for coin in questions.coins()[:COINS] if coin != COIN]
    for _ in range(count):
        pairs = [f"{coin}/USD" for coin in chance.sample(coins, chance.randrange(1, 10))]
        yield f"/crypto/fetch-prices?pairs={','.join(pairs)}"


def test_cached_and_computed_answers_of_one_worker_and_of_four_are_the_same_bytes(services):
    chance = random.Random(LENGTH)  # noqa: S311  the same questions in every run
    with services.clients(CONNECTIONS) as clients:
        for _ in range(BOOKS * LENGTH):
            services.publish()
            number = services.books.number
            assert until(lambda n=number: all(client.number() == n for client in clients), SHOWN_SECONDS)
            for place, path in enumerate(random_paths(chance, QUESTIONS)):
                several = [client.get(path) for client in clients for _ in range(2)]
                computed = f"{path}&computed_again={place}.{number}"  # is ignored, and no answer is cached for it
                several += [client.get(computed) for client in clients]
                assert len(set(several)) == 1, (path, number, set(several))


def marked_paths(chance: random.Random) -> dict[str, Place]:
    """Return paths whose answers say which book they were made from, and where."""
    paths: dict[str, Place] = {
        MARKED: (COIN, "result", "USD"),
        f"/convert?from={COIN}&to=USD&amount=1&precision=4": (COIN, "result", "USD"),
        "/fetch-all?from=USD": (CURRENCY, "results", CURRENCY),
    }
    others = [code for code in questions.currencies() if code not in ("USD", CURRENCY)]
    coins = [f"{coin}/USD" for coin in questions.coins()[:COINS] if coin != COIN]
    for _ in range(5):
        some, more, prices = (",".join(chance.sample(names, 5)) for names in (others, others, coins))
        paths |= {
            f"/fetch-multi?from=USD&to={CURRENCY},{some}": (CURRENCY, "results", CURRENCY),
            f"/fetch-many-to-one?from=USD,{some}&to={CURRENCY}": (CURRENCY, "from", "USD"),
            f"/fetch-matrix?from=USD,{some}&to={CURRENCY},{more}": (CURRENCY, "matrix", "USD", CURRENCY),
            f"/crypto/fetch-prices?pairs={COIN}/USD,{prices}": (COIN, "prices", f"{COIN}/USD"),
        }
    return paths


def marked_number(body: bytes, place: Place) -> int:
    found = json.loads(body + b'"ms":0}')
    for name in place[1:]:
        found = found[name]
    return moving_book.book_number(place[0], found)


@dataclass
class Asker:
    """A client that asks at random while books are published; `seen` are the bodies by path and book, in order."""

    client: Client
    paths: dict[str, Place]
    seen: list[tuple[str, int, bytes]] = field(default_factory=list)
    failure: str = ""

    def ask_until(self, end: threading.Event, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311
        try:
            while not end.is_set():
                path, place = chance.choice(list(self.paths.items()))
                body = self.client.get(f"{path}&again={len(self.seen)}" if chance.random() < 0.3 else path)
                self.seen.append((path, marked_number(body, place), body))
        except Exception as error:  # noqa: BLE001  asserted in the test's own thread
            self.failure = repr(error)


def test_no_connection_sees_an_older_book_while_books_change_and_all_see_the_same(services):
    with services.clients(CONNECTIONS) as clients:
        askers = ask_while_books_change(services, clients)
    assert [asker.failure for asker in askers if asker.failure] == []
    bodies, compared = defaultdict(set), 0
    for asker in askers:
        numbers = [number for _path, number, _body in asker.seen]
        assert numbers == sorted(numbers)
        assert len(set(numbers)) > BOOKS  # books changed while it asked
        for path, number, body in asker.seen:
            compared += (path, number) in bodies
            bodies[path, number].add(body)
    assert [(path, number) for (path, number), found in bodies.items() if len(found) > 1] == []
    assert compared > QUESTIONS * LENGTH


def ask_while_books_change(services: Services, clients: list[Client]) -> list[Asker]:
    """Ask with all clients at once, while ten books a second are published."""
    services.publish()
    number, paths = services.books.number, marked_paths(random.Random(LENGTH))  # noqa: S311
    askers = [Asker(client, paths) for client in clients]
    assert until(lambda: all(asker.client.number() == number for asker in askers), SHOWN_SECONDS)
    over = threading.Event()
    threads = [threading.Thread(target=asker.ask_until, args=(over, seed)) for seed, asker in enumerate(askers)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + MOVING_SECONDS * LENGTH
    while time.monotonic() < end:
        services.publish()
        time.sleep(PUBLISH_SECONDS)
    over.set()
    for thread in threads:
        thread.join()
    return askers
