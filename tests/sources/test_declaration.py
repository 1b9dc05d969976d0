"""A source that an operator declares: the examples stand in `docs/guides/own-sources.md`, and are changed here."""

import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cambist.errors import NothingPublished, SourceBroken, SourceRefused
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import EVERY_DAY, MAX_PAYLOAD_BYTES, Redistribution, SourceRequest
from cambist.sources.declaration import DeclaredAdapter, read_declaration
from cambist.sources.declaration.answer_checks import DeclaredCheck
from cambist.sources.declaration.day_format import DayFormat
from cambist.sources.declaration.declaration import FIELDS, Declaration, DeclaredBefore, DeclaredFew, RenamedCode
from cambist.sources.declaration.layouts import CsvLayout, HtmlLayout, JsonLayout, WorkbookLayout, XmlLayout
from cambist.sources.declaration.payload_summary import format_fixing, summarize_payload
from cambist.sources.declaration.tree_path import parse_path
from cambist.sources.parsing import PayloadReader

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "own-sources.md").read_text(encoding="utf-8")
FIELDS_PAGE = (ROOT / "docs" / "reference" / "source-fields.md").read_text(encoding="utf-8")
RECORDED = ROOT.parent / "shared" / "payloads"


@dataclass(frozen=True)
class Case:
    """A declaration with an answer."""

    declared: str
    content: str
    lines: tuple[str, ...] = ()

    @property
    def adapter(self) -> DeclaredAdapter:
        return read_declaration(self.declared, "own.toml")

    def changed(self, *changes: tuple[str, str]) -> "Case":
        text = self.declared
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return Case(text, self.content)

    def sent(self, *changes: tuple[str, str]) -> "Case":
        text = self.content
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return Case(self.declared, text)

    def read(self, subject: str = "") -> list[Fixing]:
        return list(self.adapter.parse(self.content.encode(), subject))


BLOCK = r"```(?:{})\n(.*?)```"
WIDE, JSON = (
    Case(*(re.findall(BLOCK.format(kind), part, re.DOTALL)[0] for kind in ("toml", "csv|json")), tuple(lines))
    for part in PAGE.split("\n## Example")[1:]
    for lines in [re.findall(BLOCK.format("text"), part, re.DOTALL)[0].splitlines()]
)
HEAD = """\
key = "own"
name = "Own"
licence = "internal"
rate_type = "parallel"
first_day = 2000-01-01
[schedule]
zone = "Asia/Tokyo"
[request]
url = "http://127.0.0.1:8080/rates"
span = "all"
"""
LONG = Case(
    f"""{HEAD}
[rates]
anchor = "EUR"
direction = "anchor_per_other"
[day]
at = "day"
[csv]
layout = "long"
code = "code"
rate = "rate"
nominal = "units"
""",
    "day,code,units,rate,note\n2026-10-30,USD,1,0.8951,\n2026-10-30,JPY,100,0.5846,x\n",
)
XML = Case(
    f"""{HEAD}
[rates]
anchor = "RON"
direction = "anchor_per_other"
[day]
of = "block"
at = "@date"
[xml]
root = "DataSet"
blocks = "Body.Cube"
records = "Rate"
code = "@currency"
rate = "."
nominal = "@multiplier?"
""",
    """<DataSet xmlns="https://own.example/xsd"><Body><Cube date="2026-10-30">
<Rate currency="HUF" multiplier="100">1.2650</Rate><Rate currency="USD"> 4.5530 </Rate></Cube></Body></DataSet>""",
)
CASES = {"wide": WIDE, "json": JSON, "long": LONG, "xml": XML}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


# The page


@pytest.mark.parametrize("case", [WIDE, JSON], ids=["wide", "json"])
def test_the_examples_of_the_page_are_read_as_it_says(case):
    assert tuple(format_fixing(fixing) for fixing in case.read()) == case.lines


