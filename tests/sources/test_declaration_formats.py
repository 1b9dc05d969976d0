"""What declarations can say beyond files by address: pages, workbooks, zips, POSTs, names of currencies, two sides."""

import io
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import xlsxwriter

from cambist.errors import SourceBroken, SourceRefused
from cambist.history.fixing import Fixing
from cambist.ingest.hidden_fields import with_hidden_fields
from cambist.sources.base import SourceRequest
from cambist.sources.declaration import DeclaredAdapter, read_declaration
from cambist.sources.declaration.payload_summary import format_fixing

HEAD = """
key = "own"
name = "Own"
licence = "internal"
rate_type = "official"
first_day = 2000-01-01
[schedule]
zone = "Asia/Tokyo"
"""
REQUEST = '[request]\nurl = "https://own.example/rates"\nspan = "all"\n'
RATES = '[rates]\nanchor = "EUR"\ndirection = "anchor_per_other"\n'
DAY = '[day]\nat = "Date"\n'
LONG = 'layout = "long"\ncode = "Currency"\nrate = "Rate"\n'
CSV = f"[csv]\n{LONG}"
TABLE = "Date,Currency,Rate\n2026-10-30,USD,0.8951\n"


def declared(*tables: str) -> DeclaredAdapter:
    return read_declaration(HEAD + "\n".join(tables), "own.toml")


def read(adapter: DeclaredAdapter, content: str | bytes, subject: str = "") -> list[str]:
    return [format_fixing(each) for each in fixings(adapter, content, subject)]


def fixings(adapter: DeclaredAdapter, content: str | bytes, subject: str = "") -> list[Fixing]:
    return list(adapter.parse(content.encode() if isinstance(content, str) else content, subject))


# Pages

PAGE = """<!DOCTYPE html>
<html><body><h2 class="day">Taux du 3 août 2026</h2>
<table id="menu"><tr><td>Home</td></tr></table>
<table id="rates"><thead><tr><th colspan="3">Taux</th></tr>
<tr><th>Devise</th><th>Achat</th><th>Vente&nbsp;(1)</th></tr></thead>
<tbody><tr><td>1 dollar <b>US</b></td><td>0,8900</td><td>0,9001</td></tr>
<tr><td>100 yens</td><td>0,5800</td><td>0,5900</td></tr></tbody></table></body></html>
"""
HTML = declared(
    REQUEST,
    f"""{RATES}
decimal = ","
code_pattern = "(?P<nominal>[0-9]+) (?P<code>.+)"
codes = {{ "dollar US" = "USD", "yens" = "JPY" }}
[day]
of = "document"
at = "h2.day"
pattern = "Taux du (.+)"
form = "%-d %B %Y"
months = ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août|aout", "septembre", "octobre",
  "novembre", "décembre"]
[html]
table = "table#rates"
layout = "long"
skip = 1
code = "Devise"
rate = ["Achat", "Vente (1)"]
""",
)


def test_a_table_of_a_page_is_read_with_the_mean_of_both_sides() -> None:
    assert read(HTML, PAGE) == ["1 USD = 0.89505 EUR on 2026-08-03", "100 JPY = 0.5850 EUR on 2026-08-03"]
    assert fixings(HTML, PAGE)[0].value == (Decimal("0.8900") + Decimal("0.9001")) / 2


@pytest.mark.parametrize("month", ["août", "AOÛT", "aout"])
def test_a_month_is_read_in_any_of_its_names(month: str) -> None:
    assert fixings(HTML, PAGE.replace("août", month))[0].day == date(2026, 8, 3)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("</html>", "", "cut off"),
        ("</html>", "</html> more", "cut off"),
        ('id="menu"', 'id="rates"', r"2 elements \[table#rates\] instead of one"),
        ('id="rates"', 'id="quotes"', r"0 elements \[table#rates\]"),
        ('class="day"', "", r"0 elements \[h2.day\]"),
        ("Taux du 3", "Cours du 3", "the day is there 0 times"),
        ("août", "August", "is not a date"),
        ("3 août", "31 juin", "is not a date"),
        ("Achat", "Buying", r"no column \[Achat\]"),
        ("<td>100 yens</td>", "<td>yens</td>", "does not name a rate"),
        ("<td>100 yens</td>", "<td>100 francs</td>", "is not a currency code"),
        ("<td>0,5800</td>", "", "2 cells instead of 3"),
        ("<td>0,5800</td>", "<td rowspan='2'>0,5800</td>", "spans"),
        ("0,5800", "n/a", "is no rate"),
        ("0,5900", "0", "is no rate"),
        ("<td>100 yens", "<td>2 dollar US", "is given twice"),
    ],
)
def test_a_page_that_differs_is_refused(old: str, new: str, reason: str) -> None:
    assert PAGE.count(old) == 1
    with pytest.raises(SourceBroken, match=reason):
        read(HTML, PAGE.replace(old, new))


