"""The audit log: lines that are only appended, by several processes at once, and never a key."""

from __future__ import annotations

import os
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cambist.accounts.api_key import mint
from cambist.accounts.audit_entry import AuditEntry
from cambist.redaction import without_keys
from cambist.storage.atomic_file import Unwritable
from cambist.storage.audit_log import AuditLog

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def entry(on: str) -> AuditEntry:
    return AuditEntry(at=NOON, who="cli anna", action="account.create", on=on)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.log"


def test_entries_are_numbered_in_their_order(path: Path) -> None:
    log = AuditLog(path)
    assert list(log.entries()) == []
    for name in ("one", "two"):
        log.append(entry(name))
    assert [(each.number, each.on, each.at) for each in log.entries()] == [(1, "one", NOON), (2, "two", NOON)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_entries_of_many_writers_are_all_kept(path: Path) -> None:
    def write(writer: int) -> None:
        for number in range(20):
            AuditLog(path).append(entry(f"{writer}-{number}"))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.on for each in AuditLog(path).entries()}) == 80


def test_a_line_that_was_cut_off_costs_only_itself(path: Path) -> None:
    log = AuditLog(path)
    log.append(entry("one"))
    with path.open("ab") as file:
        file.write(b'{"at":"2026-')
    log.append(entry("two"))
    assert [(each.number, each.on) for each in log.entries()] == [(1, "one"), (3, "two")]


def test_a_line_that_does_not_fit_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, write = AuditLog(path), os.write
    log.append(entry("one"))
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda file, line: write(file, line[:10]))
        with pytest.raises(Unwritable, match="free some space"):
            log.append(entry("two"))
    assert path.read_bytes() == before


def test_keys_are_cut_to_their_prefix() -> None:
    key = mint(lambda alphabet: alphabet[9])
    assert without_keys(f"plan {key}, {key[:8]}") == f"plan {key[:8]}…, {key[:8]}"
