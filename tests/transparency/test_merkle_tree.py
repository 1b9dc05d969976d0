from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transparency import rfc6962

from cambist.transparency.merkle_tree import consistency_proof, inclusion_proof, leaf_hash, tree_hash
from cambist.transparency.tiles import WIDTH, is_log_path, log_files, tile_path

ENTRIES = [f"entry {number}".encode() for number in range(70)]


@pytest.mark.parametrize("size", range(len(ENTRIES)))
def test_the_root_is_that_of_the_definition(size: int) -> None:
    assert tree_hash([leaf_hash(entry) for entry in ENTRIES[:size]]) == rfc6962.root(ENTRIES[:size])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 70])
def test_each_entry_is_proved_to_be_included_and_nothing_else_is(size: int) -> None:
    leaves = [leaf_hash(entry) for entry in ENTRIES[:size]]
    root = rfc6962.root(ENTRIES[:size])
    for index in range(size):
        proof = inclusion_proof(index, leaves)
        assert rfc6962.includes(ENTRIES[index], index, size, proof, root)
        assert not rfc6962.includes(b"another", index, size, proof, root)
        for other in range(len(proof)):
            changed = [*proof[:other], bytes(32), *proof[other + 1 :]]
            assert not rfc6962.includes(ENTRIES[index], index, size, changed, root)


@given(first=st.integers(1, 70), more=st.integers(0, 69))
def test_a_longer_log_is_proved_to_continue_a_shorter_one(first: int, more: int) -> None:
    second = min(first + more, 70)
    proof = consistency_proof(first, [leaf_hash(entry) for entry in ENTRIES[:second]])
    old, new = rfc6962.root(ENTRIES[:first]), rfc6962.root(ENTRIES[:second])
    assert rfc6962.continues(first, old, second, new, proof)
    assert not rfc6962.continues(first, bytes(32), second, new, proof)
    rewritten = [b"rewritten", *ENTRIES[1:second]]
    other = consistency_proof(first, [leaf_hash(entry) for entry in rewritten])
    assert not rfc6962.continues(first, old, second, rfc6962.root(rewritten), other)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_there_is_no_proof_of_what_is_not_there(index: int, size: int) -> None:
    with pytest.raises(IndexError):
        inclusion_proof(index, [bytes(32)] * size)
    with pytest.raises(IndexError):
        consistency_proof(4, [bytes(32)] * 3)


# The files, as c2sp.org/tlog-tiles has them.


@pytest.mark.parametrize(
    ("level", "number", "width", "path"),
    [
        ("0", 0, 256, "tile/0/000"),
        ("0", 273, 112, "tile/0/273.p/112"),
        ("1", 1_234_067, 256, "tile/1/x001/x234/067"),
        ("entries", 1000, 1, "tile/entries/x001/000.p/1"),
    ],
)
def test_tiles_have_the_paths_of_the_specification(level: str, number: int, width: int, path: str) -> None:
    assert tile_path(level, number, width) == path
    assert is_log_path(path)


@pytest.mark.parametrize(
    "path",
    ["", "tile/64/000", "tile/00/000", "tile/0/0", "tile/0/000.p/0", "tile/0/../keys", "../keys", "keys/", "tile"],
)
def test_other_paths_are_not_those_of_a_log(path: str) -> None:
    assert not is_log_path(path)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 70_000])
def test_a_log_has_the_files_of_the_specification(size: int) -> None:
    entries = [number.to_bytes(3) for number in range(size)]
    files = dict(log_files(entries))
    for level in range(4):
        count = size >> (8 * level)
        full, rest = divmod(count, WIDTH)
        widths = [WIDTH] * full + [rest] * (rest > 0)
        named = {tile_path(str(level), number, width): 32 * width for number, width in enumerate(widths)}
        assert {path: len(files[path]) for path in files if path.startswith(f"tile/{level}/")} == named
    bundled = [content for path, content in files.items() if path.startswith("tile/entries/")]
    assert b"".join(bundled) == b"".join(b"\0\3" + entry for entry in entries)
    if size == 70_000:
        assert files["tile/1/000"][:32] == rfc6962.root(entries[:256])
        assert files["tile/2/000.p/1"] == rfc6962.root(entries[:65_536])
