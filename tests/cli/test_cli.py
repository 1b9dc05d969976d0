from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cambist import __version__
from cambist.cli import main as program
from cambist.cli.overview import GROUPS
from cambist.errors import CannotStart
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.typed_series import CLOSES
from cambist.http.listening_socket import free_address
from cambist.ingest.filing import Delivery, file_delivery
from cambist.pricing.pair import Pair
from cambist.settings import Settings
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore

DOCS = Path(__file__).parents[2] / "docs" / "openapi.json"
OPTIONS = {
    "serve": {
        "--quiet",
        "--data",
        "--host",
        "--port",
        "--workers",
        "--threads",
        "--path-prefix",
        "--log-level",
        "--access-log",
    },
    "backfill": {"--from", "--data", "--json", "source"},
    "fixing": {"--data", "--json", "base", "quote"},
    "check": {"--data", "--json", "folder"},
    "backup": {"--with-secrets", "--data", "--json", "file"},
    "upgrade": {"--check", "--without-copy", "--yes", "--data", "--json"},
    "restore": {"--database", "--json", "file", "folder"},
    "doctor": {"--data", "--json"},
    "report": {"--since", "--until", "--by", "--source", "--booking", "--output", "--url", "--key", "--data"},
    "prices": {
        "--from",
        "--to",
        "--markup",
        "--rounding",
        "--keep-within",
        "--max-change",
        "--date",
        "--decimal",
        "--output",
        "--url",
        "--key",
        "--data",
        "file",
    },
    "value": {"--currency", "--date", "--since", "--decimal", "--output", "--url", "--key", "--data", "file"},
    "pieces": {"--currency", "--margin", "--decimal", "--output", "--url", "--key", "--data", "file"},
    "averages": {
        "--since",
        "--until",
        "--by",
        "--method",
        "--year-start",
        "--source",
        "--booking",
        "--csv",
        "--json",
        "--url",
        "--key",
        "--data",
    },
    "alert": {"add", "list", "test", "remove"},
    "usage": {"--account", "--since", "--csv", "--json", "--data"},
    "console": {"--data", "--operator-port", "--json"},
    "nodes": {"--data", "--json", "forget"},
    "verify": {"--receipt", "--keys", "--output", "--data", "--json", "file"},
    "audit": {"--who", "--action", "--on", "--since", "--limit", "--data", "--json"},
    "settings": {"--json"},
    "notify": {"--test", "--data", "--json"},
    "openapi": {"--output", "--check"},
    "completion": {"bash", "zsh", "fish"},
    "rate": {"--date", "--url", "--key", "--json", "--data"},
    "convert": {"--date", "--precision", "--output", "--decimal", "--delimiter", "--url", "--key", "--json", "--data"},
    "series": {
        "--since",
        "--until",
        "--plot",
        "--csv",
        "--ledger",
        "--beancount",
        "--source",
        "--rule",
        "--booking",
        "--json",
        "--url",
        "--key",
        "--data",
    },
    "export": {
        "--since",
        "--until",
        "--base",
        "--codes",
        "--format",
        "--force",
        "--verify",
        "--data",
        "--json",
        "folder",
    },
    "shadow": {
        "--theirs",
        "--ours",
        "--port",
        "--key",
        "--answer",
        "--tolerance",
        "--log",
        "--prefix",
        "--data",
        "report",
    },
    "explain": {"--date", "--url", "--key", "--json", "--data"},
    "mcp": {"--url", "--key", "--data"},
    "watch": {"--url", "--once", "--per-second", "--data", "pair"},
}
BEFORE = "the last day before it with a fixing is 2026-10-30"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminal of 80 columns without colours, default settings and an empty folder."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def run_cli(*arguments: str) -> Result:
    return CliRunner().invoke(program.app, arguments)


