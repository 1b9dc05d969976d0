"""The connection to Redis, over real servers that are killed, paused and emptied."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.redis_server import RedisServer, running_redis

from cambist.cluster.redis_connection import RedisConnection
from cambist.cluster.redis_script import RedisScript
from cambist.errors import RedisUnreachable

ADD = RedisScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])


async def happens(what: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():  # noqa: ASYNC110  it may be something of another process
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def linked(url: str, *, is_awaited: bool = True) -> AsyncIterator[RedisConnection]:
    connection = RedisConnection(url)
    task = asyncio.create_task(connection.run())
    try:
        if is_awaited:
            await happens(lambda: connection.is_linked)
        yield connection
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_commands_scripts_and_messages_come_through(redis_server: RedisServer) -> None:
    async def talk() -> None:
        async with linked(redis_server.url) as one, linked(redis_server.url) as other:
            heard: list[bytes] = []
            other.subscribe("cambist:test", heard.append)
            await one.command("SET", "cambist:key", b"\xff\x00")
            assert await other.command("GET", "cambist:key") == b"\xff\x00"
            assert [await one.run_script(ADD, ["cambist:sum"], [2]) for _ in range(3)] == [2, 4, 6]
            large = bytes(range(256)) * 4000
            async with asyncio.timeout(PATIENCE):
                while large not in heard:
                    await one.publish("cambist:test", large)
                    await asyncio.sleep(0.05)
            assert set(heard) == {large}

    asyncio.run(talk())


@pytest.mark.long
def test_a_long_message_comes_through_a_slow_network_in_pieces(redis_server: RedisServer) -> None:
    async def talk() -> None:
        url = "redis://127.0.0.1:{}"
        async with slow(redis_server.port) as port, linked(redis_server.url) as fast, linked(url.format(port)) as other:
            heard: list[bytes] = []
            other.subscribe("cambist:test", heard.append)
            await happens_after(lambda: fast.publish("cambist:test", b""), lambda: heard)
            sent = [bytes([number]) * 400_000 for number in range(3)]
            for content in sent:
                await fast.publish("cambist:test", content)
            await happens(lambda: len([content for content in heard if content]) == len(sent))
            assert [content for content in heard if content] == sent

    asyncio.run(talk())


def test_a_killed_server_fails_commands_at_once_and_is_found_again_when_it_is_back(
    redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def lose() -> None:
        async with linked(redis_server.url) as connection:
            heard: list[bytes] = []
            connection.subscribe("cambist:test", heard.append)
            redis_server.kill()
            await happens(lambda: not connection.is_linked)
            with pytest.raises(RedisUnreachable, match=r"127\.0\.0\.1.* cannot be reached"):
                await connection.command("PING")
            await asyncio.sleep(1)
            redis_server.start()
            await happens(lambda: connection.is_linked)
            async with asyncio.timeout(PATIENCE):
                while not heard:
                    await connection.publish("cambist:test", b"again")
                    await asyncio.sleep(0.05)

    asyncio.run(lose())
    told = [record.message for record in caplog.records if record.name.startswith("cambist")]
    assert len(told) == 3, told  # not a line for each attempt
    assert "is reached" in told[0]
    assert "cannot be reached: " in told[1]
    assert "is reached again" in told[2]


def test_no_command_waits_for_a_paused_server_and_the_link_is_made_anew(redis_server: RedisServer) -> None:
    async def lose() -> None:
        async with linked(redis_server.url) as connection:
            redis_server.pause()
            with pytest.raises(RedisUnreachable):
                await asyncio.wait_for(connection.command("PING"), PATIENCE)
            await happens(lambda: not connection.is_linked)
            redis_server.resume()
            await happens(lambda: connection.is_linked)
            assert await connection.command("PING")

    asyncio.run(lose())


@pytest.mark.long
def test_an_idle_link_notices_a_paused_server(redis_server: RedisServer) -> None:
    async def lose() -> None:
        async with linked(redis_server.url) as connection:
            redis_server.pause()
            await happens(lambda: not connection.is_linked)

    asyncio.run(lose())


def test_a_link_without_its_messages_is_made_anew(redis_server: RedisServer) -> None:
    async def lose() -> None:
        async with linked(redis_server.url) as connection:
            redis_server.ask("CLIENT", "KILL", "TYPE", "pubsub")  # by a link of its own: this one ends both at once
            await happens(lambda: not connection.is_linked)
            await happens(lambda: connection.is_linked)

    asyncio.run(lose())


def test_a_script_is_known_again_after_all_were_forgotten(redis_server: RedisServer) -> None:
    async def forget() -> None:
        async with linked(redis_server.url) as connection:
            assert await connection.run_script(ADD, ["cambist:sum"], [1]) == 1
            redis_server.ask("SCRIPT", "FLUSH")
            assert await connection.run_script(ADD, ["cambist:sum"], [1]) == 2

    asyncio.run(forget())


def test_a_refused_command_is_an_error_and_keeps_the_link(redis_server: RedisServer) -> None:
    async def refuse() -> None:
        async with linked(redis_server.url) as connection:
            await connection.command("SET", "cambist:key", "text")
            with pytest.raises(RedisUnreachable, match=r"refuses: .*integer"):
                await connection.command("INCR", "cambist:key")
            assert connection.is_linked

    asyncio.run(refuse())


def test_a_handler_that_fails_keeps_the_link_and_the_other_handlers(redis_server: RedisServer) -> None:
    async def fail() -> None:
        async with linked(redis_server.url) as connection:
            heard: list[bytes] = []
            connection.subscribe("cambist:test", lambda content: heard.__getitem__(len(content) + 100))
            connection.subscribe("cambist:test", heard.append)
            async with asyncio.timeout(PATIENCE):
                while not heard:
                    await connection.publish("cambist:test", b"on")
                    await asyncio.sleep(0.05)
            assert connection.is_linked

    asyncio.run(fail())


def test_a_password_is_given_and_a_wrong_one_is_no_link(caplog: pytest.LogCaptureFixture) -> None:
    async def log_in(url: str) -> None:
        async with linked(url) as connection:
            assert await connection.command("PING")

    async def fail(url: str) -> None:
        async with linked(url, is_awaited=False) as connection:
            await happens(lambda: "cannot be reached" in caplog.text)
            assert not connection.is_linked

    with running_redis(requirepass="s3cret") as server:
        asyncio.run(log_in(server.url))
        asyncio.run(fail(server.url.replace("s3cret", "wr0ng")))
    assert "wr0ng" not in caplog.text
    assert "password" in caplog.text


def test_a_replica_that_refuses_to_be_written_is_no_server_of_this_node(redis_server: RedisServer) -> None:
    async def write(url: str) -> None:
        async with linked(url) as connection:
            with pytest.raises(RedisUnreachable):
                await connection.command("SET", "cambist:key", "1")
            await happens(lambda: not connection.is_linked)

    with running_redis(replicaof=f"127.0.0.1 {redis_server.port}") as replica:
        asyncio.run(write(replica.url))


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
def test_a_link_over_tls_checks_the_certificate(
    redis_server: RedisServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "2"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *subject]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)

    async def talk() -> None:
        async with encrypting(redis_server.port, tmp_path) as port:
            async with linked(f"rediss://localhost:{port}?ssl_ca_certs={tmp_path / 'cert.pem'}") as connection:
                assert await connection.command("PING")
            async with linked(f"rediss://localhost:{port}", is_awaited=False) as connection:
                await happens(lambda: "cannot be reached" in caplog.text)
                assert not connection.is_linked

    asyncio.run(talk())
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


@pytest.mark.long
def test_sentinels_name_the_server_and_after_a_failover_another_one(redis_server: RedisServer) -> None:
    async def fail_over(sentinel: RedisServer, replica: RedisServer) -> None:
        # No Sentinel listens on port 1.
        async with linked(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/rates") as connection:
            await connection.command("SET", "cambist:key", "1")
            assert b"1" in redis_server.ask("GET", "cambist:key")
            await happens(lambda: b"1" in replica.ask("GET", "cambist:key"))
            await happens(lambda: b"slave" in sentinel.ask("SENTINEL", "REPLICAS", "rates"))
            redis_server.kill()
            await happens(lambda: not connection.is_linked)
            await happens(lambda: connection.is_linked)
            await connection.command("SET", "cambist:key", "2")
            assert b"2" in replica.ask("GET", "cambist:key")

    with running_redis(replicaof=f"127.0.0.1 {redis_server.port}") as replica:
        monitor = f"monitor rates 127.0.0.1 {redis_server.port} 1\nsentinel down-after-milliseconds rates 300"
        with running_redis(kind=("--sentinel",), sentinel=monitor) as sentinel:
            asyncio.run(fail_over(sentinel, replica))


async def happens_after(what: Callable[[], Awaitable[None]], happened: Callable[[], object]) -> None:
    """Do something again and again until something has happened."""
    async with asyncio.timeout(PATIENCE):
        while not happened():
            await what()
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def slow(server: int) -> AsyncIterator[int]:
    """Listen on a port, which is given, before a server whose answers come slowly."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server, from_server = await asyncio.open_connection("127.0.0.1", server)
        await asyncio.gather(_copy(reader, from_server), _copy(to_server, writer, pause=0.02))

    listener = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


@contextlib.asynccontextmanager
async def encrypting(server: int, folder: Path) -> AsyncIterator[int]:
    """Listen with TLS on a port, which is given, before a server without it."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server, from_server = await asyncio.open_connection("127.0.0.1", server)
        await asyncio.gather(_copy(reader, from_server), _copy(to_server, writer))

    listener = await asyncio.start_server(pass_on, "127.0.0.1", 0, ssl=context)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pause: float = 0) -> None:
    try:
        with contextlib.suppress(OSError):
            while content := await reader.read(1 << 14):
                writer.write(content)
                await writer.drain()
                await asyncio.sleep(pause)
    finally:
        writer.close()
