"""The dialect `sdmx`: the exchange rates of the European Central Bank's SDMX service, below `/service`."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.ecb_sdmx.csv_messages import write_csv
from cambist.api.faces.dialects.ecb_sdmx.formats import STRUCTURE_TYPE, Format, choose_format
from cambist.api.faces.dialects.ecb_sdmx.json_messages import write_json
from cambist.api.faces.dialects.ecb_sdmx.query import NO_RESULTS, PARAMETERS, DataQuery, parse_query
from cambist.api.faces.dialects.ecb_sdmx.series import RateSeries, find_series
from cambist.api.faces.dialects.ecb_sdmx.structures import write_structures
from cambist.api.faces.dialects.ecb_sdmx.xml_envelope import AGENCY
from cambist.api.faces.dialects.ecb_sdmx.xml_messages import write_generic, write_specific
from cambist.errors import BadParameter, CambistError, NoRate

_MAX_VALUES = 100_000
"""How many observations a message in XML or JSON may have; one takes up to a quarter of a kilobyte."""

_WRITERS = {Format.GENERIC: write_generic, Format.SPECIFIC: write_specific, Format.JSON: write_json}

_DOWNLOAD = ("Content-Disposition", "attachment;filename=data.csv")
_FLOWS = (["EXR"], [AGENCY, "EXR"], [AGENCY, "EXR", "1.0"], [AGENCY, "EXR", "latest"], ["all", "EXR"])


def answer_data(request: DialectRequest) -> DialectAnswer:
    """Return the series of a key in the format that the client wants; rates cost one call for each currency."""
    if request.path["flow"].split(",") not in _FLOWS:
        raise NoRate(NO_RESULTS)
    wanted = choose_format(request.query.get("format"), request.accept)
    query = parse_query(request.path.get("key", ""), request.query)
    found = find_series(request.context.matrix, query)
    days = [one.first_day for one in found if one.first_day is not None]
    return DialectAnswer(
        _written(request, wanted, found, query),
        wanted.media_type,
        cost=len({one.currency for one in found}) if query.wants_values else 1,
        earliest_day=min(days, default=None),
        is_cacheable=wanted.is_csv,
        headers=(_DOWNLOAD,) if wanted.is_csv else (),
    )


def _written(request: DialectRequest, wanted: Format, found: list[RateSeries], query: DataQuery) -> bytes:
    if wanted.is_csv:
        return write_csv(found, query.detail)
    if sum(len(one.values) for one in found) > _MAX_VALUES:
        raise BadParameter(f"The answer has more than {_MAX_VALUES} observations: ask for a period, or for CSV")
    with_values = [one for one in found if one.values or not query.wants_values]
    return _WRITERS[wanted](with_values, query.detail, request.context.now)


def answer_structure(kind: str, request: DialectRequest) -> DialectAnswer:
    """Return structures of a kind, whichever agency and version the client names."""
    wanted = request.path.get("id", "all")
    content = write_structures(kind, wanted, request.query.get("references", ""), request.context.now)
    return DialectAnswer(content, STRUCTURE_TYPE)


def write_error(status: int, _code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Write an error as the ECB's service does: a problem in JSON, with what is wrong as `detail`."""
    title = HTTPStatus(status).phrase
    return status, msgspec.json.encode({"type": "about:blank", "title": title, "status": status, "detail": sentence})


_OF_STRUCTURES = ("references", "detail", "format")


def _routes() -> tuple[DialectRoute, ...]:
    data = [
        DialectRoute(f"/service/data/{{flow}}{rest}", answer_data, PARAMETERS, negotiates=True, series_with=())
        for rest in ("", "/{key}", "/{key}/{provider}")
    ]
    structures = [
        DialectRoute(
            f"/service/{kind}/{{agency}}{rest}", partial(answer_structure, kind), ("references", "detail", "format")
        )
        for kind in ("dataflow", "datastructure", "codelist", "conceptscheme")
        for rest in ("", "/{id}", "/{id}/{version}")
    ]
    return (*data, *structures)


dialect = Dialect(
    name="sdmx",
    title="ECB SDMX",
    guide="dialect-sdmx.md",
    routes=_routes(),
    write_error=write_error,
    error_media_type="application/problem+json",
)
