"""The official sources with requests for a day, a year, the whole history, or one of several series."""

from __future__ import annotations

import re
from typing import Any

from ranges import one, span
from recordings import Form, RecordingFolder

_DAY = r"\d{4}-\d\d-\d\d"
_JSON = "application/json"
_CBR = "windows-1251"
_CBR_MEDIA = "application/xml; charset=windows-1251"

DAYS: tuple[dict[str, Any], ...] = (
    {
        "key": "hkma",
        "at": r"^api\.hkma\.gov\.hk/" + span("from=", "to="),
        "files": one("hkma/hkma_01.json", "hkma/page.json"),
        "media": _JSON,
        "form": Form(
            record=r'\{"end_of_day"[^{}]*\}',
            day=rf'"end_of_day":"({_DAY})"',
            rate=r'"usd":(?P<rate>[\d.]+)',
            count=r'("datasize":)\d+',
            between=",",
        ),
    },
    {
        "key": "bnr",
        "at": r"^curs\.bnr\.ro/.*nbrfxrates(?P<year>\d{4})\.xml",
        "files": one("bnr/bnr_01.xml", "bnr/year.xml"),
        "media": "text/xml",
        "nothing": 404,
        "form": Form(
            record=r"<Cube date=.*?</Cube>",
            day=rf'<Cube date="({_DAY})"',
            rate=r"currency=[\"']USD[\"']>(?P<rate>[\d.]+)",
        ),
    },
    {
        "key": "rba",
        "at": r"^www\.rba\.gov\.au/.*f11\.1-data\.csv",
        "files": one("rba/rba_01.csv", "rba/f11.1-data.csv"),
        "media": "application/octet-stream",
        "tagged": True,
        "form": Form(
            record=r"^\d\d-\w{3}-\d{4},[^\n]*\n",
            day=r"^(\d\d-\w{3}-\d{4}),",
            written=("%d-%b-%Y",),
            rate=r"^[^,\n]*,(?P<rate>[\d.]+)",
        ),
    },
    {
        "key": "cnb",
        "at": rf"^api\.cnb\.cz/cnbapi/exrates/daily(?:\?date=(?P<day>{_DAY})|-year\?year=(?P<year>\d{{4}}))",
        "files": one("cnb/cnb_01.json", "cnb/year.json"),
        "media": _JSON,
        "form": Form(
            record=r'\{"currencyCode"[^{}]*\}',
            day=rf'"validFor":"({_DAY})"',
            rate=r'"currencyCode":"USD"[^{}]*"rate":(?P<rate>[\d.]+)',
            between=",",
        ),
    },
    {
        "key": "bdi",
        "at": rf"^tassidicambio\.bancaditalia\.it/.*referenceDate=(?P<day>{_DAY})",
        "files": {"": (("bdi/bdi_01.csv", "bdi/day.csv"), ("bdi/bdi_02.csv", "bdi/day.csv"))},
        "media": "text/csv",
        "form": Form(
            record=rf"^[^#\n]*,{_DAY}\r?\n",
            day=rf",({_DAY})\r?$",
            rate=r",USD,\d*,(?P<rate>[\d.]+),",
        ),
    },
    {
        "key": "nbg",
        "at": rf"^nbg\.gov\.ge/.*currencies/\?date=(?P<day>{_DAY})",
        "files": {"": tuple((f"nbg/nbg_0{number}.json", "nbg/day.json") for number in (1, 2, 3))},
        "media": "application/json; charset=utf-8",
        "in_force": True,
        "form": Form(
            record=r"\A.*\Z",
            day=r'^\[\{"date":"([^"]*)"',
            written=("%Y-%m-%dT00:00:00.000Z",),
            rate=r'"code":"USD"[^{}]*"rate":(?P<rate>[\d.]+)',
        ),
    },
)


_NBP_DAYS = rf"/(?P<first>{_DAY})/(?P<last>{_DAY})"
_NBP_TABLES = r"^api\.nbp\.pl/api/exchangerates/tables/"
_NBP: dict[str, Any] = {"key": "nbp", "media": "application/json; charset=utf-8", "nothing": 404}
_NBP_TABLE = Form(
    record=r'\{"table".*?\]\}',
    day=rf'"effectiveDate":"({_DAY})"',
    rate=r'"code":"USD","mid":(?P<rate>[\d.]+)',
    between=",",
)
_NBP_GOLD = Form(record=r'\{"data"[^{}]*\}', day=rf'"data":"({_DAY})"', rate=r'"cena":(?P<rate>[\d.]+)', between=",")

