"""The archive's values of a delivery, made from fixings."""

from collections.abc import Iterable

from cambist.history.filed_values import FiledValue, FiledValues
from cambist.history.fixing import Fixing


def filed_values(fixings: Iterable[Fixing]) -> FiledValues:
    """Return what `FixingArchive.filed_values` returns if these fixings are stored."""
    found = list(fixings)
    by_pair = {
        pair: {one.day: FiledValue(one.nominal, str(one.value)) for one in found if one.pair == pair}
        for pair in {one.pair for one in found}
    }
    return FiledValues(0, by_pair, {one.pair: one.unit for one in found})
