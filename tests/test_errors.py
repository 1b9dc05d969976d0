import inspect
import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cambist import errors
from cambist.errors import MAX_ECHO_LENGTH, CambistError, UnknownSymbol, shorten

DRAWN = re.compile(r"(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+)(?: {2,}(?P<meaning>.+))?")
CLASSES = {name: each for name, each in vars(errors).items() if inspect.isclass(each)}


def drawn() -> Iterator[tuple[str, str | None, str | None]]:
    """Name, parent and meaning of each line of the tree in the docstring."""
    above: list[str] = []
    lines = (errors.__doc__ or "").splitlines()[2:]
    for line in filter(None, lines):
        found = DRAWN.fullmatch(line)
        assert found, line
        depth, odd = divmod(len(found["branch"]), 4)
        assert not odd, line
        assert depth <= len(above), line
        above[depth:] = [found["name"]]
        yield found["name"], above[depth - 1] if depth else None, found["meaning"]


def test_the_tree_drawn_is_the_tree_in_the_code() -> None:
    in_code = {(name, each.__base__.__name__) for name, each in CLASSES.items() if each is not CambistError}
    assert {(name, parent) for name, parent, _ in drawn() if parent} == in_code
    assert [name for name, parent, _ in drawn() if parent is None] == ["CambistError"]


def test_the_tree_draws_each_error_once() -> None:
    names = [name for name, _, _ in drawn()]
    assert sorted(names) == sorted(CLASSES)


def test_the_tree_says_of_each_error_what_its_own_docstring_says() -> None:
    for name, parent, meaning in drawn():
        if parent:
            own = inspect.getdoc(CLASSES[name]) or ""
            assert own.lower().startswith((meaning or "missing").lower()), name


def test_an_error_of_ours_is_no_error_of_pythons() -> None:
    assert CambistError.__base__ is Exception
    assert all(issubclass(each, CambistError) for each in CLASSES.values())


@pytest.mark.parametrize(("role", "said"), [("source", "source"), ("target", "target")])
def test_an_unknown_symbol_is_refused_in_the_words_of_the_interface(role: str, said: str) -> None:
    assert str(UnknownSymbol("ZZZ", role)) == f"Invalid/unsupported {said} currency: [ZZZ]"


def test_an_unknown_symbol_is_a_target_unless_said_otherwise() -> None:
    assert str(UnknownSymbol("ZZZ")) == "Invalid/unsupported target currency: [ZZZ]"


@given(st.text(max_size=MAX_ECHO_LENGTH))
@example("x" * MAX_ECHO_LENGTH)
def test_a_short_value_is_shown_as_it_is(value: str) -> None:
    assert shorten(value) == value


@given(st.text(min_size=MAX_ECHO_LENGTH + 1, max_size=500))
def test_of_a_long_value_the_beginning_is_shown_and_the_rest_counted(value: str) -> None:
    assert shorten(value).startswith(value[:MAX_ECHO_LENGTH] + "…")
    assert str(len(value)) in shorten(value)[MAX_ECHO_LENGTH:]
    assert len(shorten(value)) < MAX_ECHO_LENGTH + 20


def test_an_error_does_not_repeat_a_book_that_somebody_sent() -> None:
    assert len(str(UnknownSymbol("Z" * 10**6))) < 200