def test_the_page_lists_every_field_once():
    rows = re.findall(r"^\| `([\w.]+)` \|", FIELDS_PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(FIELDS)


def test_the_page_says_of_every_field_whether_it_is_needed():
    rows = dict(re.findall(r"^\| `([\w.]+)` \| ([^|]*?) ?\|", FIELDS_PAGE, re.MULTILINE))
    needed = {field for field, default in rows.items() if not default}
    depends = {"day.at", "csv.code", "csv.rate", "json.code", "xml.code"}
    depends |= {"html.code", "html.rate", "workbook.code", "workbook.rate"}
    hints = {"": Declaration, "csv": CsvLayout, "json": JsonLayout, "xml": XmlLayout}
    hints |= {"html": HtmlLayout, "workbook": WorkbookLayout, "rates.renamed": RenamedCode, "checks": DeclaredCheck}
    hints |= {"request.before": DeclaredBefore, "request.few": DeclaredFew}
    for table in ("request", "rates", "day", "schedule"):
        hints[table] = next(each.type for each in msgspec.structs.fields(Declaration) if each.name == table)
    in_code = {
        f"{table}.{field.name}".lstrip(".")
        for table, kind in hints.items()
        for field in msgspec.structs.fields(kind)
        if field.required and field.name not in hints
    }
    assert needed == in_code | depends


@pytest.mark.parametrize("row", re.findall(r"^\| `([\[{<].*)` \| (.*) \|$", PAGE, re.MULTILINE))
def test_the_shapes_of_the_page_are_read_as_it_says(row):
    content, fields = row
    layout, _, rest = fields.replace("`", "").partition("; day ")
    day, _, rates = rest.partition("; rates ")
    is_xml = content.startswith("<")
    tables = {"json": layout, "day": day, "rates": rates} if not is_xml else {"xml": layout, "day": day, "rates": rates}
    text = HEAD + ("[xml]\nroot = 'Body'\n" if is_xml else "[json]\n")
    text += "\n".join(re.findall(r"\w+ = \S+", tables["xml" if is_xml else "json"].replace(",", " ")))
    text += "\n[day]\n" + "\n".join(re.findall(r"\w+ = \S+", day.replace(",", " ")))
    text += "\n[rates]\nanchor = 'EUR'\ndirection = 'other_per_anchor'\n"
    text += "\n".join(re.findall(r"\w+ = \S+", rates.replace(",", " ")))
    (fixing,) = Case(text, content).read()
    assert (fixing.pair, fixing.day) == (Pair("EUR", "USD"), date(2026, 10, 30))


# What is read


def test_a_long_table_is_read_with_its_nominals():
    assert LONG.read() == [
        Fixing("own", Pair("USD", "EUR"), date(2026, 10, 30), Decimal("0.8951")),
        Fixing("own", Pair("JPY", "EUR"), date(2026, 10, 30), Decimal("0.5846"), 100),
    ]


def test_further_rates_of_a_record_are_read_with_their_type():
    text = LONG.declared.replace('rate = "rate"', 'rate = "rate"\ntypes = { street = "street" }')
    case = Case(text, "day,code,units,rate,street\n2026-10-30,USD,1,0.8951,1.2\n2026-10-30,JPY,100,0.5846,0.7\n")
    assert case.adapter.source.rate_types == ("street",)
    assert [(str(each.pair), str(each.value), each.rate_type) for each in case.read()] == [
        ("USD/EUR", "0.8951", ""),
        ("USD/EUR", "1.2", "street"),
        ("JPY/EUR", "0.5846", ""),
        ("JPY/EUR", "0.7", "street"),
    ]


def test_further_rates_of_a_tree_are_read_with_their_type():
    case = JSON.changed(('rate = "mid"', 'rate = "mid"\ntypes = { street = "mid" }'))
    assert {each.rate_type for each in case.read()} == {"", "street"}
    assert len(case.read()) == 2 * len(JSON.read())


def test_xml_is_read_whatever_its_namespace_and_without_a_nominal_it_is_one():
    assert [format_fixing(each) for each in XML.read()] == [
        "100 HUF = 1.2650 RON on 2026-10-30",
        "1 USD = 4.5530 RON on 2026-10-30",
    ]


def test_children_of_an_element_are_read_as_its_attributes_are():
    case = XML.changed(
        ('"@date"', '"d"'), ('"Body.Cube"', '"Day"'), ('"@currency"', '"c"'), ('rate = "."', 'rate = "v"')
    )
    case = case.changed(('"Rate"', '"r[1]"'), ('nominal = "@multiplier?"', "")).changed(("DataSet", "Days"))
    content = "<Days><Day><d>2026-10-30</d><r/><r><c>USD</c><v>4.55</v></r></Day></Days>"
    assert [format_fixing(each) for each in Case(case.declared, content).read()] == ["1 USD = 4.55 RON on 2026-10-30"]


def test_the_name_of_an_element_may_be_the_code():
    case = XML.changed(('"@currency"', '"#"'), ('"Rate"', '"*"'), ('"Body.Cube"', '"."'), ('"@date"', '"day"'))
    case = case.changed(('anchor = "RON"', 'anchor = "RON"\nignore = ["day"]'))
    content = "<DataSet><day>2026-10-30</day><USD>4.55</USD><HUF>0.0127</HUF></DataSet>"
    assert [each.pair.base for each in Case(case.declared, content).read()] == ["USD", "HUF"]


def test_columns_may_be_numbers_where_there_is_no_header():
    case = LONG.changed(('"day"', "1"), ('"code"', "2"), ('"rate"', "4"), ('"units"', "3\nheader = false"))
    assert Case(case.declared, LONG.content.partition("\n")[2]).read() == LONG.read()
    with pytest.raises(SourceBroken, match="is not a"):
        Case(case.declared, LONG.content).read()


def test_the_requested_day_is_used_if_answers_have_no_day():
    case = JSON.changed(('of = "block"\nat = "valid.on"', 'of = "asked"'))
    (request,) = case.adapter.requests(date(2026, 10, 29), date(2026, 10, 29))
    assert {each.day for each in case.read(request.subject)} == {date(2026, 10, 29)}
    with pytest.raises(SourceBroken, match="none was requested"):
        case.read()


def test_a_moment_is_of_the_day_that_it_has_in_the_sources_zone():
    case = Case(
        f"{HEAD}[rates]\nanchor='USD'\ndirection='other_per_anchor'\ncode_form='USD{{code}}'\nignore=['USDUSD']\n"
        "[day]\nof='document'\nat='time'\nform='unix'\n[json]\nrecords='quotes'\ncode='#'\nrate='.'",
        '{"time": 1793372400, "quotes": {"USDUSD": 1, "USDJPY": 153.1}}',
    )
    assert datetime.fromtimestamp(1793372400, UTC) == datetime(2026, 10, 30, 15, 0, tzinfo=UTC)
    assert [format_fixing(each) for each in case.read()] == ["1 USD = 153.1 JPY on 2026-10-31"]


def test_nominals_may_be_declared_by_code():
    case = LONG.changed(('nominal = "units"', ""), ('"anchor_per_other"', '"anchor_per_other"\nnominal = {JPY = 10}'))
    assert [each.nominal for each in case.read()] == [1, 10]


def test_metals_may_be_priced_by_the_gram():
    case = LONG.changed(('anchor = "EUR"', 'anchor = "EUR"\nper_gram = ["XAU"]')).sent(("USD", "XAU"))
    assert [each.unit for each in case.read()] == [GRAM, ""]
    assert format_fixing(case.read()[0]) == "1 gram XAU = 0.8951 EUR on 2026-10-30"


def test_one_nominal_may_be_declared_for_all():
    case = LONG.changed(('nominal = "units"', ""), ('"anchor_per_other"', '"other_per_anchor"\nnominal = 100'))
    assert [(str(each.pair), each.nominal) for each in case.read()] == [("EUR/USD", 100), ("EUR/JPY", 100)]


def test_a_series_of_one_currency_needs_no_code():
    case = LONG.changed(('code = "code"', ""), ('anchor = "EUR"', 'anchor = "EUR"\ncurrency = "USD"'))
    content = "day,units,rate\n2026-10-29,1,0.89\n2026-10-30,1,0.90\n"
    assert [str(each.pair) for each in Case(case.declared, content).read()] == ["USD/EUR"] * 2


@pytest.mark.parametrize(("figure", "digits"), [("1.10", "1.10"), ("110e-2", "1.10"), ("1E1", "10"), ("0.1e1", "1")])
def test_numbers_of_json_keep_their_digits(figure, digits):
    assert str(JSON.sent(("3.8412", figure)).read()[0].value) == digits


def test_thousands_and_decimal_marks_are_the_declared_ones():
    assert WIDE.sent(("1,1172", "1.117,2")).read()[2].value == Decimal("1117.2")
    for other in ("1.1172", "11.17,2", "1,117.2", "1 117,2"):
        with pytest.raises(SourceBroken, match="is no rate"):
            WIDE.sent(("1,1172", other)).read()


def test_codes_may_be_written_small():
    case = LONG.changed(('anchor = "EUR"', 'anchor = "EUR"\ncode_form = "x-{code:lower}"'))
    assert len(case.sent(("USD", "x-usd"), ("JPY", "x-jpy")).read()) == 2
    with pytest.raises(SourceBroken, match=r"\[x-USD\] is not a currency code"):
        case.sent(("USD", "x-USD"), ("JPY", "x-jpy")).read()


def test_other_encodings_are_read():
    case = LONG.changed(('layout = "long"', 'layout = "long"\nencoding = "windows-1250"'))
    assert len(list(case.adapter.parse(case.content.replace("note", "měna").encode("cp1250")))) == 2


# What is refused of an answer


def test_only_what_was_declared_as_missing_is_missing():
    case = LONG.changed(('anchor = "EUR"', 'anchor = "EUR"\nmissing = ["n/a"]'))
    assert len(case.sent(("0.5846", "n/a")).read()) == 1
    for other in ("", "N/A", "0", "-"):
        with pytest.raises(SourceBroken, match="JPY/EUR on 2026-10-30 is no rate"):
            case.sent(("0.5846", other)).read()


@pytest.mark.parametrize("none", ["null", "NaN"])
def test_null_and_nan_are_missing_rates_if_declared(none):
    with pytest.raises(SourceBroken, match="is no rate"):
        JSON.sent(("3.8412", none)).read()
    case = JSON.changed(('ignore = ["PLN"]', f'ignore = ["PLN"]\nmissing = ["{none}"]'))
    assert len(case.sent(("3.8412", none)).read()) == 1


@EVERY
@pytest.mark.parametrize("rate", ["-1.5", "0", "0.0", "NaN", "inf", "1_5", "abc", "1 5", "1e400", "1e-99", "9" * 5000])
def test_an_invalid_rate_is_refused(case, rate):
    with pytest.raises(SourceBroken, match=r"^(harbour|meridian|own): "):
        case.sent((re.findall(r"1,1172|3\.8412|0\.5846|4\.5530", case.content)[0], rate)).read()


@EVERY
@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n \n", b"{}", b"[]", b"null", b"<html><body>Service Unavailable</body></html>", b"<rates/>"),
        *(b'<!DOCTYPE DataSet [<!ENTITY b "b">]><DataSet/>', "<DataSet/>".encode("utf-16"), b"[" * 9999),
        *(bytes(range(256)), b'{"tables":[],"tables":[]}', b'{"tables": NaN}', b'{"tables": {"a": "\\ud800"}}'),
    ],
)
def test_an_invalid_answer_is_refused(case, content):
    with pytest.raises(SourceBroken, match=r"^(harbour|meridian|own): "):
        list(case.adapter.parse(content))


