import inspect
import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cambist import errors
from cambist.errors import MAX_ECHO_LENGTH, CambistError, UnknownSymbol, shorten

TREE_LINE = re.compile(r"(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+)(?: {2,}(?P<meaning>.+))?")
CLASSES = {name: each for name, each in vars(errors).items() if inspect.isclass(each)}


def read_tree() -> Iterator[tuple[str, str | None, str | None]]:
    """Name, parent and meaning of each line of the tree in the docstring."""
    above: list[str] = []
    lines = (errors.__doc__ or "").splitlines()[2:]
    for line in filter(None, lines):
        found = TREE_LINE.fullmatch(line)
        assert found, line
        depth, odd = divmod(len(found["branch"]), 4)
        assert not odd, line
        assert depth <= len(above), line
        above[depth:] = [found["name"]]
        yield found["name"], above[depth - 1] if depth else None, found["meaning"]


def test_the_tree_in_the_docstring_matches_the_code() -> None:
    in_code = {(name, each.__base__.__name__) for name, each in CLASSES.items() if each is not CambistError}
    assert {(name, parent) for name, parent, _ in read_tree() if parent} == in_code
    assert [name for name, parent, _ in read_tree() if parent is None] == ["CambistError"]


def test_the_tree_has_each_error_once() -> None:
    names = [name for name, _, _ in read_tree()]
    assert sorted(names) == sorted(CLASSES)


def test_the_tree_describes_each_error_as_its_docstring_does() -> None:
    for name, parent, meaning in read_tree():
        if parent:
            own = inspect.getdoc(CLASSES[name]) or ""
            assert own.lower().startswith((meaning or "missing").lower()), name


def test_our_errors_derive_from_exception_alone() -> None:
    assert CambistError.__base__ is Exception
    assert all(issubclass(each, CambistError) for each in CLASSES.values())


@pytest.mark.parametrize(("role", "expected"), [("source", "source"), ("target", "target")])
def test_an_unknown_symbol_is_refused_as_source_or_target(role: str, expected: str) -> None:
    assert str(UnknownSymbol("ZZZ", role)) == f"Invalid/unsupported {expected} currency: [ZZZ]"


def test_an_unknown_symbol_is_a_target_by_default() -> None:
    assert str(UnknownSymbol("ZZZ")) == "Invalid/unsupported target currency: [ZZZ]"


@given(st.text(max_size=MAX_ECHO_LENGTH))
@example("x" * MAX_ECHO_LENGTH)
def test_a_short_value_is_repeated_as_it_is(value: str) -> None:
    assert shorten(value) == value


@given(st.text(min_size=MAX_ECHO_LENGTH + 1, max_size=500))
def test_a_long_value_is_cut_and_its_length_added(value: str) -> None:
    assert shorten(value).startswith(value[:MAX_ECHO_LENGTH] + "…")
    assert str(len(value)) in shorten(value)[MAX_ECHO_LENGTH:]
    assert len(shorten(value)) < MAX_ECHO_LENGTH + 20


def test_an_error_does_not_repeat_a_very_long_value() -> None:
    assert len(str(UnknownSymbol("Z" * 10**6))) < 200
