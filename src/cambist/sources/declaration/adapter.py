"""The adapter of a declared source, as strict as any other adapter."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import FixingAdapter, Schedule, Source, SourceRequest
from cambist.sources.declaration.address import fill
from cambist.sources.declaration.csv_rows import CsvRowParser
from cambist.sources.declaration.day_format import DayFormat
from cambist.sources.declaration.declaration import WEEKDAYS, Declaration
from cambist.sources.declaration.raw_rate import JsonNumber, RawRate
from cambist.sources.declaration.tree_rows import JsonRowParser, XmlRowParser
from cambist.sources.parsing import PayloadReader, is_code

_MOST_PLACES = (15, 30)
"""The most digits before and after the point of a JSON number; no rate has more."""
_LONGEST_NOMINAL = 7


class DeclaredAdapter(FixingAdapter):
    """The adapter of one declaration. `key_variable` is the environment variable with the operator's key, or empty."""

    def __init__(self, declared: Declaration) -> None:
        self._declared = declared
        self._rates = declared.rates
        self._zone = ZoneInfo(declared.schedule.zone)
        self._form = DayFormat(declared.day.form)
        self._reader = PayloadReader(declared.key)
        self._row_parser = _row_parser(declared, self._reader)
        self.source = _source(declared, self._zone)
        self.key_variable = declared.key_variable

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the days in parts of the declared span; with a span of 1, only the days of the schedule."""
        start, end = max(first, self.source.first_day).toordinal(), last.toordinal()
        declared = self._declared.request.span
        span = max(end - start + 1, 1) if declared == "all" else declared
        for day in range(start, end + 1, span):
            start_day = date.fromordinal(day)
            if declared != 1 or start_day.weekday() in self.source.schedule.days:
                yield self._request(start_day, date.fromordinal(min(day + span - 1, end)))

    def _request(self, first: date, last: date) -> SourceRequest:
        request = self._declared.request
        return SourceRequest(
            url=fill(request.url, first, last),
            first=first,
            last=last,
            subject=first.isoformat() if self._declared.day.of == "asked" else "",
            headers=tuple(request.headers.items()),
            content_types=request.media,
            no_data_statuses=frozenset(request.absent),
        )

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one answer, in its order; `subject` is the requested day if answers have no day."""
        seen: set[tuple[Pair, date]] = set()
        found = False
        for row in self._row_parser.rows(content):
            code, day = self._code(row), self._day(row, subject)
            is_per_anchor = self._rates.direction == "other_per_anchor"
            pair = Pair(self._rates.anchor, code) if is_per_anchor else Pair(code, self._rates.anchor)
            self._reader.unique(seen, (pair, day))
            if row.rate not in self._rates.missing:
                found = True
                what = f"{pair} on {day}"
                unit = GRAM if code in self._rates.per_gram else ""
                with self._reader.cell:
                    nominal = self._nominal(row, code, what)
                    yield Fixing(self.source.key, pair, day, self._value(row.rate, what), nominal, unit)
        if not found and self._rates.may_be_empty:
            raise NothingPublished(f"{self.source.key}: nothing was published for the days asked")
        if not found:
            raise self._reader.broken("the answer holds no rate")

    def _code(self, row: RawRate) -> str:
        """Return the currency code of a row. Errors: SourceBroken if it is neither in the declared form nor mapped."""
        if row.code is None:
            return self._rates.currency or ""
        code = self._rates.codes.get(row.code) or self._code_from_form(row.code)
        if not is_code(code):
            raise self._reader.broken(f"[{shorten(row.code)}] is not a currency code; rates.codes can map it to one")
        if code == self._rates.anchor:
            raise self._reader.broken(f"[{shorten(row.code)}] is the anchor; rates.ignore can leave it out")
        return code

    def _code_from_form(self, text: str) -> str:
        head, _, rest = self._rates.code_form.partition("{code")
        kind, _, tail = rest.partition("}")
        inner = text[len(head) : len(text) - len(tail)]
        if text != head + inner + tail or (kind and inner != inner.lower()):
            return ""
        return inner.upper() if kind else inner

    def _day(self, row: RawRate, subject: str) -> date:
        if row.day is None:
            try:
                return date.fromisoformat(subject)
            except ValueError:
                raise self._reader.broken("the answer has no day, and none was requested") from None
        day = self._form.parse(row.day, self._zone)
        if day is None or day < self.source.first_day:
            raise self._reader.broken(f"[{shorten(row.day)}] is not a date since {self.source.first_day}")
        return day

    def _value(self, text: str, what: str) -> Decimal:
        if not isinstance(text, JsonNumber):
            comma = "," if self._rates.decimal == "," else ""
            return self._reader.number(text, what, comma=comma, thousands=self._rates.thousands)
        before, after = _MOST_PLACES
        try:
            value = Decimal(text) if len(text) <= before + after else Decimal(0)
        except InvalidOperation:
            value = Decimal(0)
        if not (value > 0 and value.adjusted() < before and int(value.as_tuple().exponent) >= -after):
            raise self._reader.cell_broken(f"{what} is no rate: [{shorten(text)}]")
        return Decimal(f"{value:f}")

    def _nominal(self, row: RawRate, code: str, what: str) -> int:
        if row.nominal is not None:
            return self._reader.nominal(row.nominal if len(row.nominal) <= _LONGEST_NOMINAL else "", what)
        nominal = self._rates.nominal
        return nominal.get(code, 1) if isinstance(nominal, dict) else nominal


def _row_parser(declared: Declaration, reader: PayloadReader) -> CsvRowParser | JsonRowParser | XmlRowParser:
    ignore = frozenset(declared.rates.ignore)
    if declared.json:
        return JsonRowParser(declared.json, declared.day, ignore, reader)
    if declared.xml:
        return XmlRowParser(declared.xml, declared.day, ignore, reader)
    if declared.csv:
        return CsvRowParser(declared.csv, declared.day.at, ignore, reader)
    raise TypeError("a declaration must be validated before it becomes an adapter")


def _source(declared: Declaration, zone: ZoneInfo) -> Source:
    hours = declared.schedule
    return Source(
        key=declared.key,
        name=declared.name,
        home=declared.home,
        terms=declared.terms,
        licence=declared.licence,
        redistribution=declared.redistribution,
        pace=Pace.DAILY,
        covers=declared.covers or f"rates against {declared.rates.anchor}, as the operator declared",
        zone=zone,
        first_day=declared.first_day,
        anchor=declared.rates.anchor,
        fixed_at=declared.fixed_at,
        rate_type=RateType(declared.rate_type),
        compiled=declared.compiled,
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