def test_the_tables_within_a_cell_are_not_read() -> None:
    inner = "<td>100 yens<table><tr><td></td></tr></table></td>"
    assert len(read(HTML, PAGE.replace("<td>100 yens</td>", inner))) == 2


@pytest.mark.parametrize("written", ["3. August 2026", "03-Aug-26", "2026-08-03"])
def test_a_day_may_have_several_formats(written: str) -> None:
    day = '[day]\nat = "Date"\nform = ["%Y-%m-%d", "%-d. %B %Y", "%d-%b-%y"]\n'
    adapter = declared(REQUEST, RATES, day, CSV)
    assert read(adapter, TABLE.replace("2026-10-30", written)) == ["1 USD = 0.8951 EUR on 2026-08-03"]
    with pytest.raises(SourceBroken, match=r"\[3.8.2026\] is not a date"):
        read(adapter, TABLE.replace("2026-10-30", "3.8.2026"))


@pytest.mark.parametrize("forms", ["[]", '["%Y-%m-%d", "%Y-%m-%d"]'])
def test_the_formats_of_a_day_are_each_there_once(forms: str) -> None:
    with pytest.raises(SourceRefused, match=r"\[day.form\] must be formats, each once"):
        declared(REQUEST, RATES, f'[day]\nat = "Date"\nform = {forms}\n', CSV)


# Workbooks


def workbook(*rows: list[object], title: str = "Rates") -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        book.add_worksheet("Notes").write(0, 0, "nothing")
        sheet = book.add_worksheet("Rates")
        form = book.add_format({"num_format": "yyyy-mm-dd"})
        for number, row in enumerate([[title], ["Date", "Currency", "Rate"], *rows]):
            for place, cell in enumerate(row):
                sheet.write(number, place, cell)
            if number > 1:
                sheet.write_datetime(number, 0, date(2026, 10, 30), form)
    return content.getvalue()


XLSX = declared(REQUEST, RATES, DAY, f'[workbook]\nsheet = "Rates"\nskip = 1\n{LONG}')


def test_a_sheet_is_read_with_its_days_and_digits() -> None:
    content = workbook([0, "USD", 0.8951], [0, "JPY", 0.300000000000005], [0, "GBP", 2], [0, "CHF", "1.0550"])
    assert read(XLSX, content) == [
        "1 USD = 0.8951 EUR on 2026-10-30",
        "1 JPY = 0.300000000000005 EUR on 2026-10-30",
        "1 GBP = 2 EUR on 2026-10-30",
        "1 CHF = 1.0550 EUR on 2026-10-30",
    ]


def test_a_sheet_may_be_chosen_by_its_number_and_the_day_stand_above() -> None:
    day = '[day]\nof = "document"\npattern = "Rates of ([0-9-]+)"\n'
    adapter = declared(REQUEST, RATES, day, f"[workbook]\nsheet = 2\nskip = 1\n{LONG}")
    content = workbook([0, "USD", 0.8951], title="Rates of 2026-10-29")
    assert read(adapter, content) == ["1 USD = 0.8951 EUR on 2026-10-29"]
    with pytest.raises(SourceBroken, match="the day is there 0 times"):
        read(adapter, workbook([0, "USD", 0.8951]))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a workbook"),
        (TABLE.encode(), "not a workbook"),
        (b"PK\x03\x04", "cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "cannot be read"),
        (workbook([0, "USD", 0.8951])[:-40], "cannot be read"),
        (workbook([0, "USD", "x"]), "is no rate"),
        (workbook([0, "USD", True]), "is no rate"),
        (workbook(), "holds no rate"),
    ],
)
def test_another_workbook_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(XLSX, content)


