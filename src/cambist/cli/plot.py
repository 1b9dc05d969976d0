"""A plot of daily rates in characters: braille dots, or asterisks where the terminal has ASCII only. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from math import ceil, floor, log10

Points = Mapping[date, float]

_BLANK_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character, by row and column of its dots."""

_LINES_PER_TICK = 4
_SMALLEST = 20, 5
"""The smallest width and height of a plot, with its axes."""

_COLUMNS_PER_DATE = 13
_MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 240, 600)


class Canvas:
    """A grid of dots; a character holds two by four of them in braille, one in ASCII."""

    def __init__(self, columns: int, rows: int, *, ascii_only: bool) -> None:
        self._ascii_only = ascii_only
        across, down = (1, 1) if ascii_only else (2, 4)
        self.width, self.height = columns * across, rows * down
        self._cells = [[0] * columns for _ in range(rows)]

    def set(self, x: int, y: int) -> None:
        """Set the dot in column `x` and row `y`, counted from the top left."""
        if self._ascii_only:
            self._cells[y][x] = 1
        else:
            self._cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]

    def lines(self) -> list[str]:
        """Return the lines of characters."""
        if self._ascii_only:
            return ["".join("*" if cell else " " for cell in row) for row in self._cells]
        return ["".join(chr(_BLANK_BRAILLE + cell) if cell else " " for cell in row) for row in self._cells]


def draw_plot(points: Points, width: int, height: int, *, ascii_only: bool = False) -> list[str]:
    """Return the lines of a plot of at most so many characters, with a value axis and a date axis.

    Each column of dots reaches from the least to the greatest value of its days, and to those of the column before.
    Days that are missing leave a gap if they fill a column.
    """
    width, height = max(width, _SMALLEST[0]), max(height, _SMALLEST[1])
    rows = height - 2
    ticks = nice_ticks(min(points.values()), max(points.values()), max(rows // _LINES_PER_TICK, 1))
    labels = tick_labels(ticks)
    margin = max(map(len, labels))
    canvas = Canvas(width - margin - 2, rows, ascii_only=ascii_only)
    low, high = min(*points.values(), ticks[0]), max(*points.values(), ticks[-1])
    _draw_line(canvas, points, low, high)
    label_of_row = {_row(tick, low, high, rows): label for tick, label in zip(ticks, labels, strict=True)}
    edge, tick_edge, corner, *marks = tuple("|++-+" if ascii_only else "│┤└─┬")
    plotted = [
        f"{label_of_row.get(row, ''):>{margin}} {tick_edge if row in label_of_row else edge}{text}".rstrip()
        for row, text in enumerate(canvas.lines())
    ]
    axis, dates = _date_axis(min(points), max(points), width - margin - 2, (marks[0], marks[1]))
    return [*plotted, f"{'':{margin}} {corner}{axis}", f"{'':{margin}}  {dates}".rstrip()]


def _draw_line(canvas: Canvas, points: Points, low: float, high: float) -> None:
    previous: tuple[int, int] | None = None
    for x, values in enumerate(_columns(points, canvas.width)):
        if not values:
            previous = None
            continue
        top, bottom = (_row(value, low, high, canvas.height) for value in (max(values), min(values)))
        reached = (top, bottom)
        if previous is not None:  # no hole between two steep columns
            top, bottom = min(top, previous[1]), max(bottom, previous[0])
        for y in range(top, bottom + 1):
            canvas.set(x, y)
        previous = reached


def _columns(points: Points, count: int) -> list[list[float]]:
    """Return the values that belong to each column. Where days are fewer than columns, a day fills several."""
    first, days = min(points), (max(points) - min(points)).days + 1
    columns = []
    for x in range(count):
        start = x * days // count
        end = max((x + 1) * days // count, start + 1)
        found = (points.get(first + timedelta(days=offset)) for offset in range(start, end))
        columns.append([value for value in found if value is not None])
    return columns


def _row(value: float, low: float, high: float, rows: int) -> int:
    """Return the row of a value, counted from the top."""
    share = (value - low) / (high - low) if high > low else 0.5
    return rows - 1 - min(int(share * rows), rows - 1)


def nice_ticks(low: float, high: float, count: int) -> list[float]:
    """Return about `count` round values from below or at `low` to above or at `high`, one or more."""
    if high <= low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    start, end = floor(low / step), ceil(high / step)
    inside = [index * step for index in range(start, end + 1) if low <= index * step <= high]
    return inside or [low, high]


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Return the labels of values, all with the fewest decimals that tell them apart exactly."""
    for decimals in range(15):
        if all(abs(float(f"{tick:.{decimals}f}") - tick) <= 1e-9 * max(abs(tick), 1e-12) for tick in ticks):
            return [f"{tick:,.{decimals}f}" for tick in ticks]
    return [f"{tick:.6g}" for tick in ticks]


def date_ticks(first: date, last: date, count: int) -> dict[date, str]:
    """Return at most `count` days of a period with their labels: years, months, or days where it is short."""
    months = [date(year, month, 1) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    for step in _MONTH_STEPS:
        found = [day for day in months if (day.year * 12 + day.month - 1) % step == 0 and first <= day <= last]
        if 2 <= len(found) <= count:
            return {day: f"{day:%Y}" if step % 12 == 0 else f"{day:%Y-%m}" for day in found}
    days = (last - first).days
    step = max(ceil((days + 1) / count), 1)
    return {day: str(day) for day in (first + timedelta(days=offset) for offset in range(0, days + 1, step))}


def _date_axis(first: date, last: date, width: int, marks: tuple[str, str]) -> tuple[str, str]:
    """Return the line of the axis with its marks, and the line of the labels."""
    line, mark = marks
    axis, labels = [line] * width, [" "] * width
    free = 0
    for day, label in date_ticks(first, last, max(width // _COLUMNS_PER_DATE, 1)).items():
        column = (day - first).days * width // ((last - first).days + 1)
        start = max(min(column - len(label) // 2, width - len(label)), 0)
        if start < free or len(label) > width:
            continue
        axis[column] = mark
        labels[start : start + len(label)] = label
        free = start + len(label) + 2
    return "".join(axis), "".join(labels)
