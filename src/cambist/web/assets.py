"""Static files of a page: read from the package, named by one hash over all of them, and compressed once.

The files are served below their hash, so that browsers may keep them for ever and relative imports work as they are.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""The types of the files that a page may consist of; a file with another ending is not served."""

_INDENTS = re.compile(rb"^[ \t]+", re.MULTILINE)
_COMMENTS = re.compile(rb"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Asset:
    """One file: its content type and its bytes."""

    content_type: str
    content: bytes

    @cached_property
    def compressed(self) -> bytes:
        """The content as gzip. Without a modification time the bytes are the same in every worker."""
        return gzip.compress(self.content, 9, mtime=0)


@dataclass(frozen=True)
class Assets:
    """The files of a page by their paths, such as `lib/dom.js`, and the hash that they are served under."""

    files: Mapping[str, Asset]
    digest: str


def load_assets(folders: Iterable[str], built: Mapping[str, bytes] | None = None) -> Assets:
    """Read the `folders` below `web/static`, and add files that are `built` in memory, by path.

    The hash changes whenever a path or a content changes.
    """
    root = resources.files(__package__).joinpath("static")
    contents = {path: _sent(path, file) for folder in folders for path, file in _files(root.joinpath(folder), folder)}
    contents |= built or {}
    files = {path: Asset(CONTENT_TYPES[PurePosixPath(path).suffix], contents[path]) for path in sorted(contents)}
    digest = blake2b(digest_size=8)
    for path, asset in files.items():
        # Path and length separate the files, so that moving a line from one file to the next changes the hash.
        digest.update(f"{path} {len(asset.content)}\n".encode())
        digest.update(asset.content)
    return Assets(files, digest.hexdigest())


def _sent(path: str, file: Traversable) -> bytes:
    """Return what is sent of a file: scripts go without the comments on lines of their own, a third of their bytes.

    Styles go without indents; those of scripts stay, because they may be in a text.
    """
    content = file.read_bytes()
    if path.endswith(".css"):
        return _INDENTS.sub(b"", content)
    return _COMMENTS.sub(b"", content) if path.endswith(".js") else content


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """Yield the files below a folder that can be served, with their paths."""
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir():
            yield from _files(entry, f"{path}/{entry.name}")
        elif PurePosixPath(entry.name).suffix in CONTENT_TYPES:
            yield f"{path}/{entry.name}", entry
