"""The dashboard of rates over Grafana's Infinity data source: a sandbox is asked its questions, and has its paths.

Grafana itself is not run: what is checked is what Infinity would ask for, and that the answers have what it would show.
"""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.programs.conftest import SCRIPTS, Place

BOARD = json.loads((Path(__file__).parents[2] / "deploy" / "grafana" / "cambist-rates.json").read_text())
PANELS = BOARD["panels"]
NOW = datetime.now(UTC)
TIMES = {"__from:date:YYYY-MM-DD": (NOW - timedelta(days=90)).date(), "__to:date:YYYY-MM-DD": NOW.date()}
CHOSEN = {one["name"]: one["query"] for one in BOARD["templating"]["list"] if one["type"] == "textbox"}


def filled(text: str) -> str:
    """Return a text with the variables that Grafana puts in; one that does not exist is an error."""
    values = {**CHOSEN, **TIMES}
    return re.sub(r"\$\{([^}]+)\}", lambda found: str(values[found[1].removesuffix(":percentencode")]), text)


def rows_of(place: Place, target: Any) -> list[dict[str, Any]]:
    """Return what Infinity makes rows of: the lines of CSV, or the list or the object at the root."""
    text = place.run(place.python, str(SCRIPTS / "ask.py"), filled(target["url"]), place.key)
    if target["type"] == "csv":
        return list(csv.DictReader(io.StringIO(text)))
    found = json.loads(text)
    for name in filter(None, filled(target["root_selector"]).split(".")):
        found = found[name]
    return found if isinstance(found, list) else [found]


@pytest.mark.service
@pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])
def test_the_answer_to_a_panel_has_what_it_shows(place: Place, panel: Any) -> None:
    (target,) = panel["targets"]
    rows = rows_of(place, target)
    assert rows
    kinds = {column["selector"]: column["type"] for column in target["columns"]}
    for row in rows:
        # Without columns Infinity shows all there are, which have to be numbers.
        for name, kind in (kinds or dict.fromkeys(row, "number")).items():
            value = row[name]
            if kind == "number":
                assert float(value) > 0
            elif kind == "timestamp":
                assert datetime.fromisoformat(value).year >= 2026
            else:
                assert re.fullmatch(r"[A-Z0-9]{3,}", value)


@pytest.mark.service
def test_the_lines_are_those_of_all_chosen_currencies(place: Place) -> None:
    (target,) = next(panel for panel in PANELS if "other currencies" in panel["title"])["targets"]
    rows = rows_of(place, target)
    assert {row["quote"] for row in rows} == {CHOSEN["quote"], *CHOSEN["others"].split(",")}
    assert len({row["date"] for row in rows}) == 91


def test_every_variable_is_one_of_the_dashboard() -> None:
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(PANELS)))
    assert used == {"datasource", "__from", "__to", *CHOSEN}
    assert all(target["url"].startswith("/") for panel in PANELS for target in panel["targets"])


def test_the_panels_have_places_of_their_own() -> None:
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in PANELS)
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
    assert {x for x, _ in cells} == set(range(24))
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
