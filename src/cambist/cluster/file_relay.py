"""The files beside the rate book over several nodes: the votes behind its quotes, and the report on the sources."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from cambist.cluster.book_relay import BookRelay
from cambist.cluster.redis_connection import RedisConnection
from cambist.cluster.redis_script import RedisScript
from cambist.errors import RedisUnreachable
from cambist.storage.atomic_file import Unwritable, write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes

log = logging.getLogger(__name__)

_STORE = RedisScript("""
local epoch = tonumber(redis.call('HGET', KEYS[1], 'leader_epoch'))
if epoch and tonumber(ARGV[1]) < epoch then return 0 end
redis.call('HSET', KEYS[1], 'leader_epoch', ARGV[1], 'digest', ARGV[2], 'content', ARGV[3])
return 1
""")
"""Stores a file unless there is one of a later leader."""

_SECONDS = 1.0
_DIGEST_BYTES = 16


@dataclass
class _RelayedFile:
    """A file, where the ingest process of the leader's node writes it, and where every node has it."""

    key: str
    candidate: Path
    path: Path
    topic: Topic | None
    digest: bytes = b""
    epoch: int = 0


class FileRelay:
    """Once a second, sends the files of this node if its ingest process leads, and else takes those of the leader."""

    def __init__(self, folder: DataDirectory, redis: RedisConnection, books: BookRelay) -> None:
        self._redis = redis
        self._books = books
        self._changes = data_changes(folder.path)
        self._files = [
            _RelayedFile("cambist:votes", folder.candidates / folder.votes.name, folder.votes, None),
            _RelayedFile(
                "cambist:sources",
                folder.candidates / folder.source_reports.name,
                folder.source_reports,
                Topic.SOURCES,
            ),
        ]
        self._is_failing = False

    async def run(self) -> None:
        """Relay the files, for ever."""
        while True:
            try:
                for file in self._files:
                    with suppress(RedisUnreachable):
                        await (self._send(file) if self._books.publishes else self._take(file))
                self._is_failing = False
            except Unwritable as error:
                if not self._is_failing:
                    log.warning("Cluster link: a file from the leader cannot be written: %s", error)
                self._is_failing = True
            await asyncio.sleep(_SECONDS)

    async def _send(self, file: _RelayedFile) -> None:
        """Take a file of this node's ingest process, and store it in Redis if that has another one."""
        try:
            content = file.candidate.read_bytes()
        except OSError:
            return
        epoch, digest = self._books.order[0], _digest(content)
        self._write(file, content, epoch, digest)
        if await self._redis.command("HGET", file.key, "digest") != digest:
            await self._redis.run_script(_STORE, [file.key], [epoch, digest, content])

    async def _take(self, file: _RelayedFile) -> None:
        """Take the file that Redis has, unless it is that of an earlier leader."""
        epoch, digest = await self._redis.command("HMGET", file.key, "leader_epoch", "digest")
        if digest in {None, file.digest} or int(epoch) < file.epoch:
            return
        content = await self._redis.command("HGET", file.key, "content")
        if content is not None:
            self._write(file, content, int(epoch), _digest(content))

    def _write(self, file: _RelayedFile, content: bytes, epoch: int, digest: bytes) -> None:
        if digest != file.digest:
            write_atomically(file.path, content, durable=False)
            if file.topic is not None:
                self._changes.notify(file.topic)
        file.digest, file.epoch = digest, epoch


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).hexdigest().encode()
