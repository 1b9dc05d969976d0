"""The declarations that come with the package are valid: a start does not check them again."""

from pathlib import Path

import holidays
import pytest

from cambist.errors import SourceRefused
from cambist.reference.holiday_calendars import is_calendar
from cambist.sources.declaration import read_declaration

DECLARED = Path(__file__).parents[2] / "src/cambist/sources/declared"


@pytest.mark.parametrize("path", sorted(DECLARED.glob("*.toml")), ids=lambda path: path.stem)
def test_a_built_in_declaration_is_valid(path: Path) -> None:
    found = read_declaration(path.read_text(encoding="utf-8"), path.name, is_built_in=True)

    assert found.source.key == path.stem


def test_a_built_in_declaration_is_checked() -> None:
    text = (DECLARED / "bam.toml").read_text(encoding="utf-8")

    with pytest.raises(SourceRefused, match="key"):
        read_declaration(text.replace('key = "bam"', 'key = "B O C"'), "bam.toml", is_built_in=True)


def test_calendars_are_those_of_the_package() -> None:
    listed = {**holidays.list_supported_countries(), **holidays.list_supported_financial()}

    assert all(map(is_calendar, listed))
    assert not is_calendar("XYZ")
    assert not is_calendar("")
