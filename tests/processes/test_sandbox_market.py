"""The sandbox: its rate books and rate matrix, its faults, and that every answer names it."""

from __future__ import annotations

import io
import json
import logging
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from math import isnan
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.errors import CannotStart, SettingRefused
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation
from cambist.pricing.rate_book import RateBook
from cambist.processes.api_worker import ApiWorker
from cambist.processes.sandbox_market import SandboxMarket, run_sandbox
from cambist.reference.assets import COINS, METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sandbox import sandbox_snapshots
from cambist.registry.sandbox.sandbox_faults import FaultsFile, faults_as_toml
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE, SandboxSnapshots, simulated_codes
from cambist.sandbox.faults import Faults
from cambist.sandbox.levels import LEVELS
from cambist.sandbox.quoting import SANDBOX
from cambist.settings import SANDBOX_DATA, Settings, read_settings
from cambist.status.environment import SIMULATED, Environment
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday
SATURDAY = NOON + timedelta(days=1)
SECOND = timedelta(seconds=1)


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module", autouse=True)
def _few_codes() -> Iterator[None]:
    """Build rate matrices of few codes: one test builds that of all."""
    few = {code: CURRENCIES[code] for code in ("AED", "DEM", "EUR", "GBP", "JPY")}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sandbox_snapshots, "CURRENCIES", few)
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox's folder after its first start on Friday at noon; every test gets a copy."""
    folder = tmp_path_factory.mktemp("prepared") / "data"
    keep(Settings(data=folder, sandbox=True))
    return folder


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SandboxSnapshots:
    return SandboxSnapshots(Settings(data=tmp_path_factory.mktemp("none"), sandbox=True))


