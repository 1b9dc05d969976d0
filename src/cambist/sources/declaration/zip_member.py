"""The one file that counts in a zip that a source sends."""

from __future__ import annotations

from fnmatch import fnmatchcase

from cambist.sources.parsing import PayloadReader


def unzip_member(content: bytes, pattern: str, reader: PayloadReader) -> bytes:
    """Return the only member whose name matches a pattern such as `*.csv`. Errors: SourceBroken."""
    archive = reader.unpacker(content)
    found = [name for name in archive.names if fnmatchcase(name, pattern)]
    if len(found) != 1:
        raise reader.broken(f"the zip has {len(found)} files [{pattern}] instead of one")
    with reader.bounded():
        return archive.read(found[0])
