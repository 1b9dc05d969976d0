from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import ReceiptInvalid, ReceiptUnavailable
from cambist.receipts.claims import ReceiptClaims, encode_claims, encode_content, hash_content
from cambist.receipts.jose import PrivateKey
from cambist.receipts.signing_key import JwkSet, PublicKey, decode_key_set, encode_key_set, key_set
from cambist.receipts.verification import read_receipt, verify_receipt

ANSWER = b'{"base":"EUR","result":{"USD":116,"rate":1.16},"ms":0}'
KEY, FORMER = PrivateKey.generate(), PrivateKey.generate()


def public(*keys: PrivateKey) -> JwkSet:
    made = datetime(2026, 1, 2, tzinfo=UTC)
    return key_set([PublicKey(key.kid, key.x, "", made, key is KEY) for key in keys])


def claims_of(content: bytes = ANSWER, *, is_embedded: bool = False) -> ReceiptClaims:
    claims = {"body": encode_content(content)} if is_embedded else {}
    return ReceiptClaims(
        iss="rates.example",
        iat=1_795_176_000,
        method="GET",
        path="/convert",
        query="from=EUR&to=USD&amount=100",
        status=200,
        content_type="application/json",
        sha256=hash_content(content),
        length=len(content),
        edition="m-17",
        **claims,
    )


DETACHED = KEY.sign(encode_claims(claims_of()))
EMBEDDED = KEY.sign(encode_claims(claims_of(is_embedded=True)))


def flipped(content: bytes, bit: int) -> bytes:
    at, inside = divmod(bit % (8 * len(content)), 8)
    return content[:at] + bytes([content[at] ^ (1 << inside)]) + content[at + 1 :]


def test_a_receipt_says_what_was_asked_and_answered() -> None:
    verified = verify_receipt(DETACHED, public(KEY), ANSWER)
    assert verified.claims == claims_of()
    assert verified.claims.question == "GET /convert?from=EUR&to=USD&amount=100"
    assert verified.content == ANSWER
    assert verify_receipt(EMBEDDED, public(KEY)).content == ANSWER
    assert verify_receipt(EMBEDDED, public(KEY), ANSWER).content == ANSWER


def test_a_receipt_of_a_former_key_remains_valid() -> None:
    receipt = FORMER.sign(encode_claims(claims_of()))
    verified = verify_receipt(receipt, public(KEY, FORMER), ANSWER)
    assert (verified.key.kid, verified.key.status) == (FORMER.kid, "former")


def test_every_flipped_bit_of_a_receipt_is_found() -> None:
    for bit in range(8 * len(DETACHED)):
        with pytest.raises(ReceiptInvalid):
            verify_receipt(read_receipt(flipped(DETACHED.encode(), bit)), public(KEY), ANSWER)


@given(bit=st.integers(0, 8 * len(EMBEDDED) - 1))
def test_a_flipped_bit_of_a_receipt_with_its_answer_is_found(bit: int) -> None:
    with pytest.raises(ReceiptInvalid):
        verify_receipt(read_receipt(flipped(EMBEDDED.encode(), bit)), public(KEY))


@pytest.mark.parametrize("receipt", [DETACHED, EMBEDDED], ids=["detached", "embedded"])
def test_every_flipped_bit_of_an_answer_is_found(receipt: str) -> None:
    for bit in range(8 * len(ANSWER)):
        with pytest.raises(ReceiptInvalid, match="The answer is not the one that was signed"):
            verify_receipt(receipt, public(KEY), flipped(ANSWER, bit))


@given(content=st.binary(max_size=300), bit=st.integers(min_value=0))
def test_any_answer_fits_its_receipt_and_no_other_does(content: bytes, bit: int) -> None:
    receipt = KEY.sign(encode_claims(claims_of(content)))
    assert verify_receipt(receipt, public(KEY), content).content == content
    other = flipped(content, bit) if content else b" "
    with pytest.raises(ReceiptInvalid, match="not the one that was signed"):
        verify_receipt(receipt, public(KEY), other)


def test_a_long_answer_fits_into_a_receipt() -> None:
    long = b"x" * 3_000_000
    receipt = KEY.sign(encode_claims(claims_of(long, is_embedded=True)))
    assert verify_receipt(receipt, public(KEY)).content == long


def test_a_signature_has_one_way_to_be_written() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    same = [DETACHED[:-1] + letters[letters.index(DETACHED[-1]) ^ bits] for bits in range(1, 16)]
    for receipt in (*same, f"{DETACHED}=", f"{DETACHED}==", f" {DETACHED}"):
        with pytest.raises(ReceiptInvalid):
            verify_receipt(receipt, public(KEY), ANSWER)


@pytest.mark.parametrize(
    ("receipt", "answer", "reason"),
    [
        (DETACHED, None, "does not contain the answer"),
        ("", ANSWER, "This is no receipt"),
        ("a.b.c", ANSWER, "This is no receipt"),
        ("é.b.c", ANSWER, "This is no receipt"),
        (FORMER.sign(encode_claims(claims_of())), ANSWER, r"The key \[.*\], which signed it, is not among the 1 given"),
        (KEY.sign(b'{"iss":"rates.example"}'), ANSWER, "does not say what a receipt says"),
        (
            KEY.sign(encode_claims(claims_of()).replace(b'"edition":"m-17"', b'"body":"@"')),
            ANSWER,
            "cannot be decoded",
        ),
    ],
    ids=["no answer", "nothing", "no JWS", "no ASCII", "another key", "another claim", "a broken body"],
)
def test_what_is_wrong_is_said(receipt: str, answer: bytes | None, reason: str) -> None:
    with pytest.raises(ReceiptInvalid, match=reason):
        verify_receipt(receipt, public(KEY), answer)


@pytest.mark.parametrize("algorithm", ["none", "HS256", "EdDSA"])
def test_a_receipt_that_names_another_algorithm_is_refused(algorithm: str) -> None:
    header = f'{{"alg":"{algorithm}","typ":"cambist-receipt+jws","kid":"{KEY.kid}"}}'.encode()
    changed = urlsafe_b64encode(header).rstrip(b"=").decode() + DETACHED[DETACHED.index(".") :]
    with pytest.raises(ReceiptInvalid, match="another algorithm or type"):
        verify_receipt(changed, public(KEY), ANSWER)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_receipt_is_found_in_a_file_and_in_headers(end: str) -> None:
    headers = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncambist-receipt: {DETACHED}\r\n\r\n"
    assert read_receipt(f"{DETACHED}{end}".encode()) == DETACHED
    assert read_receipt(headers.encode()) == DETACHED


def test_a_key_set_is_read_as_it_was_written_and_other_keys_are_left_out() -> None:
    keys = public(KEY, FORMER)
    assert [key.status for key in keys.keys] == ["current", "former"]
    assert decode_key_set(encode_key_set(keys), "jwks.json") == keys
    assert decode_key_set(b'{"keys":[{"kty":"EC","crv":"P-256","x":"a","y":"b"}]}', "jwks.json") == JwkSet([])
    for content in (b"", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[{"kty":"OKP","crv":"Ed25519"}]}'):
        with pytest.raises(ReceiptInvalid, match=r"\[jwks.json\]"):
            decode_key_set(content, "jwks.json")


def test_a_key_is_read_as_it_was_written_and_nothing_else_is() -> None:
    assert PrivateKey.read(KEY.content).sign(b"one") == KEY.sign(b"one")
    for content in (b"", b"{}", b'{"kty":"OKP","crv":"Ed25519","x":"abc"}', b"\xff"):
        with pytest.raises(ReceiptUnavailable):
            PrivateKey.read(content)