def test_a_workbook_without_the_sheet_is_refused() -> None:
    adapter = declared(REQUEST, RATES, DAY, f'[workbook]\nsheet = "Kurse"\n{LONG}')
    with pytest.raises(SourceBroken, match="cannot be read"):
        read(adapter, workbook([0, "USD", 1]))


# Documents within documents

INNER = declared(
    REQUEST,
    RATES,
    '[day]\nof = "document"\nat = "@on"\n'
    '[xml]\nroot = "rates"\ninner = "Body.Result"\nrecords = "rate"\ncode = "@of"\nrate = "."',
)
ENVELOPE = "<Envelope><Body><Result>{}</Result></Body></Envelope>"
DOCUMENT = '<rates on="2026-10-30"><rate of="USD">0.8951</rate></rates>'


@pytest.mark.parametrize("text", [DOCUMENT.replace("<", "&lt;"), f"<![CDATA[{DOCUMENT}]]>"])
def test_a_document_may_be_the_text_of_an_element(text: str) -> None:
    assert read(INNER, ENVELOPE.format(text)) == ["1 USD = 0.8951 EUR on 2026-10-30"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (DOCUMENT, r"the answer holds no result at \[Body.Result\]"),
        (ENVELOPE.format(""), "the answer holds no result"),
        (ENVELOPE.format("sorry"), "not XML"),
        (ENVELOPE.format(DOCUMENT), "not exactly one value"),
        (ENVELOPE.format("&lt;other/>"), r"is a \[other\], not a \[rates\]"),
        (ENVELOPE.format(DOCUMENT.replace("<rate ", "x<rate ").replace("<", "&lt;")), "text outside its elements"),
        (ENVELOPE.format("&lt;!DOCTYPE a>&lt;rates/>"), "DOCTYPE"),
    ],
)
def test_another_text_of_the_element_is_refused(content: str, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(INNER, content)


# Zips


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return content.getvalue()


ZIP = declared(f'{REQUEST}member = "*.csv"', RATES, DAY, CSV)


def test_the_only_file_of_a_name_is_read_from_a_zip() -> None:
    assert read(ZIP, zipped(rates_csv=TABLE, readme_txt="hello")) == ["1 USD = 0.8951 EUR on 2026-10-30"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (TABLE.encode(), "the zip cannot be read"),
        (zipped(readme_txt=TABLE), r"0 files \[\*.csv\] instead of one"),
        (zipped(a_csv=TABLE, b_csv=TABLE), "2 files"),
        (zipped(a_csv=TABLE)[:-20], "the zip cannot be read"),
        (zipped(a_csv=" " * (33 * 1024 * 1024)), "more than it ever publishes"),
    ],
    ids=["no zip", "another", "two", "cut", "bomb"],
)
def test_another_zip_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(ZIP, content)


# What is asked

JSON = "application/json"
TWO_DAYS = date(2026, 10, 29), date(2026, 10, 30)


def test_each_code_is_requested_and_is_the_code_of_its_answer() -> None:
    adapter = declared(
        '[request]\nurl = "https://own.example/{each}?day={day}"\nspan = 1\neach = ["R1", "R 2"]\n',
        f'{RATES}currency = "{{each}}"\ncodes = {{ R1 = "USD", "R 2" = "JPY" }}\n',
        '[day]\nof = "asked"\n',
        '[csv]\nlayout = "long"\nrate = "Rate"\n',
    )
    asked = list(adapter.requests(*TWO_DAYS))
    assert [(each.url.rpartition("/")[2], each.subject) for each in asked] == [
        ("R1?day=2026-10-29", "2026-10-29 R1"),
        ("R%202?day=2026-10-29", "2026-10-29 R 2"),
        ("R1?day=2026-10-30", "2026-10-30 R1"),
        ("R%202?day=2026-10-30", "2026-10-30 R 2"),
    ]
    assert read(adapter, "Rate\n0.0058\n", asked[3].subject) == ["1 JPY = 0.0058 EUR on 2026-10-30"]
    with pytest.raises(SourceBroken, match="is not a currency code"):
        read(adapter, "Rate\n0.0058\n", "2026-10-30 R3")


