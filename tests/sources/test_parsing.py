"""Strict parsing: anything that a source never writes is refused, and nothing is guessed."""

from datetime import date
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import SourceBroken
from cambist.sources.parsing import PayloadReader, is_code
from cambist.sources.payloads import bounds

READER = PayloadReader("the bank")
BROKEN = "^the bank: "


# Text


def test_text_is_decoded_unchanged() -> None:
    assert READER.text("1 €\r\n\tžluťoučký".encode()) == "1 €\r\n\tžluťoučký"
    assert READER.text("Доллар США".encode("windows-1251"), "windows-1251") == "Доллар США"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [(b"\xff\xfe", "utf-8"), ("é".encode("latin-1"), "utf-8"), ("é".encode(), "ascii"), (b"a", "no-such-encoding")],
)
def test_another_encoding_is_refused(content: bytes, encoding: str) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}what it sent is not {encoding}"):
        READER.text(content, encoding)


def test_a_zero_byte_is_refused() -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}what it sent is not text"):
        READER.text(b"Date,USD\n\0\0\0")


def test_a_payload_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds.MAX_PAYLOAD_BYTES == 32 * 2**20
    monkeypatch.setattr(bounds, "MAX_PAYLOAD_BYTES", 10)
    assert READER.text(b"0123456789") == "0123456789"
    assert READER.xml(b"<a>xyz</a>").text == "xyz"
    with pytest.raises(SourceBroken, match=f"{BROKEN}sent 11 bytes"):
        READER.text(b"0123456789a")
    with pytest.raises(SourceBroken, match=BROKEN):
        READER.xml(b"<a>wxyz</a>")


# Numbers


@pytest.mark.parametrize(
    "text", ["1", "0.5", "007.50", "1.2500", "999999999999999.99999999999999999999", "0.00000000000000000001"]
)
def test_a_number_is_read_with_the_digits_that_it_is_written_in(text: str) -> None:
    assert READER.number(text, "EUR/USD") == Decimal(text)
    assert READER.number(text, "EUR/USD").as_tuple().exponent == Decimal(text).as_tuple().exponent


@pytest.mark.parametrize(
    "text",
    # What sources write where they have none, and what is no number at all.
    [
        *("", " ", "N/A", "N.A.", ".", "..", "-", "ND", "NaN", "Infinity", "…", "0", "0.000", "-1.5", "+1.5"),
        # What a lenient reader would take; among it digits of other scripts.
        *("1,5", "1.", ".5", "1.5 ", " 1.5", "1.5\n", "1_000", "1e5", "1E-5", "0x10", "1.2.3", "½", "٣", "1.\uff12"),
        # More digits than any price has.
        *("1" * 16, "1." + "1" * 21),
        pytest.param("1" * 5000, id="5000 digits"),
    ],
)
def test_a_rate_must_be_a_positive_plain_number(text: str) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}EUR/USD is no rate"):
        READER.number(text, "EUR/USD")


def test_a_refusal_is_reported_in_a_limited_length() -> None:
    with pytest.raises(SourceBroken, match=r"EUR/USD is no rate: \[<html>\]"):
        READER.number("<html>", "EUR/USD")
    with pytest.raises(SourceBroken) as caught:
        READER.number("<p>" * 1000, "EUR/USD")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("text", "value"), [("1,2500", "1.2500"), ("12", "12"), ("0,5", "0.5")])
def test_a_comma_may_be_the_sources_point(text: str, value: str) -> None:
    assert READER.number(text, "x", comma=",") == Decimal(value)


@pytest.mark.parametrize("text", ["1.25", "1,2,3", "1.000,5", ",5", "5,", "1,2.3", "0,00"])
def test_a_point_is_refused_if_the_comma_is_the_decimal_mark(text: str) -> None:
    with pytest.raises(SourceBroken, match=BROKEN):
        READER.number(text, "x", comma=",")


@pytest.mark.parametrize(
    ("text", "value"), [("1,234,567.89", "1234567.89"), ("1,234", "1234"), ("999", "999"), ("1234.5", "1234.5")]
)
def test_thousands_may_be_marked(text: str, value: str) -> None:
    assert READER.number(text, "x", thousands=",") == Decimal(value)


