"""How "one file and one line" works: a registry names modules, each module ends in one object."""

from collections.abc import Iterable
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


def load(package: str, names: Iterable[str], attribute: str, kind: type[T]) -> dict[str, T]:
    """Import `package.name` for each name and take its `attribute`.

    Errors: TypeError naming the module when the attribute is not of `kind`.
    """
    return {name: _object(f"{package}.{name}", attribute, kind) for name in names}


def _object(module: str, attribute: str, kind: type[T]) -> T:
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, kind):
        raise TypeError(f"{module} must end in `{attribute}: {kind.__name__} = …`")
    return found
