"""The dialect of the ECB's files, on the ECB's real fixings and beside recorded files."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.api.faces.dialects.ecb_files import FILES, dialect
from cambist.api.faces.dialects.ecb_files.files import daily_csv, daily_xml, history_csv, history_xml, zipped
from cambist.api.faces.dialects.euro_series import EuroSeries, newest_reference_day, read_euro_series
from cambist.api.faces.dialects.matrix_cache import MatrixCache
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
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


def form(text):
    """Return a file without its numbers, days, codes and sender: what remains is its form."""
    text = re.sub(r"<gesmes:name>[^<]*<", "<gesmes:name>S<", text)
    return re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2} [A-Z][a-z]+ [0-9]{4}", "DAY", re.sub(r"\b[0-9.]+\b", "1", text))


def first_lines(text, count):
    return text.split("\n")[:count]


def test_the_daily_xml_has_single_quotes_and_the_last_day():
    assert daily_xml(THREE_DAYS).decode() == DAILY_XML


def test_the_xml_of_several_days_has_a_line_for_each_newest_first():
    assert history_xml(THREE_DAYS).decode() == HISTORY_XML


def test_the_csv_of_the_history_has_commas_at_the_ends_and_says_what_is_missing():
    assert history_csv(THREE_DAYS).decode() == HISTORY_CSV


def test_the_daily_csv_has_its_day_in_words_and_no_missing_currency():
    assert daily_csv(THREE_DAYS).decode() == "Date, USD, JPY, \n06 July 2026, 1.1, 172.25, \n"


def test_a_zip_holds_its_file_and_is_the_same_when_it_is_made_again():
    content = zipped("eurofxref.csv", b"Date, \n", date(2026, 7, 6))
    assert content == zipped("eurofxref.csv", b"Date, \n", date(2026, 7, 6))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["eurofxref.csv"]
        assert archive.read("eurofxref.csv") == b"Date, \n"


@recorded
def test_the_daily_xml_has_the_form_of_a_recorded_one():
    real = (RECORDED / "exchanger_daily.xml").read_text(encoding="utf-8")
    codes = re.findall("currency='([A-Z]{3})'", real)
    days = [date(2015, 1, 7)]
    ours = daily_xml(EuroSeries(days, codes, [np.array([1.5]) for _ in codes])).decode()
    assert form(ours) == form(real)


@recorded
def test_the_xml_of_several_days_has_the_form_of_a_recorded_one():
    real = (RECORDED / "exchanger_hist-90d.xml").read_text(encoding="utf-8")
    days = sorted(map(date.fromisoformat, re.findall('time="([^"]+)"', real)))
    codes = re.findall('currency="([A-Z]{3})"', real.split("\n", 1)[0])
    ours = history_xml(EuroSeries(days, codes, [np.full(len(days), 1.5) for _ in codes])).decode()
    assert form(ours) == form(real)


@recorded
def test_the_daily_csv_has_the_form_of_a_recorded_one():
    real = (RECORDED / "eurofxref_daily_2026-10-30.csv").read_text(encoding="utf-8")
    codes = real.split("\n", 1)[0].removesuffix(", ").split(", ")[1:]
    ours = daily_csv(EuroSeries([date(2026, 10, 30)], codes, [np.array([1.5]) for _ in codes])).decode()
    assert form(ours) == form(real)


@pytest.mark.long
def test_made_from_all_fixings_of_the_ecb_the_history_is_its_own_file_byte_for_byte(real_archive, bundled):
    series = [PairSeries(pair, np.array(days), np.array(rates)) for pair, days, rates in real_archive.rates("ecb")]
    # Without verdicts: of its 220,000 rates four jump for one day alone, and no other source is there to confirm them.
    real_matrix = build_rate_matrix([SourceHistory("EUR", series, "ecb")], date(2026, 11, 20), "a test")
    with zipfile.ZipFile(io.BytesIO(bundled)) as archive:
        real = archive.read("eurofxref-hist.csv")
    newest = newest_reference_day(real_matrix)
    ours = history_csv(read_euro_series(real_matrix, ECB_LISTINGS, FIRST_REFERENCE_DAY, newest))
    assert first_lines(ours.decode(), 3) == first_lines(real.decode(), 3)
    assert ours == real


@pytest.fixture
def files(make_client):
    return make_client(dialects=(dialect,))


def test_the_daily_file_has_the_digits_of_historical_and_the_currencies_of_the_ecb(files):
    daily = files.get("/stats/eurofxref/eurofxref-daily.xml")
    assert daily.headers["content-type"] == "text/xml"
    assert "<Cube time='2026-10-30'>" in daily.text
    rates = dict(re.findall(r"currency='(\w+)' rate='([0-9.]+)'", daily.text))
    ours = files.get(f"/historical?date=2026-10-30&from=EUR&to={','.join(rates)}").json["results"]
    assert {code: float(rate) for code, rate in rates.items()} == ours
    assert len(rates) == 29


def test_ninety_days_and_all_days_agree(files):
    recent = files.get("/stats/eurofxref/eurofxref-hist-90d.xml").text
    days = re.findall('<Cube time="([^"]+)"', recent)
    assert (days[0], days[-1], len(days)) == ("2026-10-30", "2026-08-03", 65)
    whole = files.get("/stats/eurofxref/eurofxref-hist.xml").text
    assert whole.split("\n")[1:60] == recent.split("\n")[1:60]
    assert whole.endswith('<Cube currency="ZAR" rate="6.9358"/></Cube></Cube></gesmes:Envelope>')


@pytest.mark.long
def test_the_zips_hold_the_csv_files(files):
    for name in ("eurofxref", "eurofxref-hist"):
        packed = files.get(f"/stats/eurofxref/{name}.zip")
        assert packed.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            assert archive.read(f"{name}.csv").decode() == files.get(f"/stats/eurofxref/{name}.csv").text


COSTS = {
    "eurofxref-daily.xml": "1",
    "eurofxref-hist-90d.xml": "29",
    "eurofxref-hist.xml": "41",
    "eurofxref.csv": "1",
    "eurofxref-hist.csv": "41",
    "eurofxref.zip": "1",
    "eurofxref-hist.zip": "41",
}


@pytest.mark.parametrize("name", [file.name for file in FILES])
def test_an_unchanged_file_is_not_sent_again_and_costs_nothing(files, name):
    first = files.get(f"/stats/eurofxref/{name}")
    assert (first.status, first.headers["x-calls-cost"]) == (200, COSTS[name])
    again = files.get(f"/stats/eurofxref/{name}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.content, again.headers["x-calls-cost"]) == (304, b"", "0")


def test_a_file_is_written_once_for_each_rate_matrix(real_matrix):
    cache, written = MatrixCache(), []

    def write():
        written.append(1)
        return b"content"

    for matrix in (real_matrix, real_matrix, replace(real_matrix, revision="another")):
        assert cache.content(matrix, "a file", write) == b"content"
    assert len(written) == 2


def test_unknown_files_and_missing_keys_are_answered_as_pages(files):
    unknown = files.get("/stats/eurofxref/eurofxref.pdf")
    assert (unknown.status, unknown.headers["content-type"]) == (404, "text/html")
    refused = files.get("/stats/eurofxref/eurofxref-daily.xml", key=None)
    assert (refused.status, refused.content[:6]) == (401, b"<html>")


def test_the_whole_history_needs_a_plan_that_includes_it(make_client, key):
    plans = read_plans(default_plans() + "\n[recent]\ntags = ['currency']\nhistory_days = 60\n", "plans.toml")
    keys = {digest(key): StoredKey(1, Account(1, "a", "recent"))}
    limited = make_client(dialects=(dialect,), plans=plans, stored_keys=keys)
    assert limited.get("/stats/eurofxref/eurofxref-hist.csv").status == 403
    assert limited.get("/stats/eurofxref/eurofxref.csv").status == 200