@EVERY
def test_an_answer_beyond_all_size_is_refused(case):
    with pytest.raises(SourceBroken):
        list(case.adapter.parse(case.content.encode() + b" " * MAX_PAYLOAD_BYTES))


@EVERY
def test_a_day_before_the_first_is_refused(case):
    with pytest.raises(SourceBroken, match="is not a date since"):
        Case(case.declared, case.content.replace("2026", "1999")).read()


@EVERY
def test_an_answer_that_is_cut_off_is_refused(case):
    content = case.content.rstrip()
    for cut in range(len(content)):
        if content[cut - 1 : cut] != "\n" and content[cut] != "\n":
            with pytest.raises(SourceBroken):
                Case(case.declared, content[:cut]).read()


def test_xml_with_another_outermost_element_is_refused():
    with pytest.raises(SourceBroken, match=r"own: the document is a \[Fault\], not a \[DataSet\]"):
        Case(XML.declared, XML.content.replace("DataSet", "Fault")).read()


def test_xml_in_utf_16_with_hidden_definitions_is_refused():
    content = f'<!DOCTYPE DataSet [<!ENTITY e "x">]>{XML.content}'
    with pytest.raises(SourceBroken, match="UTF-16"):
        list(XML.adapter.parse(f'<?xml version="1.0" encoding="utf-16"?>{content}'.encode("utf-16")))


def test_a_last_line_may_stay_open_only_where_it_was_declared():
    with pytest.raises(SourceBroken, match="cut off"):
        Case(LONG.declared, LONG.content.rstrip()).read()
    case = LONG.changed(('layout = "long"', 'layout = "long"\nopen_end = true'))
    assert len(Case(case.declared, LONG.content.rstrip()).read()) == 2


@pytest.mark.parametrize(
    ("case", "old", "new", "reason"),
    [
        (LONG, "JPY", "USD", "USD/EUR on 2026-10-30 is given twice"),
        (LONG, "JPY", "EUR", "is the anchor"),
        (LONG, "JPY", "yen", r"\[yen\] is not a currency code"),
        (LONG, ",x\n", "\n", "4 cells instead of 5"),
        (LONG, ",x\n", ",x,y\n", "6 cells instead of 5"),
        (LONG, "rate", "mid", r"no column \[rate\]"),
        (LONG, "note", "rate", "or two of them"),
        (LONG, ",100,", ",0,", r"per \[0\] units"),
        (LONG, ",100,", ",1.5,", r"per \[1.5\] units"),
        (LONG, ",100,", f",{'1' * 5000},", "units"),
        (LONG, "\n2026-10-30,JPY", "\n2026-02-30,JPY", r"\[2026-02-30\] is not a date"),
        (LONG, "\n2026-10-30,JPY", "\n2026-2-3,JPY", r"\[2026-2-3\] is not a date"),
        (LONG, ",x\n", ',"x\n', "cannot be read"),
        (WIDE, "Pound", "Mark", r"\[Mark\] is not a currency code"),
        (WIDE, "Comment", "Remark", r"\[Remark\] is not a currency code"),
        (WIDE, "30.10.2026", "29.10.2026", "EUR/USD on 2026-10-29 is given twice"),
        (WIDE, "Pound", "USD", "is given twice"),
        (JSON, '"tables"', '"table"', r"at \[tables\]"),
        (JSON, '"valid"', '"is"', r"at \[valid.on\]"),
        (JSON, '"mid": 3.8412', '"mid": [3.8412]', r"at \[mid\]"),
        (JSON, '"mid": 3.8412', '"mid": true', "is no rate"),
        (JSON, '"mid": 3.8412', '"mid": 3.8412, "mid": 3.8', "is given twice"),
        (JSON, '"USD"', '"\\ud800"', "is not text"),
        (JSON, '"USD"', '"USD\\u0000"', "is not a currency code"),
        (XML, "</Body>", "<Cube date='2026-10-30'><Rate currency='USD'>4</Rate></Cube></Body>", "is given twice"),
        (XML, ' date="2026-10-30"', "", r"at \[@date\]"),
        (XML, "4.5530", "4.<b>55</b>30", r"at \[.\]"),
        (XML, '"100"', '"many"', r"per \[many\] units"),
    ],
)
def test_an_answer_that_differs_from_its_declaration_is_refused(case, old, new, reason):
    with pytest.raises(SourceBroken, match=reason):
        case.sent((old, new)).read()