@pytest.mark.parametrize(
    "text",
    ["1,23", "12,34.5", "1234,567", ",123", "1,,234", "1,234,", "1.234,567", "1,2345", "1,234.5,678", "0,000", "1 234"],
)
def test_a_mark_that_is_not_between_thousands_is_none(text: str) -> None:
    """A decimal comma read as a mark makes a thousandfold rate."""
    with pytest.raises(SourceBroken, match=BROKEN):
        READER.number(text, "x", thousands=",")


def test_both_marks_may_be_the_sources_own() -> None:
    assert READER.number("1.234.567,89", "x", comma=",", thousands=".") == Decimal("1234567.89")
    assert READER.number("1\u00a0234,5", "x", comma=",", thousands="\u00a0") == Decimal("1234.5")
    for text in ("1,234.5", "1.23,5", "1.234.5", "1,234,5"):
        with pytest.raises(SourceBroken, match=BROKEN):
            READER.number(text, "x", comma=",", thousands=".")


@given(st.decimals(min_value="0.0001", max_value="999999999", places=4))
def test_however_a_source_marks_it_the_number_is_the_same(value: Decimal) -> None:
    plain, english = f"{value:f}", f"{value:,f}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert READER.number(plain, "x") == value
    assert READER.number(english, "x", thousands=",") == value
    assert READER.number(german, "x", comma=",", thousands=".") == value
    assert READER.number(plain.replace(".", ","), "x", comma=",") == value


@given(st.text(max_size=12), st.sampled_from(["", ","]), st.sampled_from(["", ".", " ", "'"]))
def test_whatever_is_written_is_a_positive_number_or_refused(text: str, comma: str, thousands: str) -> None:
    try:
        value = READER.number(text, "x", comma=comma, thousands=thousands)
    except SourceBroken:
        return
    assert value > 0
    assert set(text) <= set("0123456789.,' ")


# Numbers of JSON


@pytest.mark.parametrize(
    "value", [Decimal("1.2500"), 150, "1.2500", Decimal("1E-20"), Decimal("9E+14"), Decimal("1E+2")]
)
def test_a_positive_number_of_json_is_exact(value: object) -> None:
    assert READER.json_number(value, "x") == Decimal(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, Decimal(0), Decimal("-1.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")),
        *(Decimal("1E+15"), Decimal("9E-21"), Decimal("1E+400"), 10**15),
        *(True, None, 1.25, [], {}, "", "0", "1,5", "1e5", "-1"),
        *(msgspec.Raw(b'"1_5"'), msgspec.Raw(b'" 1.5"'), msgspec.Raw(b'"1e5"'), msgspec.Raw(b"null")),
    ],
)
def test_a_json_rate_must_be_a_positive_number(value: object) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}x is no rate"):
        READER.json_number(value, "x")


# Nominals, codes


@pytest.mark.parametrize(
    ("value", "units"), [("1", 1), ("100", 100), (1, 1), (1000, 1000), ("1000000", 1_000_000), ("0001", 1)]
)
def test_a_nominal_is_a_whole_number_up_to_a_million(value: object, units: int) -> None:
    assert READER.nominal(value, "JPY") == units


@pytest.mark.parametrize(
    "value",
    [
        *("0", "-1", "1000001", "1.0", "1,000", "1e2", "", " 1", "1 ", "²", "\u0661", "x"),
        *(0, -100, 1_000_001, 1.0, None, True, []),
        # More digits than Python would turn into a number.
        pytest.param("1" * 5000, id="5000 digits"),
        pytest.param("0" * 4999 + "1", id="4999 zeros and 1"),
    ],
)
def test_an_invalid_nominal_is_refused(value: object) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}JPY is quoted per"):
        READER.nominal(value, "JPY")


def test_a_code_is_three_capital_letters() -> None:
    assert READER.code("USD") == "USD"
    assert is_code("XAU")


@pytest.mark.parametrize(
    "text", ["", "usd", "US", "USDT", "US1", "USD\n", " USD", "ÜSD", "\uff35SD", None, 840, ["USD"]]
)
def test_a_text_in_another_form_is_not_a_code(text: object) -> None:
    assert not (isinstance(text, str) and is_code(text))
    with pytest.raises(SourceBroken, match=f"(?s){BROKEN}.* is not a currency code"):
        READER.code(text)