@pytest.mark.parametrize(
    ("fields", "body", "kind"),
    [
        ('form = { d = "{day:%d/%m/%Y}", c = "a b" }', b"d=30%2F10%2F2026&c=a+b", "application/x-www-form-urlencoded"),
        ('json = { d = "{day}", n = 1, all = ["{day}"] }', b'{"d":"2026-10-30","n":1,"all":["2026-10-30"]}', JSON),
        ('body = "<d>{day}</d>"\nheaders = { Content-Type = "text/xml" }', b"<d>2026-10-30</d>", "text/xml"),
    ],
)  # fmt: skip
def test_a_post_has_its_body_and_content_type(fields: str, body: bytes, kind: str) -> None:
    adapter = declared(f'[request]\nurl = "https://own.example/"\nspan = 1\n{fields}\n', RATES, DAY, CSV)
    (request,) = adapter.requests(TWO_DAYS[1], TWO_DAYS[1])
    assert (request.body, dict(request.headers)) == (body, {"Content-Type": kind})
    assert request.origin == "https://own.example/ for 2026-10-30 to 2026-10-30"


def test_posts_for_different_codes_are_told_apart() -> None:
    fields = 'form = { c = "{each}", d = "{day}" }\neach = ["A", "B"]'
    adapter = declared(f'[request]\nurl = "https://own.example/"\nspan = 1\n{fields}\n', RATES, DAY, CSV)
    origins = [each.origin for each in adapter.requests(TWO_DAYS[1], TWO_DAYS[1])]
    assert origins == [f"https://own.example/ for 2026-10-30 to 2026-10-30 ({each})" for each in "AB"]


def test_a_first_request_gives_the_token_of_the_second() -> None:
    adapter = declared(
        '[request]\nurl = "https://own.example/"\nspan = 1\nform = { t = "{token}", d = "{day}" }\n'
        '[request.before]\nurl = "https://own.example/form"\npattern = "state=([a-z]+)"\nmedia = ["text/html"]\n',
        RATES,
        DAY,
        CSV,
    )
    (request,) = adapter.requests(TWO_DAYS[1], TWO_DAYS[1])
    assert request.before == SourceRequest(url="https://own.example/form", content_types=("text/html",))
    assert (request.token_pattern, request.body) == ("state=([a-z]+)", b"t={token}&d=2026-10-30")


def test_a_first_request_gives_the_hidden_fields_of_the_second() -> None:
    adapter = declared(
        '[request]\nurl = "https://own.example/"\nspan = 1\nform = { d = "{day}" }\n'
        '[request.before]\nurl = "https://own.example/form"\nfields = ["__VIEWSTATE"]\n',
        RATES,
        DAY,
        CSV,
    )
    (request,) = adapter.requests(TWO_DAYS[1], TWO_DAYS[1])
    sent = with_hidden_fields("own", request, b'<input name="__VIEWSTATE" value="a=">')
    assert sent.body == b"__VIEWSTATE=a%3D&d=2026-10-30"


FEW = '[request.few]\nurl = "https://own.example/day/{day}"\ndays = 3\n'
YEARS = REQUEST.replace("/rates", "/{first:%Y}").replace('"all"', '"year"')


def test_few_days_are_requested_at_the_address_of_a_day() -> None:
    adapter = declared(YEARS, FEW, RATES, DAY, CSV)
    friday = date(2026, 10, 30)
    few = list(adapter.requests(friday, date(2026, 11, 1)))
    assert [(each.url, each.first, each.last) for each in few] == [
        ("https://own.example/day/2026-10-30", friday, friday)
    ]
    more = list(adapter.requests(friday, date(2026, 11, 2)))
    assert [(each.url, each.first, each.last) for each in more] == [
        ("https://own.example/2026", friday, date(2026, 11, 2))
    ]


