"""What is wrong with a value, in plain words."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
import pytest

from cambist.validation import in_plain_words

Percent = Annotated[int, msgspec.Meta(ge=1, le=100)]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("many", int, "it takes a whole number, not text"),
        (7, str, "it takes text, not a whole number"),
        ("x", int | None, "it takes a whole number or nothing, not text"),
        ("yes", bool, "it takes true or false, not text"),
        ([], dict, "it takes a table, not a list"),
        (0, Percent, "it takes a whole number of at least 1"),
        (101, Percent, "it takes a whole number of at most 100"),
        (-1.0, Annotated[float, msgspec.Meta(gt=0)], "it takes a number above 0.0"),
        ("loud", Literal["info"], "'loud' is none of those that it takes"),
        ("x", Annotated[str, msgspec.Meta(pattern="^a$")], "it takes text of another form"),
        ("x", date, "it takes a day such as 2026-12-31"),
        ("x", datetime, "it takes a moment such as 2026-12-31T18:00:00Z"),
        ("x", timedelta, "it takes a duration such as P90D"),
        ("x", Decimal, "it takes a number"),
    ],
)
def test_an_invalid_value_is_explained_in_plain_words(value: Any, kind: Any, expected: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(value, kind)
    assert in_plain_words(str(refused.value)) == expected


def test_an_unknown_message_is_left_as_it_is() -> None:
    assert in_plain_words("Could not determine home directory") == "Could not determine home directory"
