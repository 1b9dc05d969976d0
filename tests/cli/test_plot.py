from __future__ import annotations

from datetime import date, timedelta
from math import sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.cli.plot import Canvas, date_ticks, draw_plot, nice_ticks, tick_labels

START = date(2020, 1, 1)
points_of_any_shape = st.dictionaries(
    st.integers(0, 4000).map(lambda offset: START + timedelta(days=offset)),
    st.floats(1e-9, 1e9),
    min_size=1,
    max_size=60,
)


def test_a_canvas_sets_the_dots_of_braille() -> None:
    canvas = Canvas(2, 1, ascii_only=False)
    canvas.set(0, 0)
    canvas.set(3, 3)
    assert canvas.lines() == ["⠁⢀"]


def test_a_rising_line_goes_from_the_lower_left_to_the_upper_right() -> None:
    lines = draw_plot({START + timedelta(days=day): day + 1.0 for day in range(100)}, 40, 12, ascii_only=True)
    plotted = [line.partition("|")[2] or line.partition("+")[2] for line in lines[:-2]]
    columns = [line.index("*") for line in plotted]
    assert columns == sorted(columns, reverse=True)
    assert columns[-1] == 0


def test_missing_days_are_a_gap() -> None:
    points = {START + timedelta(days=day): 5.0 for day in range(100) if not 40 <= day < 60}
    line = next(line for line in draw_plot(points, 108, 8, ascii_only=True) if "*" in line)
    drawn = line[line.index("*") :]
    assert 15 <= drawn.strip().count(" ") <= 25


def test_a_jump_leaves_no_hole_between_its_columns() -> None:
    points = {START + timedelta(days=day): 1.0 if day < 50 else 9.0 for day in range(100)}
    assert all("*" in line for line in draw_plot(points, 60, 14, ascii_only=True)[:-2])


@given(points_of_any_shape, st.integers(10, 200), st.integers(3, 60), st.booleans())
def test_a_plot_is_never_larger_than_asked(
    points: dict[date, float],
    width: int,
    height: int,
    ascii_only: bool,  # noqa: FBT001  hypothesis passes it by name
) -> None:
    lines = draw_plot(points, width, height, ascii_only=ascii_only)
    assert len(lines) == max(height, 5)
    assert max(map(len, lines)) <= max(width, 50)
    assert not ascii_only or all(line.isascii() for line in lines)


def test_a_constant_has_one_tick() -> None:
    assert nice_ticks(3.6725, 3.6725, 5) == [3.6725]
    assert "3.6725" in "".join(draw_plot({START: 3.6725}, 40, 10))


@pytest.mark.parametrize(
    ("low", "high", "count", "ticks"),
    [
        (0.97, 1.23, 4, ["1.0", "1.1", "1.2"]),
        (100, 187, 4, ["100", "125", "150", "175"]),
        (0.0012, 0.0031, 2, ["0.002", "0.003"]),
    ],
)
def test_ticks_are_round(low: float, high: float, count: int, ticks: list[str]) -> None:
    assert tick_labels(nice_ticks(low, high, count)) == ticks


@pytest.mark.parametrize(
    ("days", "count", "labels"),
    [
        (365 * 27, 5, ["2020", "2030", "2040"]),
        (365 * 4, 6, ["2020", "2021", "2022", "2023"]),
        (90, 5, ["2020-01", "2020-02", "2020-03"]),
        (4, 3, ["2020-01-01", "2020-01-03", "2020-01-05"]),
        (0, 3, ["2020-01-01"]),
    ],
)
def test_dates_are_years_months_or_days(days: int, count: int, labels: list[str]) -> None:
    assert [*date_ticks(START, START + timedelta(days=days), count).values()] == labels


def test_the_line_follows_its_values() -> None:
    points = {START + timedelta(days=day): sin(day / 20) for day in range(250)}
    lines = draw_plot(points, 80, 20)
    assert sum(line.count("⠉") + line.count("⣀") for line in lines) < sum(len(line) for line in lines) / 4
    assert lines[-1].split() == ["2020-01", "2020-04", "2020-07"]