def test_an_answer_without_rates_says_nothing_was_published_only_where_it_was_declared():
    empty = "".join(WIDE.content.splitlines(keepends=True)[:2])
    with pytest.raises(NothingPublished):
        Case(WIDE.declared, empty).read()
    strict = WIDE.changed(("may_be_empty = true", ""))
    with pytest.raises(SourceBroken, match="no rate") as refused:
        Case(strict.declared, empty).read()
    assert not isinstance(refused.value, NothingPublished)


# What is asked


def days(case, first, last):
    return [(each.url.rpartition("/")[2], each.first, each.last) for each in case.adapter.requests(first, last)]


def test_days_are_requested_in_spans_and_not_before_the_first():
    assert days(WIDE, date(2010, 1, 1), date(2016, 6, 1)) == [
        ("daily.csv?from=2015-01-02&to=2016-01-01", date(2015, 1, 2), date(2016, 1, 1)),
        ("daily.csv?from=2016-01-02&to=2016-06-01", date(2016, 1, 2), date(2016, 6, 1)),
    ]
    assert days(WIDE, date(2010, 1, 1), date(2011, 1, 1)) == []
    assert days(WIDE, date(9999, 12, 1), date.max)[-1][1:] == (date(9999, 12, 1), date.max)


def test_single_days_are_requested_when_the_source_publishes():
    friday, tuesday = date(2026, 10, 30), date(2026, 11, 3)
    assert [url for url, _, _ in days(JSON, friday, tuesday)] == ["20261030", "20261102", "20261103"]
    every = JSON.changed(('holidays = "PL"', 'days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]'))
    assert len(days(every, friday, tuesday)) == 5
    assert every.adapter.source.schedule.days == EVERY_DAY


@pytest.mark.parametrize(
    ("span", "url", "asked"),
    [
        ("year", "{first:%Y}.xml", ["2025.xml", "2026.xml"]),
        ("year", "{first}/{last}", ["2025-12-30/2025-12-31", "2026-01-01/2026-02-02"]),
        ("month", "{first:%Y/%m}", ["2025/12", "2026/01", "2026/02"]),
        ("month", "{first:%B}-{first:%Y}", ["December-2025", "January-2026", "February-2026"]),
    ],
)
def test_calendar_months_and_years_are_requested_as_files(span, url, asked):
    case = LONG.changed(('"all"', f'"{span}"'), ("8080/rates", f"8080/rates/{url}"))
    found = [(each.url.partition("rates/")[2], each.first, each.last) for each in requests_of(case)]
    assert [url for url, _, _ in found] == asked
    assert (found[0][1], found[-1][2]) == (date(2025, 12, 30), date(2026, 2, 2))
    assert all(one[2] + timedelta(days=1) == other[1] for one, other in pairwise(found))


def requests_of(case):
    return case.adapter.requests(date(2025, 12, 30), date(2026, 2, 2))


def test_a_day_may_be_written_in_parts():
    case = JSON.changed(("/{day:%Y%m%d}", "/{day:%Y}/{day:%b}/{day:%-d}"))
    assert next(case.adapter.requests(date(2026, 10, 30), date(2026, 10, 30))).url.endswith("/2026/Oct/30")


def test_a_nominal_may_be_a_power_of_ten():
    case = LONG.changed(('anchor = "EUR"', 'anchor = "EUR"\nnominal_is = "power"')).sent((",100,", ",2,"))
    assert [each.nominal for each in case.read()] == [10, 100]
    with pytest.raises(SourceBroken, match=r"JPY/EUR on 2026-10-30 has the power \[-1\]"):
        case.sent((",2,", ",-1,")).read()


def test_blanks_around_a_rate_are_refused_where_they_are_not_removed():
    case = LONG.changed(('anchor = "EUR"', 'anchor = "EUR"\nstrip = false'))
    assert LONG.sent(("0.5846", " 0.5846")).read() == case.read()
    with pytest.raises(SourceBroken, match=r"is no rate: \[ 0.5846\]"):
        case.sent(("0.5846", " 0.5846")).read()


STRICT = (
    'layout = "long"',
    'layout = "long"\ncolumns = ["day", "code", "units", "rate", "note"]\nalways = { note = "" }\nblank_lines = false',
)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("day,code,units", "code,day,units", "does not begin with its header"),
        ("rate,note", "rate,note,more", "does not begin with its header"),
        ("0.5846,x", "0.5846,y", r"has note \[y\] and not \[x\]"),
        ("JPY,100,0.5846,x\n", "JPY,100,0.5846,x\n\n", "0 cells instead of 5"),
    ],
)
def test_a_table_may_be_held_to_its_header_and_its_cells(old, new, reason):
    case = LONG.changed((STRICT[0], STRICT[1].replace('""', '"x"'))).sent(("0.8951,", "0.8951,x"))
    assert len(case.read()) == 2
    with pytest.raises(SourceBroken, match=reason):
        case.sent((old, new)).read()


def test_everything_is_requested_at_once_where_it_was_declared():
    assert days(LONG, date(1990, 1, 1), date(2026, 1, 1)) == [("rates", date(2000, 1, 1), date(2026, 1, 1))]
    assert days(LONG, date(1990, 1, 1), date(1991, 1, 1)) == []


def test_an_inquiry_carries_what_was_declared_and_leaves_the_key_to_whoever_asks():
    (request,) = JSON.adapter.requests(date(2026, 10, 30), date(2026, 10, 30))
    assert request == SourceRequest(
        url="https://api.meridian.example/v1/rates/20261030",
        first=date(2026, 10, 30),
        last=date(2026, 10, 30),
        headers=(("Authorization", "Bearer {key}"),),
        content_types=("application/json",),
        no_data_statuses=frozenset({404}),
    )
    assert JSON.adapter.key_variable == "MERIDIAN_KEY"


def test_the_source_is_what_was_declared():
    source = WIDE.adapter.source
    assert (source.key, source.name, source.anchor, source.pace) == ("harbour", "Harbour Bank", "EUR", Pace.DAILY)
    assert (source.redistribution, source.rate_type) == (Redistribution.FORBIDDEN, RateType.MARKET)
    assert source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 14, 0, tzinfo=UTC)
    schedule = source.schedule
    assert (schedule.start, schedule.end, schedule.holidays) == (time(16, 15), time(19), "XECB")
    assert JSON.adapter.source.schedule.every == timedelta(minutes=10)
    assert source.is_on_by_default
    assert not source.compiled


# What is refused of a declaration


