"""Receipts of answers, as clients get them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import KEY, NOW, Client, Reply
from tests.reading import read_with

from cambist.api.docs.openapi_texts import BULK
from cambist.errors import StoreBroken
from cambist.receipts.signing_key import decode_key_set
from cambist.receipts.verification import VerifiedReceipt, verify_receipt
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings
from cambist.storage.key_folder import KeyFolder
from cambist.storage.sql import SqlStore

QUESTION = "/convert?from=EUR&to=USD&amount=100&date=2026-10-30"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def signer(store: SqlStore, tmp_path: Path) -> NodeSigner:
    return NodeSigner(KeyFolder(tmp_path / "keys"), store.public_keys, issuer="rates.example")


@pytest.fixture
def signing(make_client: Callable[..., Client], signer: NodeSigner) -> Callable[..., Client]:
    """Make a client of a service that signs."""

    def make(**options: Any) -> Client:
        client = make_client(**options)
        assert client.worker_state is not None
        read_with(client.worker_state, receipts=signer)
        return client

    return make


@pytest.fixture
def client(signing: Callable[..., Client]) -> Client:
    return signing()


def verified(client: Client, reply: Reply) -> VerifiedReceipt:
    """Verify a reply's receipt with the keys that the service shows to anyone."""
    shown = client.get("/.well-known/jwks.json", key=None)
    assert (shown.status, shown.headers["content-type"]) == (200, "application/jwk-set+json")
    keys = decode_key_set(shown.content, "jwks.json")
    if reply.headers["content-type"] == "application/jose":
        return verify_receipt(reply.text, keys)
    return verify_receipt(reply.headers["cambist-receipt"], keys, reply.content)


def ask(client: Client, get: str, query: str = "", **rest: Any) -> Reply:
    return client.request("POST", f"/receipts{query}", body=msgspec.json.encode({"get": get}), **rest)


def without_ms(content: bytes) -> bytes:
    return content.rpartition(b'"ms":')[0]


TARGETS = [
    QUESTION,
    "/fetch-one?from=EUR&to=USD",
    "/fetch-all",
    "/historical?date=2026-10-30",
    "/time-series?to=EUR&start=2026-01-01&end=2026-10-30",
    "/currencies",
    "/usage",
    *(f"/time-series.{suffix}?to=EUR&start=2026-01-01" for suffix in ("csv", "ndjson", "xlsx", "arrow", "parquet")),
]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("target", TARGETS)
def test_any_answer_has_a_receipt_and_is_otherwise_the_same(client: Client, target: str) -> None:
    plain = client.get(target)
    for _ in range(2):  # made, then kept
        reply = client.get(f"{target}{'&' if '?' in target else '?'}receipt=1")
        if target != "/usage" and not target.partition("?")[0].endswith(".xlsx"):
            assert without_ms(reply.content) == without_ms(plain.content)
        claims = verified(client, reply).claims
        path, _, query = target.partition("?")
        assert (claims.method, claims.path, claims.query, claims.status) == ("GET", path, query, 200)
        assert (claims.iss, claims.iat) == ("rates.example", int(NOW.timestamp()))
        assert claims.content_type == reply.headers["content-type"]
        assert claims.body is msgspec.UNSET
        assert claims.edition == reply.headers.get("cambist-edition", msgspec.UNSET)
        assert reply.headers["x-calls-cost"] == plain.headers["x-calls-cost"]
        assert "cambist-ignored" not in reply.headers


