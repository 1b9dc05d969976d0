"""Converting the rows of a file, each as `/convert` would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from msgspec import UNSET

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import Conversion, ConvertParams, convert_amount
from cambist.api.errors import PROBLEMS
from cambist.api.faces.bulk.conversion_file import AMOUNT, BASE, DAY, QUOTE, ConvertRow, RowResult
from cambist.api.faces.tables.options import CsvParams
from cambist.api.questions.amounts import decimal_places
from cambist.api.questions.parameters import ParamsReader
from cambist.errors import CambistError
from cambist.pricing.number_format import plain_float, trimmed_text

Step = Callable[[ConvertParams], None]

_read = ParamsReader(ConvertParams).read


class BulkParams(CsvParams, frozen=True, kw_only=True):
    """How a file is written, and how many decimals its results have."""

    precision: Annotated[
        int, decimal_places("precision", default=2, description="Decimals of the results.", example="2")
    ]


def row_converter(
    context: RequestContext, params: BulkParams, admit: Step = lambda _: None, charge: Step = lambda _: None
) -> ConvertRow:
    """Return what converts a row. `admit` may refuse it before it is answered, and `charge` after that."""

    def convert_row(cells: Mapping[str, str]) -> RowResult:
        try:
            asked = _read(_query(cells, params))
            admit(asked)
            found = convert_amount(context, asked)
            charge(asked)
        except CambistError as error:
            if type(error) not in PROBLEMS:
                raise
            return RowResult(error=str(error))
        return _result(found, params.decimal)

    return convert_row


def _query(cells: Mapping[str, str], params: BulkParams) -> dict[str, str]:
    amount = cells[AMOUNT].replace(params.decimal, ".") if params.decimal != "." else cells[AMOUNT]
    return {
        "amount": amount,
        "from": cells[BASE],
        "to": cells[QUOTE],
        "date": cells.get(DAY, ""),
        "precision": str(params.precision),
    }


def _result(found: Conversion, decimal: str) -> RowResult:
    as_of: Any = found.fixed_on if found.updated is UNSET else found.updated
    if as_of is UNSET:
        as_of = found.day
    return RowResult(
        result=trimmed_text(found.amount).replace(".", decimal),
        rate=plain_float(found.rate).replace(".", decimal),
        as_of="" if as_of is None else str(as_of),
    )
