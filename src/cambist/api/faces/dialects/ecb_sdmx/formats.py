"""The formats of answers, and which one a request wants: by `format`, else by the header `Accept`."""

from __future__ import annotations

from enum import Enum

from cambist.api.faces.dialects.accepted_types import accepted_types
from cambist.errors import BadParameter, shorten


class Format(Enum):
    """A format: its name in the parameter `format`, and the media type of the answer."""

    GENERIC = ("genericdata", "application/vnd.sdmx.genericdata+xml;version=2.1")
    SPECIFIC = ("structurespecificdata", "application/vnd.sdmx.structurespecificdata+xml;version=2.1")
    JSON = ("jsondata", "application/vnd.sdmx.data+json;version=1.0.0-wd")
    CSV = ("csvdata", "text/csv")
    NAMED_CSV = ("csvdata", "application/vnd.sdmx.data+csv;version=1.0.0")

    @property
    def media_type(self) -> str:
        """The media type of an answer."""
        media_type: str = self.value[1]
        return media_type

    @property
    def is_csv(self) -> bool:
        """Whether it is CSV, under either of its media types."""
        return self in {Format.CSV, Format.NAMED_CSV}


STRUCTURE_TYPE = "application/vnd.sdmx.structure+xml;version=2.1"

_BY_TYPE = {
    "application/vnd.sdmx.genericdata+xml": Format.GENERIC,
    "application/vnd.sdmx.structurespecificdata+xml": Format.SPECIFIC,
    "application/vnd.sdmx.data+csv": Format.NAMED_CSV,
    "text/csv": Format.CSV,
    "application/vnd.sdmx.data+json": Format.JSON,
    "application/json": Format.JSON,
    "application/xml": Format.GENERIC,
    "text/xml": Format.GENERIC,
    "application/*": Format.GENERIC,
    "text/*": Format.CSV,
    "*/*": Format.GENERIC,
}


def choose_format(name: str | None, accept: str) -> Format:
    """Return the format that a request wants; generic XML if it names none.

    Errors: BadParameter for a `format` that there is not, and for types of which none can be answered.
    """
    if name:
        for each in Format:
            if each.value[0] == name.lower():
                return each
        allowed = ", ".join(dict.fromkeys(each.value[0] for each in Format))
        raise BadParameter(f"Invalid format: [{shorten(name)}], use {allowed}")
    for media_type in accepted_types(accept):
        if media_type in _BY_TYPE:
            return _BY_TYPE[media_type]
    raise BadParameter(f"None of the types [{shorten(accept)}] can be answered; use {', '.join(_BY_TYPE)}")