TABLES: tuple[dict[str, Any], ...] = (
    _NBP
    | {
        "at": rf"{_NBP_TABLES}A{_NBP_DAYS}",
        "files": one("nbp/nbp_01.json", "nbp/table_a.json"),
        "form": _NBP_TABLE,
    },
    _NBP
    | {
        "at": rf"{_NBP_TABLES}B{_NBP_DAYS}",
        "files": one("nbp/nbp_02.json", "nbp/table_b.json"),
        "form": _NBP_TABLE,
        "on": frozenset({2}),
    },
    _NBP
    | {
        "at": rf"^api\.nbp\.pl/api/cenyzlota{_NBP_DAYS}",
        "files": one("nbp/nbp_03.json", "nbp/gold.json"),
        "form": _NBP_GOLD,
    },
)


def choice_sources(recording_folder: RecordingFolder) -> list[dict[str, Any]]:
    """Return the source with one request per currency, with the recorded currencies."""
    euro = {"EUR": (("bcb/bcb_05.json", "bcb/euro.json"),)}
    more = {code: ((f"bcb/bcb_0{n}.json", ""),) for n, code in enumerate(("AUD", "CAD", "CHF", "DKK"), 1)}
    return [
        {
            "key": "bcb",
            "at": r"^olinda\.bcb\.gov\.br/"
            + span("@dataInicial='", "@dataFinalCotacao='", r"\d\d-\d\d-\d{4}")
            + r"(?=.*@moeda='(?P<pick>[A-Z]{3})')",
            "dates": "%m-%d-%Y",
            "files": euro | (more if recording_folder.has("bcb/bcb_01.json") else {}),
            "media": "application/json;charset=UTF-8;odata.metadata=minimal",
            "form": Form(
                record=r'\{"paridadeCompra"[^{}]*\}',
                day=rf'"dataHoraCotacao":"({_DAY})',
                rate=r'"cotacaoVenda":(?P<rate>[\d.]+)',
                between=",",
            ),
        }
    ]


def cbr_sources(recording_folder: RecordingFolder) -> list[dict[str, Any]]:
    cbr: dict[str, Any] = {"key": "cbr", "media": _CBR_MEDIA, "dates": "%d/%m/%Y"}
    asked = span("date_req1=", "date_req2=", r"\d\d/\d\d/\d{4}")
    common: dict[str, Any] = {"encoding": _CBR, "written": ("%d.%m.%Y",)}
    records = r"<Record Date=.*?</Record>"
    return [
        cbr
        | {
            "at": r"^www\.cbr\.ru/scripts/XML_daily\.asp\?date_req=(?P<day>\d\d/\d\d/\d{4})",
            "files": one("cbr/cbr_01.xml", "cbr/day.xml"),
            "in_force": True,
            "form": Form(
                record=r"\A.*\Z",
                day=r'ValCurs Date="([\d.]+)"',
                rate=r"<CharCode>USD</CharCode>.*?<Value>(?P<rate>[\d,]+)",
                **common,
            ),
        },
        cbr
        | {
            "at": r"^www\.cbr\.ru/scripts/XML_dynamic\.asp" + asked + r"(?=.*VAL_NM_RQ=(?P<pick>\w+))",
            "files": _currency_ids(recording_folder),
            "form": Form(record=records, day=r'Date="([\d.]+)"', **common),
        },
        cbr
        | {
            "at": r"^www\.cbr\.ru/scripts/xml_metall\.asp" + asked,
            "files": one("cbr/cbr_56.xml", "cbr/metals.xml"),
            "form": Form(record=records, day=r'Date="([\d.]+)"', rate=r'Code="1"><Buy>(?P<rate>[\d,]+)', **common),
        },
    ]


def _currency_ids(recording_folder: RecordingFolder) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the recordings of single currencies by the Bank of Russia's ids."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for path in sorted(recording_folder.folder.glob("cbr/cbr_*.xml")) if recording_folder.folder else ():
        match = re.search(rb'ValCurs ID="(\w+)"', path.read_bytes())
        if match:
            found[match[1].decode()] = ((f"cbr/{path.name}", ""),)
    return found or {"R01200": (("", "cbr/currency.xml"),)}