@pytest.mark.parametrize(
    ("case", "old", "new", "reason"),
    [
        (WIDE, 'key = "harbour"', "", "[key] is missing"),
        (WIDE, '"harbour"', '"Harbour"', "[key] [Harbour] must be"),
        (WIDE, '"harbour"', r'"har\nbour"', r"[key] [har\nbour] must be"),
        (WIDE, '"harbour"', "7", "[key] is refused: it takes text, not a whole number"),
        (WIDE, '"Harbour Bank"', '" "', "[name] is empty"),
        (WIDE, '"Harbour Bank"', r'"a\nb"', "[name] must be one line"),
        (WIDE, '"https://rates.harbour.example/"', '"http://a.b/"', "[home] [http://a.b/] is not an https link"),
        (WIDE, '"https://rates.harbour.example/"', '"https://["', "[home] [https://[] is not an https link"),
        (WIDE, '"market"', '"simulated"', "[rate_type] is refused: 'simulated' is none of those"),
        (WIDE, "2015-01-02", "1890-01-02", "[first_day] [1890-01-02] is before"),
        (WIDE, "fixed_at = 16:00:00", 'fixed_at = "16:00:00Z"', "[fixed_at] is a time in schedule.zone"),
        (WIDE, "span = 365", "span = 0", "[request.span] is refused"),
        (WIDE, "span = 365", 'span = "some"', "[request.span] is refused"),
        (WIDE, "span = 365", "spam = 365", "[request.spam] is unknown; did you mean [request.span]?"),
        (
            WIDE,
            "[day]",
            "[day]\nanchor = 'EUR'",
            "[day.anchor] is unknown; did you mean [rates.anchor]?",
        ),
        (WIDE, "[csv]", "[table]", "[table] is unknown"),
        (WIDE, "[csv]", "[csv", "this is not TOML"),
        (WIDE, "https://rates.harbour.example/daily", "http://rates.harbour.example/daily", "neither https nor"),
        (WIDE, "https://rates.harbour.example/daily", "file:///etc/daily", "needs a host"),
        (WIDE, "https://rates.harbour.example/daily", "https://{key}.example/daily", "host without placeholders"),
        (WIDE, "https://rates.harbour.example/daily", "https://me:pw@a.example/daily", "contains a name or password"),
        (WIDE, "https://rates.harbour.example/daily", "https://a.example:99999/daily", "is not a URL"),
        (WIDE, "https://rates.harbour.example/daily", "https://a.example/a b", "visible ASCII"),
        (
            WIDE,
            "&to={last}",
            "&to={last}&api_key=7f3a",
            "[request.url] contains what looks like a secret: put [api_key]",
        ),
        (WIDE, "&to={last}", "&to={last}#x", "nothing after a #"),
        (WIDE, "&to={last}", "&to={later}", "unknown placeholder"),
        (WIDE, "&to={last}", "&to={last:%Q}", "unknown part [%Q]"),
        (WIDE, "&to={last}", "&to={last:%Y-%m-%dT%H}", "contains a time"),
        (WIDE, "&to={last}", "&to={last:%Y}", "a year, a month and a day once each"),
        (WIDE, "&to={last}", "", "[request.url] needs {first} and {last}"),
        (LONG, '"all"', '"year"', "[request.url] does not say which year is requested"),
        (LONG, 'rates"\nspan = "all"', '{first:%m}"\nspan = "year"', "[request.url] {first} does not hold a year once"),
        (LONG, 'rates"\nspan = "all"', '{first:%Y}"\nspan = "month"', "does not hold a year and a month once each"),
        (
            LONG,
            'layout = "long"',
            'layout = "long"\ncolumns = ["a"]\nalways = {b = ""}',
            "[csv.always.b] is not one of",
        ),
        (WIDE, 'layout = "wide"', 'layout = "wide"\ncolumns = ["Date"]', "[csv.columns] is for long tables"),
        (WIDE, "&to={last}", "&to={day}", "contains {day}, but an answer covers a span of [365]"),
        (WIDE, "&to={last}", "&to={last}&k={key}", "[key_variable] is missing"),
        (WIDE, 'media = ["text/csv"]', 'media = ["csv"]', "[request.media] must be content types"),
        (WIDE, 'media = ["text/csv"]', "absent = [500]", "[request.absent[0]] is refused"),
        (JSON, '"MERIDIAN_KEY"', '"CAMBIST_MERIDIAN"', "[key_variable] [CAMBIST_MERIDIAN] begins like a setting"),
        (JSON, '"MERIDIAN_KEY"', '"meridian-key"', "[key_variable] [meridian-key] is not a variable name"),
        (JSON, "Bearer {key}", "Bearer 12345", "[request.headers.Authorization] looks like a secret"),
        (JSON, "Bearer {key}", r"{key}\n", "[request.headers.Authorization] must be visible ASCII"),
        (JSON, "Bearer {key}", "{key} {day}", "[request.headers.Authorization] must be visible ASCII"),
        (JSON, "{ Authorization", "{ Host = 'x', Authorization", "[request.headers.Host] is not a header"),
        (JSON, 'headers = { Authorization = "Bearer {key}" }', "", "[key_variable] has no effect"),
        (JSON, "/{day:%Y%m%d}", "", "does not contain the day"),
        (WIDE, 'anchor = "EUR"', 'anchor = "EUX"', "[rates.anchor] [EUX] is not a known currency"),
        (WIDE, "other_per_anchor", "foreign", "[rates.direction] is refused"),
        (WIDE, 'decimal = ","', 'decimal = ";"', "[rates.decimal] is refused"),
        (WIDE, 'thousands = "."', 'thousands = ","', "[rates.thousands] [,] must be one character"),
        (WIDE, 'thousands = "."', 'thousands = "1"', "[rates.thousands] [1] must be one character"),
        (WIDE, 'missing = ["-"]', 'missing = [" -"]', "[rates.missing] must be texts without blanks"),
        (WIDE, '"GBP"', '"Gold"', "[rates.codes.Pound] [Gold] is not the code"),
        (WIDE, '"GBP"', '"EUR"', "[rates.codes.Pound] [EUR] is not the code"),
        (WIDE, '["Comment"]', '["Pound"]', "[rates.ignore] [Pound] stands under rates.codes too"),
        (WIDE, "may_be_empty = true", "nominal = {JPY = 100}", "[rates.nominal] is of the anchor"),
        (WIDE, "may_be_empty = true", "nominal = 0", "[rates.nominal] is refused"),
        (WIDE, "may_be_empty = true", 'currency = "USD"', "[rates.currency] has no effect"),
        (WIDE, "may_be_empty = true", 'code_form = "x"', "[rates.code_form] [x] must have"),
        (WIDE, "may_be_empty = true", 'per_gram = ["XAU"]', "[rates.per_gram] needs"),
        (LONG, 'anchor = "EUR"', 'anchor = "EUR"\nper_gram = ["JPY"]', "[rates.per_gram[0]] is refused"),
        (LONG, 'anchor = "EUR"', 'anchor = "EUR"\ncurrency = "USD"', "[rates.currency] has no effect"),
        (LONG, 'anchor = "EUR"', 'anchor = "EUR"\ncurrency = "usd"', "[rates.currency] [usd] is not the code"),
        (LONG, 'anchor = "EUR"', 'anchor = "EUR"\nnominal = {eur = 1}', "[rates.nominal.eur] is not the code"),
        (LONG, 'anchor = "EUR"', 'anchor = "EUR"\nnominal = 100', "[csv.nominal] has no effect"),
        (WIDE, 'at = "Date"', "", "[day.at] is missing"),
        (WIDE, 'at = "Date"', "at = 0", "[day.at] [0] is not a column"),
        (WIDE, 'at = "Date"', 'at = "Date"\nof = "block"', "[day.of] [block] is not possible for a CSV"),
        (WIDE, 'at = "Date"', 'of = "asked"', "[day.of] can be the day asked for only with a span of 1"),
        (JSON, 'of = "block"', 'of = "asked"', "[day.at] has no effect"),
        (JSON, 'blocks = "tables"', "", "[day.of] is the block, but there is no path to blocks"),
        (WIDE, "%d.%m.%Y", "%d.%m", "[day.form] [%d.%m] does not hold"),
        (WIDE, "%d.%m.%Y", "%d.%m.%Y %Q", "[day.form] has an unknown part [%Q]"),
        (WIDE, "%d.%m.%Y", "%d.%m.%Y%", "[day.form] [%d.%m.%Y%] does not hold"),
        (WIDE, "Europe/Berlin", "Europe/Berln", "[schedule.zone] [Europe/Berln] is not a time zone"),
        (WIDE, "Europe/Berlin", "../../etc/passwd", "[schedule.zone] [../../etc/passwd] is not a time zone"),
        (WIDE, "Europe/Berlin", "", "[schedule.zone] [] is not a time zone"),
        (WIDE, "end = 19:00:00", "end = 16:15:00", "[schedule.end] [16:15:00] is not after the start"),
        (WIDE, "end = 19:00:00", 'end = "19:00:00Z"', "[schedule.end] is a time in schedule.zone"),
        (WIDE, '"XECB"', '"Atlantis"', "[schedule.holidays] [Atlantis] is not a calendar"),
        (WIDE, 'holidays = "XECB"', 'every = "PT5S"', "[schedule.every] must be a duration"),
        (WIDE, 'holidays = "XECB"', 'pause = "P1D"', "[schedule.pause] must be a duration"),
        (WIDE, 'holidays = "XECB"', "days = []", "[schedule.days] must be the days"),
        (WIDE, 'holidays = "XECB"', 'days = ["mon", "mon"]', "[schedule.days] must be the days"),
        (WIDE, 'holidays = "XECB"', 'days = ["Monday"]', "[schedule.days[0]] is refused"),
        (WIDE, 'layout = "wide"', 'layout = "wide"\nrate = 2', "[csv.rate] has no effect"),
        (WIDE, 'layout = "wide"', 'layout = "long"', "[csv.rate] is missing"),
        (WIDE, 'layout = "wide"', 'layout = "long"\nrate = 2', "[csv.code] is missing, and so is rates.currency"),
        (WIDE, 'layout = "wide"', 'layout = "wide"\nheader = false', "[day.at] [Date] is a column's name"),
        (WIDE, 'delimiter = ";"', 'delimiter = ";;"', "[csv.delimiter] [;;] must be one character"),
        (WIDE, 'delimiter = ";"', 'encoding = "utf-9"', "[csv.encoding] [utf-9] is not a supported encoding"),
        (WIDE, 'delimiter = ";"', 'encoding = "idna"', "[csv.encoding] [idna] is not a supported encoding"),
        (WIDE, "skip = 1", "skip = 1\n[xml]\nroot = 'a'\nrecords = 'a'\nrate = 'a'", "[xml] is a second format"),
        (JSON, '"tables"', '"a..b"', "[json.blocks] is not a path: [a] cannot be followed by [..b]"),
        (JSON, '"rates"', '""', "[json.records] is not a path"),
        (JSON, '"rates"', '"#"', "[json.records] [#] cannot contain records"),
        (JSON, '"currency"', '"@currency"', "[json.code] [@currency] is a path for XML"),
        (JSON, '"valid.on"', '"*"', "[day.at] [*] is a path for XML"),
        (JSON, '"valid.on"', "1", "[day.at] is a number"),
        (JSON, 'code = "currency"', "", "[json.code] is missing"),
        (XML, '"Rate"', '"[0]"', "[xml.records] [[0]] begins with an index"),
        (XML, 'rate = "."', 'rate = "."\ntypes = { Street = "@street" }', "[xml.types.Street] must be 1 to 32"),
        (XML, 'rate = "."', 'rate = "."\ntypes = { street = "a..b" }', "[xml.types.street] is not a path"),
        (XML, 'rate = "."', 'rate = "."\ntypes = { parallel = "@b" }', "[xml.types.parallel] is the rate_type of the"),
        (LONG, 'rate = "rate"', 'rate = "rate"\ntypes = { street = 0 }', "[csv.types.street] [0] is not a column"),
        (WIDE, 'layout = "wide"', 'layout = "wide"\ntypes = { street = "S" }', "[csv.types] has no effect"),
        (XML, '"Rate"', '"@rate"', "[xml.records] [@rate] cannot contain records"),
    ],
)
def test_a_wrong_declaration_is_refused_by_file_and_field(case, old, new, reason):
    with pytest.raises(SourceRefused) as refused:
        _ = case.changed((old, new)).adapter
    assert str(refused.value).startswith("own.toml: ")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_wide_table_needs_its_header():
    with pytest.raises(SourceRefused, match=r"\[csv.header\] is needed"):
        _ = WIDE.changed(('at = "Date"', "at = 1"), ("skip = 1", "header = false")).adapter


