"""The tables of the figures in docs/performance.json, which the benchmarks write."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parents[1] / "docs" / "performance.json"
CURVES = ("accounts", "instruments", "history", "workers", "connections", "books")
IN_README = ("W1", "W1R", "W2", "W2R", "CVR", "MSR", "CP10", "W3", "W4")
MISSING = "Not measured yet with this version."

Rows = Iterator[Sequence[str]]


def sections() -> Mapping[str, Any]:
    """Return what each benchmark has written."""
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def section(name: str) -> Any:
    """Return what one benchmark has written; None if it has not been run."""
    return sections().get(name)


def table(head: Sequence[str], rows: Rows) -> str:
    """Return a Markdown table, with figures to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def short() -> str:
    """Return the requests that README shows, the real ones first."""
    return _requests(IN_README, with_times=False)


def requests() -> str:
    """Return every request, while the book changes and while it stands still."""
    return _requests(None, with_times=True)


def _requests(names: Sequence[str] | None, *, with_times: bool) -> str:
    found = section("requests")
    if not found:
        return MISSING
    figures = found["figures"][0]
    head = ("request", "answers a second", "ratio to the constant", "while the book stands still")
    times = ("p50", "p99", "goal") if with_times else ()
    return table((*head, *times), _request_rows(figures, names, with_times=with_times))


def _request_rows(figures: Mapping[str, Any], names: Sequence[str] | None, *, with_times: bool) -> Rows:
    constant = figures["constant"]
    if constant:
        times = (*_times(constant), "") if with_times else ()
        yield ("a constant, answered by Granian", f"{constant['answers']:,.0f}", "1", "1", *times)
    for row in figures["rows"]:
        if (names is None or row["work"] in names) and row["moving"]:
            cells = [_named(row), f"{row['moving']['answers']:,.0f}"]
            cells += [_ratio(row["ratio"][case]) for case in ("moving", "standing")]
            yield (*cells, *((*_times(row["moving"]), _goal(row["target"], row["reached"])) if with_times else ()))


def compared() -> str:
    """Return the requests that are compared with those of another caller."""
    found = section("requests")
    if not found:
        return MISSING
    rows = (
        (_named(row), row["beside"], _ratio(row["ratio"]["moving"]), _goal(row["target"], row["reached"]))
        for row in found["figures"][0]["compared"]
    )
    return table(("request", "beside", "ratio", "goal"), rows)


def facts() -> str:
    """Return the single figures."""
    found = section("requests")
    if not found:
        return MISSING
    rows = (
        (one["name"], f"{shown(one['figure'])} {one['unit']}", _goal(one["goal"], one["reached"]), one["note"])
        for one in found["figures"][0]["facts"]
    )
    return table(("figure", "measured", "goal", ""), rows)


def measured(name: str) -> str:
    """Return when and on which machine a benchmark was run."""
    found = section(name)
    if not found:
        return MISSING
    load = f"load average {found['load']} at the end"
    return f"Measured on {found['day']}: {found['machine']}; {found['software']}; {load}."


def growth(name: str) -> str:
    """Return a curve as a plot and a table, with the machine."""
    found = section(f"growth-{name}")
    if not found:
        return MISSING
    curve = found["figures"]
    units = (f", {line['unit']}" if line["unit"] else "" for line in curve["series"])
    head = (curve["of"], *(f"{line['name']}{unit}" for line, unit in zip(curve["series"], units, strict=True)))
    rows = (
        (f"{amount:,}", *(shown(line["figures"][number]) for line in curve["series"]))
        for number, amount in enumerate(curve["amounts"])
    )
    plot = f"![Growth with {curve['of']}](diagrams/growth-{name}.svg)"
    return f"{plot}\n\n{table(head, rows)}\n\n{measured(f'growth-{name}')}"


def shown(figure: float) -> str:
    """Return a figure with three digits, and never fewer than it has before the point."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def _named(row: Mapping[str, Any]) -> str:
    """Return a request with its path as code."""
    path, comma, rest = row["request"].partition(", ")
    return f"`{path}`{comma}{rest}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}"


def _times(load: Mapping[str, float]) -> tuple[str, str]:
    return f"{shown(load['p50'])} ms", f"{shown(load['p99'])} ms"


def _goal(goal: str, reached: bool | None) -> str:  # noqa: FBT001
    return goal if reached is None else f"{goal}: {'reached' if reached else 'not reached'}"


TABLES: dict[str, Callable[[], str]] = {
    "speed-short": short,
    "speed-requests": requests,
    "speed-compared": compared,
    "speed-figures": facts,
    "speed-measured": partial(measured, "requests"),
    **{f"growth-{name}": partial(growth, name) for name in CURVES},
}