# Days


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        ("2026-03-06", "%Y-%m-%d", date(2026, 3, 6)),
        ("06.03.2026", "%d.%m.%Y", date(2026, 3, 6)),
        ("20240229", "%Y%m%d", date(2024, 2, 29)),
        ("1945-01-01", "%Y-%m-%d", date(1945, 1, 1)),
        ("2026-03-06t00:00:00z", "%Y-%m-%dT%H:%M:%SZ", date(2026, 3, 6)),
    ],
)
def test_a_day_is_read_in_the_sources_form(text: str, form: str, day: date) -> None:
    assert READER.day(text, form) == day


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2026-3-6", "%Y-%m-%d"),
        ("2026-03-06 ", "%Y-%m-%d"),
        (" 2026-03-06", "%Y-%m-%d"),
        ("2026-02-30", "%Y-%m-%d"),
        ("2025-02-29", "%Y-%m-%d"),
        ("2026-13-01", "%Y-%m-%d"),
        ("06.03.2026", "%m/%d/%Y"),
        ("03-06-2026", "%Y-%m-%d"),
        ("٢٠٢٦-03-06", "%Y-%m-%d"),
        ("2026-03-06\0", "%Y-%m-%d"),
        ("1944-12-31", "%Y-%m-%d"),
        ("0026-03-06", "%Y-%m-%d"),
        ("", "%Y-%m-%d"),
        (None, "%Y-%m-%d"),
        (20260306, "%Y-%m-%d"),
    ],
)
def test_a_day_in_another_format_is_refused(text: object, form: str) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}.* is not a date since 1945-01-01"):
        READER.day(text, form)


def test_a_source_has_nothing_of_before_it_began() -> None:
    assert READER.day("1999-01-04", since=date(1999, 1, 4)) == date(1999, 1, 4)
    with pytest.raises(SourceBroken, match="is not a date since 1999-01-04"):
        READER.day("1999-01-03", since=date(1999, 1, 4))


@given(st.dates(date(1945, 1, 1), date(2999, 12, 31)), st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%Y%m%d"]))
def test_every_day_since_is_read_as_it_was_written(day: date, form: str) -> None:
    assert READER.day(day.strftime(form), form) == day


ENGLISH = r"(?P<d>\d{1,2})[ -](?P<m>[A-Za-z]+)[ -](?P<y>\d{4})"


@pytest.mark.parametrize("text", ["6 March 2026", "06-Mar-2026", "6 mar 2026", "06 MARCH 2026"])
def test_a_month_may_be_an_english_word(text: str) -> None:
    assert READER.day_with_month_name(text, ENGLISH) == date(2026, 3, 6)


def test_every_month_has_its_english_word() -> None:
    words = [
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ]
    assert [READER.day_with_month_name(f"1 {word} 2026", ENGLISH).month for word in words] == list(range(1, 13))
    assert [READER.day_with_month_name(f"1 {word[:3]} 2026", ENGLISH).month for word in words] == list(range(1, 13))


@pytest.mark.parametrize(
    "text",
    [
        *("30 Feb 2026", "6 Mrz 2026", "6 Märch 2026", "6 03 2026", "31 Dec 1944", "0 Mar 2026", "6 Mar 0000"),
        *("6 Mar 26", "", "6 Mar 2026 ", "6 M 2026", "٦ Mar 2026"),
    ],
)
def test_an_invalid_english_day_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}.* is not a date since 1945-01-01"):
        READER.day_with_month_name(text, ENGLISH)


def test_an_english_day_is_not_of_before_the_source_began() -> None:
    with pytest.raises(SourceBroken, match="is not a date since 2026-03-07"):
        READER.day_with_month_name("6 Mar 2026", ENGLISH, since=date(2026, 3, 7))


# Documents


class Rates(msgspec.Struct):
    day: str
    rate: Decimal