def test_a_declaration_needs_a_format():
    with pytest.raises(SourceRefused, match=r"\[csv\] is missing, and so are \[json\] and \[xml\]"):
        read_declaration(WIDE.declared.partition("[csv]")[0])


def test_a_key_that_is_taken_is_refused():
    assert read_declaration(WIDE.declared, existing_keys=["ecb"]).source.key == "harbour"
    with pytest.raises(SourceRefused, match=r"\[key\] \[harbour\] is the key of another source"):
        read_declaration(WIDE.declared, "own.toml", {"harbour"})


def test_plain_http_is_for_this_machine_alone():
    for host in ("localhost", "127.0.0.1", "127.9.9.9:81", "[::1]"):
        assert LONG.changed(("127.0.0.1:8080", host)).adapter
    for host in ("10.0.0.1", "localhost.example", "127.0.0.1.example"):
        with pytest.raises(SourceRefused, match="neither https nor this machine"):
            _ = LONG.changed(("127.0.0.1:8080", host)).adapter


def test_a_file_is_read_and_named(tmp_path):
    path = tmp_path / "harbour.toml"
    path.write_text(WIDE.declared, encoding="utf-8")
    assert read_declaration(path).source.key == "harbour"
    path.write_bytes(b"\xff")
    with pytest.raises(SourceRefused, match=r"harbour\.toml: the file cannot be read"):
        read_declaration(path)
    with pytest.raises(SourceRefused, match=r"none\.toml: the file cannot be read"):
        read_declaration(tmp_path / "none.toml")


