"""The checksum of a row of usage, by which damage is detected: the CRC-32 of its values."""

from __future__ import annotations

from datetime import date
from zlib import crc32


def usage_checksum(day: date, file: int, account: int, endpoint: str, calls: int) -> int:
    """Return the checksum of a total. The node that counted is no part of it: a restored one may have another name."""
    return crc32(f"{day.isoformat()}|{file}|{account}|{endpoint}|{calls}".encode())
