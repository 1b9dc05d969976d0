"""Backfilling a data directory: which sources a name chooses, and what a run stores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from cambist.admin.sources.backfill import ALL, RECOMMENDED, BackfillAdmin
from cambist.errors import BadParameter, CannotStart
from cambist.ingest.backfill import BackfillProgress
from cambist.settings import Settings
from cambist.sources.adapters import ADAPTERS
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
MONDAYS = [date(2026, 2, 2) + timedelta(days=7 * week) for week in range(9)]
"""Up to 2026-03-30, the Monday before the Tuesday that it is."""

THURSDAYS = [monday + timedelta(days=3) for monday in MONDAYS[:-1]]

DECLARED = """\
key = "{key}"
name = "The {key}"
licence = "a test's"
rate_type = "official"
first_day = 2026-02-02
{more}
[request]
url = "https://{key}.example/rates?from={{first}}&to={{last}}"
span = 7
headers = {headers}
[rates]
anchor = "EUR"
direction = "other_per_anchor"
may_be_empty = true
[day]
at = "Date"
[schedule]
zone = "UTC"
pause = "PT0S"
[csv]
layout = "wide"
"""


@dataclass
class Publishers:
    """Sources with a rate every Monday and Thursday but those left out; an answer takes `slow` seconds."""

    address: str = ""
    left_out: tuple[date, ...] = ()
    slow: float = 0.0
    asked: list[tuple[str, date, str | None]] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, target: str, authorization: str | None) -> bytes:
        parts = urlsplit(target)
        span = {name: date.fromisoformat(value[0]) for name, value in parse_qs(parts.query).items()}
        with self.lock:
            self.asked.append((parts.path.split("/")[1], span["from"], authorization))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        sleep(self.slow)
        with self.lock:
            self.at_once -= 1
        days = [day for day in sorted({*MONDAYS, *THURSDAYS} - {*self.left_out}) if span["from"] <= day <= span["to"]]
        return "\n".join(["Date,USD", *(f"{day},1.1000" for day in days), ""]).encode()


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    played = Publishers()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = played.answer(self.path, self.headers["Authorization"])
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        played.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield played
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _retry_hooks_as_before() -> Iterator[None]:
    before = get_on_retry_hooks()
    yield
    set_on_retry_hooks(before)


def declare(folder: Path, *keys: str, more: str = "", headers: str = "{}") -> None:
    (folder / "sources").mkdir(exist_ok=True)
    for key in keys:
        (folder / "sources" / f"{key}.toml").write_text(DECLARED.format(key=key, more=more, headers=headers))


Open = Callable[..., BackfillAdmin]


@pytest.fixture
def open_admin(tmp_path: Path, publishers: Publishers) -> Iterator[Open]:
    """Open the backfill admin of a directory with declared sources; it is closed at the end."""
    made: list[BackfillAdmin] = []

    def open_admin(environment: dict[str, str] | None = None, **chosen: str) -> BackfillAdmin:
        settings = Settings(data=tmp_path, gateway=publishers.address, **chosen)
        made.append(BackfillAdmin(settings, environment or {}, lambda: NOW))
        return made[-1]

    yield open_admin
    for each in made:
        each.close()


def keys_of(backfilling: BackfillAdmin, source: str) -> list[str]:
    return [adapter.source.key for adapter in backfilling.choose_adapters(source)]


# Which sources


def test_a_source_is_chosen_by_its_key(open_admin: Open, tmp_path: Path) -> None:
    declare(tmp_path, "press")
    assert keys_of(open_admin(), "ecb") == ["ecb"]
    assert keys_of(open_admin(), "press") == ["press"]


def test_all_sources_are_those_with_fixings_that_are_on_best_first(open_admin: Open, tmp_path: Path) -> None:
    declare(tmp_path, "press")
    chosen = keys_of(open_admin(feeds_off="boc,ecb"), ALL)
    assert chosen[-1] == "press"
    assert chosen[:-1] == [key for key in ADAPTERS if key in chosen]
    assert {"fed", "bbk", "boc_noon"} <= {*chosen}
    # Switched off, off by default, wanting a key, and those that tell prices of this moment.
    assert not {"boc", "ecb", "imf", "lbma", "fred", "openexchangerates", "kraken", "coinbase"} & {*chosen}


def test_a_source_that_is_off_by_default_is_chosen_once_it_is_switched_on(open_admin: Open) -> None:
    assert keys_of(open_admin(feeds_on="imf"), "imf") == ["imf"]
    assert "imf" in keys_of(open_admin(feeds_on="imf"), ALL)


@pytest.mark.parametrize(
    ("source", "hint"),
    [("ecd", "did you mean [ecb]?"), ("kraken", "there are "), ("", "there are "), ("x" * 200, "there are ")],
)
def test_a_source_without_fixings_is_refused_with_the_nearest_name_or_a_list(
    open_admin: Open, source: str, hint: str
) -> None:
    with pytest.raises(BadParameter) as refused:
        open_admin().choose_adapters(source)
    named = source if len(source) <= 64 else f"{'x' * 64}… 200 characters"
    assert str(refused.value).startswith(f"No source [{named}] publishes fixings; {hint}")
    assert "kraken" not in str(refused.value).partition(";")[2]


def test_a_source_that_is_off_is_refused_with_the_reason(open_admin: Open) -> None:
    with pytest.raises(BadParameter, match=r"^The source \[imf\] is off: The Fund's terms ask for permi"):
        open_admin().choose_adapters("imf")
    with pytest.raises(BadParameter, match=r"^The source \[ecb\] is off: switched off by the setting feeds_off$"):
        open_admin(feeds_off="ecb").choose_adapters("ecb")
    with pytest.raises(BadParameter, match=r"^The source \[fred\] is off: needs a key of your own: fred_key$"):
        open_admin().choose_adapters("fred")
    assert keys_of(open_admin(fred_key="5ecre7"), "fred") == ["fred"]


def test_a_declared_source_that_needs_a_key_is_fetched_with_it(
    open_admin: Open, tmp_path: Path, publishers: Publishers
) -> None:
    declare(tmp_path, "press", more='key_variable = "PRESS_KEY"', headers='{ Authorization = "Bearer {key}" }')
    with pytest.raises(BadParameter, match=r"off: needs a key of your own: PRESS_KEY$"):
        open_admin().choose_adapters("press")
    backfilling = open_admin({"PRESS_KEY": "5ecre7"})
    backfilling.run(backfilling.choose_adapters("press"), MONDAYS[-1], lambda _: None)
    assert publishers.asked == [("press.example", MONDAYS[-1], "Bearer 5ecre7")]


def test_a_sandboxs_folder_is_refused_and_nothing_is_put_into_it(open_admin: Open, tmp_path: Path) -> None:
    folder = DataDirectory(tmp_path)
    folder.claim(Environment.SANDBOX)
    folder.release()
    there = sorted(tmp_path.iterdir())
    with pytest.raises(CannotStart, match="is a sandbox and stays one"):
        open_admin()
    assert sorted(tmp_path.iterdir()) == there


# What a run leaves


def test_a_backfill_stores_fixings_builds_the_rate_matrix_and_notifies(open_admin: Open, tmp_path: Path) -> None:
    declare(tmp_path, "press")
    backfilling, progress = open_admin(), list[tuple[int, int]]()
    changes = data_changes(tmp_path)
    before = {topic: changes.version(topic) for topic in Topic}
    (filled,) = backfilling.run(
        backfilling.choose_adapters("press"), None, lambda course: progress.append((course.done, course.parts))
    )
    assert (filled.progress, filled.gaps) == (BackfillProgress("press", parts=9, done=9, added=17), [])
    assert progress == [(done, 9) for done in range(10)]
    assert {topic for topic in Topic if changes.version(topic) != before[topic]} == {
        Topic.MATRIX,
        Topic.ARCHIVE,
    }
    matrix = open_rate_matrix(tmp_path / "rates.image")
    assert matrix.cell(date(2026, 3, 30), "EUR") == pytest.approx(1 / 1.1)
    assert matrix.last_fixing == date(2026, 3, 30)


@pytest.mark.long
def test_fixings_stored_before_an_interruption_are_in_the_rate_matrix_after_the_next_run(
    open_admin: Open, tmp_path: Path
) -> None:
    """A run that is cut off builds no image; the next one does, also where it has nothing new to file."""
    declare(tmp_path, "press")
    backfilling = open_admin()
    backfilling.run(backfilling.choose_adapters("press"), None, lambda _: None)
    (tmp_path / "rates.image").unlink()
    again = open_admin()
    again.run(again.choose_adapters("press"), None, lambda _: None)
    assert open_rate_matrix(tmp_path / "rates.image").last_fixing == date(2026, 3, 30)


def test_the_five_longest_gaps_are_reported(open_admin: Open, tmp_path: Path, publishers: Publishers) -> None:
    # Mondays alone leave six days out each week; without 02-16 and 02-23 there are six gaps, one of them of 20 days.
    publishers.left_out = (*THURSDAYS, MONDAYS[2], MONDAYS[3])
    declare(tmp_path, "press")
    backfilling = open_admin()
    (filled,) = backfilling.run(backfilling.choose_adapters("press"), None, lambda _: None)
    assert filled.progress.added == 7
    assert len(filled.gaps) == 5
    assert (date(2026, 2, 10), date(2026, 3, 1)) in filled.gaps
    assert filled.gaps == sorted(filled.gaps)


def test_at_most_four_sources_are_backfilled_at_once(open_admin: Open, tmp_path: Path, publishers: Publishers) -> None:
    keys = [f"press{number}" for number in range(6)]
    declare(tmp_path, *keys)
    publishers.slow = 0.05
    backfilling = open_admin()
    adapters = [backfilling.choose_adapters(key)[0] for key in keys]
    filled = backfilling.run(adapters, MONDAYS[-2], lambda _: None)
    assert [(each.progress.key, each.progress.added) for each in filled] == [(key, 3) for key in keys]
    assert publishers.most_at_once == 4


@pytest.mark.long
def test_one_source_gets_one_request_at_a_time(open_admin: Open, tmp_path: Path, publishers: Publishers) -> None:
    declare(tmp_path, "press")
    publishers.slow = 0.01
    backfilling = open_admin()
    backfilling.run(backfilling.choose_adapters("press"), None, lambda _: None)
    assert (publishers.most_at_once, [day for _, day, _ in publishers.asked]) == (1, MONDAYS)


def test_an_older_data_folder_is_migrated_and_keeps_its_fixings(
    open_admin: Open, tmp_path: Path, small_ecb: bytes, small_store: SqlStore
) -> None:
    _ = small_ecb
    (tmp_path / "cambist.db").write_bytes((tmp_path / "small.db").read_bytes())
    before = small_store.archive.coverage("ecb")
    declare(tmp_path, "press")
    backfilling = open_admin()
    backfilling.run(backfilling.choose_adapters("press"), MONDAYS[-1], lambda _: None)
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    assert store.archive.coverage("ecb") == before
    store.close()


@pytest.mark.long
def test_recommended_are_official_free_sources_of_few_requests_and_what_is_left_of_them_is_known(
    open_admin: Open,
) -> None:
    backfilling = open_admin()
    keys = keys_of(backfilling, RECOMMENDED)
    assert {"ecb", "fed", "bbk", "boe"} <= {*keys}
    assert not {"fawazahmed0", "nbg", "tcmb"} & {*keys}, "compiled, or a request for each day"
    requests, seconds = backfilling.remaining(backfilling.choose_adapters("bbk"), None)
    assert (requests, seconds) == (29, 29 * 3.0)
