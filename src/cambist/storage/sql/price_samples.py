"""Price samples in SQL: one row for each moment, with the prices of all codes as compressed JSON."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from sqlalchemy import Engine, delete, select

from cambist.errors import StoreBroken
from cambist.history.price_samples import PriceSample
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import price_samples

_decoder = msgspec.json.Decoder(dict[str, float])


class SqlPriceSamples:
    """The `PriceSampleStore` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def after(self, moment: datetime, limit: int) -> Sequence[PriceSample]:
        """Return the first samples after a moment, the oldest first."""
        query = select(price_samples).where(price_samples.c.at > int(moment.timestamp())).order_by(price_samples.c.at)
        with self._engine.connect() as connection:
            rows = connection.execute(query.limit(limit)).all()
        return [PriceSample(datetime.fromtimestamp(row.at, UTC), _prices(row.mids)) for row in rows]

    def file(self, sample: PriceSample, before: datetime) -> None:
        """Store a sample and remove old ones, in one transaction."""
        row = {"at": int(sample.at.timestamp()), "mids": zlib.compress(msgspec.json.encode(sample.mids))}
        new = backend_of(self._engine).insert(price_samples).values(row).on_conflict_do_nothing()
        old = delete(price_samples).where(price_samples.c.at < int(before.timestamp()))
        with writing(self._engine, WriteLock.SAMPLES) as connection:
            connection.execute(new)
            connection.execute(old)


def _prices(content: bytes) -> dict[str, float]:
    try:
        return _decoder.decode(zlib.decompress(content))
    except (zlib.error, ValueError) as error:
        raise StoreBroken(f"A price sample cannot be read: {error}") from error
