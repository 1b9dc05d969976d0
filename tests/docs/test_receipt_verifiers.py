"""The verifiers in docs/guides/receipts.md run as they stand, and find every flipped bit."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.receipts.test_verification import ANSWER, DETACHED, EMBEDDED, FORMER, KEY, claims_of, flipped, public

from cambist.receipts.claims import encode_claims
from cambist.receipts.signing_key import encode_key_set

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "receipts.md").read_text(encoding="utf-8")
PROGRAMS = {
    "python": ("verify.py", [sys.executable]),
    "node": ("verify.mjs", ["node"]),
    "php": ("verify.php", ["php"]),
}
EVERY = {
    "python": """
import json
from base64 import b64decode
from verify import verify
jwks, cases = json.load(open("jwks.json")), json.load(open("cases.json"))
passed = []
for number, (receipt, answer) in enumerate(cases):
    try:
        verify(jwks, b64decode(receipt).decode("ascii"), None if answer is None else b64decode(answer))
        passed.append(number)
    except Exception:
        pass
print(passed)
""",
    "node": """
import { readFileSync } from "node:fs";
process.argv.splice(2, 9, "jwks.json", "receipt.jws");
const { verify } = await import("./verify.mjs");
const jwks = JSON.parse(readFileSync("jwks.json")), passed = [];
JSON.parse(readFileSync("cases.json")).forEach(([receipt, answer], number) => {
  try {
    const text = Buffer.from(receipt, "base64").toString("latin1");
    verify(jwks, text, answer === null ? undefined : Buffer.from(answer, "base64"));
    passed.push(number);
  } catch {}
});
console.log(JSON.stringify(passed));
""",
    "php": """<?php
$argv = [null, 'jwks.json', 'receipt.jws'];
require 'verify.php';
$jwks = json_decode(file_get_contents('jwks.json'), true);
$passed = [];
foreach (json_decode(file_get_contents('cases.json'), true) as $number => [$receipt, $answer]) {
    try {
        verify($jwks, base64_decode($receipt), $answer === null ? null : base64_decode($answer));
        $passed[] = $number;
    } catch (Throwable $refused) {
    }
}
echo json_encode($passed), "\\n";
""",
}


@pytest.fixture(params=PROGRAMS)
def language(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not shutil.which(PROGRAMS[name][1][0]):
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def folder(language: str, tmp_path: Path) -> Path:
    """A folder with a verifier, keys, a receipt and an answer."""
    name, _ = PROGRAMS[language]
    (code,) = re.findall(rf'^```\w+ title="{re.escape(name)}"\n(.*?)^```', GUIDE, re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 35
    (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "jwks.json").write_bytes(encode_key_set(public(KEY, FORMER)))
    (tmp_path / "receipt.jws").write_text(EMBEDDED)
    (tmp_path / "detached.jws").write_text(DETACHED)
    (tmp_path / "former.jws").write_text(FORMER.sign(encode_claims(claims_of())))
    (tmp_path / "answer.json").write_bytes(ANSWER)
    (tmp_path / "other.json").write_bytes(ANSWER + b"\n")
    return tmp_path


def run(language: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    name, program = PROGRAMS[language]
    return subprocess.run(
        [*program, name, "jwks.json", *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    "arguments", [("receipt.jws",), ("detached.jws", "answer.json"), ("former.jws", "answer.json")], ids="-".join
)
def test_a_verifier_prints_what_a_valid_receipt_says(language: str, folder: Path, arguments: tuple[str, ...]) -> None:
    ended = run(language, folder, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == json.loads(encode_claims(claims_of()))


@pytest.mark.parametrize(
    "arguments", [("detached.jws",), ("detached.jws", "other.json"), ("receipt.jws", "other.json")]
)
def test_a_verifier_fails_without_the_answer_and_with_another(
    language: str, folder: Path, arguments: tuple[str, ...]
) -> None:
    assert run(language, folder, *arguments).returncode != 0


@pytest.mark.long(every=3)
def test_a_verifier_finds_every_flipped_bit(language: str, folder: Path) -> None:
    detached, embedded = DETACHED.encode(), EMBEDDED.encode()
    cases = [
        (detached, ANSWER),
        (embedded, None),
        *((flipped(detached, bit), ANSWER) for bit in range(8 * len(detached))),
        *((detached, flipped(ANSWER, bit)) for bit in range(8 * len(ANSWER))),
        *((flipped(embedded, bit), None) for bit in range(0, 8 * len(embedded), 3)),
    ]
    encoded = [[None if each is None else b64encode(each).decode() for each in case] for case in cases]
    (folder / "cases.json").write_text(json.dumps(encoded))
    name = PROGRAMS[language][0].replace("verify", "every")
    (folder / name).write_text(EVERY[language])
    program = PROGRAMS[language][1]
    ended = subprocess.run([*program, name], cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == [0, 1]