# Forms of days, and paths


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%Y-%m-%d", "2026-03-05"),
        ("%d.%m.%y", "05.03.26"),
        ("%-d.%-m.%Y", "5.3.2026"),
        ("%d %b %Y", "05 MAR 2026"),
        ("%Y年%-m月%-d日", "2026年3月5日"),
        ("%A, %-d %B %Y", "Thursday, 5 March 2026"),
        ("%Y%m%dT%H:%M:%S.%f%z", "20260305T23:59:59.123+09:00"),
        ("%m/%d/%Y (100%%)", "03/05/2026 (100%)"),
        ("unix", "1772668800"),
        ("unix_ms", "1772668800000"),
    ],
)
def test_a_day_is_read_in_its_form(form, text):
    zone = LONG.adapter.source.zone
    day_format = DayFormat(form)
    assert day_format.parse(text, zone) == date(2026, 3, 5)
    for other in ("", f"{text} ", text[:-1], f"0{text}", "2026-3-5", "٣", "99999999999999999999"):
        assert day_format.parse(other, zone) != date(2026, 3, 5)
    if day_format.can_be_written:
        assert day_format.format(date(2026, 3, 5)).lower() == text.lower()


@given(
    st.integers(10**5, 7 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    st.sampled_from(["Europe/Istanbul", "Pacific/Apia", "America/New_York", "UTC", "Asia/Kathmandu"]).map(ZoneInfo),
    st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
def test_a_moment_is_of_one_day_however_it_is_written(moment, zone, offset):
    day = moment.astimezone(zone).date()
    assert DayFormat("unix").parse(str(int(moment.timestamp())), zone) == day
    assert DayFormat("%Y-%m-%dT%H:%M:%S%z").parse(moment.astimezone(offset).isoformat(), zone) == day
    assert DayFormat("%Y-%m-%dT%H:%M:%S%z").parse(f"{moment:%Y-%m-%dT%H:%M:%S}Z", zone) == day
    assert DayFormat("%Y-%m-%dT%H:%M:%S").parse(f"{moment.astimezone(zone):%Y-%m-%dT%H:%M:%S}", zone) == day
    assert PayloadReader("a test").timestamp(moment.astimezone(offset).isoformat(), zone) == moment


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_moment_beyond_all_days_is_none(text):
    form = DayFormat("%Y-%m-%dT%H:%M:%S%z")
    assert (form.parse(text, ZoneInfo("UTC")), form.parse_moment(text, ZoneInfo("UTC"))) == (None, None)
    assert PayloadReader("a test").timestamp(text, ZoneInfo("UTC")) is None


def test_years_of_two_digits_are_of_the_last_hundred_years():
    assert [DayFormat("%y%m%d").parse(f"{year}0101", LONG.adapter.source.zone).year for year in ("69", "99", "00")] == [
        1969,
        1999,
        2000,
    ]


@given(st.dates(date(1000, 1, 1)), st.sampled_from(["%Y-%m-%d", "%-d.%-m.%Y", "%B %d %Y", "%d%b%Y"]))
def test_a_day_that_is_written_is_read_again(day, form):
    assert DayFormat(form).parse(DayFormat(form).format(day), LONG.adapter.source.zone) == day


@pytest.mark.parametrize(
    ("text", "steps", "attribute"),
    [
        (".", (), ""),
        ("a", ("a",), ""),
        ("a.b[0].c", ("a", "b", 0, "c"), ""),
        ("[2][10].a", (2, 10, "a"), ""),
        ('a."b.c d".e', ("a", "b.c d", "e"), ""),
        ("a.*.@b", ("a", "*"), "b"),
        ("@b", (), "b"),
    ],
)
def test_a_path_is_read(text, steps, attribute):
    path = parse_path(text)
    assert (path.steps, path.attribute, str(path)) == (steps, attribute, text)


@pytest.mark.parametrize("text", ["", "..", ".a", "a.", "a..b", "a[", "a[-1]", "a[01]", "a b", "@a.b", "#.a", "a[0]b"])
def test_an_invalid_path_is_refused(text):
    with pytest.raises(ValueError, match="is not a path"):
        parse_path(text)


# The dry run


def test_a_dry_run_says_what_was_read():
    (request,) = WIDE.adapter.requests(date(2026, 10, 1), date(2026, 10, 30))
    summary = summarize_payload(WIDE.adapter, WIDE.content.encode(), request)
    assert (summary.fixings, summary.first, summary.last) == (5, date(2026, 10, 29), date(2026, 10, 30))
    assert summary.sample == WIDE.lines[2:]
    assert (summary.unknown, summary.warnings) == ((), ())


def test_a_dry_run_shows_no_more_than_eight_rates():
    codes = ["USD", "JPY", "GBP", "CHF", "NOK", "SEK", "DKK", "PLN", "CZK"]
    content = "day,code,units,rate\n" + "".join(f"2026-10-30,{code},1,0.5\n" for code in codes)
    summary = summarize_payload(LONG.adapter, content.encode(), SourceRequest(url=""))
    assert (summary.fixings, len(summary.sample)) == (9, 8)


def test_a_dry_run_names_codes_that_no_table_knows():
    summary = summarize_payload(LONG.adapter, LONG.sent(("JPY", "QQQ")).content.encode(), SourceRequest(url=""))
    assert summary.unknown == ("QQQ",)
    assert (
        summarize_payload(LONG.adapter, LONG.sent(("JPY", "XAU")).content.encode(), SourceRequest(url="")).unknown == ()
    )


def test_a_dry_run_warns_of_days_that_were_not_requested():
    asked = SourceRequest(url="", first=date(2026, 10, 30), last=date(2026, 10, 30))
    assert summarize_payload(WIDE.adapter, WIDE.content.encode(), asked).warnings == (
        "1 of 2 days were not asked for, such as 2026-10-29",
    )


def test_a_dry_run_warns_of_days_on_which_nothing_should_be_published():
    content = LONG.content.replace("2026-10-30", "2026-10-31").encode()
    (warning,) = summarize_payload(LONG.adapter, content, SourceRequest(url="")).warnings
    assert warning.startswith("2026-10-31 is a Saturday")


@pytest.mark.parametrize(
    ("changes", "content", "warns"),
    [
        ((), LONG.content, False),
        ((("anchor_per_other", "other_per_anchor"), ('nominal = "units"', "")), LONG.content, True),
        ((('nominal = "units"', ""),), LONG.content.replace("0.5846", "171.05"), True),
        ((("anchor_per_other", "other_per_anchor"),), "day,code,units,rate\n2026-10-30,JPY,1,0.0058\n", True),
        ((), "day,code,units,rate\n2026-10-30,NOK,1,11.7\n", False),
    ],
)
def test_a_dry_run_warns_of_a_direction_that_no_dealer_would_believe(changes, content, warns):
    warnings = summarize_payload(LONG.changed(*changes).adapter, content.encode(), SourceRequest(url="")).warnings
    assert any("1 JPY would be worth more than 1" in warning for warning in warnings) == warns


def test_a_dry_run_of_an_unreadable_answer_is_refused():
    with pytest.raises(SourceBroken, match="own: "):
        summarize_payload(LONG.adapter, b"<html/>", SourceRequest(url=""))


# Whatever comes


def check_answer(case, content):
    """Assert that there are valid fixings, or SourceBroken; any other exception fails the test."""
    adapter = case.adapter
    try:
        fixings = list(adapter.parse(content))
    except SourceBroken as broken:
        str(broken).encode()
        return
    assert fixings
    assert len({(each.pair, each.day) for each in fixings}) == len(fixings)
    assert all(each.value > 0 and each.nominal >= 1 and each.day >= adapter.source.first_day for each in fixings)
    assert all(adapter.source.anchor in (each.pair.base, each.pair.quote) for each in fixings)


def spoiled(text, data, pieces):
    """Replace up to four pieces of a text by others."""
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + data.draw(pieces) + text[end:]
    return text


@pytest.mark.long(every=4)
@EVERY
@given(content=st.binary(max_size=400))
@example(content=b"\xff\xfe<\0")
@example(content=b"[" * 5000)
def test_any_bytes_are_parsed_or_refused(case, content):
    check_answer(case, content)


@pytest.mark.long(every=2)
@EVERY
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_any_text_like_an_answer_is_parsed_or_refused(case, data):
    letters = st.sampled_from(sorted({*case.content, *'\r"\\\0-+eEud8'}))
    check_answer(case, spoiled(case.content, data, st.text(letters, max_size=6)).encode())


def check_declaration(text):
    """Return an adapter that can make requests, or raise SourceRefused with one sentence."""
    try:
        adapter = read_declaration(text, "own.toml", {"ecb"})
    except SourceRefused as error:
        refused = str(error)
    else:
        check_asked(adapter)
        return
    assert refused.startswith("own.toml: ")
    assert "\n" not in refused
    refused.encode()


def check_asked(adapter):
    asked = list(adapter.requests(date(2026, 10, 1), date(2026, 10, 30)))
    assert all(re.match("https://|http://(localhost|127|\\[::1)", each.url) for each in asked)
    assert not any({*"{}"} & {*each.url.replace("{key}", "")} for each in asked)


@pytest.mark.long(every=3)
@EVERY
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_any_text_like_a_declaration_is_accepted_or_refused(case, data):
    letters = st.sampled_from(sorted({*case.declared, *"%#*?@\\\t0é\x7f"}))
    check_declaration(spoiled(case.declared, data, st.text(letters, max_size=6)))


VALUES = st.one_of(
    st.sampled_from(["true", "nan", "-1", "0", "1", "99999999999999999999", "[]", "{}", "[[]]", "2026-02-03", "1e9"]),
    st.sampled_from(["'all'", "''", "'.'", "'#'", "'*'", "'@a'", "'{key}'", "'PT1H'", "'%Y'", "'P999999999D'"]),
    st.sampled_from(["10:00:00", "2026-02-03T10:00:00Z", "['a']", "[1]", "{a = 1}", "{USD = 'USD'}", "9999-12-31"]),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z", "S"]), max_size=8).map(
        lambda text: msgspec.json.encode(text).decode()
    ),
)


@pytest.mark.long(every=2)
@EVERY
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=300)
@given(data=st.data())
def test_any_value_of_any_field_is_accepted_or_refused(case, data):
    lines = case.declared.splitlines()
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(lines) - 1))
        field = lines[place].partition(" = ")[0]
        if " = " in lines[place]:
            lines[place] = f"{field} = {data.draw(VALUES)}"
    check_declaration("\n".join(lines))


