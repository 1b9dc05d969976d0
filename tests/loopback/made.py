"""The official sources whose answers are composed from recordings: by month, or in another layout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from ecb import Ecb
from faults import Reply
from official import SourceCall
from recordings import RecordingFolder, as_it_is

_RECORDED = ("BZ", "CA", "CH", "DN", "HK", "IN", "JP", "KO", "MA", "MX", "NO")
_FRED = {f"DEX{area}US": number for number, area in enumerate(_RECORDED, 1)}
_CHANGED_SERIES = "DEXJPUS"


@dataclass(frozen=True)
class Fred:
    """The Federal Reserve's series: as CSV without a key, as JSON with one."""

    recording_folder: RecordingFolder
    key: str = "fed"

    def answer(self, asked: SourceCall) -> Reply | None:
        if self.key == "fed":
            match = re.search(r"^fred\.stlouisfed\.org/.*id=(\w+)&cosd=([\d-]+)&coed=([\d-]+)", asked.text)
        else:
            days = "observation_start=([0-9-]+)&observation_end=([0-9-]+)"
            match = re.search(rf"^api\.stlouisfed\.org/.*series_id=(\w+)&api_key=\w+.*{days}", asked.text)
        if match is None:
            return None
        rates = list(self._rates(asked, match[1], *map(date.fromisoformat, match.group(2, 3))))
        return _csv(match[1], rates) if self.key == "fed" else _observations(rates)

    def _rates(self, asked: SourceCall, series: str, first: date, last: date) -> Iterator[tuple[date, str]]:
        values = self._values(series)
        for day in asked.calendar.days(first, last) if values else ():
            value = values[asked.calendar.place(day, len(values))]
            is_changed = series == _CHANGED_SERIES and value != "."
            yield day + asked.calendar.shift, asked.change(value) if is_changed else value

    def _values(self, series: str) -> list[str]:
        """Return the recorded rates of a series, newest first; empty if there are none."""
        if series in _FRED and (real := f"fed_h10/fred_{_FRED[series]:02}.json") and self.recording_folder.has(real):
            text = self.recording_folder.text(real, "fred/yen.json")
        elif series == _CHANGED_SERIES:
            text = self.recording_folder.text("", "fred/yen.json")
        else:
            return []
        return [each["value"] for each in json.loads(text)["observations"]][::-1]


def _csv(series: str, rates: list[tuple[date, str]]) -> Reply:
    lines = (f"{day},{'' if rate == '.' else rate}\n" for day, rate in rates)
    return Reply(f"observation_date,{series}\n{''.join(lines)}".encode(), "application/csv")


def _observations(rates: list[tuple[date, str]]) -> Reply:
    observations = [{"date": str(day), "value": rate} for day, rate in rates]
    answer = {"units": "lin", "count": len(rates), "offset": 0, "limit": 100000, "observations": observations}
    return Reply(json.dumps(answer).encode(), "application/json; charset=UTF-8")


@dataclass(frozen=True)
class Boj:
    """The Bank of Japan: whole months, every day of them, `null` where there is no rate."""

    recording_folder: RecordingFolder
    key: str = "boj"

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(r"^www\.stat-search\.boj\.or\.jp/.*startDate=(\d{6})&endDate=(\d{6})", asked.text)
        if match is None:
            return None
        answer = json.loads(self.recording_folder.text("boj/boj_01.json", "boj/months.json"), parse_float=str)
        days = list(_days_of_months(match[1], match[2]))
        for series in answer["RESULTSET"]:
            is_changed = series["SERIES_CODE"] == "FXERD04"
            values = [str(value) for value in series["VALUES"]["VALUES"] if value is not None][::-1]
            rates = [_rate(asked, day, values, is_changed=is_changed) for day in days]
            series["VALUES"] = {
                "SURVEY_DATES": [int(f"{day + asked.calendar.shift:%Y%m%d}") for day in days],
                "VALUES": [None if rate is None else float(rate) for rate in rates],
            }
        return Reply(json.dumps(answer).encode(), "application/json; charset=utf-8")


def _days_of_months(first: str, last: str) -> Iterator[date]:
    day = date(int(first[:4]), int(first[4:]), 1)
    while f"{day:%Y%m}" <= last:
        yield day
        day += timedelta(days=1)


