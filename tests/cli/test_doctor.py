"""`cambist doctor` finds what is wrong, says what to do, and changes nothing."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from tests.conftest import NOW
from tests.patience import PATIENCE

from cambist.admin.doctor import database_checks, folder_checks, machine_checks, network_checks
from cambist.admin.doctor.examination import CHECKS, FOLDER_CHECKS, examine
from cambist.admin.doctor.finding import Check, Finding, InstallationState, Severity
from cambist.cli import main
from cambist.errors import SettingRefused
from cambist.ingest.source_status import SourceStatuses
from cambist.settings import Settings
from cambist.sources.adapters.ecb import adapter
from cambist.status.environment import Environment
from cambist.storage.json_file import write_json_file

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

SETTINGS = {"port": 1, "stream_port": 0, "operator_port": 0, "fetch": False}
OK, WARNING, PROBLEM = Severity.OK, Severity.WARNING, Severity.PROBLEM


@pytest.fixture
def installation(finished: Path) -> InstallationState:
    (finished / "owner.key").write_text("cmb_key\n")
    (finished / "owner.key").chmod(0o600)
    finished.chmod(0o700)
    settings = msgspec.convert({**SETTINGS, "data": str(finished)}, Settings, dec_hook=lambda kind, text: kind(text))
    return InstallationState(settings, {}, datetime(2026, 3, 9, 12, tzinfo=UTC), Environment.LIVE, is_served=False)


def one(check: Check, installation: InstallationState) -> Finding:
    found = list(check(installation))
    assert len(found) == 1, found
    assert (found[0].remedy == "") is (found[0].severity is OK)
    return found[0]


def with_settings(installation: InstallationState, **settings: object) -> InstallationState:
    return replace(installation, settings=msgspec.structs.replace(installation.settings, **settings))


def with_reports(installation: InstallationState, written_at: datetime, failures: int = 0) -> None:
    statuses = SourceStatuses.for_sources([adapter.source], {})
    reports = statuses.report(written_at, {}, {})
    failing = [
        msgspec.structs.replace(each, failures=failures, last_failure=written_at if failures else None)
        for each in reports.reports
    ]
    write_json_file(installation.path / "sources.json", msgspec.structs.replace(reports, reports=tuple(failing)))


def test_nothing_is_wrong_with_a_good_folder(installation: InstallationState) -> None:
    for check in (*CHECKS, *FOLDER_CHECKS):
        for finding in check(installation):
            assert finding.severity is OK or finding.check == "sources", finding


def test_nothing_is_changed(installation: InstallationState) -> None:
    def state() -> dict[str, tuple[bytes, float]]:
        return {path.name: (path.read_bytes(), path.stat().st_mtime) for path in installation.path.iterdir()}

    before = state()
    names = {path.name for path in installation.path.parent.iterdir()}
    list(examine({"CAMBIST_DATA": str(installation.path)}, {}, lambda: NOW))
    list(examine({"CAMBIST_DATA": str(installation.path / "nowhere")}, {}, lambda: NOW))
    assert state() == before
    assert {path.name for path in installation.path.parent.iterdir()} == names


def test_a_database_in_use_is_checked_beside_its_log(installation: InstallationState) -> None:
    with sqlite3.connect(installation.path / "cambist.db") as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE alembic_version SET version_num = '0015'")
        connection.commit()
        assert (installation.path / "cambist.db-wal").stat().st_size
        finding = one(database_checks.check_database, installation)
    connection.close()
    assert (finding.severity, "schema 0015" in finding.found) == (WARNING, True)


@pytest.mark.parametrize(("schema", "severity"), [("0001", PROBLEM), ("0015", WARNING), ("9999", PROBLEM)])
def test_another_schema_is_found(installation: InstallationState, schema: str, severity: Severity) -> None:
    with sqlite3.connect(installation.path / "cambist.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [schema])
    connection.close()
    finding = one(database_checks.check_database, installation)
    assert (finding.severity, f"schema {schema}" in finding.found) == (severity, True)


def test_a_damaged_database_is_found(installation: InstallationState) -> None:
    path = installation.path / "cambist.db"
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xa5" * (4096 * 3)
    path.write_bytes(content)
    assert one(database_checks.check_database, installation).severity is PROBLEM
    path.write_bytes(b"")
    assert "missing or empty" in one(database_checks.check_database, installation).found


@pytest.mark.parametrize(
    ("name", "check", "remedy"),
    [
        ("rates.image", folder_checks.check_matrix, "built again"),
        ("rates.book", folder_checks.check_book, "built again"),
        ("plans.toml", folder_checks.check_plans, "plans check"),
    ],
)
def test_a_damaged_or_missing_file_is_found(
    installation: InstallationState, name: str, check: Check, remedy: str
) -> None:
    assert one(check, installation).severity is OK
    (installation.path / name).write_bytes(b"[damaged")
    assert (one(check, installation).severity, remedy in one(check, installation).remedy) == (PROBLEM, True)
    (installation.path / name).unlink()
    assert one(check, installation).severity is PROBLEM


@pytest.mark.parametrize("check", [folder_checks.check_matrix, folder_checks.check_book])
def test_old_rates_are_a_warning(installation: InstallationState, check: Check) -> None:
    finding = one(check, replace(installation, now=installation.now + timedelta(days=20)))
    assert (finding.severity, "days ago" in finding.found) == (WARNING, True)


def test_a_key_and_a_folder_that_others_can_read_are_found(installation: InstallationState) -> None:
    (installation.path / "owner.key").chmod(0o644)
    assert one(folder_checks.check_owner_key, installation).remedy.startswith("chmod 600 ")
    installation.path.chmod(0o750)
    assert one(folder_checks.check_folder, installation).remedy.startswith("chmod 700 ")
    (installation.path / "owner.key").unlink()
    assert one(folder_checks.check_owner_key, installation).severity is WARNING


def test_a_folder_of_another_kind_is_found(installation: InstallationState) -> None:
    other = with_settings(installation, sandbox=True)
    assert [each.severity for each in folder_checks.check_folder(other)] == [PROBLEM, OK]
    sandbox = replace(installation, environment=Environment.SANDBOX)
    assert [each.severity for each in folder_checks.check_folder(sandbox)] == [WARNING, OK]


def test_little_space_is_found(installation: InstallationState, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, severity in ((10 << 20, PROBLEM), (500 << 20, WARNING), (5 << 30, OK)):
        usage = shutil.disk_usage(installation.path)._replace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, usage=usage: usage)
        assert one(folder_checks.check_disk, installation).severity is severity


def test_unfinished_files_are_found(installation: InstallationState) -> None:
    abandoned = installation.path / ".rates.image.abcd1234"
    abandoned.write_bytes(b"")
    os.utime(abandoned, (1, 1))
    assert one(folder_checks.check_file_kinds, installation).severity is WARNING
    assert abandoned.exists()


def test_failing_sources_and_a_silent_service_are_found(installation: InstallationState) -> None:
    asking = with_settings(installation, fetch=True)
    assert "no report" in one(folder_checks.check_sources, asking).found
    with_reports(asking, asking.now, failures=2)
    failing = [each for each in folder_checks.check_sources(asking) if each.severity is WARNING]
    assert [each.found for each in failing] == ["1 failing: ecb"]
    with_reports(asking, asking.now - timedelta(minutes=10))
    severities = [each.severity for each in folder_checks.check_sources(replace(asking, is_served=True))]
    assert severities == [PROBLEM, OK]
    assert [each.severity for each in folder_checks.check_sources(asking)] == [OK]


def test_a_clock_that_is_behind_is_found(installation: InstallationState) -> None:
    assert one(machine_checks.check_clock, installation).severity is OK
    with_reports(installation, installation.now + timedelta(hours=3))
    assert "2026-03-09 15:00:00" in one(machine_checks.check_clock, installation).found
    assert (
        one(machine_checks.check_clock, replace(installation, now=datetime(1970, 1, 1, tzinfo=UTC))).severity is PROBLEM
    )


def test_a_missing_and_an_old_package_are_found(
    installation: InstallationState, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = ["aiohttp<4,>=3.13", "no-such-package>=1", "msgspec<0.2,>=0.1", 'pytest>=999; extra == "dev"']
    monkeypatch.setattr(machine_checks.metadata, "requires", lambda _name: needs)
    found = [each.found for each in machine_checks.check_dependencies(installation)]
    assert len(found) == 2
    assert found[0] == "the package no-such-package is missing"
    assert found[1].startswith("msgspec ")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_taken_port_is_found_with_the_process_that_has_it(installation: InstallationState, taken: int) -> None:
    finding = one(network_checks.check_ports, with_settings(installation, port=taken))
    assert (finding.severity, finding.found.startswith(f"{taken} is taken")) == (PROBLEM, True)
    if Path("/proc/net/tcp").exists():
        assert "pytest" in finding.found or "python" in finding.found
    served = replace(with_settings(installation, port=taken), is_served=True)
    assert one(network_checks.check_ports, served).severity is OK
    assert one(network_checks.check_ports, replace(installation, is_served=True)).severity is WARNING


def test_a_stream_that_does_not_answer_is_found(installation: InstallationState) -> None:
    served = replace(with_settings(installation, stream_port=1), is_served=True)
    assert one(network_checks.check_stream, served).severity is PROBLEM
    assert list(network_checks.check_stream(installation)) == []


def test_the_ways_in_and_out_are_judged(installation: InstallationState) -> None:
    behind = replace(with_settings(installation, fetch=True), variables={"ALL_PROXY": "socks5://proxy"})
    assert one(network_checks.check_proxies, behind).severity is WARNING
    proxied = replace(installation, variables={"HTTPS_PROXY": "http://me:secret@proxy:3128"})
    found = one(network_checks.check_proxies, proxied)
    assert (found.severity, "secret" in found.found) == (OK, False)
    assert found.found == "https through the proxy http://me:***@proxy:3128 (HTTPS_PROXY), http directly"
    through = replace(with_settings(behind, gateway="http://gate"), variables=behind.variables)
    assert one(network_checks.check_proxies, through).severity is OK
    noticed = with_settings(proxied, notify_webhook="https://chat.example/x", notify_email="smtp://mail.example")
    assert [(each.check, each.found) for each in network_checks.check_proxies(noticed)][1:] == [
        ("way to the webhook", "through the proxy http://me:***@proxy:3128"),
        ("way to the mail server", "directly: SMTP does not go through a proxy"),
    ]
    public = list(network_checks.check_proxies(with_settings(installation, host="0.0.0.0")))  # noqa: S104
    assert [each.severity for each in public] == [OK, WARNING]


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
@pytest.mark.parametrize("algorithm", ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:prime256v1"])
def test_the_end_of_a_certificate_is_found(installation: InstallationState, tmp_path: Path, algorithm: str) -> None:
    made = f"openssl req -x509 -newkey {algorithm} -nodes -days 10 -subj /CN=localhost -keyout key.pem -out cert.pem"
    subprocess.run(made.split(), cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    shown = subprocess.run(
        ["openssl", "x509", "-enddate", "-noout", "-in", "cert.pem"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    ends = datetime.strptime(shown.strip(), "notAfter=%b %d %H:%M:%S %Y GMT").replace(tzinfo=UTC)
    assert network_checks.certificate_end(tmp_path / "cert.pem") == ends
    secure = with_settings(installation, tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem")
    for before, severity in ((30, OK), (5, WARNING), (-1, PROBLEM)):
        at = replace(secure, now=ends - timedelta(days=before))
        assert one(network_checks.check_tls, at).severity is severity
    swapped = with_settings(installation, tls_cert=tmp_path / "key.pem", tls_key=tmp_path / "cert.pem")
    assert one(network_checks.check_tls, swapped).severity is PROBLEM


def test_a_process_that_was_left_behind_is_found(installation: InstallationState) -> None:
    if not Path("/proc/self/maps").exists():
        pytest.skip("processes are found in /proc")
    (installation.path / "versions").write_bytes(bytes(4096))
    code = "import mmap,sys; file = open(sys.argv[1], 'rb'); held = mmap.mmap(file.fileno(), 0, access=1)\n"
    code += "print(1, flush=True); input()"
    left = subprocess.Popen(
        [sys.executable, "-c", code, str(installation.path / "versions")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with left:
        assert left.stdout is not None
        left.stdout.readline()
        finding = one(network_checks.check_leftovers, installation)
        assert f" {left.pid} (" in finding.found
        left.communicate(b"\n")
    assert one(network_checks.check_leftovers, installation).severity is OK


# The command


@pytest.fixture
def run(
    installation: InstallationState, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[object, str]]:
    for name, value in {**SETTINGS, "data": installation.path}.items():
        monkeypatch.setenv(f"CAMBIST_{name.upper()}", str(value).lower() if name != "data" else str(value))

    def run(*arguments: str) -> tuple[object, str]:
        monkeypatch.setattr(sys, "argv", ["cambist", "doctor", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        return ended.value.code or 0, capsys.readouterr().out

    return run


def test_warnings_end_with_0_and_problems_with_1(
    run: Callable[..., tuple[object, str]], installation: InstallationState
) -> None:
    code, shown = run()
    assert (code, "problems: 0" in shown) == (0, True)
    (installation.path / "plans.toml").write_text("[damaged")
    code, shown = run()
    assert (code, "problems: 1" in shown) == (1, True)
    assert "problem  plans: " in shown
    assert "what to do: correct the file" in shown


def test_json_has_every_finding(run: Callable[..., tuple[object, str]]) -> None:
    code, shown = run("--json")
    assert code == 0
    assert {"check", "severity", "found", "remedy"} == set(json.loads(shown)[0])


def test_an_unknown_setting_is_a_problem_and_all_else_is_checked(
    run: Callable[..., tuple[object, str]], monkeypatch: pytest.MonkeyPatch, installation: InstallationState
) -> None:
    monkeypatch.setenv("CAMBIST_PROT", "1")
    code, shown = run("--data", str(installation.path))
    assert code == 1
    assert "problem  settings: Unknown setting [CAMBIST_PROT]" in shown
    assert "ok       database: sound" in shown


def test_an_account_that_should_pay_and_does_not_exist_is_a_problem(installation: InstallationState) -> None:
    named = with_settings(installation, dialects="frankfurter", dialect_account="programs")
    finding = one(folder_checks.check_named_accounts, named)
    assert (finding.severity, finding.found.endswith("names [programs], which does not exist")) == (PROBLEM, True)
    paid = with_settings(installation, dialects="frankfurter", dialect_account="owner")
    assert one(folder_checks.check_named_accounts, paid).severity is OK


def test_a_folder_in_use_is_recognised(installation: InstallationState) -> None:
    lock = installation.path / "cambist.lock"
    lock.write_bytes(b"")
    examined = {"CAMBIST_DATA": str(installation.path), "CAMBIST_PORT": "1"}
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = {each.check: each.found for each in examine(examined, {}, lambda: NOW)}
    assert "although a service uses the data folder" in found["port"]


def test_every_check_says_what_to_do_about_an_unreadable_folder(installation: InstallationState) -> None:
    shutil.rmtree(installation.path)
    installation.path.mkdir()
    (installation.path / "environment").write_text("live\n")
    findings = list(examine({"CAMBIST_DATA": str(installation.path)}, {}, lambda: NOW))
    assert all(each.remedy for each in findings if each.severity is not OK)
    assert {"database", "rate matrix", "rate book", "plans"} <= {e.check for e in findings if e.severity is PROBLEM}


def test_variables_that_kubernetes_sets_for_a_service_are_counted_and_not_refused(
    installation: InstallationState,
) -> None:
    links = {"CAMBIST_SERVICE_HOST": "10.96.12.7", "CAMBIST_PORT": "tcp://10.96.12.7:8000"}
    finding = one(machine_checks.check_settings, replace(installation, variables=links))
    assert (finding.severity, "2 variables of Kubernetes are ignored" in finding.found) == (OK, True)


def test_a_source_of_another_version_that_nodes_switch_off_is_a_warning(installation: InstallationState) -> None:
    servers = {"database": "postgresql://127.0.0.1:1/cambist", "redis": "redis://127.0.0.1:1"}
    shared = with_settings(installation, **servers, feeds_off="kraken,source_of_tomorrow")
    found = list(machine_checks.check_settings(shared))
    assert [each.severity for each in found] == [WARNING, OK]
    assert "[source_of_tomorrow]" in found[0].found
    assert "[feeds_off]" in found[0].remedy
    alone = with_settings(installation, feeds_off="source_of_tomorrow")
    with pytest.raises(SettingRefused, match=r"\[feeds_off\] names no source: \[source_of_tomorrow\]"):
        list(machine_checks.check_settings(alone))


def test_a_newer_database_names_the_release_to_install(installation: InstallationState) -> None:
    connection = sqlite3.connect(installation.path / "cambist.db")
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("INSERT INTO schema_releases VALUES ('9999', '7.1.0', '2027-01-02 03:04:05')")
    connection.close()
    finding = one(database_checks.check_database, installation)
    assert (finding.severity, finding.remedy) == (PROBLEM, "install Cambist 7.1.0 or newer")
    assert "migrated by 7.1.0" in finding.found
