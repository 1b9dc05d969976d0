"""The commands that show rates: from the data folder, and from a service, with the same digits."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from wsgiref.simple_server import make_server

import pytest
from tests.cli.conftest import CommandResult, QuietHandler
from tests.conftest import KEY, NOW, Client

from cambist.admin.history.stored_answers import StoredAnswers
from cambist.cli.remote_service import RemoteService
from cambist.client.errors import ConnectionFailed
from cambist.errors import KeyRefused, RequestRefused
from cambist.registry.node.serving import served
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOBODY = "http://127.0.0.1:1"
REQUESTS = (
    "/fetch-one?from=EUR&to=JPY",
    "/fetch-one?from=GBP&to=USD",
    "/convert?from=EUR&to=JPY&amount=19.99&precision=7",
    "/convert?from=GBP&to=JPY&amount=1&date=2026-03-07",
    "/explain?from=GBP&to=AED",
    "/explain?from=EUR&to=JPY&date=2026-03-04",
    "/time-series?from=GBP&to=JPY&start=2026-02-01&end=2026-03-06",
    "/historical?from=USD&to=EUR,GBP&date=2026-03-05",
)


# Answers from the folder


@pytest.mark.long(every=3)
@pytest.mark.parametrize("request_line", REQUESTS)
def test_an_answer_from_the_folder_has_the_bytes_of_the_service(
    finished: Path, wsgi_client: Client, request_line: str
) -> None:
    path, _, query = request_line.partition("?")
    stored = StoredAnswers(Settings(data=finished), NOW.timestamp).get(path, dict(parse_qsl(query)))
    served = wsgi_client.get(request_line)
    assert served.status == 200
    assert stored == re.sub(rb'"ms":\d+}$', b'"ms":0}', served.content)


def test_nothing_is_written_in_a_folder_that_is_read(run: Callable[..., CommandResult], finished: Path) -> None:
    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in finished.iterdir() if path.is_file()}

    before = files()
    for command in ("rate EUR USD", "explain EUR USD --date 2026-03-05", "series EUR USD --since 2026"):
        assert run(*command.split()).code == 0
    assert files() == before


def test_a_folder_without_database_still_answers_and_gets_none(
    run: Callable[..., CommandResult], finished: Path
) -> None:
    (finished / "cambist.db").unlink()
    assert run("rate", "EUR", "USD").out == "1 EUR = 1.25 USD\n"
    assert not (finished / "cambist.db").exists()


# The commands


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("rate EUR USD", "1 EUR = 1.25 USD"),
        ("rate eur usd --date 2026-03-05", "1 EUR = 1.24 USD"),
        ("convert 100 EUR JPY", "100 EUR = 18000 JPY"),
        ("convert 100 EUR JPY --date 2026-03-03", "100 EUR = 18200 JPY"),
        ("convert 1 EUR GBP --precision 3", "1 EUR = 0.8 GBP"),
        ("series EUR USD --since 2026-03-05 --until 2026-03-06", "2026-03-05  1.24\n2026-03-06  1.25"),
        (
            "series EUR USD --since 2026-03-05 --until 2026-03-06 --csv",
            "date,EUR/USD,fixed_on\n2026-03-05,1.24,2026-03-05\n2026-03-06,1.25,2026-03-06",
        ),
        (
            "series EUR USD --since 2026-03-05 --until 2026-03-06 --ledger",
            "; EUR/USD, agreed by all sources.\nP 2026-03-05 EUR 1.24 USD\nP 2026-03-06 EUR 1.25 USD",
        ),
        (
            "series EUR USD --since 2026-03-06 --until 2026-03-06 --beancount --rule before",
            "; EUR/USD, rule before.\n2026-03-06 price EUR 1.24 USD",
        ),
    ],
)
def test_a_command_prints_the_answer_and_says_who_gave_it(
    run: Callable[..., CommandResult], finished: Path, command: str, shown: str
) -> None:
    result = run(*command.split())
    assert (result.code, result.out) == (0, f"{shown}\n")
    assert f"From the data folder {finished}." in result.err
    assert "SIMULATED" not in result.err


def test_a_carried_rate_names_the_day_of_its_fixing(run: Callable[..., CommandResult]) -> None:
    assert (
        "Rate of 2026-03-07, which uses the fixing of 2026-03-06."
        in run("rate", "EUR", "USD", "--date", "2026-03-07").err
    )


def test_an_explanation_names_source_fixing_and_law(run: Callable[..., CommandResult]) -> None:
    shown = run("explain", "EUR", "AED", "--date", "2026-03-07").out
    assert "1 EUR = 1.2500 USD  published by ecb" in shown
    assert "fixing of 2026-03-06, carried forward 1 day: on weekends it publishes nothing" in shown
    assert "1 USD = 3.6725 AED  by law: " in shown


def test_a_live_explanation_shows_the_votes(run: Callable[..., CommandResult]) -> None:
    assert re.search(r"^  ecb +1\.25  weight 1\.0, \d+d old$", run("explain", "EUR", "USD").out, re.MULTILINE)


def test_json_is_the_answer_itself(run: Callable[..., CommandResult]) -> None:
    shown = run("series", "EUR", "USD", "--since", "2026-03-06", "--until", "2026-03-06", "--json").out
    assert json.loads(shown)["results"] == {"USD": {"2026-03-06": 1.25}}
    assert json.loads(run("rate", "EUR", "USD", "--json").out)["result"] == {"USD": 1.25}


def test_a_plot_fits_the_terminal(run: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "20")
    lines = run("series", "EUR", "USD", "--since", "2026-02", "--until", "2026-03-06", "--plot").out.splitlines()
    assert lines[0] == "EUR/USD"
    assert len(lines) <= 19
    assert max(map(len, lines)) <= 60
    assert any("⠀" < character <= "⣿" for line in lines for character in line)


def test_prices_that_do_not_belong_to_the_folder_are_not_shown(
    run: Callable[..., CommandResult], finished: Path
) -> None:
    (finished / "environment").write_text("sandbox\n")
    refused = run("rate", "EUR", "USD")
    assert (refused.code, refused.out) == (2, "")
    assert "not built for a [sandbox]" in refused.err


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("rate EUR USX", "[USX]; for [USX] did you mean USD (US Dollar) or"),
        ("rate euro USD", "for [euro] did you mean EUR (Euro)"),
        ("rate EUR USD --date 1971-01-01", "No rate from [EUR] to [USD] on [1971-01-01]"),
        ("rate EUR USD --date 6.3.2026", "Invalid date: [6.3.2026]"),
        ("convert ten EUR USD", "Invalid amount"),
        ("series EUR USD --since 20", "Invalid since: [20], it takes 2020, 2020-05 or 2020-05-31"),
        ("series EUR USD --since 2020-02-30", "Invalid since: [2020-02-30]"),
        ("series EUR USD --plot --csv", "Choose one of --plot, --csv, --ledger, --beancount and --json"),
        ("rate EUR USD --url ftp://x", "Invalid --url: [ftp://x]"),
        ("rate EUR USD --url https://rates.example", "There is no key for https://rates.example"),
        (f"rate EUR USD --key k --url {NOBODY}", f"No service answers at {NOBODY}: "),
        ("rate EUR USD --data nowhere", "There is no data folder nowhere: run [cambist serve] once"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(run: Callable[..., CommandResult], command: str, sentence: str) -> None:
    result = run(*command.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("cambist: ")
    assert sentence in result.err
    assert result.err.count("\n") == 1


# Answers from a service


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    "command", ["rate GBP JPY", "convert 19.99 GBP JPY", "rate GBP JPY --date 2026-03-04", "explain GBP AED"]
)
def test_a_service_and_its_folder_print_the_same(run: Callable[..., CommandResult], address: str, command: str) -> None:
    stored = run(*command.split())
    served = run(*command.split(), "--url", address, "--key", KEY)
    assert served.code == 0
    assert f"From the service at {address}." in served.err
    ages = re.compile(r"\d+d old")
    assert ages.sub("", served.out) == ages.sub("", stored.out) != ""


def test_the_address_and_the_key_may_be_variables(
    run: Callable[..., CommandResult], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMBIST_URL", f"{address}/")
    monkeypatch.setenv("CAMBIST_KEY", KEY)
    assert f"From the service at {address}." in run("rate", "EUR", "USD").err


@pytest.mark.long
def test_the_local_service_is_asked_with_the_owners_key(
    run: Callable[..., CommandResult], address: str, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMBIST_PORT", address.rpartition(":")[2])
    assert f"From the data folder {finished}" in run("rate", "EUR", "USD").err
    (finished / "owner.key").write_text(f"{KEY}\n")
    assert f"From the service at {address}." in run("rate", "EUR", "USD").err


def test_a_local_service_of_another_folder_is_not_asked(
    run: Callable[..., CommandResult], address: str, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMBIST_PORT", address.rpartition(":")[2])
    (finished / "owner.key").write_text(f"{KEY[:-1]}x\n")
    assert f"From the data folder {finished}" in run("rate", "EUR", "USD").err


def test_a_refusal_of_the_service_is_one_sentence(run: Callable[..., CommandResult], address: str) -> None:
    result = run("rate", "EUR", "USX", "--url", address, "--key", KEY)
    assert (result.code, result.out) == (2, "")
    assert "[USX]; for [USX] did you mean USD (US Dollar)" in result.err
    assert run("rate", "EUR", "USD", "--url", address, "--key", "wrong").code == 2


def test_the_client_raises_what_the_service_refuses(address: str) -> None:
    client = RemoteService(address, KEY)
    client.probe()
    with pytest.raises(RequestRefused, match="USX"):
        client.get("/fetch-one", {"from": "EUR", "to": "USX"})
    with pytest.raises(KeyRefused):
        RemoteService(address, "wrong").get("/fetch-one", {"to": "EUR"})


def foreign(_environ: object, start_response: Callable[..., object]) -> list[bytes]:
    start_response("302 Found", [("Location", "http://127.0.0.1:1/elsewhere"), ("Content-Type", "text/html")])
    return [b"<p>hello"]


def test_a_server_that_is_not_cambist_gets_no_key_and_is_not_followed() -> None:
    with make_server("127.0.0.1", 0, foreign, handler_class=QuietHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        client = RemoteService(f"http://127.0.0.1:{server.server_port}", KEY)
        with pytest.raises(ConnectionFailed, match="is not Cambist"):
            client.probe()
        with pytest.raises(ConnectionFailed, match="is not Cambist"):
            client.get("/fetch-one", {"to": "EUR"})
        server.shutdown()
        thread.join()


@pytest.fixture
def running(finished: Path, address: str) -> Iterator[str]:
    """A service that has the folder, on a port that no setting names."""
    folder = DataDirectory(finished)
    folder.claim()
    with served(Settings(data=finished, port=urlsplit(address).port or 0)):
        yield address
    folder.release()


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    "command", ["rate EUR USD", "convert 1 EUR USD", "series EUR USD --since 2026-03", "explain EUR USD"]
)
def test_a_running_service_is_found_by_its_data_folder(
    run: Callable[..., CommandResult], running: str, command: str
) -> None:
    result = run(*command.split(), "--key", KEY)
    assert (result.code, f"From the service at {running}." in result.err) == (0, True)


def test_a_service_that_has_ended_is_not_asked(run: Callable[..., CommandResult], finished: Path, running: str) -> None:
    (finished / "cambist.lock").unlink()  # the file of a service that was killed says where it was
    assert running not in run("rate", "EUR", "USD", "--key", KEY).err
