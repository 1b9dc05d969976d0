"""The adapter of a declared source, as strict as any other adapter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.anchor import anchor_on
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import FixingAdapter, Schedule, Source, SourceRequest
from cambist.sources.declaration.address import EACH
from cambist.sources.declaration.asked import Asked, read_subject
from cambist.sources.declaration.code_reader import CodeReader, ReadCode
from cambist.sources.declaration.csv_rows import CsvOpener
from cambist.sources.declaration.day_reader import DayReader
from cambist.sources.declaration.declaration import WEEKDAYS, Declaration
from cambist.sources.declaration.html_rows import HtmlOpener
from cambist.sources.declaration.layouts import CsvLayout
from cambist.sources.declaration.raw_rate import RawRate
from cambist.sources.declaration.repeated_rates import merge_repeats
from cambist.sources.declaration.request_parts import build_requests
from cambist.sources.declaration.table_rows import TableOpener, TableRowParser
from cambist.sources.declaration.tree_rows import JsonRowParser, XmlRowParser
from cambist.sources.declaration.value_reader import ValueReader
from cambist.sources.declaration.workbook_rows import WorkbookOpener
from cambist.sources.declaration.zip_member import unzip_member
from cambist.sources.parsing import PayloadReader


class DeclaredAdapter(FixingAdapter):
    """The adapter of one declaration. `key_variable` is the environment variable with the operator's key, or empty."""

    def __init__(self, declared: Declaration) -> None:
        zone = ZoneInfo(declared.schedule.zone)
        self._declared = declared
        self._rates = declared.rates
        self._reader = PayloadReader(declared.label or declared.key)
        self._days = DayReader(declared.day, (declared.first_day, declared.last_day), zone, self._reader)
        self._codes = CodeReader(declared.rates, self._reader)
        self._values = ValueReader(declared.rates, self._reader)
        self._row_parser = _row_parser(declared, self._reader)
        self.source = _source(declared, zone)
        self.key_variable = declared.key_variable

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the days in parts of the declared span; with a span of 1, only the days of the schedule."""
        start, request = max(first, self.source.first_day), self._declared.request
        days = frozenset(map(WEEKDAYS.index, request.days)) if request.days else self.source.schedule.days
        last = min(last, self._declared.last_day or last)
        is_day_asked = self._declared.day.of == "asked"
        yield from build_requests(request, start, last, days, is_day_asked=is_day_asked)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one answer, in its order; `subject` is what was requested, if answers do not say it."""
        asked = read_subject(subject, has_day=self._declared.day.of == "asked")
        if self._declared.request.member:
            content = unzip_member(content, self._declared.request.member, self._reader)
        seen: set[tuple[object, ...]] = set()
        found: set[str] = set()
        for row in self._rows(content):
            day = self._days.asked(asked.day) if row.day is None else self._days.read(row.day)
            if day is not None:
                yield from self._fixing(row, day, asked, seen, found)
        if self._rates.may_be_empty and not (seen if self._rates.must_have else found):
            raise NothingPublished(
                f"{self._reader.name}: {self._rates.empty_says or 'nothing was published for the days asked'}"
            )
        if not found.issuperset(self._rates.must_have) or not found:
            raise self._reader.broken(self._rates.empty_says or _missing(self._rates.must_have))

    def _rows(self, content: bytes) -> Iterator[RawRate]:
        rows = self._row_parser.rows(content)
        return merge_repeats(rows, self._reader) if self._rates.repeats == "merge" else rows

    def _fixing(
        self, row: RawRate, day: date, asked: Asked, seen: set[tuple[object, ...]], found: set[str]
    ) -> Iterator[Fixing]:
        """Yield the fixing of a row, unless its rate is missing or the anchor's own. Errors: SourceBroken."""
        label = self._label(row, asked)
        code, divisor = self._codes.rename(label.code, day)
        anchor = anchor_on(self._rates.anchor, day) if self._rates.anchor_of_day else self._rates.anchor
        if code in (anchor, self._rates.anchor):
            self._reader.unique(seen, (code, day))
            self._check_anchor(row, day)
            return
        is_per_anchor = (self._rates.direction == "other_per_anchor") != (code in self._rates.inverted)
        pair = Pair(anchor, code) if is_per_anchor else Pair(code, anchor)
        self._refuse_twice(seen, pair, day, row.rate_type)
        if row.rate in self._rates.missing or row.other_rate in self._rates.missing:
            return
        found.add(code)
        what = f"{pair} on {day}"
        with self._reader.cell:
            nominal = self._values.nominal(label.nominal or row.nominal, label.code, code, divisor, what)
            yield Fixing(
                self.source.key,
                pair,
                day,
                self._values.value(row.rate, row.other_rate, what),
                nominal,
                GRAM if code in self._rates.per_gram else "",
                published_at=self._days.published_at(row.published_at),
                rate_type=row.rate_type,
            )

    def _refuse_twice(self, seen: set[tuple[object, ...]], pair: Pair, day: date, rate_type: str) -> None:
        """Errors: SourceBroken if there is a rate of the pair for the day already."""
        key = (pair, day, rate_type) if rate_type else (pair, day)
        if key in seen and self._declared.day.once:
            raise self._reader.broken(f"{pair} is given twice")
        self._reader.unique(seen, key)

    def _label(self, row: RawRate, asked: Asked) -> ReadCode:
        if row.code is None and self._rates.currency != EACH:
            return ReadCode(self._rates.currency or "")
        return self._codes.read(asked.each if row.code is None else row.code)

    def _check_anchor(self, row: RawRate, day: date) -> None:
        """Check the anchor's rate of itself. Errors: SourceBroken if it is not 1, or was not declared."""
        anchor, text = self._rates.anchor, shorten(row.code or "")
        if not self._rates.anchor_is_one:
            raise self._reader.broken(
                f"[{text}] is the anchor, and {anchor}/{anchor} is no pair; rates.ignore can leave it out"
            )
        if self._values.value(row.rate, None, f"{anchor} on {day}") != 1:
            raise self._reader.broken(f"the {anchor} on {day} is not worth itself: [{shorten(row.rate)}]")


