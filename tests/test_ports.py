"""Ports of test servers: nobody is given one that another test has."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from tools import ports


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of ports that are given, of which there are twenty."""
    first = ports.free_port()
    monkeypatch.setattr(ports, "_GIVEN", tmp_path)
    monkeypatch.setattr(ports, "_LOWEST", first)
    monkeypatch.setattr(ports, "_HIGHEST", first + 20)
    return tmp_path


def test_a_port_is_given_once_until_it_is_old(given: Path) -> None:
    found = {ports.free_port() for _ in range(2)}
    assert len(found) == 2
    old = given / str(min(found))
    os.utime(old, (1, 1))
    for each in {*range(ports._LOWEST, ports._HIGHEST)} - {min(found)}:
        (given / str(each)).touch()
    assert ports.free_port() == min(found)


@pytest.mark.usefixtures("given")
def test_a_port_on_which_somebody_listens_is_not_given() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports._LOWEST))
        taken.listen()
        assert ports._LOWEST not in {ports.free_port() for _ in range(10)}
