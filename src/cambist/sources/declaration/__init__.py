"""A source of one's own: a TOML file becomes a feed. The page `docs/guides/own-sources.md` says what stands in it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cambist.errors import SourceRefused
from cambist.sources.declaration.adapter import DeclaredAdapter
from cambist.sources.declaration.checks import validate_declaration
from cambist.sources.declaration.declaration import parse_declaration

__all__ = ["DeclaredAdapter", "read_declaration"]


def read_declaration(path_or_text: Path | str, name: str = "", existing_keys: Collection[str] = ()) -> DeclaredAdapter:
    """Make a feed of a declaration: of a file, or of its text under the name by which errors call it.

    `existing_keys` are the keys that other sources have. Errors: SourceRefused naming the file and the field.
    """
    name = name or (str(path_or_text) if isinstance(path_or_text, Path) else "the declaration")
    declared = parse_declaration(_text(path_or_text, name), name)
    validate_declaration(declared, name, existing_keys)
    return DeclaredAdapter(declared)


def _text(path_or_text: Path | str, name: str) -> str:
    if isinstance(path_or_text, str):
        return path_or_text
    try:
        return path_or_text.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{name}: the file cannot be read: {error}") from error
