"""Moments in requests and answers: read in any of the forms that clients send, written in the one that they read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

from cambist.api.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.pricing.unix_time import EPOCH, unix_ms

_UNTIL = datetime(2101, 1, 1, tzinfo=UTC)
_MILLISECONDS = re.compile(r"[0-9]{1,14}")
_SPACED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}(:[0-9]{2})?)?")
_ISO = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9:]{5,8})([.,][0-9]{1,9})?([Zz]|[+ -][0-9]{2}(:?[0-9]{2})?)?")
_EXAMPLES = ["2026-10-01", "2026-10-01 12:30:00", "2026-10-01T12:30:00+02:00", "1790850600000"]
_FORMS = "YYYY-MM-DD, YYYY-MM-DD HH:MM:SS, ISO 8601 or Unix milliseconds"


class TimestampFormat(StrEnum):
    """How a moment is written: ISO 8601, Unix milliseconds, or `YYYY-MM-DD HH:MM:SS` of UTC."""

    ISO = "ISO"
    TSP = "TSP"
    UTCYMD = "UTCYMD"


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment as a request gave it: when it is, in the offset that was written, and the form."""

    at: datetime
    form: TimestampFormat


def moment(name: str, **rest: object) -> Param:
    """Declare a moment; without an offset it is UTC."""
    return Param(name, _moment, schema={"type": "string", "examples": _EXAMPLES}, **rest)  # type: ignore[arg-type]


def form(name: str, **rest: object) -> Param:
    """Declare how moments are to be written."""
    return Param(name, _form, schema={"type": "string", "enum": list(TimestampFormat)}, selects_data=False, **rest)  # type: ignore[arg-type]


def written(at: datetime, as_form: TimestampFormat, zone: timezone = UTC) -> str | int:
    """Write a moment; only ISO 8601 knows another zone than UTC."""
    if as_form is TimestampFormat.TSP:
        return unix_ms(at)
    if as_form is TimestampFormat.UTCYMD:
        return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    fraction = "milliseconds" if at.microsecond else "seconds"
    return at.astimezone(zone).isoformat(timespec=fraction).replace("+00:00", "Z")


def offset(zone: timezone) -> str:
    """Write a zone's offset from UTC, as `+02:00`."""
    return EPOCH.astimezone(zone).isoformat()[-6:]


def _moment(name: str, text: str) -> Timestamp:
    try:
        given = _given(text)
    except (ValueError, OverflowError):
        given = None
    if given is None or not EPOCH <= given.at < _UNTIL:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes {_FORMS}, from 1970 to 2100")
    return given


def _given(text: str) -> Timestamp | None:
    if _MILLISECONDS.fullmatch(text):
        return Timestamp(EPOCH + timedelta(milliseconds=int(text)), TimestampFormat.TSP)
    if _SPACED.fullmatch(text):
        return Timestamp(datetime.fromisoformat(text).replace(tzinfo=UTC), TimestampFormat.UTCYMD)
    iso = _ISO.fullmatch(text)
    if iso is None:
        return None
    day, clock, fraction, zone, _ = iso.groups(default="")
    # Of nine digits six are a microsecond; a plus that was not percent-encoded arrives as a blank.
    at = datetime.fromisoformat(f"{day}T{clock}{fraction[:7].replace(',', '.')}{zone.upper().replace(' ', '+')}")
    return Timestamp(at if at.tzinfo else at.replace(tzinfo=UTC), TimestampFormat.ISO)


def _form(name: str, text: str) -> TimestampFormat:
    try:
        return TimestampFormat(text.upper())
    except ValueError:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(TimestampFormat)}]") from None
