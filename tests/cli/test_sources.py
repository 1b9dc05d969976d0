"""`cambist sources`: every source is listed and counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cambist.registry.sources.source_adapters import adapters, is_declared

Shell = Callable[..., Any]
PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "own-sources.md").read_text(encoding="utf-8")
HARBOUR = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0]


@pytest.fixture
def declared(folder: Path) -> None:
    """The first example of the guide, as a declared source of the folder."""
    (folder / "sources").mkdir()
    (folder / "sources" / "harbour.toml").write_text(HARBOUR)


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
    table = shell("sources", "list").out
    kinds = f"{len(adapters()) - files} modules, {files} declarations, 1 of your own"
    assert f"{len(adapters()) + 1} sources: {kinds}; {counts['on']} are on." in table
    assert f"(unproven): {counts['known_from'].get('documentation', 0)}." in table


def test_a_source_that_is_off_is_listed_with_the_reason(shell: Shell) -> None:
    records = {record["key"]: record for record in shell("sources", "list", "--json").json["sources"]}
    assert (records["ecb"]["on"], records["ecb"]["why_off"]) == (True, "")
    assert (records["imf"]["on"], bool(records["imf"]["why_off"])) == (False, True)
