"""Validation of a declaration: each field, and how fields fit together."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
from datetime import date, time, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from cambist.errors import shorten
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.holiday_calendars import is_calendar
from cambist.sources.declaration.address import EACH
from cambist.sources.declaration.built_in_checks import built_in_faults, operator_faults
from cambist.sources.declaration.declaration import Declaration, refusal
from cambist.sources.declaration.layout_checks import layout_faults
from cambist.sources.declaration.patterns import pattern_faults
from cambist.sources.declaration.request_checks import request_faults
from cambist.sources.parsing import is_code

Fault = tuple[str, str]
"""A field, and what is wrong with it."""

_KEY = re.compile(r"[a-z][a-z0-9_]{0,31}")
_CODE_FORM = re.compile(r"[^{}]*\{code(:lower)?\}[^{}]*")
_ENCODINGS = re.compile(
    r"utf-8(-sig)?|utf-16(-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[ru]|shift_jis|gb2312|gbk|gb18030|big5|euc_(jp|kr)"
)
_OLDEST = date(1945, 1, 1)
_LONGEST = 200


def validate_declaration(
    declared: Declaration, name: str, existing_keys: Collection[str], *, is_built_in: bool = False
) -> None:
    """Validate a declaration. Errors: SourceRefused with the file, the field and the first fault."""
    for field, fault in _faults(declared, existing_keys):
        raise refusal(name, f"[{field}] {fault}")
    for field, fault in built_in_faults(declared) if is_built_in else operator_faults(declared):
        raise refusal(name, f"[{field}] {fault}")


def _faults(declared: Declaration, existing_keys: Collection[str]) -> Iterator[Fault]:
    """Yield the faults in the order of the file. A later check may assume that the earlier ones passed."""
    yield from _names(declared, existing_keys)
    yield from _facts(declared)
    yield from request_faults(declared)
    yield from _rates(declared)
    yield from _codes(declared)
    yield from _meanings(declared)
    yield from _marks(declared)
    yield from _schedule(declared)
    yield from _encoding(declared)
    yield from layout_faults(declared)


def _names(declared: Declaration, existing_keys: Collection[str]) -> Iterator[Fault]:
    if not _KEY.fullmatch(declared.key):
        yield (
            "key",
            f"[{shorten(declared.key)}] must be 1 to 32 lower-case letters, digits and _, beginning with a letter",
        )
    if declared.key in existing_keys:
        yield "key", f"[{declared.key}] is the key of another source"
    for field in ("name", "licence"):
        if not getattr(declared, field).strip():
            yield field, "is empty"
    for field in ("name", "licence", "covers", "label", "disabled_reason"):
        if len(getattr(declared, field)) > _LONGEST or not getattr(declared, field).isprintable():
            yield field, f"must be one line of at most {_LONGEST} characters"


def _facts(declared: Declaration) -> Iterator[Fault]:
    for field in ("home", "terms"):
        if not _is_link(getattr(declared, field)):
            yield field, f"[{shorten(getattr(declared, field))}] is not an https link"
    if declared.first_day < _OLDEST:
        yield "first_day", f"[{declared.first_day}] is before {_OLDEST}"
    if declared.last_day is not None and declared.last_day < declared.first_day:
        yield "last_day", f"[{declared.last_day}] is before the first day {declared.first_day}"
    for code in declared.brings:
        if code not in CURRENCIES:
            yield "brings", f"[{shorten(code)}] is not a currency"
    if _has_zone(declared.fixed_at):
        yield "fixed_at", "is a time in schedule.zone and must not have a zone"


def _is_link(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return not text or (parts.scheme == "https" and bool(parts.hostname) and text.isascii() and text.isprintable())
    except ValueError:
        return False


def _rates(declared: Declaration) -> Iterator[Fault]:
    rates = declared.rates
    if rates.anchor not in CURRENCIES:
        yield "rates.anchor", f"[{shorten(rates.anchor)}] is not a known currency"
    is_asked = bool(declared.request.each) and rates.currency == EACH
    if rates.currency is not None and not (is_asked or _is_other(rates.currency, declared)):
        yield "rates.currency", f"[{shorten(rates.currency)}] is not the code of a currency other than the anchor"
    for code in rates.nominal if isinstance(rates.nominal, dict) else ():
        if not _is_other(code, declared):
            yield f"rates.nominal.{shorten(code)}", "is not the code of a currency other than the anchor"
    if isinstance(rates.nominal, dict) and rates.direction == "other_per_anchor":
        yield "rates.nominal", "is of the anchor if the direction is other_per_anchor: it must be one number"


def _codes(declared: Declaration) -> Iterator[Fault]:
    rates = declared.rates
    for written, code in rates.codes.items():
        if not _is_other(code, declared):
            yield (
                f"rates.codes.{shorten(written)}",
                f"[{shorten(code)}] is not the code of a currency other than the anchor",
            )
    if rates.per_gram and rates.direction == "other_per_anchor":
        yield "rates.per_gram", "needs the direction anchor_per_other"
    if not _CODE_FORM.fullmatch(rates.code_form):
        yield "rates.code_form", f"[{shorten(rates.code_form)}] must have {{code}} or {{code:lower}}, once"
    for code in rates.inverted:
        if not _is_other(code, declared) or rates.nominal != 1 or code in rates.per_gram:
            yield "rates.inverted", f"[{shorten(code)}] must be another currency than the anchor, with a nominal of 1"
    if rates.only and rates.ignore:
        yield "rates.ignore", "has no effect: only the codes of rates.only are read"
    for text in rates.ignore:
        if text in rates.codes:
            yield "rates.ignore", f"[{shorten(text)}] stands under rates.codes too"


def _meanings(declared: Declaration) -> Iterator[Fault]:
    rates = declared.rates
    if rates.code_pattern:
        yield from pattern_faults("rates.code_pattern", rates.code_pattern, {"code"}, {"nominal"})
    if rates.rate_pattern:
        yield from pattern_faults("rates.rate_pattern", rates.rate_pattern, {"rate"}, set())
    for number, each in enumerate(rates.renamed):
        if not (is_code(each.label) and _is_other(each.code, declared) and each.since < each.until):
            yield f"rates.renamed[{number}]", "needs two codes, neither the anchor's, and days in their order"
    for code in rates.must_have:
        if not _is_other(code, declared):
            yield "rates.must_have", f"[{shorten(code)}] is not the code of a currency other than the anchor"


def _is_other(code: str, declared: Declaration) -> bool:
    return is_code(code) and code != declared.rates.anchor


def _marks(declared: Declaration) -> Iterator[Fault]:
    rates = declared.rates
    if len(rates.thousands) > 1 or rates.thousands.isalnum() or rates.thousands in {"-", "+", rates.decimal}:
        yield "rates.thousands", f"[{shorten(rates.thousands)}] must be one character, and not the decimal mark"
    for field, texts in (("missing", rates.missing), ("ignore", rates.ignore)):
        if any(text != text.strip() for text in texts):
            yield f"rates.{field}", "must be texts without blanks around them"


def _schedule(declared: Declaration) -> Iterator[Fault]:
    hours = declared.schedule
    try:
        zone: ZoneInfo | None = ZoneInfo(hours.zone)
    except (KeyError, ValueError, OSError):
        zone = None
    if zone is None:
        yield "schedule.zone", f"[{shorten(hours.zone)}] is not a time zone such as Europe/Berlin"
    for field, hour in (("start", hours.start), ("end", hours.end)):
        if _has_zone(hour):
            yield f"schedule.{field}", "is a time in schedule.zone and must not have a zone"
    if not hours.start < hours.end:
        yield "schedule.end", f"[{hours.end}] is not after the start at {hours.start}"
    if not timedelta(minutes=1) <= hours.every <= timedelta(days=1):
        yield "schedule.every", "must be a duration from PT1M to P1D"
    if not timedelta(0) <= hours.pause <= timedelta(minutes=10):
        yield "schedule.pause", "must be a duration from PT0S to PT10M"
    if not hours.days or len(set(hours.days)) != len(hours.days):
        yield "schedule.days", "must be the days of the week on which it publishes, each once"
    if hours.holidays and not is_calendar(hours.holidays):
        yield "schedule.holidays", f"[{shorten(hours.holidays)}] is not a calendar of a country (NO) or a market (XECB)"


def _has_zone(hour: time) -> bool:
    return hour.tzinfo is not None


def _encoding(declared: Declaration) -> Iterator[Fault]:
    for field, layout in (("csv", declared.csv), ("json", declared.json), ("html", declared.html)):
        if layout and not _is_encoding(layout.encoding):
            yield f"{field}.encoding", f"[{shorten(layout.encoding)}] is not a supported encoding"


def _is_encoding(name: str) -> bool:
    try:
        return _ENCODINGS.fullmatch(codecs.lookup(name).name) is not None
    except (LookupError, ValueError):
        return False
