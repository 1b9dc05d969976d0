from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.plan import default_plans
from cambist.registry.accounts.plans import current_plans
from cambist.storage.shared.change_notifier import Topic, data_changes

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
GOLD = '\n[gold]\ncalls_a_month = 7\nhistory_days = 30\ntags = ["currency"]\n'


def notifications(folder: Path) -> int:
    return data_changes(folder).version(Topic.PLANS)


def test_plans_are_listed(shell: Shell) -> None:
    lines = shell("plans", "list").out.splitlines()
    (premium,) = (line for line in lines if "premium" in line)
    assert all(word in premium for word in ("1,000,000", "500/s, burst 1,000", "1 s", "all", "5 x 50 pairs"))
    (unlimited,) = (line for line in lines if "unlimited" in line)
    assert all(word in unlimited for word in ("none", "every book"))


def test_no_word_of_a_table_is_cut_off_on_a_narrow_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    table = shell("plans", "list").out
    assert all(f" {word} " in table for word in ("1,000,000", "fx-series", "unlimited"))
    assert "…" not in table
    assert all(len(line) == 80 and line[-1] in "┓┃┩│┘" for line in table.splitlines())


def test_plans_are_listed_as_json(shell: Shell) -> None:
    records = shell("plans", "list", "--json").json
    assert [record["name"] for record in records] == ["one", "extra", "premium", "unlimited"]
    assert records[0] == {
        "name": "one",
        "calls_a_month": 1_000_000,
        "rate": 50.0,
        "burst": 100,
        "book_refresh": 60.0,
        "tags": ["currency", "crypto", "admin"],
        "history_days": None,
        "stream_connections": 0,
        "stream_pairs": 0,
        "stream_messages": 0,
        "stream_calls_a_minute": 0,
        "offline_calls": 0,
        "lock_minutes": 30,
        "alerts": 20,
    }
    assert records[3]["calls_a_month"] is None


def test_the_plans_file_of_the_folder_is_checked_and_nothing_changes(shell: Shell, folder: Path) -> None:
    (folder / "plans.toml").write_text(default_plans() + GOLD)
    before = notifications(folder)
    ended = shell("plans", "check")
    assert ended.code == 0
    assert ended.out == f"{folder / 'plans.toml'} is right: one, extra, premium, unlimited, gold.\n"
    assert not (folder / "plans.current").exists()
    assert notifications(folder) == before


def test_another_plans_file_is_checked_without_a_service(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(default_plans() + GOLD)
    record = shell("plans", "check", str(tmp_path / "mine.toml"), "--data", "nowhere", "--json").json
    assert record["file"] == str(tmp_path / "mine.toml")
    assert record["plans"][-1] == "gold"


def test_reloading_applies_the_file_and_notifies_the_service(shell: Shell, folder: Path) -> None:
    assert shell("plans", "reload").code == 0
    (folder / "plans.toml").write_text(default_plans() + GOLD)
    before = notifications(folder)
    assert "gold" not in [record["name"] for record in shell("plans", "list", "--json").json]
    assert shell("plans", "reload", "--json").json["plans"][-1] == "gold"
    assert notifications(folder) != before
    assert current_plans(folder)["gold"].calls_a_month == 7
    (gold,) = (line for line in shell("plans", "list").out.splitlines() if "gold" in line)
    assert all(word in gold for word in ("7", "30 days", "none"))
    assert shell("account", "create", "acme", "--plan", "gold").code == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[unlimited\n", "plans.toml, line 1: "),
        ('[unlimited]\ntags = ["admin"]\n[gold]\ntags = ["fx"]\nrate = -1\nburst = 1\n', "plans.toml, line 5: rate"),
        ('[unlimited]\ntags = ["admin"]\n[gold]\ntags = ["fx"]\ncals_a_month = 1\n', "plans.toml, line 5: "),
        ('[gold]\ntags = ["fx"]\n', "plans.toml, line 2: there is no plan [unlimited]"),
        ('[unlimited]\ntags = ["admin"]\n', "plans.toml lacks the plan [one] of the account [acme]"),
    ],
)
def test_an_invalid_file_is_refused_with_its_line_and_the_previous_plans_stay(
    shell: Shell, error_of: ErrorOf, folder: Path, content: str, reason: str
) -> None:
    shell("plans", "reload")
    shell("account", "create", "acme", "--plan", "one")
    before, rung = current_plans(folder), notifications(folder)
    (folder / "plans.toml").write_text(content)
    for command in ("check", "reload"):
        assert reason in error_of("plans", command)
    assert current_plans(folder) == before
    assert notifications(folder) == rung
    assert (folder / "plans.toml").read_text() == content


def test_a_missing_file_is_refused(error_of: ErrorOf, tmp_path: Path) -> None:
    assert "nowhere.toml" in error_of("plans", "check", str(tmp_path / "nowhere.toml"))


@pytest.mark.parametrize("command", ["list", "check", "reload"])
def test_a_missing_data_folder_is_refused_and_not_created(error_of: ErrorOf, tmp_path: Path, command: str) -> None:
    assert "There is no service's data" in error_of("plans", command, "--data", str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()


def test_the_default_plans_are_written_to_standard_output(shell: Shell) -> None:
    assert shell("plans", "defaults").out == default_plans()
