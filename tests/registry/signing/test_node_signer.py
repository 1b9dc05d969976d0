from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.receipts.test_verification import ANSWER, claims_of

from cambist.errors import ReceiptUnavailable, StoreBroken
from cambist.receipts.verification import verify_receipt
from cambist.registry.signing import node_signer
from cambist.registry.signing.node_signer import NodeSigner
from cambist.storage.key_folder import SIGNING_KEY, KeyFolder
from cambist.storage.sql import SqlStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def signer_of(store: SqlStore, tmp_path: Path) -> Callable[..., NodeSigner]:
    """Make the signer of a process of a node, which by default is alone."""

    def make(node: str = "", **rest: Any) -> NodeSigner:
        return NodeSigner(KeyFolder(tmp_path / f"keys{node}"), store.public_keys, node, **rest)

    return make


def test_the_first_receipt_creates_a_key_for_its_owner_alone(signer_of: Callable[..., NodeSigner], tmp_path: Path):
    signer = signer_of()
    assert not (tmp_path / "keys").exists()
    signer.prepare()
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "keys").iterdir()} == {0o600}
    receipt = signer.sign(claims_of())
    assert verify_receipt(receipt, signer.keys(), ANSWER).key.status == "current"
    assert signer_of().keys() == signer.keys()


def test_processes_that_need_a_key_at_once_create_one(signer_of: Callable[..., NodeSigner]):
    signers = [signer_of() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(NodeSigner.prepare, signers))
    assert len(signer_of().keys().keys) == 1


def test_receipts_remain_valid_when_the_key_is_rotated(signer_of: Callable[..., NodeSigner], tmp_path: Path):
    signer = signer_of()
    before = signer.sign(claims_of())
    old = (tmp_path / "keys" / SIGNING_KEY).read_bytes()
    new = signer_of().rotate()  # by a command, while the service runs
    after = signer.sign(claims_of())
    keys = signer_of().keys()
    assert [key.status for key in keys.keys] == ["current", "former"]
    assert verify_receipt(after, keys, ANSWER).key.kid == new
    assert verify_receipt(before, keys, ANSWER).key.status == "former"
    assert old not in b"".join(path.read_bytes() for path in (tmp_path / "keys").iterdir())


def test_each_node_has_its_own_key_and_all_show_all(signer_of: Callable[..., NodeSigner]):
    one, two = signer_of("rates-1"), signer_of("rates-2")
    signed = [each.sign(claims_of()) for each in (one, two)]
    for each in (signer_of("rates-1"), signer_of("rates-2")):
        keys = each.keys()
        assert {key.node for key in keys.keys} == {"rates-1", "rates-2"}
        assert [verify_receipt(receipt, keys, ANSWER).key.node for receipt in signed] == ["rates-1", "rates-2"]


def gone(*_: object) -> Any:
    raise StoreBroken("The database is gone")


def test_an_announced_key_signs_while_the_database_is_gone(signer_of: Callable[..., NodeSigner]):
    signer_of().prepare()
    without = signer_of(call=gone)
    without.prepare()
    assert verify_receipt(without.sign(claims_of()), without.keys(), ANSWER)


def test_a_key_that_cannot_be_announced_signs_nothing(
    signer_of: Callable[..., NodeSigner], tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with pytest.raises(ReceiptUnavailable, match="No receipt can be signed now"):
        signer_of(call=gone).prepare()
    assert "The database is gone" in caplog.text
    assert not (tmp_path / "keys" / SIGNING_KEY).exists()


def test_a_key_is_announced_again_after_an_older_database_was_restored(
    signer_of: Callable[..., NodeSigner], tmp_path: Path
):
    signer_of().prepare()
    restored = SqlStore(f"sqlite:///{tmp_path / 'restored.db'}")
    restored.migrate()
    signer = NodeSigner(KeyFolder(tmp_path / "keys"), restored.public_keys)
    signer.prepare()
    assert len(restored.public_keys.all()) == 1
    restored.close()


def test_a_rotation_that_is_interrupted_leaves_the_old_key(
    signer_of: Callable[..., NodeSigner], monkeypatch: pytest.MonkeyPatch
):
    signer = signer_of()
    receipt = signer.sign(claims_of())
    with monkeypatch.context() as patch:
        patch.setattr(node_signer.KeyFolder, "replace_private_key", gone)
        with pytest.raises(StoreBroken):
            signer_of().rotate()
    keys = signer_of().keys()
    assert len(keys.keys) == 2
    assert verify_receipt(signer.sign(claims_of()), keys, ANSWER)
    assert verify_receipt(receipt, keys, ANSWER)


def test_a_damaged_key_is_reported_and_signs_nothing(signer_of: Callable[..., NodeSigner], tmp_path: Path):
    signer_of().prepare()
    (tmp_path / "keys" / SIGNING_KEY).write_text("{}")
    with pytest.raises(ReceiptUnavailable, match="cannot be read"):
        signer_of().prepare()
