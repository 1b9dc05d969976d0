"""The log of a service: what is signed, what is served, and what is never rewritten."""

from __future__ import annotations

import re
import subprocess
import sys
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy import insert
from tests.conftest import Client
from tests.patience import PATIENCE
from tests.postgresql import postgresql_url
from tests.reading import read_with
from tests.transparency import rfc6962

from cambist.errors import LogInconsistent
from cambist.processes.edition_log_update import open_edition_log, update_edition_log
from cambist.receipts.signing_key import encode_key_set
from cambist.registry.signing.edition_log import EditionLog
from cambist.registry.signing.node_signer import NodeSigner
from cambist.settings import Settings
from cambist.storage import log_folder
from cambist.storage.key_folder import KeyFolder
from cambist.storage.log_folder import LogFolder
from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import editions
from cambist.transparency.merkle_tree import consistency_proof, inclusion_proof

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "audit.md").read_text(encoding="utf-8")


class Service:
    """A service whose log is kept by one node, or by several."""

    def __init__(self, store: SqlStore, folder: Path) -> None:
        self.store, self.folder = store, folder

    def log(self, node: str = "") -> EditionLog:
        return EditionLog(self.store.editions, self.store.log_checkpoints, self.signer(node), self.files(node))

    def signer(self, node: str = "") -> NodeSigner:
        return NodeSigner(KeyFolder(self.folder / f"keys{node}"), self.store.public_keys, node, "rates.example")

    def files(self, node: str = "") -> LogFolder:
        return LogFolder(self.path(node))

    def path(self, node: str = "") -> Path:
        return self.folder / f"log{node}"

    def record(self, *days: int) -> None:
        """Record an edition at nine on each of some days of March."""
        rows = [
            {
                "name": f"{day}-{'0' * 12}-{day:016x}",
                "delivery": day,
                "rules": "0" * 12,
                "digest": f"{day:064x}",
                "last_rows": "",
                "recorded_at": (FIRST + timedelta(days=day - 1)).replace(tzinfo=None),
            }
            for day in days
        ]
        with self.store._engine.begin() as connection:
            connection.execute(insert(editions), rows)

    def checkpoint(self, node: str = "") -> tuple[str, int, bytes]:
        """Return the head that is shown, after verifying its signature by the specification."""
        return read_note((self.path(node) / "checkpoint").read_text(encoding="utf-8"), self.signer(node))

    def entries(self, node: str = "") -> list[bytes]:
        """Return the entries by the bundles that the checkpoint leads to."""
        _, size, _ = self.checkpoint(node)
        found: list[bytes] = []
        for number in range(-(-size // 256)):
            width = min(256, size - 256 * number)
            name = f"{number:03d}" + (f".p/{width}" if width < 256 else "")
            bundle = (self.path(node) / "tile/entries" / name).read_bytes()
            while bundle:
                length = int.from_bytes(bundle[:2])
                found.append(bundle[2 : 2 + length])
                bundle = bundle[2 + length :]
        return found


def read_note(note: str, signer: NodeSigner) -> tuple[str, int, bytes]:
    text, line = note[: note.index("\n\n") + 1], note[note.index("\n\n") + 2 :]
    dash, name, encoded = line.removesuffix("\n").split(" ")
    origin, size, root = text.removesuffix("\n").split("\n")
    assert (dash, name) == ("\u2014", origin)
    raw = {urlsafe_b64decode(f"{key.x}==") for key in signer.keys().keys}
    content = b64decode(encoded)
    (key,) = [each for each in raw if sha256(name.encode() + b"\n\x01" + each).digest()[:4] == content[:4]]
    Ed25519PublicKey.from_public_bytes(key).verify(content[4:], text.encode())
    return origin, int(size), b64decode(root)


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, 1, hour, 5, tzinfo=UTC) + timedelta(days=day - 1)


STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'cambist.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}


@pytest.fixture(params=STORES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    store = STORES[str(request.param)](tmp_path)
    store.migrate()
    yield Service(store, tmp_path)
    store.close()


def test_the_editions_of_past_days_are_signed_once_a_day(service: Service) -> None:
    log = service.log()
    assert not log.is_due(at(1))
    assert log.update(at(1)) == 0
    assert not service.path().exists()
    service.record(1, 1, 2)
    assert not log.is_due(at(1, hour=23))
    assert log.is_due(at(2))
    assert log.update(at(2)) == 2
    assert not log.is_due(at(2, hour=23))
    assert log.update(at(2, hour=23)) == 2
    assert log.is_due(at(3))
    assert log.update(at(3)) == 3
    origin, size, root = service.checkpoint()
    assert (origin, size, root) == ("rates.example/log", 3, rfc6962.root(service.entries()))
    digits = "0" * 12
    assert service.entries()[2].decode() == (
        f'{{"edition":"2-{digits}-{2:016x}","recorded_at":"2026-03-02T09:00:00.000000Z","receipt":2,'
        f'"rules":"{digits}","digest":"{2:064x}"}}'
    )


def test_every_checkpoint_continues_every_earlier_one(service: Service) -> None:
    heads, leaves = [], []
    for day in range(1, 9):
        if day % 3:
            service.record(*[day] * (day % 3 * 50))
        service.log().update(at(day + 1))
        heads.append(service.checkpoint()[1:])
    entries = service.entries()
    leaves = [rfc6962.hash_entry(entry) for entry in entries]
    size, root = heads[-1]
    assert size == len(entries) == 450
    for old_size, old_root in heads:
        assert rfc6962.continues(old_size, old_root, size, root, consistency_proof(old_size, leaves))
    for index in (0, 255, 256, 449):
        assert rfc6962.includes(entries[index], index, size, inclusion_proof(index, leaves), root)
    tile = (service.path() / "tile/0/000").read_bytes() + (service.path() / "tile/0/001.p/194").read_bytes()
    assert [tile[at : at + 32] for at in range(0, len(tile), 32)] == leaves
    assert (service.path() / "tile/1/000.p/1").read_bytes() == rfc6962.root(entries[:256])


def test_nodes_sign_one_log_and_show_the_same(service: Service) -> None:
    service.record(1, 2)
    assert service.log("rates-1").update(at(2)) == 1
    assert service.log("rates-2").is_due(at(2))
    assert service.log("rates-2").update(at(2)) == 1
    assert service.log("rates-2").update(at(3)) == 2
    assert service.log("rates-1").update(at(3)) == 2
    files = [
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (service.path("rates-1"), service.path("rates-2"))
    ]
    assert files[0] == files[1]
    assert service.checkpoint("rates-1")[1] == 2


def test_a_node_that_is_late_signs_nothing(service: Service) -> None:
    service.record(1)
    service.log("rates-1").update(at(2))
    before = service.store.log_checkpoints.newest()
    assert not service.store.log_checkpoints.add(2, "another", 0, at(2))
    assert service.store.log_checkpoints.newest() == before


def test_a_rotated_key_signs_the_next_checkpoint_and_both_are_listed(service: Service) -> None:
    service.record(1, 2)
    service.log().update(at(2))
    service.signer().rotate()
    service.log().update(at(3))
    assert service.checkpoint()[1] == 2
    listed = (service.path() / "keys").read_text().splitlines()
    assert len(listed) == 2
    for line in listed:
        name, key_id, encoded = line.split("+", 2)
        assert sha256(name.encode() + b"\n" + b64decode(encoded)).hexdigest()[:8] == key_id


@pytest.mark.long(every=2)
@pytest.mark.parametrize("after", range(8))
def test_an_interruption_at_any_step_loses_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    service.record(1, 2, 2)
    service.log().update(at(2))
    before = service.checkpoint()
    left = [after]

    def write(path: Path, content: bytes, *rest: Any, **more: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        real(path, content, *rest, **more)

    real = log_folder.write_atomically
    with monkeypatch.context() as patch:
        patch.setattr(log_folder, "write_atomically", write)
        try:
            service.log().update(at(3))
        except KeyboardInterrupt:
            assert service.checkpoint() == before
            assert service.entries()[:1] == service.entries()
    service.log().update(at(3))
    assert service.checkpoint()[1:] == (3, rfc6962.root(service.entries()))


def test_a_key_that_cannot_sign_leaves_the_log_as_it_is(service: Service) -> None:
    service.record(1, 2)
    service.log().update(at(2))
    with pytest.raises(InvalidSignature):
        read_note((service.path() / "checkpoint").read_text().replace("\n1\n", "\n2\n"), service.signer())


def test_a_database_that_lost_or_changed_an_entry_is_refused(service: Service) -> None:
    service.record(1, 2)
    service.log().update(at(3))
    note = service.store.log_checkpoints.newest()
    with service.store._engine.begin() as connection:
        connection.execute(editions.update().where(editions.c.delivery == 1).values(digest="f" * 64))
    service.record(3)
    with pytest.raises(LogInconsistent, match="The first 2 entries of the log are not those of the database"):
        service.log().update(at(4))
    with service.store._engine.begin() as connection:
        connection.execute(editions.delete().where(editions.c.delivery != 1))
    with pytest.raises(LogInconsistent, match=r"The log has 2 entries, the database 1: was it restored\?"):
        service.log().update(at(4))
    assert service.store.log_checkpoints.newest() == note == (service.path() / "checkpoint").read_text()


def test_a_changed_file_is_reported_and_not_replaced(service: Service) -> None:
    service.record(1, 2)
    service.log().update(at(2))
    (service.path() / "tile/0/000.p/1").write_bytes(bytes(32))
    (service.path() / "checkpoint").unlink()
    with pytest.raises(LogInconsistent, match="is not what the database has"):
        service.log().update(at(2))
    assert (service.path() / "tile/0/000.p/1").read_bytes() == bytes(32)


def test_the_files_are_served_to_all(service: Service, make_client: Callable[..., Client]) -> None:
    service.record(1)
    service.log().update(at(2))
    client = make_client(path_prefix="/v1")
    assert client.get("/v1/log/checkpoint", key=None).status == 404
    assert client.worker_state is not None
    read_with(client.worker_state, log_folder=service.path())
    for name, kind, cached in (
        ("checkpoint", "text/plain; charset=utf-8", "public, max-age=5"),
        ("keys", "text/plain; charset=utf-8", "public, max-age=5"),
        ("tile/0/000.p/1", "application/octet-stream", "public, max-age=31536000, immutable"),
        ("tile/entries/000.p/1", "application/octet-stream", "public, max-age=31536000, immutable"),
    ):
        reply = client.get(f"/v1/log/{name}", key=None)
        assert (reply.status, reply.content) == (200, (service.path() / name).read_bytes())
        assert (reply.headers["content-type"], reply.headers["cache-control"]) == (kind, cached)
    for name in ("", "tile/0/000", "tile/0/000.p", "tile", "../cambist.db", "..%2Fcambist.db", "tile/0/000.p/2"):
        assert client.get(f"/v1/log/{name}", key=None).status == 404


@pytest.mark.parametrize("name", ["checkpoint", "keys"])
def test_before_the_first_midnight_it_says_what_it_waits_for(
    service: Service, make_client: Callable[..., Client], name: str
) -> None:
    service.record(1)
    client = make_client()
    assert client.worker_state is not None
    read_with(client.worker_state, log_folder=service.path())
    reply = client.get(f"/log/{name}", key=None)
    assert (reply.status, reply.json["code"]) == (404, "no_checkpoint_yet")
    assert reply.json["error"] == (
        "The log has no checkpoint yet: the first is signed when a day (UTC) with an edition has ended, shortly after "
        "2026-11-21T00:00:00Z"
    )
    assert reply.headers["retry-after"] == str(12 * 3600 + 120)
    assert reply.headers["cache-control"] == "public, max-age=5"
    client.clock.read = datetime(2026, 11, 21, 0, 1, tzinfo=UTC).timestamp
    reply = client.get(f"/log/{name}", key=None)
    assert "shortly after 2026-11-21T00:00:00Z" in reply.json["error"]
    assert reply.headers["retry-after"] == "60"


def test_a_process_keeps_the_log_of_a_data_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(data=tmp_path, issuer="rates.example/v1")
    store = SqlStore(settings.database_url)
    store.migrate()
    Service(store, tmp_path).record(1)
    assert open_edition_log(settings, store).is_due(datetime.now(UTC))
    update_edition_log(settings)
    assert not open_edition_log(settings, store).is_due(datetime.now(UTC))
    checkpoint = (tmp_path / "log" / "checkpoint").read_text(encoding="utf-8")
    assert checkpoint.startswith("rates.example/v1/log\n1\n")
    (tmp_path / "log" / "tile" / "0" / "000.p" / "1").write_bytes(bytes(32))
    update_edition_log(settings)
    assert "is not what the database has: nothing is signed" in caplog.text
    store.close()


# The program of the guide


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def audited(service: Service, tmp_path: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Run the program of the guide on the log, served by another program."""
    (code,) = re.findall(r'^```python title="audit.py"\n(.*?)^```', GUIDE, re.MULTILINE | re.DOTALL)
    (tmp_path / "audit.py").write_text(code, encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *rest: Quiet(*rest, directory=str(service.path())))
    thread = Thread(target=server.serve_forever)
    thread.start()

    def run(edition: str, *older: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "jwks.json").write_bytes(encode_key_set(service.signer().keys()))
        address = f"http://127.0.0.1:{server.server_port}"
        command = [sys.executable, "audit.py", address, "jwks.json", edition, *older]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)

    yield run
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.long(every=2)
def test_the_program_of_the_guide_finds_an_edition_and_every_lie(
    service: Service, audited: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    service.record(*range(1, 5))
    service.log().update(at(4))
    older = tmp_path / "older"
    older.write_bytes((service.path() / "checkpoint").read_bytes())
    service.record(*[5] * 300)
    service.log().update(at(6))
    name = f"3-{'0' * 12}-{3:016x}"
    found = audited(name, "older")
    assert (found.stderr, found.returncode) == ("", 0)
    assert found.stdout == f"Entry 2 of 304: {service.entries()[2].decode()}\n"
    assert "The edition is not in the log" in audited("9-9-9").stderr
    # A log that was rewritten, and signed again with the right key.
    again = Service(service.store, service.folder)
    with service.store._engine.begin() as connection:
        connection.execute(editions.update().where(editions.c.delivery == 1).values(digest="f" * 64))
        connection.exec_driver_sql("DELETE FROM log_checkpoints")
    for path in sorted(service.path().rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    again.log().update(at(6))
    assert audited(name).returncode == 0
    assert "older was signed for another list: the log was rewritten" in audited(name, "older").stderr
    bundle = service.path() / "tile/entries/000"
    bundle.write_bytes(bundle.read_bytes().replace(b"receipt", b"Receipt", 1))
    assert "The entries are not those" in audited(name).stderr
