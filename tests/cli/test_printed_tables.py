"""Tables: on a wide terminal, on a narrow one, and in a pipe."""

from __future__ import annotations

import pytest

from cambist.cli.printed_tables import print_table

LONG = "a reason that is far too long for a line of eighty columns " * 3
COLUMNS = ("Source", "Corrected", "Why")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Print a table on a terminal of this width, and return its lines."""

    def draw(width: int, *rows: tuple[object, ...]) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        for variable in ("FORCE_COLOR", "GITHUB_ACTIONS"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("TERM", "dumb" if width == 80 else "xterm")
        print_table(COLUMNS, rows)
        return capsys.readouterr().out.splitlines()

    return draw


def test_on_a_terminal_lines_are_broken_only_between_words(terminal) -> None:
    lines = terminal(80, ("openexchangerates", 1234567, LONG))
    assert max(map(len, lines)) <= 80
    assert "openexchangerates" in lines[3]
    assert "1,234,567" in lines[3]
    words = " ".join(line.split("│")[3] for line in lines if "│" in line).split()
    assert words == LONG.split()


def test_on_a_narrow_terminal_each_row_is_a_block(terminal) -> None:
    assert terminal(30, ("openexchangerates", 1234567, "x"), ("ecb", 0, None)) == [
        "Source     openexchangerates",
        "Corrected  1,234,567",
        "Why        x",
        "",
        "Source     ecb",
        "Corrected  0",
        "Why        ",
    ]


def test_in_a_pipe_each_row_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(COLUMNS, [("ecb", 1, LONG)])
    lines = [line for line in capsys.readouterr().out.splitlines() if "│" in line]
    assert len(lines) == 1
    assert LONG.strip() in lines[0]


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("100", 100), ("0", len(LONG)), ("wide", len(LONG))])
def test_in_a_pipe_columns_is_the_width_if_it_names_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    print_table(COLUMNS, [("ecb", 1, LONG)])
    widest = max(map(len, capsys.readouterr().out.splitlines()))
    assert widest <= width if width < len(LONG) else widest > width


def test_markup_in_a_table_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [("[b]ecb[/b]", 1, "[red]")])
    assert "[b]ecb[/b]" in capsys.readouterr().out
