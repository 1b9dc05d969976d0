from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from cambist.api.dialects.ecb_files.files import daily_csv, daily_xml, history_csv, history_xml, zipped
from cambist.api.dialects.euro_series import EuroSeries, newest_reference_day, read_euro_series
from cambist.history.rate_matrix import RateMatrix
from cambist.reference.ecb_listings import ECB_LISTINGS, FIRST_REFERENCE_DAY

RECORDED = Path(__file__).parents[4] / "shared/payloads/ecb"

THREE_DAYS = EuroSeries(
    [date(2026, 7, 2), date(2026, 7, 3), date(2026, 7, 6)],
    ("USD", "JPY", "BGN"),
    [np.array([1.1, 1.125, 1.1]), np.array([170.0, 171.5, 172.25]), np.array([np.nan, 1.9558, np.nan])],
)

DAILY_XML = """<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>Cambist</gesmes:name>
	</gesmes:Sender>
	<Cube>
		<Cube time='2026-07-06'>
			<Cube currency='USD' rate='1.1'/>
			<Cube currency='JPY' rate='172.25'/>
		</Cube>
	</Cube>
</gesmes:Envelope>"""

HISTORY_XML = (
    '<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
    'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject>'
    "<gesmes:Sender><gesmes:name>Cambist</gesmes:name></gesmes:Sender><Cube>"
    '<Cube time="2026-07-06"><Cube currency="USD" rate="1.1"/><Cube currency="JPY" rate="172.25"/></Cube>\n'
    '<Cube time="2026-07-03"><Cube currency="USD" rate="1.125"/><Cube currency="JPY" rate="171.5"/>'
    '<Cube currency="BGN" rate="1.9558"/></Cube>\n'
    '<Cube time="2026-07-02"><Cube currency="USD" rate="1.1"/><Cube currency="JPY" rate="170"/></Cube>'
    "</Cube></gesmes:Envelope>"
)

HISTORY_CSV = "Date,USD,JPY,BGN,\n2026-07-06,1.1,172.25,N/A,\n2026-07-03,1.125,171.5,1.9558,\n2026-07-02,1.1,170,N/A,\n"

recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded files are not here")


def form(text: str) -> str:
    """Return a file without its numbers, days, codes and sender: what remains is its form."""
    text = re.sub(r"<gesmes:name>[^<]*<", "<gesmes:name>S<", text)
    return re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2} [A-Z][a-z]+ [0-9]{4}", "DAY", re.sub(r"\b[0-9.]+\b", "1", text))


def first_lines(text: str, count: int) -> list[str]:
    return text.split("\n")[:count]


def test_the_daily_xml_has_single_quotes_and_the_last_day() -> None:
    assert daily_xml(THREE_DAYS).decode() == DAILY_XML


def test_the_xml_of_several_days_has_a_line_for_each_newest_first() -> None:
    assert history_xml(THREE_DAYS).decode() == HISTORY_XML


def test_the_csv_of_the_history_has_commas_at_the_ends_and_says_what_is_missing() -> None:
    assert history_csv(THREE_DAYS).decode() == HISTORY_CSV


def test_the_daily_csv_has_its_day_in_words_and_no_missing_currency() -> None:
    assert daily_csv(THREE_DAYS).decode() == "Date, USD, JPY, \n06 July 2026, 1.1, 172.25, \n"


def test_a_zip_holds_its_file_and_is_the_same_when_it_is_made_again() -> None:
    content = zipped("eurofxref.csv", b"Date, \n", date(2026, 7, 6))
    assert content == zipped("eurofxref.csv", b"Date, \n", date(2026, 7, 6))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["eurofxref.csv"]
        assert archive.read("eurofxref.csv") == b"Date, \n"


@recorded
def test_the_daily_xml_has_the_form_of_a_recorded_one() -> None:
    real = (RECORDED / "exchanger_daily.xml").read_text(encoding="utf-8")
    codes = re.findall("currency='([A-Z]{3})'", real)
    days = [date(2015, 1, 7)]
    ours = daily_xml(EuroSeries(days, codes, [np.array([1.5]) for _ in codes])).decode()
    assert form(ours) == form(real)


@recorded
def test_the_xml_of_several_days_has_the_form_of_a_recorded_one() -> None:
    real = (RECORDED / "exchanger_hist-90d.xml").read_text(encoding="utf-8")
    days = sorted(map(date.fromisoformat, re.findall('time="([^"]+)"', real)))
    codes = re.findall('currency="([A-Z]{3})"', real.split("\n", 1)[0])
    ours = history_xml(EuroSeries(days, codes, [np.full(len(days), 1.5) for _ in codes])).decode()
    assert form(ours) == form(real)


@recorded
def test_the_daily_csv_has_the_form_of_a_recorded_one() -> None:
    real = (RECORDED / "eurofxref_daily_2026-10-30.csv").read_text(encoding="utf-8")
    codes = real.split("\n", 1)[0].removesuffix(", ").split(", ")[1:]
    ours = daily_csv(EuroSeries([date(2026, 10, 30)], codes, [np.array([1.5]) for _ in codes])).decode()
    assert form(ours) == form(real)


def test_made_from_the_fixings_of_the_ecb_the_history_is_its_own_file_byte_for_byte(
    real_matrix: RateMatrix, bundled: bytes
) -> None:
    with zipfile.ZipFile(io.BytesIO(bundled)) as archive:
        real = archive.read("eurofxref-hist.csv")
    newest = newest_reference_day(real_matrix)
    ours = history_csv(read_euro_series(real_matrix, ECB_LISTINGS, FIRST_REFERENCE_DAY, newest))
    assert first_lines(ours.decode(), 3) == first_lines(real.decode(), 3)
    assert ours == real