@pytest.mark.parametrize(
    ("request_table", "few", "reason"),
    [
        (YEARS, FEW.replace("/{day}", ""), r"\[request.few.url\] must contain the day"),
        (YEARS, FEW.replace("{day}", "{first}"), r"\[request.few.url\] must contain the day"),
        (YEARS, FEW.replace("{day}", "{day:%d}"), r"\[request.few.url\] \{day\} does not hold"),
        (YEARS, FEW.replace("own.example", "other.example"), r"\[request.few.url\] must have the host"),
        (YEARS, FEW.replace("{day}", "{day}/{each}"), r"\[request.few.url\] must have the host of request.url, and"),
        (YEARS, FEW.replace("3", "0"), r"\[request.few.days\]"),
        (REQUEST.replace("/rates", "/{day}").replace('"all"', "1"), FEW, r"\[request.few\] has no effect"),
        (YEARS + 'form = { a = "b" }\n', FEW, r"\[request.few\] is not for a POST"),
    ],
)
def test_an_address_of_few_days_that_does_not_fit_is_refused(request_table: str, few: str, reason: str) -> None:
    with pytest.raises(SourceRefused, match=reason):
        declared(request_table, few, RATES, DAY, CSV)


# What codes and days mean

RENAMED = """
renamed = [
  { label = "ROL", code = "RON", since = 2005-07-01, divided_by = 100 },
  { label = "RUR", code = "RUB" },
]
anchor_is_one = true
must_have = ["RON"]
empty_says = "there is no leu"
"""
NAMED = declared(REQUEST, RATES + RENAMED, DAY, f'{CSV}nominal = "Units"\n')
UNITS = "Date,Currency,Units,Rate\n"


