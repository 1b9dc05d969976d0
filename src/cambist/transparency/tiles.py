"""The static files of a log (c2sp.org/tlog-tiles): tiles of 256 hashes, and bundles of 256 entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cambist.transparency.merkle_tree import leaf_hash, tree_hash

WIDTH = 256
MAX_ENTRY_BYTES = 65_535
CHECKPOINT, KEYS = "checkpoint", "keys"

_PATH = re.compile(
    r"checkpoint|keys|tile/(entries|[0-9]|[1-5][0-9]|6[0-3])/(x[0-9]{3}/)*[0-9]{3}(\.p/[1-9][0-9]{0,2})?"
)


def is_log_path(path: str) -> bool:
    """Return whether a path below that of the log can be one of its files."""
    return _PATH.fullmatch(path) is not None


def tile_path(level: str, number: int, width: int) -> str:
    """Return the path of a tile, or of a bundle if `level` is `entries`; one of less than 256 is partial."""
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    name = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
    return f"tile/{level}/{name}" + (f".p/{width}" if width < WIDTH else "")


def log_files(entries: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file of a log without its checkpoint, full and partial ones."""
    for number, bundle in _groups(entries):
        content = b"".join(len(entry).to_bytes(2) + entry for entry in bundle)
        yield tile_path("entries", number, len(bundle)), content
    level, hashes = 0, [leaf_hash(entry) for entry in entries]
    while hashes:
        for number, tile in _groups(hashes):
            yield tile_path(str(level), number, len(tile)), b"".join(tile)
        # A partial tile is not hashed into the level above.
        hashes = [tree_hash(tile) for _, tile in _groups(hashes) if len(tile) == WIDTH]
        level += 1


def _groups(items: Sequence[bytes]) -> Iterator[tuple[int, Sequence[bytes]]]:
    for number in range(-(-len(items) // WIDTH)):
        yield number, items[number * WIDTH : (number + 1) * WIDTH]
