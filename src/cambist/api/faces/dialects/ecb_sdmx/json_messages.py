"""Writing data as SDMX-JSON 1.0: observations by series, and the values of dimensions and attributes as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

import msgspec

from cambist.api.faces.dialects.ecb_sdmx.attributes import key_of, observation_attributes, series_attributes
from cambist.api.faces.dialects.ecb_sdmx.codelists import CODED, CONCEPTS, codelists
from cambist.api.faces.dialects.ecb_sdmx.query import DIMENSIONS
from cambist.api.faces.dialects.ecb_sdmx.series import RateSeries
from cambist.api.faces.dialects.ecb_sdmx.xml_envelope import FLOW_NAME, SENDER, moment

Component = dict[str, Any]


class _Values:
    """The values of one dimension or attribute, numbered in the order in which they are found."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers: dict[str, int] = {}

    def number(self, value: str) -> int:
        """Return the number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    def described(self, **more: Any) -> Component:
        """Return the component with its values."""
        codes = codelists()[CODED[self._name]].codes if self._name in CODED else {}
        values = [{"id": value, "name": codes.get(value, value)} for value in self._numbers]
        return {"id": self._name, "name": CONCEPTS[self._name], **more, "values": values}


def write_json(found: Sequence[RateSeries], detail: str, prepared: datetime) -> bytes:
    """Write series as a message of SDMX-JSON."""
    keys = [_Values(name) for name in DIMENSIONS]
    periods = _Values("TIME_PERIOD")
    for period in sorted({period for one in found for period in one.periods}):
        periods.number(period)
    names = list(series_attributes(found[0])) if found and detail in {"full", "nodata"} else []
    attributes = [_Values(name) for name in names]
    with_values = detail in {"full", "dataonly"}
    about = observation_attributes() if detail == "full" else {}
    series = {
        _numbers_of(keys, key_of(one)): {
            "attributes": _numbers(attributes, series_attributes(one).values()) if attributes else [],
            "observations": dict(_observations(one, periods, [0] * len(about))) if with_values else {},
        }
        for one in found
    }
    data_set = {"action": "Replace", "validFrom": moment(prepared), "series": series}
    structure = _structure(keys, periods, attributes, about)
    return msgspec.json.encode({"header": _header(prepared), "dataSets": [data_set], "structure": structure})


def _header(prepared: datetime) -> Component:
    return {"id": str(uuid4()), "test": False, "prepared": moment(prepared), "sender": {"id": SENDER}}


def _structure(
    keys: Iterable[_Values], periods: _Values, attributes: Iterable[_Values], about: Mapping[str, str]
) -> Component:
    return {
        "name": FLOW_NAME,
        "dimensions": {
            "series": [each.described() for each in keys],
            "observation": [periods.described(role="time")],
        },
        "attributes": {
            "series": [each.described() for each in attributes],
            "observation": [_single(name, value).described() for name, value in about.items()],
        },
    }


def _single(name: str, value: str) -> _Values:
    values = _Values(name)
    values.number(value)
    return values


def _numbers_of(values: Iterable[_Values], texts: Iterable[str]) -> str:
    return ":".join(map(str, _numbers(values, texts)))


def _numbers(values: Iterable[_Values], texts: Iterable[str]) -> list[int]:
    return [each.number(text) for each, text in zip(values, texts, strict=True)]


def _observations(one: RateSeries, periods: _Values, about: list[int]) -> Iterator[tuple[str, list[Any]]]:
    for period, value in zip(one.periods, one.values, strict=True):
        yield str(periods.number(period)), [msgspec.Raw(value.encode()), *about]
