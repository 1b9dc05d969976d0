"""`cambist sources`: list and count the sources, show their status, and try a declaration."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cambist.registry.sources.source_adapters import adapters, is_declared
from cambist.status.source_activity import ActivityCounts, SourceActivity
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.json_file import write_json_file

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "own-sources.md").read_text(encoding="utf-8")
HARBOUR, MERIDIAN = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
(TABLE,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
NOW = datetime.now(UTC)


def row_of(table: str, key: str) -> list[str]:
    (line,) = (line for line in table.splitlines() if line.startswith(f"│ {key} "))
    return [cell.strip() for cell in line.split("│")[1:-1]]


@pytest.fixture
def declared(folder: Path) -> Path:
    """The first example of the guide, as a declared source of the folder."""
    (folder / "sources").mkdir()
    path = folder / "sources" / "harbour.toml"
    path.write_text(HARBOUR)
    return path


@pytest.fixture
def answer(tmp_path: Path) -> str:
    (tmp_path / "answer.csv").write_text(TABLE)
    return str(tmp_path / "answer.csv")


# list


@pytest.mark.usefixtures("declared")
def test_every_source_is_listed_best_first_and_declared_ones_last(shell: Shell) -> None:
    records = shell("sources", "list", "--json").json["sources"]
    assert [record["key"] for record in records] == [*adapters(), "harbour"]
    assert records[0] == {
        "key": "ecb",
        "name": "European Central Bank",
        "on": True,
        "why_off": "",
        "pace": "daily",
        "rate_type": "official",
        "redistribution": "allowed",
        "licence": adapters()["ecb"].source.licence,
        "terms": adapters()["ecb"].source.terms,
        "home": adapters()["ecb"].source.home,
        "covers": adapters()["ecb"].source.covers,
        "described_by": "module",
        "known_from": "recorded",
        "compiled": False,
        "anchor": "EUR",
        "first_day": "1999-01-04",
    }
    table = shell("sources", "list").out
    assert all(row_of(table, key) for key in adapters())
    assert row_of(table, "harbour") == ["harbour", "on", "daily", "Harbour Bank"]
    wide = row_of(shell("sources", "list", "--wide").out, "harbour")
    assert wide == ["harbour", "on", "market", "daily", "forbidden", "own", "", "Harbour Bank", ""]


def test_the_list_of_sources_fits_a_screen(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shell("sources", "list").out).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("│") for line in lines) < len(adapters()) * 1.15  # few names take two lines


def test_a_source_that_is_off_is_listed_with_the_reason(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", "kraken")
    records = {record["key"]: record for record in shell("sources", "list", "--json").json["sources"]}
    assert (records["fred"]["on"], records["fred"]["why_off"]) == (False, "needs a key of your own: fred_key")
    assert (records["kraken"]["on"], records["kraken"]["why_off"]) == (False, "switched off by the setting feeds_off")
    row = row_of(shell("sources", "list", "--wide").out, "kraken")
    assert row[1] == "off"
    assert row[-1].startswith("switched off")


def test_a_key_switches_its_source_on_and_is_not_shown(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_FRED_KEY", "5ecre7")
    ended = shell("sources", "list", "--json")
    assert {record["key"]: record["on"] for record in ended.json["sources"]}["fred"] is True
    assert "5ecre7" not in ended.out + shell("sources", "list").out


def test_sources_are_listed_without_a_data_folder(shell: Shell, tmp_path: Path) -> None:
    assert shell("sources", "list", "--data", str(tmp_path / "nowhere")).code == 0
    assert not (tmp_path / "nowhere").exists()


def test_an_invalid_declaration_or_setting_is_reported_in_one_sentence(
    error_of: ErrorOf, declared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared.write_text(HARBOUR.replace('anchor = "EUR"', 'anchor = "euro"'))
    assert f"{declared}" in error_of("sources", "list")
    declared.unlink()
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", "karken")
    assert "feeds_off" in error_of("sources", "list")


@pytest.mark.usefixtures("declared")
def test_every_source_is_listed_with_what_describes_it(shell: Shell) -> None:
    records = shell("sources", "list", "--json").json["sources"]
    assert [record["key"] for record in records] == [*adapters(), "harbour"]
    described = {record["key"]: (record["described_by"], record["known_from"]) for record in records}
    assert described["ecb"] == ("module", "recorded")
    assert described["boi"] == ("declaration", "recorded")
    assert described["harbour"] == ("own", None)


@pytest.mark.usefixtures("declared")
def test_the_sources_are_counted(shell: Shell) -> None:
    counts = shell("sources", "list", "--json").json["counts"]
    files = sum(map(is_declared, adapters()))
    assert counts["all"] == len(adapters()) + 1
    assert counts["described_by"] == {"declaration": files, "module": len(adapters()) - files, "own": 1}
    assert sum(counts["known_from"].values()) == len(adapters())
    table = shell("sources", "list", "--wide").out
    kinds = f"{len(adapters()) - files} modules, {files} declarations, 1 of your own"
    assert f"{len(adapters()) + 1} sources: {kinds}; {counts['on']} are on." in table
    assert f"(unproven): {counts['known_from'].get('documentation', 0)}." in table


# status


def report(key: str, **rest: Any) -> SourceReport:
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "pace", "rate_type", "covers"), "x")
    return SourceReport(**{"key": key, "enabled": True, **facts, **rest})


REPORTS = (
    report(
        "ecb",
        last_success=datetime(2026, 11, 20, 15, 4, 5, tzinfo=UTC),
        newest=NOW - timedelta(hours=3, minutes=30),
        codes=31,
        pairs=41,
        first=date(1999, 1, 4),
        last=date(2026, 11, 20),
        held=7,
    ),
    report("kraken", newest=NOW - timedelta(days=9), ticks=5, refused={"crossed": 1234, "ahead": 1}),
    report("bis", last_failure=NOW, failures=2, why="bis: answered 500"),
    report("cnb"),
    report("fred", enabled=False, why="needs a key of your own: fred_key"),
)


@pytest.fixture
def source_reports(folder: Path) -> SourceReports:
    written = SourceReports(datetime.now(UTC), REPORTS, 12, NOW)
    write_json_file(folder / "sources.json", written)
    return written


@pytest.mark.usefixtures("source_reports")
def test_status_shows_the_state_of_each_source(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    table = shell("sources", "status").out
    ecb = row_of(table, "ecb")
    assert (ecb[:2], ecb[3:]) == (["ecb", "fresh"], ["3h", "31", "1999", "7", ""])
    assert re.fullmatch(r"[\d.]+(s|min|h|d)", ecb[2])
    kraken = row_of(table, "kraken")
    assert (kraken[1], kraken[3], kraken[-1]) == ("late", "9d", "1,234 ticks crossed; 1 ticks ahead")
    assert row_of(table, "bis") == ["bis", "failing", "", "", "", "", "", "bis: answered 500"]
    assert row_of(table, "cnb")[1] == "waiting"
    assert (row_of(table, "fred")[1], row_of(table, "fred")[-1]) == ("off", "needs a key of your own: fred_key")
    assert "Nobody asks" not in table


def test_status_is_written_as_json(shell: Shell, source_reports: SourceReports) -> None:
    record = shell("sources", "status", "--json").json
    assert (record["book_version"], record["environment"]) == (12, "live")
    assert datetime.fromisoformat(record["written_at"]) == source_reports.written_at
    ecb, kraken, *_, fred = record["sources"]
    assert (ecb["key"], ecb["state"], ecb["codes"], ecb["pairs"], ecb["held"]) == ("ecb", "fresh", 31, 41, 7)
    assert (ecb["first"], ecb["last"], ecb["last_success"]) == ("1999-01-04", "2026-11-20", "2026-11-20T15:04:05Z")
    assert 12600 <= ecb["lag_seconds"] < 14400
    assert (kraken["refused"], kraken["ticks"]) == ({"crossed": 1234, "ahead": 1}, 5)
    assert (fred["state"], fred["lag_seconds"]) == ("off", None)


def test_an_old_report_says_that_the_sources_are_not_asked(shell: Shell, folder: Path) -> None:
    write_json_file(folder / "sources.json", SourceReports(datetime.now(UTC) - timedelta(hours=5, minutes=1), REPORTS))
    assert shell("sources", "status").out.endswith("Nobody asks the sources now: this is what was so 5h ago.\n")


@pytest.mark.parametrize("content", [None, b"{"], ids=["none", "damaged"])
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["people", "machines"])
def test_a_missing_report_is_an_error(
    error_of: ErrorOf, folder: Path, content: bytes | None, as_json: tuple[str, ...]
) -> None:
    if content:
        (folder / "sources.json").write_bytes(content)
    said = error_of("sources", "status", *as_json)
    assert said.startswith(f"There is no source report in {folder / 'sources.json'}: ")


# try


def test_a_saved_answer_is_read_and_nothing_is_stored(shell: Shell, declared: Path, answer: str, folder: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    ended = shell("sources", "try", str(declared), "--payload", answer)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "Harbour Bank would be the source [harbour]: rates against EUR, as the operator declared.",
        f"From {answer}.",
        "Read: 5 rates of 2026-10-29 to 2026-10-30, such as",
        "  1 EUR = 1.1172 USD on 2026-10-30",
        "  1 EUR = 171.05 JPY on 2026-10-30",
        "  1 EUR = 0.8412 GBP on 2026-10-30",
        "Nothing was kept.",
    ]
    assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_suspicious_rates_lead_to_warnings(shell: Shell, declared: Path, answer: str) -> None:
    declared.write_text(HARBOUR.replace('"other_per_anchor"', '"anchor_per_other"').replace('"GBP"', '"ZZQ"'))
    said = shell("sources", "try", str(declared), "--payload", answer, "--from", "2026-10-30").out
    assert "No table knows: ZZQ.\n" in said
    assert "Warning: 1 of 2 days were not asked for, such as 2026-10-29.\n" in said
    assert "Warning: 1 JPY would be worth more than 1 USD: look at rates.direction and the nominal.\n" in said


def test_a_dry_run_is_written_as_json(shell: Shell, declared: Path, answer: str) -> None:
    record = shell("sources", "try", str(declared), "--payload", answer, "--from", "2026-10-29", "--json").json
    assert (record["key"], record["name"], record["origin"]) == ("harbour", "Harbour Bank", answer)
    assert record["asked"]["first"] == "2026-10-29"
    assert (record["read"]["fixings"], record["read"]["first"], record["read"]["last"]) == (
        *(5, "2026-10-29", "2026-10-30"),
    )
    assert record["read"]["sample"][0] == "1 EUR = 1.1172 USD on 2026-10-30"
    assert (record["read"]["unknown"], record["read"]["warnings"]) == ([], [])


def test_an_invalid_dry_run_is_refused_in_one_sentence(
    error_of: ErrorOf, declared: Path, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MERIDIAN_KEY", raising=False)
    (tmp_path / "twin.toml").write_text(HARBOUR)
    (tmp_path / "ecb.toml").write_text(HARBOUR.replace('"harbour"', '"ecb"'))
    (tmp_path / "meridian.toml").write_text(MERIDIAN)
    for arguments, reason in (
        ((str(tmp_path / "nowhere.toml"),), "the file cannot be read"),
        ((str(tmp_path / "ecb.toml"), "--payload", answer), "ecb"),
        ((str(tmp_path / "twin.toml"), "--payload", answer), "harbour"),
        ((str(declared), "--payload", str(tmp_path / "nowhere.csv")), "nowhere.csv"),
        ((str(declared), "--payload", str(tmp_path / "twin.toml")), "harbour: "),
        ((str(declared), "--from", "soon"), "Invalid --from: [soon]"),
        ((str(declared), "--from", "2999-01-01"), "Invalid --from: [2999-01-01] lies ahead"),
        ((str(tmp_path / "meridian.toml"),), "needs a key: set the variable MERIDIAN_KEY"),
    ):
        assert reason in error_of("sources", "try", *arguments), arguments


def test_the_last_day_of_sources_is_shown(shell: Shell, folder: Path, error_of: ErrorOf) -> None:
    counts = ActivityCounts()
    for seconds in (1, 3):
        counts.record_poll(NOW, timedelta(seconds=seconds))
    counts.record_failure(NOW)
    activity = SourceActivity(NOW, {"ecb": counts.last_day(NOW)})
    write_json_file(folder / "source-activity.json", activity)
    assert row_of(shell("sources", "activity").out, "ecb") == ["ecb", "2", "0", "1", "2000 ms", "3000 ms", "0"]
    slots = shell("sources", "activity", "ecb", "--json").json["ecb"]
    assert len(slots) == 48
    assert sum(slot["polls"] for slot in slots) == 2
    assert "did you mean [ecb]" in error_of("sources", "activity", "ecbb")
