from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CommandResult
from tests.conftest import Client
from tests.reading import read_with

from cambist.receipts.signing_key import encode_key_set
from cambist.registry.signing.node_signer import NodeSigner
from cambist.storage.key_folder import KeyFolder
from cambist.storage.sql import SqlStore

QUESTION = "/convert?from=EUR&to=USD&amount=100"
Run = Callable[..., CommandResult]


@pytest.fixture
def files(finished: Path, wsgi_client: Client, tmp_path: Path) -> Path:
    """A folder with an answer, its headers, a receipt of the same answer, and the keys."""
    store = SqlStore(f"sqlite:///{finished / 'cambist.db'}")
    signer = NodeSigner(KeyFolder(finished / "keys"), store.public_keys, issuer="rates.example")
    assert wsgi_client.worker_state is not None
    read_with(wsgi_client.worker_state, receipts=signer)
    folder = tmp_path / "files"
    folder.mkdir()
    reply = wsgi_client.get(f"{QUESTION}&receipt=1")
    (folder / "answer.json").write_bytes(reply.content)
    lines = [f"{name}: {value}" for name, value in reply.headers.items()]
    (folder / "headers").write_bytes("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode())
    posted = wsgi_client.request("POST", "/receipts", body=json.dumps({"get": QUESTION}).encode())
    (folder / "receipt.jws").write_bytes(posted.content)
    (folder / "jwks.json").write_bytes(encode_key_set(signer.keys()))
    store.close()
    return folder


def test_a_receipt_with_its_answer_is_verified(run: Run, files: Path) -> None:
    ended = run("verify", str(files / "receipt.jws"), "--keys", str(files / "jwks.json"))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The receipt is valid.\n")
    assert f"GET {QUESTION}" in ended.out
    assert '"result":' in ended.out


def test_an_answer_is_verified_with_its_headers_and_the_keys_of_the_data_folder(run: Run, files: Path) -> None:
    record = run("verify", str(files / "answer.json"), "--receipt", str(files / "headers"), "--json").json
    assert record["question"] == f"GET {QUESTION}"
    assert record["answered at"] == "2026-11-20T12:00:00Z"
    assert record["signed by"].startswith("rates.example, key ")
    assert record["signed by"].endswith(" (current)")


def test_the_answer_in_a_receipt_is_written_into_a_file(run: Run, files: Path) -> None:
    output = files / "verified.json"
    assert run("verify", str(files / "receipt.jws"), "--output", str(output)).code == 0
    assert json.loads(output.read_bytes())["result"]


@pytest.mark.parametrize("name", ["answer.json", "receipt.jws"])
def test_what_was_changed_is_not_valid(run: Run, files: Path, name: str) -> None:
    content = bytearray((files / name).read_bytes())
    content[len(content) // 2] ^= 1
    (files / name).write_bytes(content)
    headers = [] if name == "receipt.jws" else ["--receipt", str(files / "headers")]
    ended = run("verify", str(files / name), *headers)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("Not valid: The ")


def test_an_answer_alone_is_no_receipt(run: Run, files: Path) -> None:
    ended = run("verify", str(files / "answer.json"))
    assert (ended.code, ended.err) == (1, "Not valid: This is no receipt: a receipt is a JWS in compact form.\n")


def test_the_keys_must_be_known(run: Run, files: Path, tmp_path: Path) -> None:
    ended = run("verify", str(files / "receipt.jws"), "--data", str(tmp_path / "none"))
    assert ended.code == 2
    assert "Name the keys of the service with --keys" in ended.err
    ended = run("verify", str(files / "none"), "--keys", str(files / "jwks.json"))
    assert (ended.code, ended.err) == (
        2,
        f"cambist: The file [{files / 'none'}] cannot be read: No such file or directory\n",
    )


def test_a_rotated_key_is_former_and_its_receipts_are_valid(run: Run, files: Path) -> None:
    (before,) = run("receipts", "keys", "--json").json
    rotated = run("receipts", "rotate", "--json").json
    first, second = run("receipts", "keys", "--json").json
    assert (first["kid"], first["state"]) == (before["kid"], "former")
    assert (second["kid"], second["state"]) == (rotated["kid"], "current")
    assert run("verify", str(files / "receipt.jws"), "--json").json["signed by"].endswith(" (former)")
    (entry,) = run("audit", "--action", "receipts", "--json").json
    assert entry["detail"] == f"key {rotated['kid']}"
    assert rotated["kid"] in run("receipts", "keys").out
    assert "Earlier receipts remain valid." in run("receipts", "rotate").out


def test_keys_are_those_of_a_data_folder(run: Run, tmp_path: Path) -> None:
    ended = run("receipts", "keys", "--data", str(tmp_path / "none"))
    assert ended.code == 2
    assert "There is no data folder" in ended.err
    assert run("receipts", "keys", "--json").json == []
