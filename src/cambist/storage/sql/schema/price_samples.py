"""The table of price samples."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, Table

from cambist.storage.sql.schema.base import BIG, metadata

price_samples = Table(
    "price_samples",
    metadata,
    Column("at", BIG, primary_key=True, autoincrement=False),
    Column("mids", LargeBinary, nullable=False),
)
"""What each code was worth in the pivot, every five minutes for a week: JSON by code, compressed with zlib."""
