"""Merkle trees and their proofs (RFC 6962, section 2.1), over SHA-256."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

_LEAF, _NODE = b"\x00", b"\x01"


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry."""
    return sha256(_LEAF + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees."""
    return sha256(_NODE + left + right).digest()


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a tree, given the hashes of its entries."""
    if not leaves:
        return sha256().digest()
    level = list(leaves)
    while len(level) > 1:
        pairs = [node_hash(*level[at : at + 2]) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def inclusion_proof(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the hashes that lead from the entry `index` to the root, its neighbour first."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"The tree has {len(leaves)} entries, none has the number {index}")
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion_proof(index, leaves[:split]), tree_hash(leaves[split:])]
    return [*inclusion_proof(index - split, leaves[split:]), tree_hash(leaves[:split])]


def consistency_proof(size: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the hashes that show that the tree of the first `size` entries is the beginning of this one."""
    if not 0 < size <= len(leaves):
        raise IndexError(f"The tree has {len(leaves)} entries, it cannot continue one of {size}")
    return _subproof(size, leaves, is_whole=True)


def _subproof(size: int, leaves: Sequence[bytes], *, is_whole: bool) -> list[bytes]:
    if size == len(leaves):
        return [] if is_whole else [tree_hash(leaves)]
    split = _split(len(leaves))
    if size <= split:
        return [*_subproof(size, leaves[:split], is_whole=is_whole), tree_hash(leaves[split:])]
    return [*_subproof(size - split, leaves[split:], is_whole=False), tree_hash(leaves[:split])]


def _split(size: int) -> int:
    """Return the largest power of two below a size of at least two."""
    return 1 << ((size - 1).bit_length() - 1)
