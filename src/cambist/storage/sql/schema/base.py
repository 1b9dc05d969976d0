"""What all tables share."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

BIG = BigInteger().with_variant(Integer, "sqlite")
"""64 bits: SQLite's integers always have them, and its schema stays as it was."""
