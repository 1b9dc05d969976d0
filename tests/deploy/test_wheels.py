"""The table of wheels: it is of the lock that is there, and packages without a wheel are found one by one."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from tools import wheels


def test_the_table_is_of_the_versions_that_the_lock_pins() -> None:
    pinned = re.findall(r"^([A-Za-z0-9._-]+==[^\s;]+)", wheels.LOCK.read_text(), re.MULTILINE)
    found = json.loads(wheels.ANSWERS.read_text())
    assert found["packages"] == sorted(pinned), "run `make wheels`"
    assert {name: [*each] for name, each in found["missing"].items()} == {
        key: [*wheels.PYTHONS] for key in wheels.PLATFORMS
    }


def test_packages_without_a_wheel_are_left_out_until_the_rest_can_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(lock: str, *_: str) -> subprocess.CompletedProcess[str]:
        for name in ("b", "c"):
            if f"{name}==" in lock:
                return subprocess.CompletedProcess([], 1, "", f"Because {name}==1 has no\n usable wheels and")
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setattr(wheels, "_ask", answer)
    assert wheels.missing_wheels("a==1 \\\n  --hash=x\nb==1\nc==1\n", "any", "3.11") == ["b", "c"]


def test_an_answer_that_is_not_understood_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "_ask", lambda *_: subprocess.CompletedProcess([], 2, "", "no connection"))
    with pytest.raises(wheels.NotAnsweredError, match="no connection"):
        wheels.missing_wheels("a==1\n", "any", "3.11")
