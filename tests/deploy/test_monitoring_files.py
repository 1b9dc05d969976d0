"""The alert rules and the dashboard: valid, and tried with Prometheus' own program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.deploy.expressions import DASHBOARD, RULES, metric_names, panels, rule_expressions
from tests.patience import PATIENCE

needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool (Prometheus) is not installed")


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", *arguments], cwd=RULES.parent, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@needs_promtool
def test_the_rules_are_valid() -> None:
    found = promtool("check", "rules", RULES.name)
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{len(list(rule_expressions()))} rules found" in found.stdout


@needs_promtool
def test_the_alerts_begin_when_they_should_and_not_before() -> None:
    found = promtool("test", "rules", "cambist.tests.yml")
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_alert_is_tried() -> None:
    tried = set(re.findall(r"alertname: (\w+)\n", (RULES.parent / "cambist.tests.yml").read_text()))
    assert tried == {name for name, _ in rule_expressions()}


def test_every_alert_says_what_to_do() -> None:
    for block in RULES.read_text().split("- alert: ")[1:]:
        assert all(f"\n{' ' * 10}{word}: " in block for word in ("summary", "do")), block
        assert re.search(r"severity: (warning|critical)\b", block), block


def test_the_panels_have_places_of_their_own_and_one_data_source() -> None:
    board = json.loads(DASHBOARD.read_text())
    places = [panel["gridPos"] for panel in board["panels"]]
    cells = [
        (x, y) for at in places for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in board["panels"]}) == len(places)
    assert {panel["datasource"]["uid"] for panel in board["panels"]} == {"${datasource}"}


@needs_promtool
def test_the_expressions_of_the_dashboard_are_valid(tmp_path: Path) -> None:
    plain = [text.replace("$__rate_interval", "5m").replace("$instance", ".*") for _, text in panels()]
    rules = [{"record": f"panel{number}", "expr": expression} for number, expression in enumerate(plain)]
    file = tmp_path / "dashboard.json"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))  # JSON is YAML
    found = promtool("check", "rules", "--lint=none", str(file))
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('sum by (is) (a_b{instance=~"$instance"}) or vector(0)', {"a_b"}),
        ("time() - a_seconds > 14 * 86400 and on (instance) b < 1e9", {"a_seconds", "b"}),
        ('rate(x_total{status="500"}[5m]) / x_size', {"x_total", "x_size"}),
    ],
)
def test_names_are_found_in_expressions(expression: str, names: set[str]) -> None:
    assert metric_names(expression) == names
