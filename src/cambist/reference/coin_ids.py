"""What CoinGecko calls coins that are priced here: its programs ask for them by these names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from cambist.reference.assets import COINS
from cambist.reference.table_loader import Table, Text


class CoinId(Struct, frozen=True):
    """The name of a coin."""

    id: Text
    coin: Text

    def __post_init__(self) -> None:
        """Refuse what is not a coin."""
        if self.coin not in COINS:
            raise ValueError(f"coin: {self.coin} is not in coins.csv")


COIN_ID_TABLE = Table("coin_ids.csv", CoinId, unique=("id",))
COIN_BY_ID: Mapping[str, str] = MappingProxyType({row.id: row.coin for row in COIN_ID_TABLE.read()})
"""The coin by its name."""
