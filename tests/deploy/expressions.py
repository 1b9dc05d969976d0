"""The names of metrics in the expressions of the alert rules and of the dashboard."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus/cambist.rules.yml"
DASHBOARD = DEPLOY / "grafana/cambist.json"
_OPERATORS = {"and", "or", "unless", "bool", "offset"}


def metric_names(expression: str) -> set[str]:
    """Return the metrics that an expression of PromQL reads."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]', " ", expression.replace('"$instance"', ""))
    bare = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", bare)
    words = re.findall(r"(?<![\w.$])([A-Za-z_:][\w:]*)\b(?!\s*\()", bare)
    return set(words) - _OPERATORS


def rule_expressions() -> Iterator[tuple[str, str]]:
    """Yield the name of each alert with its expression."""
    for block in RULES.read_text().split("- alert: ")[1:]:
        name, _, rest = block.partition("\n")
        lines = re.search(r"expr: (?:>-\n)?(.*?)\n +(?:for|labels):", rest, re.DOTALL)
        assert lines, name
        yield name, " ".join(lines[1].split())


def panels() -> Iterator[tuple[str, str]]:
    """Yield the title of each panel of the dashboard with each of its expressions."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def names_on(page: str) -> set[str]:
    """Return the names of all samples that a page of metrics can have, also of families without one now."""
    names: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", page, re.MULTILINE):
        names |= {name, *(f"{name}_{part}" for part in ("bucket", "count", "sum") if kind == "histogram")}
    return names