@given(text=st.text(max_size=200))
@example(text="a = " + "[" * 5000)
@example(text="a = " + "9" * 5000)
def test_any_text_is_accepted_or_refused(text):
    check_declaration(text)


def test_every_example_is_toml_by_itself():
    assert all(tomllib.loads(case.declared) for case in CASES.values())


# Real answers

DECLARED = {
    "bnr/bnr_01.xml": """
[rates]
anchor = "RON"
direction = "anchor_per_other"
[day]
of = "block"
at = "@date"
[xml]
root = "DataSet"
blocks = "Body.Cube"
records = "Rate"
code = "@currency"
rate = "."
nominal = "@multiplier?"
""",
    "nbp/nbp_01.json": """
[rates]
anchor = "PLN"
direction = "anchor_per_other"
[day]
of = "block"
at = "effectiveDate"
[json]
blocks = "."
records = "rates"
code = "code"
rate = "mid"
""",
    "open_er_api/v6_latest_GBP.json": """
[rates]
anchor = "GBP"
direction = "other_per_anchor"
ignore = ["GBP"]
[day]
of = "document"
at = "time_last_update_unix"
form = "unix"
[json]
records = "rates"
code = "#"
rate = "."
""",
    "boc/boc_01.json": """
[rates]
anchor = "CAD"
direction = "anchor_per_other"
code_form = "FX{code}CAD"
ignore = ["d"]
[day]
of = "block"
at = "d"
[json]
blocks = "observations"
records = "."
code = "#"
rate = "v"
""",
}


@pytest.mark.long(every=4)
@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize("path", DECLARED)
def test_recorded_answers_can_be_declared(path):
    content = (RECORDED / path).read_bytes()
    adapter = read_declaration(HEAD + DECLARED[path])
    fixings = list(adapter.parse(content))
    summary = summarize_payload(adapter, content, SourceRequest(url=""))
    assert len(fixings) > 20
    assert not any("worth" in warning for warning in summary.warnings)