def _missing(codes: Sequence[str]) -> str:
    return f"the answer holds no rate of {' and '.join(codes)}" if codes else "the answer holds no rate"


def _row_parser(declared: Declaration, reader: PayloadReader) -> TableRowParser | JsonRowParser | XmlRowParser:
    if declared.json:
        return JsonRowParser(declared.json, declared, reader)
    if declared.xml:
        return XmlRowParser(declared.xml, declared, reader)
    if declared.table:
        return TableRowParser(declared.table, declared, reader, _table_opener(declared, reader))
    raise TypeError("a declaration must be validated before it becomes an adapter")


def _table_opener(declared: Declaration, reader: PayloadReader) -> TableOpener:
    if declared.html:
        selector = str(declared.day.at) if declared.day.of == "document" else ""
        return HtmlOpener(declared.html, selector, reader)
    if declared.workbook:
        return WorkbookOpener(declared.workbook, reader)
    return CsvOpener(declared.csv or CsvLayout(layout="long"), reader)


def _source(declared: Declaration, zone: ZoneInfo) -> Source:
    hours = declared.schedule
    return Source(
        key=declared.key,
        name=declared.name,
        home=declared.home,
        terms=declared.terms,
        licence=declared.licence,
        redistribution=declared.redistribution,
        pace=Pace(declared.pace),
        covers=declared.covers or f"rates against {declared.rates.anchor}, as the operator declared",
        zone=zone,
        first_day=declared.first_day,
        anchor=declared.rates.anchor,
        fixed_at=declared.fixed_at,
        rate_type=RateType(declared.rate_type),
        rate_types=declared.rate_types,
        compiled=declared.compiled,
        alias=declared.alias,
        brings=declared.brings,
        outranks_pegs=declared.outranks_pegs,
        disabled_reason=declared.disabled_reason,
        setting=declared.setting,
        known_from=declared.known_from,
        schedule=Schedule(
            start=hours.start,
            end=hours.end,
            every=hours.every,
            days=frozenset(map(WEEKDAYS.index, hours.days)),
            holidays=hours.holidays,
            pause=hours.pause,
            reread_days=hours.reread,
        ),
    )
