import io
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/ecb/eurofxref-hist.zip"
HEADER = "Date,USD,JPY,\n"
LINE = "2026-03-06,1.2500,180.00,\n"


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode()))


def zipped(*members: tuple[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            archive.writestr(name, member)
    return content.getvalue()


# What is read


def test_the_small_file_is_read_in_its_order(small_ecb: bytes) -> None:
    fixings = list(adapter.parse(small_ecb))
    assert [fixing.day.isoformat() for fixing in fixings if fixing.pair.quote == "USD"] == [
        "2026-03-06",
        "2026-03-05",
        "2026-03-03",
        "2026-02-27",
        "2025-12-31",
    ]
    assert len(fixings) == 17


def test_a_fixing_keeps_the_direction_and_the_digits_that_were_published() -> None:
    first, second = read(HEADER + LINE)
    assert first == Fixing("ecb", Pair("EUR", "USD"), date(2026, 3, 6), Decimal("1.2500"), 1)
    assert (str(first.value), str(second.value)) == ("1.2500", "180.00")
    assert second.pair == Pair("EUR", "JPY")


def test_where_a_currency_had_no_rate_there_is_no_fixing(small_ecb: bytes) -> None:
    fixings = list(adapter.parse(small_ecb))
    assert [fixing.day for fixing in fixings if fixing.pair.quote == "BGN"] == [date(2025, 12, 31)]
    assert [fixing.day for fixing in fixings if fixing.pair.quote == "ISK"] == [date(2026, 3, 6)]


def test_an_empty_cell_is_no_rate_either() -> None:
    assert [fixing.pair.quote for fixing in read(f"{HEADER}2026-03-06,1.25,,\n")] == ["USD"]


def test_the_zip_is_read_as_the_csv_in_it(small_ecb: bytes) -> None:
    assert list(adapter.parse(zipped(("eurofxref-hist.csv", small_ecb)))) == list(adapter.parse(small_ecb))


def test_lines_may_end_as_in_windows() -> None:
    assert read((HEADER + LINE).replace("\n", "\r\n")) == read(HEADER + LINE)


def test_a_fixing_shows_the_market_of_a_quarter_past_two_in_frankfurt() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 12, 15, tzinfo=UTC)
    assert adapter.source.market_time(date(2026, 1, 2)) == datetime(2026, 1, 2, 13, 15, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("ecb", "EUR", date(1999, 1, 4))


def test_the_real_history_is_parsed_completely(bundled: bytes) -> None:
    fixings = list(adapter.parse(bundled))
    days = {fixing.day for fixing in fixings}
    assert len(days) >= 7126
    assert min(days) == adapter.source.first_day
    assert Fixing("ecb", Pair("EUR", "USD"), date(1999, 1, 4), Decimal("1.1789")) in fixings[-100:]
    assert {fixing.pair.base for fixing in fixings} == {"EUR"}


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_history_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 221702
    assert fixings[0] == Fixing("ecb", Pair("EUR", "USD"), date(2026, 10, 30), Decimal("1.1172"))


# Refused layouts of the ECB. What every adapter must refuse is in test_every_adapter.py.


@pytest.mark.parametrize(
    "header",
    [
        "Date,GBP,JPY,",
        "Date,usd,JPY,",
        "Date,USD,jpy,",
        "Date,USD,YEN1,",
        "Day,USD,JPY,",
        "USD,JPY,",
        "Date",
        "",
        "Date;USD;JPY;",
        "Date,USD,USD,",
        "Date,USD,,JPY,",
    ],
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        read(f"{header}\n2026-03-06,1.25,180,\n")


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-06,1.25",
        "2026-03-06",
        "2026-03-06,1.25,180,7,",
        "2026-03-06,1,25,180,",
        "2026-03-06,1.25,180,,,",
        "2026-03-06,1.25,18",
    ],
)
def test_a_line_with_fewer_or_more_cells_than_the_header_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match=r"2026-03-06.*cells"):
        read(f"{HEADER}{line}\n")


@pytest.mark.parametrize(
    "cell", ["-1.25", "0", "0.0000", "1.25E3", "1e3", "NaN", "nan", "Infinity", "+1", ".5", "1.", "n/a", "-", "1 250"]
)
def test_an_invalid_rate_is_refused_with_its_pair_and_day(cell: str) -> None:
    with pytest.raises(SourceBroken, match=r"EUR/USD on 2026-03-06.*\["):
        read(f"{HEADER}2026-03-06,{cell},180.00,\n")


