"""What all SDMX-ML 2.1 messages have: namespaces, the header, and the reference to the structure of data."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import uuid4
from xml.sax.saxutils import escape, quoteattr

AGENCY = "ECB"
FLOW_NAME = "Exchange Rates"
STRUCTURE_ID = "ECB_EXR1"
VERSION = "1.0"

STRUCTURE_URN = f"urn:sdmx:org.sdmx.infomodel.datastructure.DataStructure={AGENCY}:{STRUCTURE_ID}({VERSION})"
SENDER = "CAMBIST"
"""Who sends the message. The ECB's messages name the ECB here; these are not its numbers."""

_SPECIFIC = f"{STRUCTURE_URN}:ObsLevelDim:TIME_PERIOD"
_SCHEMAS = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1"
_NAMESPACES = {
    "message": f"{_SCHEMAS}/message",
    "common": f"{_SCHEMAS}/common",
    "structure": f"{_SCHEMAS}/structure",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "generic": f"{_SCHEMAS}/data/generic",
    "data": f"{_SCHEMAS}/data/structurespecific",
    "ecb_exr1": _SPECIFIC,
}


def envelope(kind: str, prefixes: Iterable[str], content: str) -> bytes:
    """Return a whole message of a kind, with the namespaces of these prefixes."""
    namespaces = "".join([f" xmlns:{prefix}={quoteattr(_NAMESPACES[prefix])}" for prefix in prefixes])
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{declaration}<message:{kind}{namespaces}>{content}</message:{kind}>\n".encode()


def header(prepared: datetime, structure: str = "") -> str:
    """Return the header of a message that was prepared at a moment."""
    content = (
        f"<message:ID>{uuid4()}</message:ID><message:Test>false</message:Test>"
        f'<message:Prepared>{moment(prepared)}</message:Prepared><message:Sender id="{SENDER}"/>{structure}'
    )
    return f"<message:Header>{content}</message:Header>"


def structure_reference(*, is_specific: bool = False) -> str:
    """Return the part of the header that names the structure of the data."""
    namespace = f" namespace={quoteattr(_SPECIFIC)}" if is_specific else ""
    return (
        f'<message:Structure structureID="{STRUCTURE_ID}" dimensionAtObservation="TIME_PERIOD"{namespace}>'
        f"<common:Structure><URN>{escape(STRUCTURE_URN)}</URN></common:Structure></message:Structure>"
    )


def moment(when: datetime) -> str:
    """Return a moment as SDMX writes it."""
    return when.isoformat(timespec="milliseconds")
