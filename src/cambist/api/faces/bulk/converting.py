"""Converting the rows of a file, each as `/convert` would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import UNSET

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import AnyAmountParams, Conversion, ConvertParams, convert_amount
from cambist.api.errors import PROBLEMS
from cambist.api.faces.bulk.conversion_file import AMOUNT, BASE, DAY, QUOTE, ConvertRow, RowResult
from cambist.api.faces.bulk.file_text import FileParams
from cambist.api.faces.bulk.written_amounts import read_amount
from cambist.api.faces.bulk.written_days import WrittenDay, day_order, read_written_day
from cambist.api.questions.amounts import decimal_places
from cambist.api.questions.parameters import ParamsReader
from cambist.api.questions.publisher_parameters import Booking, PublisherKey, Rule
from cambist.errors import CambistError
from cambist.pricing.number_format import plain_float, trimmed_text

Step = Callable[[ConvertParams], None]

_read = ParamsReader(AnyAmountParams).read


class BulkParams(FileParams, frozen=True, kw_only=True):
    """How a file is written, how many decimals its results have, and whose rates are used."""

    dates: Annotated[
        str | None,
        day_order(
            "dates",
            description="How days are written, if not as YYYY-MM-DD: dmy, mdy or ymd, or a form such as DD.MM.YYYY.",
            schema={"type": "string", "examples": ["dmy", "MM/DD/YYYY"]},
        ),
    ]
    precision: Annotated[
        int | None,
        decimal_places(
            "precision",
            default=None,
            description="Decimals of the results; if left out as each target has them, a coin six digits or more.",
            example="2",
        ),
    ]
    source: PublisherKey = None
    rule: Rule = None
    booking: Booking = None


def row_converter(
    context: RequestContext, params: BulkParams, admit: Step = lambda _: None, charge: Step = lambda _: None
) -> ConvertRow:
    """Return what converts a row. `admit` may refuse it before it is answered, and `charge` after that."""

    def convert_row(cells: Mapping[str, str]) -> RowResult:
        try:
            amount = read_amount(cells[AMOUNT], params.decimal, cells[BASE])
            day = read_written_day(cells.get(DAY, ""), params.dates)
            asked = _read(_query(cells, params, amount, day))
            admit(asked)
            found = convert_amount(context, asked)
            charge(asked)
        except CambistError as error:
            if type(error) not in PROBLEMS:
                raise
            return RowResult(error=str(error))
        return _result(found, params, day)

    return convert_row


def _query(cells: Mapping[str, str], params: BulkParams, amount: str, day: WrittenDay | None) -> dict[str, str]:
    return {
        "amount": amount,
        "from": cells[BASE],
        "to": cells[QUOTE],
        "date": cells.get(DAY, "") if day is None else str(day.day),
        "precision": "" if params.precision is None else str(params.precision),
        "source": params.source or "",
        "rule": params.rule or "",
        "booking": params.booking or "",
    }


def _result(found: Conversion, params: BulkParams, day: WrittenDay | None) -> RowResult:
    as_of: Any = found.fixed_on if found.updated is UNSET else found.updated
    if as_of is UNSET:
        as_of = found.day
    if day is not None and isinstance(as_of, date):
        as_of = day.write(as_of)
    decimal, converted = params.decimal or ".", trimmed_text(found.amount)
    return RowResult(
        result=converted.replace(".", decimal),
        rate=plain_float(found.rate).replace(".", decimal),
        as_of="" if as_of is None else str(as_of),
    )