@pytest.fixture
def error_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run commands that must be refused, and return their standard error."""

    def error_of(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["cambist", *arguments])
        with pytest.raises(SystemExit) as ended:
            program.main()
        assert ended.value.code == 2
        output = capsys.readouterr()
        assert output.out == ""
        return output.err

    return error_of


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder with the fixing of one day, and a correction of it."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    for hour, value in enumerate(["1.1170", "1.1172"]):
        content = f"Date,USD,JPY,\n2026-10-30,{value},180.5,\n".encode()
        received_at = datetime(2026, 10, 30, 16 + hour, tzinfo=UTC)
        file_delivery(
            store.archive,
            adapter,
            Delivery(content, f"file {hour}", received_at),
            lambda _: None,
        )
    store.close()
    return str(tmp_path)


def test_the_program_lists_its_commands() -> None:
    result = run_cli("--help")
    assert result.exit_code == 0
    assert all(command in result.output for command in OPTIONS)


def test_every_command_is_covered_by_this_test() -> None:
    groups = {"account", "key", "plans", "sources", "disputes", "problems", "sandbox", "database", "receipts"}
    assert {*program.COMMANDS} == {*OPTIONS} | groups


@pytest.mark.parametrize("command", [(), ("fixing",), ("sandbox", "fault", "stale")])
def test_h_is_short_for_help(command: tuple[str, ...]) -> None:
    assert run_cli(*command, "-h").output == run_cli(*command, "--help").output != ""


def test_a_mistyped_command_is_answered_with_the_nearest(error_of: Callable[..., str]) -> None:
    assert error_of("serv") == "cambist: No such command 'serv': did you mean 'serve'? [cambist --help] explains it\n"


@pytest.mark.parametrize(
    ("typed", "instead"), [("", "sources"), ("try bank.toml --json", "sources try bank.toml --json")]
)
def test_a_family_that_has_ended_says_in_one_line_what_to_type(
    error_of: Callable[..., str], typed: str, instead: str
) -> None:
    error = error_of("feeds", *typed.split())
    assert error == f"cambist: The commands of [feeds] have moved: type [cambist {instead}]\n"


@pytest.mark.parametrize(("typed", "found"), [("cambist ac", "account"), ("cambist account cr", "create")])
def test_the_shell_completes_commands(monkeypatch: pytest.MonkeyPatch, typed: str, found: str) -> None:
    monkeypatch.setenv("_CAMBIST_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    assert CliRunner().invoke(program.app, [], prog_name="cambist").output.split() == [found]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_names_its_options_in_its_help(command: str) -> None:
    result = run_cli(command, "--help")
    assert result.exit_code == 0
    words = set(re.findall(r"--[a-z-]+|\b[a-z]+\b", STYLE.sub("", result.output)))
    assert OPTIONS[command] <= words


@pytest.mark.long(every=3)
@pytest.mark.parametrize("command", OPTIONS)
def test_every_option_of_a_command_has_a_help_text(command: str) -> None:
    lines = STYLE.sub("", run_cli(command, "--help").output).splitlines()
    for line in (line for line in lines if re.search(r"--[a-z]", line)):
        assert re.search(r"[A-Z][a-z]+ [a-z]+", line), line


def test_the_version_is_printed() -> None:
    result = run_cli("--version")
    assert (result.exit_code, result.output) == (0, f"cambist {__version__}\n")


def test_without_a_command_the_help_is_shown() -> None:
    assert "fixing" in run_cli().output


def test_without_a_command_all_commands_are_shown_by_purpose_with_three_examples() -> None:
    result = run_cli()
    assert result.exit_code == 0
    assert sorted(command for _, commands in GROUPS for command in commands) == sorted(program.COMMANDS)
    assert len(re.findall(r"^  cambist \w+", result.output, re.MULTILINE)) == 3
    assert max(map(len, result.output.splitlines())) <= 110


def test_settings_shows_every_field_with_its_variable_and_value() -> None:
    result = run_cli("settings")
    assert result.exit_code == 0
    for name in Settings.__struct_fields__:
        assert re.search(rf"\b{name}\b", result.output), name
        assert re.search(rf"\bCAMBIST_{name.upper()}\b", result.output), name
    assert "127.0.0.1" in result.output


def test_settings_as_json_holds_every_field() -> None:
    shown = json.loads(run_cli("settings", "--json").output)
    assert list(shown) == list(Settings.__struct_fields__)
    assert (shown["port"], shown["data"], shown["closed_max_age"]) == (8000, "data", "PT3600S")


def test_settings_shows_what_the_environment_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_PORT", "9123")
    assert json.loads(run_cli("settings", "--json").output)["port"] == 9123
    assert "9123" in run_cli("settings").output


def test_settings_shows_what_the_file_chose(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cambist.toml").write_text("threads = 7\n")
    monkeypatch.setenv("CAMBIST_CONFIG", "cambist.toml")
    assert json.loads(run_cli("settings", "--json").output)["threads"] == 7
    assert "cambist.toml" in run_cli("settings").output


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:se:cr@et@db/rates", "postgresql://me:***@db/rates"),
        ("postgresql+psycopg://db/rates?password=secret&user=me", "postgresql+psycopg://db/rates?password=***&user=me"),
        ("postgresql://me@db:5432/rates", "postgresql://me@db:5432/rates"),
    ],
)
def test_settings_never_shows_the_password_of_the_database(
    monkeypatch: pytest.MonkeyPatch, url: str, shown: str
) -> None:
    monkeypatch.setenv("CAMBIST_DATABASE", url)
    assert json.loads(CliRunner().invoke(program.app, ["settings", "--json"]).stdout)["database"] == shown


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:secret@db:6379", "redis://:***@db:6379"),
        (
            "redis+sentinel://me:secret@a,b/rates?sentinel_password=secret",
            "redis+sentinel://me:***@a,b/rates?sentinel_password=***",
        ),
    ],
)
def test_settings_never_shows_the_password_of_redis(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    monkeypatch.setenv("CAMBIST_REDIS", url)
    assert json.loads(CliRunner().invoke(program.app, ["settings", "--json"]).stdout)["redis"] == shown


@pytest.mark.parametrize(
    "name",
    ["fred_key", "banxico_key", "bcch_key", "openexchangerates_key", "bam_key", "bot_key", "twelvedata_key"],
)
def test_settings_never_shows_a_key(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"CAMBIST_{name.upper()}", "5ecre7")
    monkeypatch.setenv("CAMBIST_TLS_KEY", "key.pem")
    table, record = run_cli("settings").output, run_cli("settings", "--json").output
    assert "5ecre7" not in table + record
    shown = json.loads(record)
    keys = {key: value for key, value in shown.items() if key.endswith("_key")}
    assert keys == {
        "fred_key": "",
        "banxico_key": "",
        "bcch_key": "",
        "openexchangerates_key": "",
        "bam_key": "",
        "bot_key": "",
        "twelvedata_key": "",
        "tls_key": "key.pem",
        "operator_tls_key": None,
        name: "set",
    }
    assert "key.pem" in table
    assert re.search(rf"\b{name}\b[^\n]*\bset\b", table)


def test_an_unknown_setting_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, error_of: Callable[..., str]
) -> None:
    monkeypatch.setenv("CAMBIST_PROT", "9123")
    assert error_of("settings") == (
        "cambist: Unknown setting [CAMBIST_PROT] in the environment; did you mean [CAMBIST_PORT]?\n"
    )


def test_a_fixing_is_shown_with_its_corrections(data: str) -> None:
    result = run_cli("fixing", "EUR", "USD", "2026-10-30", "--data", data)
    assert result.exit_code == 0
    assert "1.1170" in result.output
    assert "1.1172" in result.output
    assert result.output.index("1.1170") < result.output.index("1.1172")
    assert "ecb" in result.output


def test_a_fixing_is_found_in_any_case_of_letters(data: str) -> None:
    assert "1.1172" in run_cli("fixing", "eur", "usd", "2026-10-30", "--data", data).output


def test_a_fixing_is_shown_with_its_time_of_delivery_and_origin(data: str) -> None:
    result = run_cli("fixing", "EUR", "USD", "2026-10-30", "--data", data)
    assert "file 1" in result.output
    assert "17:00:00" in result.output


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("EUR", "USD", "2026-10-31"),
            f"No source fixed EUR/USD on Saturday, 2026-10-31: on weekends most sources publish nothing; {BEFORE}",
        ),
        (
            ("USD", "EUR", "2026-11-03"),
            f"No source fixed USD/EUR on Tuesday, 2026-11-03: it may be a holiday; {BEFORE}",
        ),
        (("EUR", "USD", "2026-12-30"), "No source fixed EUR/USD on Wednesday, 2026-12-30"),
        (("EUR", "GBP", "2026-10-30"), "No source fixed EUR/GBP on Friday, 2026-10-30"),
        (("EUR", "GBP", "2026-10-01", "2026-10-30"), "No source fixed EUR/GBP from 2026-10-01 to 2026-10-30"),
        (
            ("EUR", "USD", "2026-10-31", "2026-10-30"),
            "Invalid last day: [2026-10-30] lies before the first, 2026-10-31",
        ),
        (("EUR", "USD", "30.10.2026"), "Invalid day: [30.10.2026], it takes a day such as 2026-12-31"),
    ],
)
def test_a_day_without_a_fixing_is_reported_in_one_sentence(
    data: str, error_of: Callable[..., str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert error_of("fixing", *arguments, "--data", data) == f"cambist: {sentence}\n"


def test_a_fixing_is_found_in_the_other_direction_with_a_note(data: str) -> None:
    result = run_cli("fixing", "USD", "EUR", "2026-10-30", "--data", data)
    assert (result.exit_code, result.stdout.count("1 EUR = 1.1172 USD")) == (0, 1)
    assert result.stderr == "cambist: Sources publish USD/EUR the other way around, as EUR/USD.\n"


def test_fixings_of_several_days_are_shown_oldest_first(data: str) -> None:
    archive = SqlStore(f"sqlite:///{Path(data) / 'cambist.db'}")
    record = DeliveryRecord("ecb", datetime(2026, 11, 2, 17, tzinfo=UTC), "later", "d")
    archive.archive.file(record, [Fixing("ecb", Pair("EUR", "USD"), date(2026, 11, 2), Decimal("1.12"))])
    archive.close()
    result = run_cli("fixing", "EUR", "USD", "2026-10-29", "2026-11-02", "--data", data, "--json")
    found = [(record["day"], record["value"]) for record in json.loads(result.output)]
    assert found == [("2026-10-30", "1.1170"), ("2026-10-30", "1.1172"), ("2026-11-02", "1.12")]


def test_a_fixing_is_written_as_json_in_the_digits_published(data: str) -> None:
    result = run_cli("fixing", "EUR", "USD", "2026-10-30", "--data", data, "--json")
    assert json.loads(result.output)[0] == {
        "source": "ecb",
        "base": "EUR",
        "quote": "USD",
        "day": "2026-10-30",
        "nominal": 1,
        "unit": "",
        "value": "1.1170",
        "published_at": None,
        "received_at": "2026-10-30T16:00:00Z",
        "origin": "file 0",
    }


@pytest.fixture
def closed(data: str) -> str:
    """The same folder with the closes of two coins and their sources."""
    store = SqlStore(f"sqlite:///{Path(data) / 'cambist.db'}")
    for coin, value, origin in (("BTC", "60123.45", "okx"), ("SHIB", "9.875E-9", "crossed from binance, okx")):
        close = Fixing(CLOSES, Pair(coin, "USD"), date(2026, 11, 21), Decimal(value))
        store.archive.file(DeliveryRecord(CLOSES, datetime(2026, 11, 22, 0, 0, 1, tzinfo=UTC), origin, "d"), [close])
    store.close()
    return data


def test_a_close_is_shown_with_its_sources(monkeypatch: pytest.MonkeyPatch, closed: str) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run_cli("fixing", "btc", "usd", "2026-11-21", "--data", closed).output.splitlines()[3]
    assert [cell.strip() for cell in shown.strip("│").split("│")] == [
        CLOSES,
        "BTC/USD",
        "2026-11-21",
        "1 BTC = 60123.45 USD",
        "2026-11-22 00:00:01",
        "okx",
    ]


def test_a_close_has_no_exponent(monkeypatch: pytest.MonkeyPatch, closed: str) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run_cli("fixing", "SHIB", "USD", "2026-11-21", "--data", closed).output
    assert "1 SHIB = 0.000000009875 USD" in shown
    assert "crossed from binance, okx" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("btc", "usd", "2026-11-22"),
            "No close of BTC was archived for 2026-11-22: closes are archived when their day ends, at midnight UTC",
        ),
        (
            ("BTC", "EUR", "2026-11-21"),
            "Coins are archived in USD: [cambist fixing BTC USD 2026-11-21] shows what BTC closed at",
        ),
        (
            ("USD", "BTC", "2026-11-22"),
            "No close of BTC was archived for 2026-11-22: closes are archived when their day ends, at midnight UTC",
        ),
        (
            ("BTC", "ETH", "2026-11-21"),
            "Coins are archived in USD: [cambist fixing BTC USD 2026-11-21] shows what BTC closed at",
        ),
    ],
)
def test_a_coin_without_a_close_is_reported_in_one_sentence(
    closed: str, error_of: Callable[..., str], arguments: tuple[str, str, str], sentence: str
) -> None:
    assert error_of("fixing", *arguments, "--data", closed) == f"cambist: {sentence}\n"


def test_a_folder_without_an_archive_is_reported_in_one_sentence(error_of: Callable[..., str], tmp_path: Path) -> None:
    error = error_of("fixing", "EUR", "USD", "2026-10-30", "--data", str(tmp_path / "nowhere"))
    assert error.startswith("cambist: There is no archive in ")
    assert error.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", [b"", b"Dear diary, " * 1000], ids=["empty", "no database"])
def test_an_archive_that_cannot_be_read_is_reported_in_one_sentence(
    error_of: Callable[..., str], tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "cambist.db").write_bytes(content)
    error = error_of("fixing", "EUR", "USD", "2026-10-30", "--data", str(tmp_path))
    assert error.startswith("cambist: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [("--port", "0"), ("--port", "65536"), ("--threads", "0"), ("--log-level", "loud"), ("--path-prefix", "x")],
)
def test_serve_refuses_a_wrong_setting_in_one_sentence_and_creates_nothing(
    error_of: Callable[..., str], tmp_path: Path, arguments: tuple[str, str]
) -> None:
    error = error_of("serve", "--data", str(tmp_path / "data"), *arguments)
    assert error.startswith(f"cambist: The setting [{arguments[0].strip('-').replace('-', '_')}] is refused: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["feeds_on", "feeds_off"])
def test_serve_refuses_a_mistyped_source_at_the_start_and_creates_nothing(
    error_of: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv(f"CAMBIST_{name.upper()}", "bis,krakn")
    monkeypatch.setattr("os.umask", lambda _: 0)
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)
    assert error_of("serve", "--data", str(tmp_path / "data"), "--port", "1") == (
        f"cambist: The setting [{name}] names no source: [krakn]; did you mean [kraken]?\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_port_in_use_is_reported_with_how_to_choose_another() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CannotStart, match=r"\[cambist serve --port 8100\], \[make serve PORT=8100\]"):
            free_address("127.0.0.1", taken.getsockname()[1])


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.parametrize("target", ["serve", "sandbox"])
def test_make_passes_on_settings_of_its_command_line_but_not_of_the_environment(target: str) -> None:
    command = ["make", "--no-print-directory", "-n", target, "PORT=8100", "WORKERS=3"]
    environment = {**os.environ, "HOST": "a-shell-sets-this"}
    ended = subprocess.run(command, cwd=DOCS.parents[1], env=environment, capture_output=True, text=True, check=True)
    line = ended.stdout.splitlines()[-1]
    assert {word for word in line.split() if word.startswith("CAMBIST_")} == {"CAMBIST_PORT=8100", "CAMBIST_WORKERS=3"}
    assert "cambist serve" in line


def test_the_openapi_document_in_docs_is_up_to_date() -> None:
    assert run_cli("openapi", "--check", str(DOCS)).exit_code == 0


def test_a_document_that_is_out_of_date_is_reported(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(DOCS.read_text().replace("Cambist", "Someone"))
    result = run_cli("openapi", "--check", str(tmp_path / "openapi.json"))
    assert result.exit_code == 1
    assert "out of date" in result.output


def test_a_missing_document_is_out_of_date(tmp_path: Path) -> None:
    assert run_cli("openapi", "--check", str(tmp_path / "nowhere.json")).exit_code == 1


def test_the_openapi_document_goes_to_a_file_or_to_standard_output(tmp_path: Path) -> None:
    assert run_cli("openapi", "--output", str(tmp_path / "openapi.json")).output == ""
    assert run_cli("openapi").output == (tmp_path / "openapi.json").read_text()
    assert run_cli("openapi", "--check", str(tmp_path / "openapi.json")).exit_code == 0


def test_a_document_that_cannot_be_written_is_reported_in_one_sentence(
    error_of: Callable[..., str], tmp_path: Path
) -> None:
    error = error_of("openapi", "--output", str(tmp_path / "nowhere" / "openapi.json"))
    assert error.startswith("cambist: ")
    assert error.count("\n") == 1