@pytest.mark.long(every=3)
@pytest.mark.parametrize("target", TARGETS)
def test_any_answer_is_in_the_receipt_that_was_posted_for(client: Client, target: str) -> None:
    plain, reply = client.get(target), ask(client, target)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/jose")
    receipt = verified(client, reply)
    if target != "/usage" and not target.partition("?")[0].endswith(".xlsx"):
        assert without_ms(receipt.content) == without_ms(plain.content)
    assert receipt.claims.question == f"GET {target}"
    assert receipt.claims.content_type == plain.headers["content-type"]
    assert reply.headers["x-calls-cost"] == plain.headers["x-calls-cost"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("value", ["1", "true", "yes", "Y"])
@pytest.mark.parametrize("position", ["first", "last", "encoded"])
def test_the_parameter_may_be_anywhere(client: Client, value: str, position: str) -> None:
    path, _, query = QUESTION.partition("?")
    asked = {
        "first": f"receipt={value}&{query}",
        "last": f"{query}&receipt={value}",
        "encoded": f"{query}&%72eceipt={value}",
    }[position]
    assert verified(client, client.get(f"{path}?{asked}")).claims.query == query


@pytest.mark.parametrize("asked", ["", "&receipt=0", "&receipt=", "&receipt=no", "&receipt=1&receipt=0"])
def test_an_answer_that_nobody_wants_signed_has_no_receipt(client: Client, asked: str) -> None:
    reply = client.get(QUESTION + asked)
    assert reply.status == 200
    assert {"cambist-receipt", "cambist-ignored"}.isdisjoint(reply.headers)


@pytest.mark.parametrize("how", ["header", "query", "bearer"])
@pytest.mark.parametrize("ask_by", ["get", "post"])
def test_a_receipt_never_contains_an_api_key(client: Client, how: str, ask_by: str) -> None:
    headers = {"Authorization": f"Bearer {KEY}"} if how == "bearer" else {}
    key = KEY if how == "header" else None
    query = f"api_key={KEY}" if how == "query" else ""
    if ask_by == "get":
        reply = client.get(f"{QUESTION}&receipt=1&{query}", headers=headers, key=key)
    else:
        reply = ask(client, QUESTION, f"?{query}" if query else "", headers=headers, key=key)
    assert reply.status == 200
    claims = verified(client, reply).claims
    assert f"{claims.path}?{claims.query}" == QUESTION


def test_parameters_that_were_ignored_and_keys_in_strange_places_are_not_signed(client: Client) -> None:
    reply = client.get(f"{QUESTION}&token=s3cret&from=EUR&note={KEY}&x=%63mb_1&receipt=1")
    assert reply.headers["cambist-ignored"] == "token, note, x"
    assert verified(client, reply).claims.query == QUESTION.partition("?")[2] + "&from=EUR"


@pytest.mark.parametrize(("name", "path"), [("app_id", "/api/latest.json"), ("access_key", "/api/latest")])
def test_a_dialect_answers_with_a_receipt_without_its_key(signing: Callable[..., Client], name: str, path: str) -> None:
    client = signing(dialects=dialects(Settings(dialects="openexchangerates,fixer")))
    reply = client.get(f"{path}?{name}={KEY}&symbols=USD&receipt=1", key=None)
    assert reply.status == 200
    assert verified(client, reply).claims.question == f"GET {path}?symbols=USD"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/convert?to=ZZZ&amount=1", 400),
        ("/time-series?to=XDR&start=1971-01-01&end=1971-02-01", 404),
        ("/nowhere", None),
        ("/docs", None),
    ],
)
def test_an_error_has_a_receipt_if_the_question_was_looked_at(client: Client, target: str, status: int | None) -> None:
    reply = client.get(f"{target}{'&' if '?' in target else '?'}receipt=1")
    if status is None:
        assert "cambist-receipt" not in reply.headers
    else:
        assert verified(client, reply).claims.status == reply.status == status
    posted = ask(client, target)
    assert posted.headers["content-type"] == "application/json"
    assert posted.status == (status or (404 if target == "/nowhere" else 400))


@pytest.mark.parametrize("key", [None, "cmb_wrong"])
def test_nothing_is_signed_for_a_stranger(client: Client, key: str | None) -> None:
    reply = client.get(f"{QUESTION}&receipt=1", key=key)
    assert reply.status == ask(client, QUESTION, key=key).status == 401
    assert "cambist-receipt" not in reply.headers


def test_an_answer_with_a_receipt_is_sent_as_it_is_signed(client: Client) -> None:
    target = "/historical?date=2026-10-30&receipt=1"
    headers = {"Accept-Encoding": "gzip", "If-None-Match": "*"}
    reply = client.get(target, headers=headers)
    assert reply.status == 200
    assert "content-encoding" not in reply.headers
    assert verified(client, reply).content == reply.content


def test_a_table_by_accept_is_signed(client: Client) -> None:
    reply = client.get("/time-series?to=EUR&start=2026-01-01&receipt=1", headers={"Accept": "text/csv"})
    assert verified(client, reply).claims.content_type == "text/csv; charset=utf-8"


def test_a_file_of_amounts_is_signed_with_the_file_that_was_sent(client: Client) -> None:
    body = BULK.request.encode()
    reply = client.request("POST", "/convert/bulk?receipt=1", body=body)
    claims = verified(client, reply).claims
    assert (claims.method, claims.question) == ("POST", "POST /convert/bulk")
    assert claims.request_sha256 == sha256(body).hexdigest()


def test_head_has_no_receipt(client: Client) -> None:
    reply = client.request("HEAD", f"{QUESTION}&receipt=1")
    assert reply.status == 200
    assert "cambist-receipt" not in reply.headers


