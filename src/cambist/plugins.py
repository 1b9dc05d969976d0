"""Load the objects of a registry: the registry names modules, and each module defines one object."""

from collections.abc import Iterable
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


def load(package: str, names: Iterable[str], attribute: str, kind: type[T]) -> dict[str, T]:
    """Import `package.name` for each name, and return its `attribute` by name.

    Errors: TypeError that names the module if the attribute is not of `kind`.
    """
    return {name: _object(f"{package}.{name}", attribute, kind) for name in names}


def _object(module: str, attribute: str, kind: type[T]) -> T:
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, kind):
        raise TypeError(f"{module} must define `{attribute}: {kind.__name__} = …`")
    return found
