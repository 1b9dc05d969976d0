"""The tables of nodes, keys that sign, and the schema itself."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, Integer, String, Table

from cambist.storage.sql.schema.base import BIG, metadata

leadership = Table(
    "leadership",
    metadata,
    Column("epoch", BIG, primary_key=True, autoincrement=False),
    Column("node", String, nullable=False),
    Column("holder", String, nullable=False),
    Column("taken_at", DateTime, nullable=False),
    Column("expires_at", DateTime, nullable=False),
)
"""At most one row: which node leads the ingest, and until when unless it renews its term, by the database's clock.

Each new leader has a higher epoch. It is the key, so that who files can hold on to it while the term is renewed.
"""

nodes = Table(
    "nodes",
    metadata,
    Column("name", String, primary_key=True),
    Column("instance", String, nullable=False),
    Column("roles", String, nullable=False),
    Column("version", String, nullable=False),
    Column("started_at", DateTime, nullable=False),
    Column("seen_at", DateTime, nullable=False),
)
"""The nodes of a service on several machines. `instance` is new at each start; times are by the database's clock."""

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kid", String, nullable=False, unique=True),
    Column("public_key", String, nullable=False),
    Column("node", String, nullable=False),
    Column("created_at", DateTime, nullable=False),
    sqlite_autoincrement=True,
)
"""The public keys with which nodes sign receipts and the log, by RFC 7638 thumbprint. Rows are only added: the newest
key of a node is its current one, and the former ones verify what they have signed."""

log_checkpoints = Table(
    "log_checkpoints",
    metadata,
    Column("size", BIG, primary_key=True, autoincrement=False),
    Column("note", String, nullable=False),
    Column("signed_at", DateTime, nullable=False),
)
"""The signed checkpoints of the log, by the number of its entries, which are the first rows of `editions`. Rows are
only added: what was signed once must remain true."""

schema_releases = Table(
    "schema_releases",
    metadata,
    Column("schema", String, primary_key=True),
    Column("release", String, nullable=False),
    Column("migrated_at", DateTime, nullable=False),
)
"""Which release has brought this database to which schema, so that an older one can name it. It is not copied."""
