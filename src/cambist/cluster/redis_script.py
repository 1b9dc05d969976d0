"""A Lua script that Redis runs as one step."""

from __future__ import annotations

from hashlib import sha1


class RedisScript:
    """The source of a script, and the digest by which a server that has run it once knows it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.digest = sha1(source.encode(), usedforsecurity=False).hexdigest()