def test_a_code_means_what_is_declared_for_the_day() -> None:
    lines = "2005-06-30,ROL,10000,2.7\n2005-07-01,ROL,10000,2.8\n2005-07-01,RUR,1,0.03\n2005-07-01,EUR,1,1\n"
    assert read(NAMED, UNITS + lines) == [
        "10000 ROL = 2.7 EUR on 2005-06-30",
        "100 RON = 2.8 EUR on 2005-07-01",
        "1 RUB = 0.03 EUR on 2005-07-01",
    ]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("2005-07-01,ROL,10,2.8\n", "RON/EUR on 2005-07-01 is quoted per"),
        ("2005-07-01,ROL,100,2.8\n2005-07-01,EUR,1,1.1\n", "the EUR on 2005-07-01 is not worth itself"),
        ("2005-07-01,ROL,100,2.8\n2005-07-01,RON,100,2.8\n", "is given twice"),
        ("2005-07-01,RUR,1,2.8\n", "own: there is no leu"),
        ("2005-07-01,EUR,1,1\n", "own: there is no leu"),
    ],
)
def test_what_contradicts_the_declared_meaning_is_refused(lines: str, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(NAMED, UNITS + lines)


PUBLISHED = declared(
    REQUEST, RATES, f'{DAY}published_at = "Set"\npublished_form = "%d.%m.%Y %H:%M"\nearlier = "skip"\n', CSV
)


@pytest.mark.parametrize(
    ("text", "moment"),
    [("29.10.2026 17:01", datetime(2026, 10, 29, 8, 1, tzinfo=UTC)), ("", None), ("yesterday", None)],
)
def test_the_time_of_publication_is_read_if_there_is_one(text: str, moment: datetime | None) -> None:
    (fixing,) = fixings(PUBLISHED, f"Date,Currency,Rate,Set\n2026-10-30,USD,0.9,{text}\n")
    assert (fixing.day, fixing.published_at) == (date(2026, 10, 30), moment)


def test_days_before_the_first_may_be_skipped() -> None:
    content = "Date,Currency,Rate,Set\n1999-12-31,USD,0.8,\n2000-01-01,USD,0.9,\n"
    assert read(PUBLISHED, content) == ["1 USD = 0.9 EUR on 2000-01-01"]


def test_the_day_may_stand_in_the_lines_before_a_csv() -> None:
    day = '[day]\nof = "document"\npattern = "valid for ([0-9.]+)"\nform = "%d.%m.%Y"\n'
    adapter = declared(REQUEST, RATES, day, f"{CSV}skip = 2\n")
    lines = "Rates valid for 30.10.2026 #211\n\nCurrency,Rate\nUSD,0.9\n"
    assert read(adapter, lines) == ["1 USD = 0.9 EUR on 2026-10-30"]
    for other in ("valid for 30.10.2026 or valid for 31.10.2026", "of 30.10.2026"):
        with pytest.raises(SourceBroken, match="times in"):
            read(adapter, lines.replace("valid for 30.10.2026", other))


def test_both_sides_of_a_document_are_read_as_their_mean() -> None:
    layout = '[json]\nrecords = "."\ncode = "c"\nrate = ["b", "s"]\n'
    adapter = declared(REQUEST, f'{RATES}missing = ["null"]\n', '[day]\nat = "d"\n', layout)
    content = (
        '[{"d": "2026-10-30", "c": "USD", "b": 0.89, "s": 0.9}, {"d": "2026-10-30", "c": "JPY", "b": null, "s": 1}]'
    )
    assert read(adapter, content) == ["1 USD = 0.895 EUR on 2026-10-30"]


# What an answer must have

CHECKED = """
[json]
blocks = "days"
records = "rates"
code = "c"
rate = "r"
nominal = "n"
nominal_is_number = true
[[checks]]
at = "kind"
one_of = ["daily", "final"]
[[checks]]
at = "days"
at_most = 2
says = "{count} days"
[[checks]]
of = "block"
at = "rates"
at_least = 1
says = "{day} is empty"
[[checks]]
of = "record"
at = "d"
same_as = "day"
says = "[{code}] of {day} is of [{value}]"
[[checks]]
of = "record"
at = "c"
none_of = ["XXX"]
[[checks]]
of = "record"
at = "at"
matches = "[0-9]{2}:[0-9]{2}"
says = "[{value}] is no time"
"""
STRICT = declared(
    REQUEST,
    f'{RATES}only = ["USD", "JPY", "XXX"]\n',
    '[day]\nof = "block"\nat = "day"\nonce = true\nearlier = "skip"\nskipped_since = 1999-12-01\n',
    CHECKED,
)


def rate(code: str = "USD", day: str = "2026-10-30", nominal: str = "1", at: str = "12:00") -> str:
    return f'{{"c": "{code}", "r": 0.9, "n": {nominal}, "d": "{day}", "at": "{at}"}}'


def days(*blocks: tuple[str, str], kind: str = "daily") -> str:
    written = ", ".join(f'{{"day": "{day}", "rates": [{rates}]}}' for day, rates in blocks)
    return f'{{"kind": "{kind}", "days": [{written}]}}'


FRIDAY = "2026-10-30"


def test_an_answer_with_all_that_it_must_have_is_read() -> None:
    assert read(STRICT, days((FRIDAY, f"{rate()}, {rate('BTC')}"))) == ["1 USD = 0.9 EUR on 2026-10-30"]
    earlier = ("1999-12-31", rate(day="1999-12-31"))
    assert len(read(STRICT, days(earlier, (FRIDAY, rate()), kind="final"))) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (days((FRIDAY, rate()), kind="draft"), r"own: \[kind\] is \[draft\] and not daily or final"),
        (days((FRIDAY, rate())).replace('"kind"', '"sort"'), r"\[kind\] is \[\] and not daily"),
        (days(*[(f"2026-10-{day}", rate(day=f"2026-10-{day}")) for day in (28, 29, 30)]), "own: 3 days"),
        (days((FRIDAY, "")), "own: 2026-10-30 is empty"),
        (days((FRIDAY, rate(day="2026-10-29"))), r"own: \[USD\] of 2026-10-30 is of \[2026-10-29\]"),
        (days((FRIDAY, rate("XXX"))), r"\[c\] is \[XXX\]"),
        (days((FRIDAY, rate(at="noon"))), r"own: \[noon\] is no time"),
        (days((FRIDAY, rate(nominal='"1"'))), r"the nominal \[1\] is not a number"),
        (days((FRIDAY, rate()), (FRIDAY, rate("JPY"))), "own: 2026-10-30 is given twice"),
        (days((FRIDAY, f"{rate()}, {rate()}")), "own: USD/EUR is given twice"),
        (days(("1999-11-30", rate(day="1999-11-30"))), "is not a date since 2000-01-01"),
        (days(("1999-12-30", rate(day="1999-12-30"))), "holds no rate"),
        (days((FRIDAY, rate("BTC"))), "holds no rate"),
    ],
)
def test_an_answer_without_it_is_refused(content: str, reason: str) -> None:
    with pytest.raises(SourceBroken, match=reason):
        read(STRICT, content)