@pytest.mark.parametrize("cell", ["1,5", "1.250,00", "1 000"])
def test_a_number_in_another_notation_is_refused_even_in_quotes(cell: str) -> None:
    with pytest.raises(SourceBroken, match="2026-03-06"):
        read(f'{HEADER}2026-03-06,"{cell}",180.00,\n')


@pytest.mark.parametrize(
    "day", ["2026-02-30", "06/03/2026", "6 March 2026", "2026-3-6", "2026-13-01", "", "Date", "20260306", "2026-W10-5"]
)
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(f"{HEADER}{LINE}{day},1.24,181.00,\n")


def test_a_date_before_the_euro_is_refused() -> None:
    with pytest.raises(SourceBroken, match="1026-03-05"):
        read(f"{HEADER}{LINE}1026-03-05,1.24,181.00,\n")


def test_a_date_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-06 is given twice"):
        read(HEADER + LINE + LINE)


@pytest.mark.parametrize("cells", ["N/A,N/A,", ",,"])
def test_a_day_without_any_rate_is_refused(cells: str) -> None:
    with pytest.raises(SourceBroken, match="2026-03-05"):
        read(f"{HEADER}{LINE}2026-03-05,{cells}\n")


def test_a_day_without_its_dollar_is_refused() -> None:
    """Every other currency of the day would silently be worth nothing."""
    with pytest.raises(SourceBroken, match="2026-03-05"):
        read(f"{HEADER}{LINE}2026-03-05,N/A,180.00,\n")


def test_a_header_alone_is_refused() -> None:
    with pytest.raises(SourceBroken, match="no day"):
        read(HEADER)


def test_a_blank_line_is_refused() -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(f"{HEADER}{LINE}\n{LINE}")


@pytest.mark.parametrize("text", [HEADER.replace("\n", "\r") + LINE, HEADER + LINE.replace("180.00", "18\r0.00")])
def test_an_invalid_line_end_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken):
        read(text)


def test_a_cell_of_a_quarter_megabyte_is_refused() -> None:
    with pytest.raises(SourceBroken):
        read(HEADER + '"' + "1" * 250_000)


def test_a_zip_of_two_files_is_refused(small_ecb: bytes) -> None:
    with pytest.raises(SourceBroken, match="one CSV"):
        list(adapter.parse(zipped(("a.csv", small_ecb), ("b.csv", small_ecb))))


def test_a_zip_of_nothing_is_refused() -> None:
    with pytest.raises(SourceBroken, match="one CSV"):
        list(adapter.parse(zipped()))


def test_a_zip_that_says_it_is_huge_is_refused_unread(small_ecb: bytes) -> None:
    content = bytearray(zipped(("a.csv", small_ecb)))
    size_at = content.rindex(b"PK\x01\x02") + 24
    content[size_at : size_at + 4] = (64 * 1024 * 1024 + 1).to_bytes(4, "little")
    with pytest.raises(SourceBroken, match="holds more than it ever publishes"):
        list(adapter.parse(bytes(content)))


def test_a_zip_with_a_password_is_refused(small_ecb: bytes) -> None:
    content = bytearray(zipped(("a.csv", small_ecb)))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    content[6] |= 1
    with pytest.raises(SourceBroken):
        list(adapter.parse(bytes(content)))


@pytest.mark.parametrize("where", [16, 42])
def test_a_zip_whose_directory_is_damaged_is_refused(small_ecb: bytes, where: int) -> None:
    """Checksum and offset of the one member."""
    content = bytearray(zipped(("a.csv", small_ecb)))
    at = content.rindex(b"PK\x01\x02") + where
    content[at + 2] ^= 0x55
    with pytest.raises(SourceBroken):
        list(adapter.parse(bytes(content)))


def test_a_zip_whose_directory_lies_about_its_place_is_refused(small_ecb: bytes) -> None:
    content = bytearray(zipped(("a.csv", small_ecb)))
    content[content.rindex(b"PK\x05\x06") + 17] ^= 0x01
    with pytest.raises(SourceBroken):
        list(adapter.parse(bytes(content)))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_does_not_unpack_is_refused_however_packed(small_ecb: bytes, method: int) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("a.csv", small_ecb)
    damaged = bytearray(content.getvalue())
    damaged[45:60] = bytes(15)
    with pytest.raises(SourceBroken):
        list(adapter.parse(bytes(damaged)))