def _rate(asked: SourceCall, day: date, values: list[str], *, is_changed: bool) -> str | None:
    if day > asked.calendar.newest or day.weekday() not in asked.calendar.on:
        return None
    value = values[asked.calendar.place(day, len(values))]
    return asked.change(value) if is_changed else value


@dataclass(frozen=True)
class Bis:
    """The BIS, of whose days nothing was recorded: its layout, with the ECB's recorded rates."""

    ecb: Ecb
    recording_folder: RecordingFolder
    key: str = "bis"

    def answer(self, asked: SourceCall) -> Reply | None:
        pattern = r"^stats\.bis\.org/.*/D\.(\w\w)\.(\w{3})\.A\?.*ge:([\d-]+)\+le:([\d-]+)"
        match = re.search(pattern, asked.text)
        if match is None:
            return None
        header = self.recording_folder.text("", "bis/yen.csv").partition("\n")[0]
        area, code = match.group(1, 2)
        days = asked.calendar.days(*map(date.fromisoformat, match.group(3, 4)))
        lines = [self._line(asked, area, code, day) for day in days]
        media = "application/vnd.sdmx.data+csv; version=1.0.0; charset=utf-8"
        return Reply("\n".join((header, *lines, "")).encode(), media) if lines else Reply(b"", media, 404)

    def _line(self, asked: SourceCall, area: str, code: str, day: date) -> str:
        rates = self.ecb.rates(replace(asked.calendar, newest=day)) | {"EUR": 1.0}
        rate = "NaN" if code not in rates else f"{rates[code] / rates['USD']:.6f}"
        rate = asked.change(rate) if code == "JPY" and asked.change is not as_it_is else rate
        return f"BIS:WS_XRU(1.0),D,{area},{code},A,{day + asked.calendar.shift},{rate},0,6,A, Rate - Daily,A,,F"


@dataclass(frozen=True)
class Tcmb:
    """Türkiye's bulletins, in the layout of an old one, with the rates recorded from the Bank's other interface."""

    recording_folder: RecordingFolder
    key: str = "tcmb"

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(r"^www\.tcmb\.gov\.tr/kurlar/\d{6}/(\d\d)(\d\d)(\d{4})\.xml", asked.text)
        if match is None:
            return None
        day = date(int(match[3]), int(match[2]), int(match[1]))
        if day not in asked.calendar.days(day, day):
            return Reply(b"", "text/html", 404)
        items = self._items
        rates = items[asked.calendar.place(day, len(items))] if items else {}
        text = self._layout
        for code in re.findall(r'Kod="(\w+)"', text) if rates else ():
            text = _set_price(text, code, rates)
        if asked.change is not as_it_is:
            text = _with_dollar(text, asked)
        text = re.sub(r'Tarih="[^"]*"', f'Tarih="{day + asked.calendar.shift:%d.%m.%Y}"', text)
        return Reply(text.encode("iso8859-9"), "text/xml")

    @property
    def _layout(self) -> str:
        return self.recording_folder.text("tcmb/exchanger_today.xml", "tcmb/bulletin.xml", "iso8859-9")

    @property
    def _items(self) -> list[Mapping[str, str]]:
        if not self.recording_folder.has("tcmb/tcmb_01.json"):
            return []
        items = json.loads(self.recording_folder.text("tcmb/tcmb_01.json", "tcmb/bulletin.xml"))["items"]
        return [item for item in reversed(items) if item["TP_DK_USD_A_YTL"]]


def _set_price(text: str, code: str, rates: Mapping[str, str]) -> str:
    """Write a currency's rates; without any it gets empty tags, as the Bank writes them."""
    for tag, side in (("ForexBuying", "A"), ("ForexSelling", "S")):
        rate = rates.get(f"TP_DK_{code}_{side}_YTL") or ""
        pattern = rf'(Kod="{code}".*?<{tag}>)[^<]*(</{tag}>)'
        text = re.sub(pattern, lambda match, rate=rate: f"{match[1]}{rate}{match[2]}", text, count=1, flags=re.DOTALL)
    return text


def _with_dollar(text: str, asked: SourceCall) -> str:
    for tag in ("ForexBuying", "ForexSelling"):
        pattern = rf'(Kod="USD".*?<{tag}>)([^<]+)'
        text = re.sub(pattern, lambda match: match[1] + asked.change(match[2]), text, count=1, flags=re.DOTALL)
    return text


