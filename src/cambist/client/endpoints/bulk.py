"""Many amounts at once: `/convert/bulk`."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from decimal import Decimal
from io import StringIO
from pathlib import Path

import msgspec

from cambist.client.answers import Answer, RawAnswer
from cambist.client.call import CSV, Amount, Call, Day, write_day, write_value

_PATH = "/convert/bulk"
_COLUMNS = ("amount", "from", "to", "date")


class AmountToConvert(msgspec.Struct, frozen=True):
    """An amount in one currency, the other currency, and the day of the rate; without it the rate of now."""

    amount: Amount
    base: str
    to: str
    date: Day = None


class ConvertedAmount(msgspec.Struct, frozen=True, kw_only=True):
    """An amount with its result, or with the `error` that says why it has none.

    `as_of` is the time of the rate, or the day of its fixing, as text.
    """

    amount: str
    base: str
    to: str
    date: str
    result: Decimal | None
    rate: Decimal | None
    as_of: str
    error: str


class ConvertBulkResponse(Answer, frozen=True, kw_only=True):
    """The amounts in the order of the request. Each that has a result costs one call."""

    results: list[ConvertedAmount]
    ms: int = 0


def convert_bulk(
    amounts: Iterable[AmountToConvert],
    *,
    precision: int | None = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
) -> Call[ConvertBulkResponse]:
    """Convert amounts, each as `convert` does, with so many decimals; without `precision` as each target has them.

    `source`, `rule` and `booking` are those of `convert`, for all amounts.
    An amount that cannot be converted has an error in the answer. Amounts of about 30,000 rows fit into one request,
    which is not sent again after a failed connection.
    """
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    writer.writerows((write_value(one.amount), one.base, one.to, write_day(one.date) or "") for one in amounts)
    body = text.getvalue().encode()
    parameters = {"precision": precision, "decimal": "point", "source": source, "rule": rule, "booking": booking}
    return Call(_PATH, ConvertBulkResponse, parameters, CSV, body, _read_converted_amounts)


def convert_file(  # noqa: PLR0913  the parameters of an endpoint
    content: str | bytes | os.PathLike[str],
    *,
    precision: int | None = None,
    decimal: str | None = None,
    delimiter: str | None = None,
    dates: str | None = None,
    encoding: str | None = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
) -> Call[RawAnswer]:
    """Return a CSV file with the results of its rows; it has at most a megabyte, and columns amount, from, to, date.

    `content` is its path, or what is in it: bytes, or a text of lines. A text without a line break is a path.
    Without `delimiter` it is found; `decimal` is `point` or `comma`; `dates` says how days are written, such as `dmy`;
    `encoding` is that of bytes, if not UTF-8. `source`, `rule` and `booking` are those of `convert`, for all rows.
    """
    body = _read(content, encoding)
    parameters = {
        "precision": precision,
        "decimal": decimal,
        "delimiter": delimiter,
        "dates": dates,
        "encoding": encoding,
        "source": source,
        "rule": rule,
        "booking": booking,
    }
    return Call(_PATH, RawAnswer, parameters, CSV, body or b"\n")


def _read(content: str | bytes | os.PathLike[str], encoding: str | None) -> bytes:
    """Return the bytes of a file. Errors: OSError if there is no file at a path."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str) and (not content or "\n" in content or "\r" in content):
        return content.encode(encoding or "utf-8")
    return Path(content).read_bytes()


def _read_converted_amounts(content: bytes) -> ConvertBulkResponse:
    rows = list(csv.reader(StringIO(content.decode(), newline="")))[1:]
    return ConvertBulkResponse(results=[_converted_amount(*row) for row in rows])


def _converted_amount(*row: str) -> ConvertedAmount:
    amount, base, to, date, result, rate, as_of, error = row
    return ConvertedAmount(
        amount=amount,
        base=base,
        to=to,
        date=date,
        result=Decimal(result) if result else None,
        rate=Decimal(rate) if rate else None,
        as_of=as_of,
        error=error,
    )