def test_the_environment_is_signed(signing: Callable[..., Client]) -> None:
    client = signing(environment="sandbox")
    assert verified(client, client.get(f"{QUESTION}&receipt=1")).claims.environment == "sandbox"


def test_a_long_query_has_its_receipt_by_post(client: Client) -> None:
    codes = ",".join(["EUR"] * 499 + ["USD"])
    refused = client.get(f"/fetch-multi?to={codes}&receipt=1")
    assert (refused.status, refused.json["code"]) == (400, "bad_parameter")
    assert "ask with POST /receipts" in refused.json["error"]
    assert verified(client, ask(client, f"/fetch-multi?to={codes}")).claims.query == f"to={codes}"


def test_the_longest_header_is_within_what_proxies_allow(client: Client) -> None:
    codes = ",".join(["EUR"] * 374)
    reply = client.get(f"/fetch-multi?to={codes}&receipt=1")
    assert reply.status == 200
    assert sum(len(name) + len(value) + 4 for name, value in reply.headers.items()) < 4096


def test_a_question_costs_what_its_answer_costs(client: Client) -> None:
    def spent() -> int:
        return sum(client.ledger.spent_by.values())

    client.get(f"{QUESTION}&receipt=1")
    assert spent() == 1
    ask(client, QUESTION)
    assert spent() == 2
    ask(client, "/convert?to=ZZZ&amount=1")
    assert spent() == 2
    assert set(client.ledger.spent_by) == {(1, "/convert", NOW.date())}


def test_nothing_is_charged_if_nothing_can_be_signed(
    client: Client, store: SqlStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(*_: object) -> Any:
        raise StoreBroken("The database is gone")

    assert client.worker_state is not None
    read_with(client.worker_state, receipts=NodeSigner(KeyFolder(tmp_path / "none"), store.public_keys, call=gone))
    for reply in (client.get(f"{QUESTION}&receipt=1"), ask(client, QUESTION)):
        assert (reply.status, reply.json["code"]) == (503, "receipt_unavailable")
    assert not client.ledger.spent_by
    assert "The database is gone" in caplog.text
    assert client.get(QUESTION).status == 200


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "The body must say what to answer"),
        (b"{}", "The body must say what to answer"),
        (b"[1]", "The body must say what to answer"),
        (b'{"get":"/usage","post":1}', "The body must say what to answer"),
        (b"\xff", "The body must say what to answer"),
        (b'{"get":"usage"}', "Invalid [get]: [usage]"),
        (b'{"get":"/usage\\n"}', "Invalid [get]"),
        (b'{"get":"/receipts"}', "[/receipts] has no receipt of its own"),
        (b'{"get":"/%72eceipts/"}', "[/receipts] has no receipt of its own"),
    ],
)
def test_a_body_that_asks_nothing_is_refused(client: Client, body: bytes, reason: str) -> None:
    reply = client.request("POST", "/receipts", body=body)
    assert reply.status == 400
    assert reason in reply.json["error"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    reply = client.request(method, "/receipts")
    assert (reply.status, reply.headers["allow"]) == (405, "POST, OPTIONS")


def test_browsers_may_read_receipts_and_post_for_them(client: Client) -> None:
    exposed = client.get(QUESTION).headers["access-control-expose-headers"]
    assert "Cambist-Receipt" in exposed
    preflight = client.request("OPTIONS", "/receipts", key=None)
    assert (preflight.status, preflight.headers["access-control-allow-methods"]) == (204, "POST, OPTIONS")


def test_a_prefix_is_left_out_of_the_question(signing: Callable[..., Client]) -> None:
    client = signing(path_prefix="/rates/v1")
    for get in (QUESTION, f"/rates/v1{QUESTION}"):
        reply = client.request("POST", "/rates/v1/receipts", body=msgspec.json.encode({"get": get}))
        assert verified(client, reply).claims.question == f"GET {QUESTION}"


def test_without_a_signer_a_receipt_is_refused_and_there_are_no_keys(make_client: Callable[..., Client]) -> None:
    client = make_client()
    reply = client.get(f"{QUESTION}&receipt=1")
    assert (reply.status, reply.json["code"]) == (503, "receipt_unavailable")
    assert client.get("/.well-known/jwks.json", key=None).content == b'{"keys":[]}'


@pytest.mark.long
def test_the_cryptography_is_imported_with_the_first_receipt() -> None:
    code = (
        "import sys, cambist.processes.api_worker, cambist.registry.signing.node_signer\n"
        "assert not {'joserfc', 'cryptography'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
