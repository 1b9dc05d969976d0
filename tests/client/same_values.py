"""Compare an answer of the client with the JSON that was sent."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec

from cambist.client.answers import Timestamp


def check_same(sent: Any, read: Any) -> None:
    """Check that what was read has every value that was sent; `sent` has its numbers as texts with all digits."""
    if isinstance(read, msgspec.Struct):
        by_name = {each.encode_name: getattr(read, each.name) for each in msgspec.structs.fields(type(read))}
        assert {*sent} <= {*by_name}
        for name, value in sent.items():
            check_same(value, by_name[name])
    elif isinstance(read, dict):
        assert [*sent] == [str(key) for key in read]
        for name, value in zip(sent.values(), read.values(), strict=True):
            check_same(name, value)
    elif isinstance(read, list | tuple):
        assert len(sent) == len(read)
        for one, other in zip(sent, read, strict=True):
            check_same(one, other)
    elif isinstance(read, Timestamp):
        assert Timestamp.parse(int(sent) if sent.isdigit() else sent) == read
    elif isinstance(read, timedelta):
        assert msgspec.convert(sent, timedelta) == read
    elif isinstance(read, Decimal):
        assert Decimal(sent).as_tuple() == read.as_tuple()
    else:
        assert (str(read) if isinstance(read, date | int) and not isinstance(read, bool) else read) == sent