@dataclass(frozen=True)
class Imf:
    """The Fund's months: one table of the days up to the newest, out of the recorded month's days."""

    recording_folder: RecordingFolder
    key: str = "imf"

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(r"^www\.imf\.org/.*SelectDate=(\d{4})-(\d\d)-\d\d&reportType=(REP|SDRCV)", asked.text)
        if match is None:
            return None
        real, small = {"REP": ("imf/imf_01.tsv", "imf/rates.tsv"), "SDRCV": ("imf/imf_02.tsv", "imf/sdr.tsv")}[match[3]]
        text = self.recording_folder.text(real, small)
        first = date(int(match[1]), int(match[2]), 1)
        last = (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
        days = list(asked.calendar.days(first, last))
        rows = _rows_by_name(text)
        table = ["\t".join(("Currency", *(f"{day + asked.calendar.shift:%B %d, %Y}" for day in days)))]
        table += [_imf_line(asked, name, cells[::-1], days) for name, cells in rows.items()]
        title = re.sub(r"[A-Z][a-z]+ \d{4}$", f"{first + asked.calendar.shift:%B %Y}", text.partition("\n")[0].rstrip())
        notes = text[text.index("Notes:") :].replace("\r\n", "\n")
        return Reply("\n".join((title, *(table if days else ()), "", notes)).encode(), "application/vnd.ms-excel")


def _rows_by_name(text: str) -> dict[str, list[str]]:
    """Return the cells of each currency over all tables, oldest first."""
    rows: dict[str, list[str]] = {}
    for line in text[: text.index("Notes:")].splitlines():
        name, *cells = line.split("\t")
        if cells and name != "Currency":
            rows.setdefault(name, []).extend(cells)
    return rows


def _imf_line(asked: SourceCall, name: str, cells: list[str], days: list[date]) -> str:
    official_sources = [cells[asked.calendar.place(day, len(cells))] for day in days]
    if name == "Japanese yen" and asked.change is not as_it_is:
        official_sources = [asked.change(cell) if cell not in ("NA", "") else cell for cell in official_sources]
    return "\t".join((name, *official_sources))


@dataclass(frozen=True)
class Compiled:
    """What others compile of all currencies, day by day: fawazahmed0, Open Exchange Rates, and InforEuro's months."""

    recording_folder: RecordingFolder
    key: str

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(_COMPILED[self.key], asked.text)
        if match is None:
            return None
        day = date(*(int(part) for part in match.groups()), *((1,) if len(match.groups()) == 2 else ()))
        if day > asked.calendar.newest and self.key == "fawazahmed0":
            return Reply(b"", "text/plain", 404)
        return Reply(getattr(self, f"_{self.key}")(asked, day + asked.calendar.shift).encode(), "application/json")

    def _fawazahmed0(self, asked: SourceCall, day: date) -> str:
        text = self.recording_folder.text("fawazahmed0/usd.json", "fawazahmed0/usd.min.json")
        text = re.sub(r'"date":\s*"[^"]*"', f'"date": "{day}"', text)
        return _with_changed(text, r'"eur":\s*(?P<rate>[\d.]+)', asked)

    def _openexchangerates(self, asked: SourceCall, day: date) -> str:
        noon = int(datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp())
        text = self.recording_folder.text("", "openexchangerates/day.json")
        text = re.sub(r'"timestamp":\s*\d+', f'"timestamp": {noon}', text)
        return _with_changed(text, r'"EUR":\s*(?P<rate>[\d.]+)', asked)

    def _inforeuro(self, asked: SourceCall, day: date) -> str:
        _ = day
        text = self.recording_folder.text("", "inforeuro/month.json")
        return _with_changed(text, r'"USD"[^{}]*"value":\s*(?P<rate>[\d.]+)', asked)


_COMPILED = {
    "fawazahmed0": r"^cdn\.jsdelivr\.net/npm/@fawazahmed0/currency-api@(\d{4})-(\d\d)-(\d\d)/",
    "openexchangerates": r"^openexchangerates\.org/api/historical/(\d{4})-(\d\d)-(\d\d)\.json\?app_id=\w",
    "inforeuro": r"^ec\.europa\.eu/budg/inforeuro/.*year=(\d{4})&month=(\d{1,2})&",
}


def _with_changed(text: str, pattern: str, asked: SourceCall) -> str:
    if asked.change is as_it_is:
        return text
    return re.sub(
        pattern,
        lambda match: match[0][: match.start("rate") - match.start()] + asked.change(match["rate"]),
        text,
        count=1,
    )
