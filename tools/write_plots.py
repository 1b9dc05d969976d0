"""Draw the curves of docs/performance.json as docs/diagrams/growth-*.svg.

Usage: write_plots.py [--check]

Each line of a curve has a panel of its own, because their units differ. With --check nothing is written, and the exit
code is 1 where a plot differs from the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from performance_tables import CURVES, section, shown

DIAGRAMS = Path(__file__).parents[1] / "docs" / "diagrams"
WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 940, 470, 230
LEFT, RIGHT, TOP, BOTTOM = 62, 24, 40, 42

ROOT_ATTRIBUTES = (
    'xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" '
    'font-family="system-ui, sans-serif" font-size="13"'
)
STYLE = """<style>
    .paper { fill: #ffffff } .text { fill: #263238 } .small { fill: #455a64; font-size: 12px }
    .grid { stroke: #cfd8dc } .line { stroke: #00796b; fill: none; stroke-width: 2 } .dot { fill: #00796b }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #1e2429 } .text { fill: #eceff1 } .small { fill: #b0bec5 }
      .grid { stroke: #455a64 } .line { stroke: #4db6ac } .dot { fill: #4db6ac }
    }
  </style>"""


def main(arguments: Sequence[str]) -> int:
    """Write or check the plots; return the exit code."""
    outdated = []
    for name in CURVES:
        found, path = section(f"growth-{name}"), DIAGRAMS / f"growth-{name}.svg"
        if not found:
            continue
        drawn = plot(found["figures"])
        if path.exists() and path.read_text(encoding="utf-8") == drawn:
            continue
        if "--check" in arguments:
            outdated.append(path)
        else:
            path.write_text(drawn, encoding="utf-8")
    for path in outdated:
        print(f"{path}: it differs from the figures. Run `make tables`.", file=sys.stderr)
    return 1 if outdated else 0


def plot(curve: Mapping[str, Any]) -> str:
    """Return a curve as SVG, two panels in a row."""
    series = curve["series"]
    height = ceil(len(series) / 2) * PANEL_HEIGHT
    title = f"Growth with {curve['of']}, {curve['amounts'][0]:,} to {curve['amounts'][-1]:,}"
    lines = [
        f'<svg {ROOT_ATTRIBUTES} viewBox="0 0 {WIDTH} {height}">',
        f'  <title id="title">{escape(title)}</title>',
        f"  {STYLE}",
        f'  <rect class="paper" width="{WIDTH}" height="{height}"/>',
    ]
    for number, line in enumerate(series):
        x, y = number % 2 * PANEL_WIDTH, number // 2 * PANEL_HEIGHT
        lines += [
            f'  <g transform="translate({x} {y})">',
            *(f"    {part}" for part in panel(curve, line)),
            "  </g>",
        ]
    return "\n".join((*lines, "</svg>", ""))


def panel(curve: Mapping[str, Any], line: Mapping[str, Any]) -> Iterator[str]:
    """Yield the elements of one panel: title, grid, axes, line and points."""
    name = line["name"].replace("`", "") + (f", {line['unit']}" if line["unit"] else "")
    yield f'<text class="text" x="{LEFT}" y="22" font-weight="bold">{escape(name)}</text>'
    ticks = ticks_to(max(line["figures"]))
    right, bottom = PANEL_WIDTH - RIGHT, PANEL_HEIGHT - BOTTOM
    for tick in ticks:
        y = bottom - tick / ticks[-1] * (bottom - TOP)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>'
        yield f'<text class="small" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{shown(tick)}</text>'
    points = list(zip(places(curve["amounts"], LEFT + 14, right - 14), line["figures"], curve["amounts"], strict=True))
    heights = [bottom - figure / ticks[-1] * (bottom - TOP) for _x, figure, _amount in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for (x, _figure, _amount), y in zip(points, heights, strict=True))
    yield f'<polyline class="line" points="{path}"/>'
    for (x, figure, amount), y in zip(points, heights, strict=True):
        hint = f"<title>{amount:,}: {shown(figure)}</title>"
        yield f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5">{hint}</circle>'
        yield f'<text class="small" x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{amount:,}</text>'
    middle = (LEFT + right) / 2
    yield f'<text class="small" x="{middle:.0f}" y="{bottom + 34}" text-anchor="middle">{curve["of"]}</text>'


def places(amounts: Sequence[int], left: float, right: float) -> list[float]:
    """Return where amounts are on the x axis: by their logarithm, if they grow more than tenfold."""
    positions = [log10(amount) if amounts[-1] > 10 * amounts[0] else float(amount) for amount in amounts]
    span = positions[-1] - positions[0]
    return [left + (one - positions[0]) / span * (right - left) for one in positions]


def ticks_to(most: float) -> list[float]:
    """Return ticks from 0 to the figure or just above it: steps of 1, 2 or 5 times a power of ten."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(most))
    step = next(one * power for one in (0.2, 0.5, 1.0, 2.0) if one * power * 6 >= most)
    return [round(number * step, 12) for number in range(ceil(round(most / step, 9)) + 1)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
