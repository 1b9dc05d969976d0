"""Declared sources: a TOML file becomes an adapter. `docs/guides/own-sources.md` describes its fields."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cambist.errors import SourceRefused
from cambist.sources.declaration.adapter import DeclaredAdapter
from cambist.sources.declaration.checks import validate_declaration
from cambist.sources.declaration.declaration import parse_declaration

__all__ = ["DeclaredAdapter", "read_declaration"]


def read_declaration(
    path_or_text: Path | str, name: str = "", existing_keys: Collection[str] = (), *, is_built_in: bool = False
) -> DeclaredAdapter:
    """Return the adapter of a declaration: a file, or its text and the `name` to use in errors.

    `existing_keys` are the keys of other sources. A built-in declaration may use fields that an operator's may not.
    Errors: SourceRefused naming the file and the field.
    """
    name = name or (str(path_or_text) if isinstance(path_or_text, Path) else "the declaration")
    declared = parse_declaration(_text(path_or_text, name), name)
    validate_declaration(declared, name, existing_keys, is_built_in=is_built_in)
    return DeclaredAdapter(declared)


def _text(path_or_text: Path | str, name: str) -> str:
    if isinstance(path_or_text, str):
        return path_or_text
    try:
        return path_or_text.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{name}: the file cannot be read: {getattr(error, 'strerror', None) or error}") from error
