"""The manifest of an export: what its files contain, from whom that is, and how to check them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from cambist.errors import BadParameter
from cambist.storage.atomic_file import write_atomically

MANIFEST = "manifest.json"
READABLE = 0o644


class ExportedFile(Struct, frozen=True, kw_only=True):
    """A file: its rows, its hash, and its edition, which changes if any rate or source in it changes.

    `sources` counts the rates in which each source has a part, `left_out` those that a source forbids to pass on.
    """

    name: str
    first_day: date
    last_day: date
    rows: int
    sha256: str
    edition: str
    sources: dict[str, int]
    left_out: dict[str, int]


class SourceTerms(Struct, frozen=True, kw_only=True):
    """What a source's terms say about passing its rates on: allowed, unclear, forbidden or unknown."""

    key: str
    name: str
    home: str
    terms: str
    licence: str
    redistribution: str


class Manifest(Struct, frozen=True, kw_only=True):
    """What an export was asked for, and what it has written. `codes` is empty if all were asked for.

    `archive` is the state of the archive at the last run, and `complete` whether that has written all files. `sources`
    are those that have published the rates, or some that were left out.
    """

    kind: Literal["cambist-export"] = "cambist-export"
    format: str
    base: str
    codes: tuple[str, ...]
    since: date
    until: date
    forced: bool
    environment: str
    archive: str
    complete: bool
    sources: tuple[SourceTerms, ...]
    files: tuple[ExportedFile, ...]


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder; None if it has none. Errors: BadParameter if it is not one of an export."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"The file {path} is not the manifest of an export: {error}") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a folder in one step. Errors: Unwritable."""
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    write_atomically(folder / MANIFEST, content, READABLE)