def test_json_is_decoded_into_what_is_declared_with_numbers_as_they_were_written() -> None:
    found = READER.json(b'{"day": "2026-03-06", "rate": 1.10000000000000000001, "more": [1]}', Rates)
    assert found == Rates("2026-03-06", Decimal("1.10000000000000000001"))
    assert READER.json('{"day": "é", "rate": 1}'.encode("latin-1"), Rates, "latin-1").day == "é"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Access denied</html>",
        b'{"day": "2026-03-06"}',
        b'{"day": 20260306, "rate": 1.5}',
        b'{"day": "2026-03-06", "rate": null}',
        b'{"day": "2026-03-06", "rate": NaN}',
        b'{"day": "2026-03-06", "rate": 1.5}{}',
        b'{"day": "2026-03-06", "rate": 1.5',
        pytest.param(b'{"more": ' + b"[" * 100_000, id="nested without end"),
        b'{"day": "\xff", "rate": 1}',
    ],
)
def test_a_document_that_is_not_the_sources_own_is_refused(content: bytes) -> None:
    with pytest.raises(SourceBroken, match=BROKEN):
        READER.json(content, Rates)


class Quoted(msgspec.Struct):
    units: int


def test_another_document_is_refused() -> None:
    assert READER.json(b'{"units": 100}', Quoted).units == 100
    with pytest.raises(SourceBroken, match="Expected `int`, got `str`"):
        READER.json(b'{"units": "100"}', Quoted)


def test_an_error_shows_the_beginning_of_another_document() -> None:
    with pytest.raises(SourceBroken, match=r"it begins \[<html>Access denied"):
        READER.json(b"<html>Access denied</html>" + b"x" * 10_000, Rates)


def test_xml_is_parsed_in_the_encoding_that_it_names() -> None:
    document = '<?xml version="1.0" encoding="windows-1251"?><a b="1">Доллар</a>'
    root = READER.xml(document.encode("windows-1251"))
    assert (root.tag, root.get("b"), root.text) == ("a", "1", "Доллар")


DEFINING = '<?xml version="1.0"{}?><!DOCTYPE a [<!ENTITY b "boom">]><a>&b;</a>'


@pytest.mark.parametrize(
    "content",
    [
        DEFINING.format("").encode(),
        b"<!DOCTYPE html><html/>",
        # In UTF-16 the words are there all the same, with a zero byte after each letter.
        DEFINING.format(' encoding="utf-16"').encode("utf-16"),
        DEFINING.format(' encoding="utf-16"').encode("utf-16-be"),
        DEFINING.format("").encode("utf-16-le"),
    ],
)
def test_a_document_that_defines_anything_is_not_parsed(content: bytes) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}the document has a DOCTYPE"):
        READER.xml(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"<a>", b"<a></b>", b"<a>&b;</a>", b"no xml", b"<a/><b/>", b'<?xml version="1.0" encoding="no-such"?><a/>'],
)
def test_an_invalid_xml_is_refused(content: bytes) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}the document is not XML"):
        READER.xml(content)


def test_a_table_gives_the_cells_of_its_lines() -> None:
    assert list(READER.csv_rows('a,"b,c",\r\n\r\n"d ""e""", f\r\n')) == [["a", "b,c", ""], [], ['d "e"', " f"]]
    assert list(READER.csv_rows("a;b,c\n", ";")) == [["a", "b,c"]]
    assert list(READER.csv_rows('"a\r\nb",c\r\n')) == [["a\r\nb", "c"]]


@pytest.mark.parametrize(
    "text", ['a,"b\n', 'a,"b"c\n', pytest.param('"' + "x" * 200_000 + '"', id="a cell without end")]
)
def test_a_table_whose_quotes_do_not_close_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken, match=f"{BROKEN}the table cannot be read"):
        list(READER.csv_rows(text))


# What may stand once


def test_a_unique_key_is_returned_once_and_refused_the_second_time() -> None:
    seen: set[object] = set()
    assert READER.unique(seen, "USD") == "USD"
    assert READER.unique(seen, ("USD", date(2026, 3, 6))) == ("USD", date(2026, 3, 6))
    assert seen == {"USD", ("USD", date(2026, 3, 6))}
    with pytest.raises(SourceBroken, match=f"{BROKEN}USD is given twice"):
        READER.unique(seen, "USD")
    with pytest.raises(SourceBroken, match=f"{BROKEN}USD on 2026-03-06 is given twice"):
        READER.unique(seen, ("USD", date(2026, 3, 6)))