def test_a_column_of_a_table_may_be_checked() -> None:
    check = '[[checks]]\nof = "record"\nat = "Kind"\none_of = ["spot"]\nsays = "[{line}] is no spot rate"\n'
    adapter = declared(REQUEST, RATES, DAY, CSV, check)
    content = "Date,Currency,Rate,Kind\n2026-10-30,USD,0.9,spot\n"
    assert len(read(adapter, content)) == 1
    with pytest.raises(SourceBroken, match=r"own: \[2026-10-30,USD,0.9,forward\] is no spot rate"):
        read(adapter, content.replace("spot", "forward"))


# What is refused of a declaration

FULL = f"{HEAD}\n{REQUEST}\n{RATES}\n{DAY}\n{CSV}"
TWELVE = ", ".join(f'"m{number}"' for number in range(12))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('span = "all"', 'span = "all"\neach = ["a"]', "[request.each] has no effect"),
        ("/rates", "/{each}", "[request.each] is missing"),
        ("/rates", '/{each}"\neach = ["a", "a"]\nheaders = {a = "b"}\nbody = "', "[request.each] must be texts"),
        ('span = "all"', 'span = "all"\nbody = "x"', "[request.headers] needs Content-Type"),
        ('span = "all"', 'span = "all"\nform = { a = "{first:%Q}" }', "[request.form] has an unknown part [%Q]"),
        ('span = "all"', 'span = "all"\nform = { a = "1" }\njson = { a = "1" }', "[request.json] is a second body"),
        ('span = "all"', 'span = "all"\nform = { token = "abc" }', "[request.form.token] looks like a secret"),
        ('span = "all"', 'span = "all"\nform = { a = "{key}" }', "[key_variable] is missing"),
        ('span = "all"', 'span = "all"\nmember = "../x"', "[request.member] [../x] must be the name"),
        ('anchor = "EUR"', 'anchor = "EUR"\ncode_pattern = "("', "is not a regular expression"),
        ('anchor = "EUR"', 'anchor = "EUR"\ncode_pattern = "x"', "must have the groups (?P<code>…)"),
        ('anchor = "EUR"', 'anchor = "EUR"\ncode_pattern = "(?P<code>(a+)+)"', "no repetition of a repetition"),
        ('anchor = "EUR"', 'anchor = "EUR"\nmust_have = ["EUR"]', "[rates.must_have] [EUR] is not the code"),
        ('anchor = "EUR"', 'anchor = "EUR"\nrenamed = [{label="x", code="USD"}]', "[rates.renamed[0]] needs two codes"),
        ('at = "Date"', 'at = "Date"\npattern = "[0-9]"', "[day.pattern] [[0-9]] must have one group"),
        ('at = "Date"', 'of = "document"', "[day.pattern] is missing"),
        ('at = "Date"', 'of = "document"\npattern = "(.)"', "there are no lines before the table"),
        ('at = "Date"', 'at = "Date"\nmonths = ["a"]', "[day.months] must be the names of twelve months"),
        ('at = "Date"', f'at = "Date"\nmonths = [{TWELVE}]', "neither %B nor %b"),
        ('at = "Date"', 'at = "Date"\npublished_form = "%H"', "[day.published_form]"),
        ("[csv]", '[[checks]]\nat = "Date"\n[csv]', "[checks[0]] needs one_of"),
        ("[csv]", '[[checks]]\nat = "Date"\none_of = ["x"]\n[csv]', "[checks[0]] is not possible in a table"),
        ("[csv]", '[[checks]]\nat = "Date"\nof = "record"\nmatches = "("\n[csv]', "[checks[0].matches] [(] is not a"),
        ("/rates", "/{token}", "[request.before.pattern] is missing"),
        ('span = "all"', 'span = "all"\nbefore = { url = "https://other.example/" }', "must have the host of"),
        ('span = "all"', 'span = "all"\nbefore = { url = "https://own.example/{key}" }', "must be without"),
        ('span = "all"', 'span = "all"\nbefore = { url = "https://own.example/", pattern = "(a)" }', "has no effect"),
        ('span = "all"', 'span = "all"\nbefore = { url = "https://own.example/", fields = ["a"] }', "there is none"),
        (
            'span = "all"',
            'span = "all"\nform = { a = "1" }\nbefore = { url = "https://own.example/", fields = ["a"] }',
            "[request.before.fields] must be names of fields, each once",
        ),
        ('at = "Date"', 'at = "Date"\nonce = true', "[day.once] has no effect"),
        ('span = "all"', 'span = "all"\ndays = ["mon"]', "[request.days] has no effect"),
        ('anchor = "EUR"', 'anchor = "EUR"\nonly = ["USD"]\nignore = ["JPY"]', "[rates.ignore] has no effect"),
        ("[csv]", "[html]\ntable = 'a[['", "[html.table] [a[[] is not a CSS selector"),
        ("[csv]", "[workbook]\ntable = 'a'", "[workbook.table] is unknown"),
        ('rate = "Rate"', 'rate = ["Rate", 0]', "[csv.rate] [0] is not a column"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_refused_by_field(old: str, new: str, reason: str) -> None:
    assert FULL.count(old) == 1
    with pytest.raises(SourceRefused) as refused:
        read_declaration(FULL.replace(old, new), "own.toml")
    assert reason in str(refused.value)


# Codes of blocks, whole numbers of JSON, and sources that have ended

SERIES = declared(
    REQUEST, RATES, DAY, '[json]\nblocks = "series"\ncode = "id"\ncode_of = "block"\nrecords = "days"\nrate = "v"\n'
)


def test_a_code_may_stand_on_the_block() -> None:
    text = '{"series":[{"id":"USD","days":[{"Date":"2026-10-29","v":0.9},{"Date":"2026-10-30","v":0.91}]}]}'
    assert read(SERIES, text) == ["1 USD = 0.9 EUR on 2026-10-29", "1 USD = 0.91 EUR on 2026-10-30"]


def test_a_code_of_the_block_needs_blocks() -> None:
    with pytest.raises(SourceRefused, match=r"\[json.code_of\] is the block, but there is no path to blocks"):
        declared(REQUEST, RATES, DAY, '[json]\ncode = "id"\ncode_of = "block"\nrecords = "days"\nrate = "v"\n')


@pytest.mark.parametrize(("units", "is_read"), [("100.0", True), ("100", True), ("0.5", False), ('"100.0"', False)])
def test_a_nominal_may_be_a_whole_number_with_a_point_if_it_is_a_number(units: str, is_read: bool) -> None:  # noqa: FBT001
    layout = '[json]\nrecords = "."\ncode = "c"\nrate = "v"\nnominal = "n"\n'
    text = f'[{{"Date":"2026-10-30","c":"JPY","v":0.58,"n":{units}}}]'
    if is_read:
        assert read(declared(REQUEST, RATES, DAY, layout), text) == ["100 JPY = 0.58 EUR on 2026-10-30"]
    else:
        with pytest.raises(SourceBroken, match="units"):
            read(declared(REQUEST, RATES, DAY, layout), text)


def test_what_a_backfill_brings_are_currencies() -> None:
    text = 'brings = ["GRD", "XQQ"]\n' + HEAD + REQUEST + RATES + DAY + CSV
    with pytest.raises(SourceRefused, match=r"\[brings\] \[XQQ\] is not a currency"):
        read_declaration(text, "own.toml")


def test_the_last_day_is_not_before_the_first() -> None:
    text = HEAD.replace("[schedule]", "last_day = 1999-12-31\n[schedule]") + REQUEST + RATES + DAY + CSV
    with pytest.raises(SourceRefused, match=r"\[last_day\] \[1999-12-31\] is before the first day 2000-01-01"):
        read_declaration(text, "own.toml")


# The money of the day

LIRA = '[rates]\nanchor = "TRY"\ndirection = "anchor_per_other"\n'
ON_BOTH_SIDES = "Date,Currency,Rate\n2004-12-31,USD,1342100\n2005-01-03,USD,1.3363\n"


@pytest.mark.parametrize(
    ("field", "before"), [("", "TRY"), ("anchor_of_day = false\n", "TRY"), ("anchor_of_day = true\n", "TRL")]
)
def test_rates_before_a_redenomination_may_be_in_the_money_of_their_days(field: str, before: str) -> None:
    adapter = declared(REQUEST, LIRA + field, DAY, CSV)
    assert read(adapter, ON_BOTH_SIDES) == [
        f"1 USD = 1342100 {before} on 2004-12-31",
        "1 USD = 1.3363 TRY on 2005-01-03",
    ]