@pytest.fixture
def settings(tmp_path: Path, prepared: Path) -> Settings:
    shutil.copytree(prepared, tmp_path / "data")
    return Settings(data=tmp_path / "data", sandbox=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def market(settings: Settings, clock: Clock) -> Iterator[SandboxMarket]:
    market = SandboxMarket(settings, clock)
    yield market
    market.close()


def keep(settings: Settings, now: datetime = NOON) -> None:
    """Prepare a data directory as a start does, and release it."""
    bootstrap = Bootstrap(settings, lambda: now)
    bootstrap.prepare(lambda _: None)
    bootstrap.create_owner()
    assert bootstrap._store.archive.revision() == 0
    bootstrap.close()
    bootstrap._folder.release()


def book_of(settings: Settings) -> RateBook:
    book = RateBookFile(settings.data).current()
    assert book is not None
    return book


def matrix_of(settings: Settings) -> RateMatrix:
    return open_rate_matrix(settings.data / "rates.image")


def built(market: SandboxMarket, settings: Settings) -> RateMatrix:
    """Publish until the rate matrix that is being built is in place."""
    market.publish()
    assert market._building is not None
    market._building.result(60)
    market.publish()
    assert market._building is None
    return matrix_of(settings)


def test_the_flag_alone_means_a_folder_of_its_own() -> None:
    assert read_settings({}, {"sandbox": True}).data == SANDBOX_DATA != Settings().data
    assert read_settings({"CAMBIST_SANDBOX": "true"}, {}).data == SANDBOX_DATA
    assert read_settings({"CAMBIST_DATA": "/x"}, {"sandbox": True}).data == Path("/x")
    assert read_settings({}, {"sandbox": False}).data == Settings().data


def test_the_simulated_source_is_the_one_that_the_archive_refuses() -> None:
    assert SANDBOX.sources == (SIMULATED,) == (Environment.SANDBOX,)


@pytest.mark.long
def test_the_first_start_builds_rate_book_and_rate_matrix_from_the_simulation_alone(settings: Settings) -> None:
    book, matrix = book_of(settings), matrix_of(settings)
    origins = {quote.origin for quote in (*book.quotes.values(), *book.pairs.values())}
    assert {origin.sources for origin in origins if origin.made is Derivation.PUBLISHED} == {(SIMULATED,)}
    assert {origin.made for origin in origins} == {Derivation.PUBLISHED, Derivation.PEGGED, Derivation.CONVERTED}
    assert matrix.sources == (SIMULATED,)
    assert DataDirectory(settings.data).environment is Environment.SANDBOX


@pytest.mark.long
def test_the_rate_book_has_every_asset_of_the_reference_tables(settings: Settings) -> None:
    book = book_of(settings)
    assert len(book.listed) >= 170
    assert len(book.quotes.keys() & COINS.keys()) >= 500
    assert len([pair for pair in book.pairs if pair.base in COINS]) >= 750
    assert book.quotes.keys() >= METALS.keys()
    assert len(METALS) == 9


def test_the_well_known_coins_come_first_and_none_is_left_out() -> None:
    known = [code for code in LEVELS if code in COINS]
    assert list(COINS_BY_SIZE[: len(known)]) == known
    assert sorted(COINS_BY_SIZE) == sorted(COINS)


def test_the_rate_matrix_starts_in_1970_and_does_not_change_at_weekends(settings: Settings) -> None:
    matrix = matrix_of(settings)
    friday = date(2026, 11, 13)
    for code in ("EUR", "XAU", "AED"):
        saturday, sunday = (matrix.cell(friday + timedelta(days=days), code) for days in (1, 2))
        assert matrix.cell(friday, code) == saturday == sunday
    assert matrix.cell(friday, "EUR") != matrix.cell(friday + timedelta(days=3), "EUR")
    assert not isnan(matrix.cell(date(1975, 3, 3), "DEM"))
    assert not isnan(matrix.cell(date(1970, 1, 5), "GBP"))
    assert isnan(matrix.cell(date(1975, 3, 3), "EUR"))


@pytest.mark.long
def test_the_rate_matrix_has_every_currency_and_metal(
    simulated: SandboxSnapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_snapshots, "CURRENCIES", CURRENCIES)
    matrix = simulated.build_matrix(NOON)
    assert set(matrix.codes) >= METALS.keys()
    assert len(matrix.codes) >= 250
    assert len(matrix.listed_sets[matrix.listed_set_of_day[matrix.row(date(2026, 11, 19))]]) >= 150


def test_a_day_is_fixed_in_the_afternoon(settings: Settings, simulated: SandboxSnapshots) -> None:
    assert matrix_of(settings).last_fixing == date(2026, 11, 19)
    assert not simulated.is_current(matrix_of(settings), NOON + timedelta(hours=3))
    assert simulated.build_matrix(NOON + timedelta(hours=3)).last_fixing == date(2026, 11, 20)


def test_pegs_hold_from_their_first_day(settings: Settings) -> None:
    matrix = matrix_of(settings)
    assert matrix.cell(date(1999, 1, 4), "DEM") == pytest.approx(matrix.cell(date(1999, 1, 4), "EUR") * 1.95583)
    assert matrix.cell(date(2026, 11, 10), "AED") == pytest.approx(3.6725)


def test_a_second_start_finds_the_rate_matrix_built(settings: Settings) -> None:
    matrix = settings.data / "rates.image"
    before = matrix.stat().st_ino
    keep(settings, NOON + SECOND)
    assert matrix.stat().st_ino == before
    assert book_of(settings).version == 2


@pytest.mark.long
def test_another_seed_is_another_market(settings: Settings) -> None:
    before = matrix_of(settings).cell(date(2020, 3, 2), "EUR")
    keep(Settings(data=settings.data, sandbox=True, sandbox_seed=2))
    assert matrix_of(settings).cell(date(2020, 3, 2), "EUR") != before


@pytest.mark.long
def test_the_same_seed_is_the_same_market_in_every_folder(settings: Settings, tmp_path: Path) -> None:
    other = Settings(data=tmp_path / "other", sandbox=True)
    keep(other)
    assert (other.data / "rates.image").read_bytes() == (settings.data / "rates.image").read_bytes()
    assert book_of(other).quoted() == book_of(settings).quoted()


def test_prices_move_from_book_to_book(market: SandboxMarket, settings: Settings, clock: Clock) -> None:
    before = book_of(settings)
    clock.now += SECOND
    market.publish()
    after = book_of(settings)
    assert after.version == before.version + 1
    for name in ("EUR", "BTC"):
        assert after.quotes[name].mid != before.quotes[name].mid
    assert after.pairs[Pair("BTC", "EUR")].mid != before.pairs[Pair("BTC", "EUR")].mid


def test_an_unchanged_quote_is_the_same_object(simulated: SandboxSnapshots) -> None:
    before = simulated.simulate_book(1, SATURDAY)
    assert before.quotes["EUR"].received_at == before.pairs[Pair("EUR", "GBP")].received_at == SATURDAY
    after = simulated.simulate_book(2, SATURDAY + SECOND, before)
    after.changed_since(before)
    for code in ("EUR", "XAU", "BGN"):
        assert after.quotes[code] == before.quotes[code]
    assert after.quotes["EUR"] is before.quotes["EUR"]
    assert after.pairs[Pair("EUR", "GBP")] is before.pairs[Pair("EUR", "GBP")]
    assert after.quotes["BTC"] is not before.quotes["BTC"]


def test_the_sandbox_reports_on_itself(market: SandboxMarket, settings: Settings, clock: Clock) -> None:
    market.publish()
    source_reports = read_json_file(settings.data / "sources.json", SourceReports)
    assert source_reports is not None
    (report,) = source_reports.reports
    assert (source_reports.environment, source_reports.book_version) == ("sandbox", book_of(settings).version)
    assert (report.key, report.newest, report.condition(NOON)) == ("sandbox", NOON, "fresh")
    clock.now += SECOND / 2
    market.publish()
    assert read_json_file(settings.data / "sources.json", SourceReports) == source_reports
    clock.now += SECOND / 2
    market.publish()
    assert read_json_file(settings.data / "sources.json", SourceReports) != source_reports


@pytest.mark.long
def test_the_rate_matrix_grows_with_the_days(market: SandboxMarket, settings: Settings, clock: Clock) -> None:
    market.publish()
    assert market._building is None
    clock.now += timedelta(hours=3)
    matrix = built(market, settings)
    assert matrix.last_fixing == date(2026, 11, 20)


@pytest.mark.long
def test_a_successor_continues_where_the_process_was(market: SandboxMarket, settings: Settings, clock: Clock) -> None:
    market.publish()
    version = book_of(settings).version
    other = SandboxMarket(settings, clock)
    other.publish()
    other.close()
    assert book_of(settings).version == version + 1
    assert other._building is None


@pytest.mark.long(every=2)
@pytest.mark.parametrize("name", ["rates.book", "rates.image"])
def test_damaged_files_are_built_again(settings: Settings, clock: Clock, name: str) -> None:
    (settings.data / name).write_bytes(b"nothing")
    market = SandboxMarket(settings, clock)
    market.publish()
    market.close()
    assert book_of(settings).holds("BTC")
    assert matrix_of(settings).sources == (SIMULATED,)


def test_the_sandbox_process_refuses_a_live_folder(tmp_path: Path) -> None:
    (tmp_path / "cambist.db").touch()
    with pytest.raises(CannotStart, match="a live one and stays one"):
        SandboxMarket(Settings(data=tmp_path, sandbox=True), lambda: NOON)
    assert not (tmp_path / "rates.book").exists()


def test_the_process_ends_when_its_supervisor_has_died(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.processes.process.signal.signal", lambda *_: None)
    monkeypatch.setattr("cambist.processes.process.logging.config.dictConfig", lambda _: None)
    run_sandbox(settings, supervisor=-1)
    assert book_of(settings).version == 1


# faults


def set_faults(settings: Settings, text: str) -> None:
    (settings.data / "faults.toml").write_text(text)


def test_quotes_of_stale_codes_do_not_change_and_others_do(
    market: SandboxMarket, settings: Settings, clock: Clock
) -> None:
    market.publish()
    set_faults(settings, 'stale = ["EUR"]\nsince = 2026-11-20T11:00:00Z\n')
    clock.now += SECOND
    market.publish()
    first = book_of(settings)
    clock.now += SECOND
    market.publish()
    second = book_of(settings)
    assert second.quotes["EUR"] == first.quotes["EUR"]
    assert second.quotes["EUR"].as_of == NOON - timedelta(hours=1)
    assert second.quotes["JPY"].mid != first.quotes["JPY"].mid


def test_an_outlier_is_wrong_by_its_factor_until_it_is_cleared(
    market: SandboxMarket, settings: Settings, clock: Clock
) -> None:
    honest = book_of(settings).quotes["EUR"].mid
    set_faults(settings, "[outlier]\nEUR = 1.5\n")
    market.publish()
    assert float(book_of(settings).quotes["EUR"].mid / honest) == pytest.approx(1.5)
    (settings.data / "faults.toml").unlink()
    clock.now += SECOND
    market.publish()
    assert float(book_of(settings).quotes["EUR"].mid / honest) == pytest.approx(1, rel=0.01)


@pytest.mark.long
def test_a_missing_day_is_carried_forward_and_can_come_back(market: SandboxMarket, settings: Settings) -> None:
    before = matrix_of(settings)
    set_faults(settings, "missing = [2026-10-06]\n")
    matrix = built(market, settings)
    assert matrix.cell(date(2026, 10, 6), "EUR") == before.cell(date(2026, 10, 5), "EUR")
    assert matrix.cell(date(2026, 10, 7), "EUR") == before.cell(date(2026, 10, 7), "EUR")
    set_faults(settings, "")
    assert built(market, settings).cell(date(2026, 10, 6), "EUR") == before.cell(date(2026, 10, 6), "EUR")


@pytest.mark.long
def test_a_start_keeps_the_missing_days(market: SandboxMarket, settings: Settings) -> None:
    set_faults(settings, "missing = [2026-10-06]\n")
    revision = built(market, settings).revision
    keep(settings)
    assert matrix_of(settings).revision == revision


def test_an_invalid_faults_file_is_logged_once_and_the_old_faults_stay(
    market: SandboxMarket, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    honest = book_of(settings).quotes["EUR"].mid
    set_faults(settings, "[outlier]\nEUR = 1.5\n")
    market.publish()
    set_faults(settings, "[outlier]\nEUU = 1.5\n")
    for _ in range(3):
        market.publish()
    assert float(book_of(settings).quotes["EUR"].mid / honest) == pytest.approx(1.5)
    (line,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "faults.toml" in line
    assert "unknown code [EUU]" in line
    assert "old faults stay" in line


@pytest.mark.parametrize(
    "faults",
    [
        Faults(),
        Faults(stale="all", since=NOON + timedelta(microseconds=5)),
        Faults(stale=("EUR", "1INCH"), since=NOON, missing=frozenset({date(2026, 10, 6), date(2026, 10, 5)})),
        Faults(slow=2.5, outlier={"XAU": 1e-7, "1INCH": 3.0}),
    ],
)
def test_faults_are_read_as_they_were_written(tmp_path: Path, faults: Faults) -> None:
    file = FaultsFile(tmp_path / "faults.toml", simulated_codes())
    file.write(faults)
    assert file.read() == file.poll() == faults
    assert [*tmp_path.iterdir()] == [tmp_path / "faults.toml"]
    assert faults_as_toml(Faults()) == ""


def test_invalid_faults_are_not_written(tmp_path: Path) -> None:
    file = FaultsFile(tmp_path / "faults.toml", simulated_codes())
    with pytest.raises(SettingRefused, match="outlier"):
        file.write(Faults(outlier={"EUR": float("inf")}))
    assert not [*tmp_path.iterdir()]


def test_a_faults_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "faults.toml").write_bytes(b"\xff")
    with pytest.raises(SettingRefused, match="cannot be read"):
        FaultsFile(tmp_path / "faults.toml", simulated_codes()).read()


# what clients see


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class Client:
    """Asks one worker."""

    app: Any
    key: str
    worker_state: Any = field(repr=False)

    def ask(self, target: str, method: str = "GET", key: str | None = None, **headers: str) -> Reply:
        path, _, query = target.partition("?")
        environ: dict[str, Any] = {"wsgi.input": io.BytesIO()}
        setup_testing_defaults(environ)
        environ |= {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "SCRIPT_NAME": ""}
        environ |= {"HTTP_X_API_KEY": self.key if key is None else key, **headers}
        started: list[tuple[str, list[tuple[str, str]]]] = []
        content = b"".join(self.app(environ, lambda status, given, *_: started.append((status, given))))
        status, given = started[-1]
        return Reply(int(status.split()[0]), {name.lower(): value for name, value in given}, content)


@pytest.fixture
def client(settings: Settings, market: SandboxMarket, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr("cambist.registry.accounts.metering.utc_now", lambda: NOON)
    market.publish()
    worker = ApiWorker(settings)
    worker._worker_state.clock = worker._worker_state.caches.clock = NOON.timestamp
    return Client(worker.application(settings), (settings.data / "owner.key").read_text().strip(), worker._worker_state)


PAST = "/historical?date=2026-03-06&from=EUR&to=USD"


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/fetch-one?from=EUR&to=USD", 200),
        (PAST, 200),
        ("/sources", 200),
        ("/docs", 200),
        ("/docs/config.json", 200),
        ("/openapi.json", 200),
        ("/fetch-one?to=ZZZ", 400),
        ("/fetch-one?to=%zz", 400),
        ("/nowhere", 404),
        ("/historical?date=1975-03-03&from=EUR&to=USD", 404),
    ],
)
def test_every_answer_and_error_names_the_sandbox(client: Client, target: str, status: int) -> None:
    for method in ("GET", "HEAD"):
        for _ in range(2):
            reply = client.ask(target, method)
            assert (reply.status, reply.headers.get("cambist-environment")) == (status, "sandbox")


def test_other_responses_name_the_sandbox_too(client: Client) -> None:
    etag = client.ask(PAST).headers["etag"]
    replies = {
        304: client.ask(PAST, HTTP_IF_NONE_MATCH=etag),
        401: client.ask(PAST, key="nonsense"),
        204: client.ask(PAST, "OPTIONS"),
        405: client.ask(PAST, "POST"),
    }
    for status, reply in replies.items():
        assert (reply.status, reply.headers.get("cambist-environment")) == (status, "sandbox")
    assert "Cambist-Environment" in replies[204].headers["access-control-expose-headers"]


def test_a_cached_answer_names_the_sandbox(client: Client) -> None:
    client.ask("/fetch-one?from=EUR&to=USD")
    client.app._framework = None
    reply = client.ask("/fetch-one?from=EUR&to=USD")
    assert (reply.status, reply.headers["cambist-environment"]) == (200, "sandbox")


def test_an_internal_error_names_the_sandbox(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.worker_state, "caches", None)
    reply = client.ask("/fetch-one?from=EUR&to=USD")
    assert (reply.status, reply.headers["cambist-environment"]) == (500, "sandbox")


def test_every_rate_is_explained_by_the_sandbox(client: Client) -> None:
    for target in ("/explain?from=EUR&to=BTC", "/explain?from=EUR&to=USD&date=2026-03-06"):
        legs = client.ask(target).json["legs"]
        assert {tuple(leg["sources"]) for leg in legs} == {("sandbox",)}


@pytest.mark.long
def test_the_sources_endpoint_says_that_prices_are_simulated(client: Client) -> None:
    found = client.ask("/sources").json
    assert found["environment"] == "sandbox"
    assert list(found["sources"]) == ["sandbox"]


def test_the_coverage_of_a_sandbox_is_its_simulated_history(client: Client) -> None:
    found = client.ask("/coverage").json["currencies"]
    assert {key for record in found.values() for key in record["sources"]} == {"sandbox"}
    euro = found["EUR"]["sources"]["sandbox"]
    assert (euro["first"], euro["last"], euro["current"]) == (
        "1999-01-01",
        str(client.worker_state.matrix.last_fixing),
        True,
    )
    assert found["DEM"]["sources"]["sandbox"]["last"] is not None


def test_nothing_is_corrected_in_a_sandbox(client: Client) -> None:
    assert client.ask("/corrections?from=EUR&to=USD").json["corrections"] == []


def test_every_endpoint_answers_in_a_sandbox(client: Client) -> None:
    assert len(client.ask("/fetch-all").json["results"]) >= 170
    assert client.ask("/historical?date=1975-03-03&from=USD&to=DEM").status == 200
    assert client.ask("/time-series?from=USD&to=EUR&start=2026-01-01&end=2026-02-01").status == 200
    assert client.ask("/usage").status == 200


@pytest.mark.long
def test_the_same_seed_answers_the_same(client: Client, tmp_path: Path) -> None:
    other = Settings(data=tmp_path / "other", sandbox=True)
    keep(other)
    worker = ApiWorker(other)
    worker._worker_state.clock = worker._worker_state.caches.clock = NOON.timestamp
    twin = Client(worker.application(other), (other.data / "owner.key").read_text().strip(), worker._worker_state)
    for target in (PAST, "/historical?date=1975-03-03", "/fetch-all?from=EUR"):
        mine, its = client.ask(target).json, twin.ask(target).json
        assert {**mine, "ms": 0} == {**its, "ms": 0}


def test_a_rate_book_is_built_fast_enough(simulated: SandboxSnapshots) -> None:
    book = simulated.simulate_book(1, NOON)
    began = time.process_time()
    for number in range(4):
        book = simulated.simulate_book(2 + number, NOON + SECOND * number, book)
    assert (time.process_time() - began) / 4 < 0.25
