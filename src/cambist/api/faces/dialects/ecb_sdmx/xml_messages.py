"""Writing data as SDMX-ML 2.1: generic, and specific to the structure `ECB_EXR1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from xml.sax.saxutils import quoteattr

from cambist.api.faces.dialects.ecb_sdmx.attributes import key_of, observation_attributes, series_attributes
from cambist.api.faces.dialects.ecb_sdmx.query import DIMENSIONS
from cambist.api.faces.dialects.ecb_sdmx.series import RateSeries
from cambist.api.faces.dialects.ecb_sdmx.xml_envelope import STRUCTURE_ID, envelope, header, moment, structure_reference


def write_generic(found: Sequence[RateSeries], detail: str, prepared: datetime) -> bytes:
    """Write series as a message of generic data."""
    attributes = f' action="Replace" validFromDate="{moment(prepared)}" structureRef="{STRUCTURE_ID}"'
    series = "".join(_generic_series(found, detail))
    content = f"{header(prepared, structure_reference())}<message:DataSet{attributes}>{series}</message:DataSet>"
    return envelope("GenericData", ("message", "common", "xsi", "generic"), content)


def write_specific(found: Sequence[RateSeries], detail: str, prepared: datetime) -> bytes:
    """Write series as a message of data that is specific to the structure."""
    attributes = (
        f' data:action="Replace" data:validFromDate="{moment(prepared)}" data:structureRef="{STRUCTURE_ID}"'
        ' data:dataScope="DataStructure" xsi:type="ecb_exr1:DataSetType"'
    )
    series = "".join(_specific_series(found, detail))
    about = header(prepared, structure_reference(is_specific=True))
    content = f"{about}<message:DataSet{attributes}>{series}</message:DataSet>"
    return envelope("StructureSpecificData", ("message", "common", "xsi", "data", "ecb_exr1"), content)


def _generic_series(found: Iterable[RateSeries], detail: str) -> Iterator[str]:
    about = _generic_attributes(observation_attributes() if detail == "full" else {})
    for one in found:
        yield f"<generic:Series><generic:SeriesKey>{_generic_values(_key(one))}</generic:SeriesKey>"
        yield _generic_attributes(series_attributes(one) if detail in {"full", "nodata"} else {})
        if detail in {"full", "dataonly"}:
            for period, value in zip(one.periods, one.values, strict=True):
                yield f'<generic:Obs><generic:ObsDimension value="{period}"/><generic:ObsValue value="{value}"/>'
                yield f"{about}</generic:Obs>"
        yield "</generic:Series>"


def _generic_attributes(values: Mapping[str, str]) -> str:
    return f"<generic:Attributes>{_generic_values(values)}</generic:Attributes>" if values else ""


def _generic_values(values: Mapping[str, str]) -> str:
    return "".join([f"<generic:Value id={quoteattr(name)} value={quoteattr(text)}/>" for name, text in values.items()])


def _specific_series(found: Iterable[RateSeries], detail: str) -> Iterator[str]:
    about = _attributes(observation_attributes() if detail == "full" else {})
    for one in found:
        attributes = series_attributes(one) if detail in {"full", "nodata"} else {}
        yield f"<Series{_attributes({**_key(one), **attributes})}>"
        if detail in {"full", "dataonly"}:
            for period, value in zip(one.periods, one.values, strict=True):
                yield f'<Obs TIME_PERIOD="{period}" OBS_VALUE="{value}"{about}/>'
        yield "</Series>"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join([f" {name}={quoteattr(text)}" for name, text in values.items()])


def _key(one: RateSeries) -> dict[str, str]:
    return dict(zip(DIMENSIONS, key_of(one), strict=True))
