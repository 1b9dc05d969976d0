"""Proofs of RFC 6962, verified as RFC 9162 says (2.1.3.2, 2.1.4.2); shares nothing with the package."""

from __future__ import annotations

import hashlib


def hash_entry(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def hash_pair(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def root(entries: list[bytes]) -> bytes:
    """Return MTH(D[n]) by its recursive definition."""
    if len(entries) < 2:
        return hash_entry(entries[0]) if entries else hashlib.sha256(b"").digest()
    k = 1
    while 2 * k < len(entries):
        k *= 2
    return hash_pair(root(entries[:k]), root(entries[k:]))


def includes(entry: bytes, index: int, size: int, proof: list[bytes], expected: bytes) -> bool:
    if index >= size:
        return False
    fn, sn, r = index, size - 1, hash_entry(entry)
    for p in proof:
        if sn == 0:
            return False
        if fn % 2 == 1 or fn == sn:
            r = hash_pair(p, r)
            while fn % 2 == 0 and fn != 0:
                fn >>= 1
                sn >>= 1
        else:
            r = hash_pair(r, p)
        fn >>= 1
        sn >>= 1
    return sn == 0 and r == expected


def continues(first: int, first_root: bytes, second: int, second_root: bytes, proof: list[bytes]) -> bool:
    if first == second:
        return not proof and first_root == second_root
    if first & (first - 1) == 0:
        proof = [first_root, *proof]
    if not proof:
        return False
    fn, sn = first - 1, second - 1
    while fn % 2 == 1:
        fn >>= 1
        sn >>= 1
    fr = sr = proof[0]
    for c in proof[1:]:
        if sn == 0:
            return False
        if fn % 2 == 1 or fn == sn:
            fr, sr = hash_pair(c, fr), hash_pair(c, sr)
            while fn % 2 == 0 and fn != 0:
                fn >>= 1
                sn >>= 1
        else:
            sr = hash_pair(sr, c)
        fn >>= 1
        sn >>= 1
    return sn == 0 and fr == first_root and sr == second_root
