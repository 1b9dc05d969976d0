"""The dialect of the ECB's SDMX service, on the ECB's real fixings."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.api.faces.dialects.ecb_sdmx import dialect

RECORDED = Path(__file__).parents[4] / "shared/payloads/ecb"
GENERIC = "{http://www.sdmx.org/resources/sdmxml/schemas/v2_1/data/generic}"
STRUCTURE = "{http://www.sdmx.org/resources/sdmxml/schemas/v2_1/structure}"
COLUMNS = (
    "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS,OBS_CONF,OBS_PRE_BREAK,"
    "OBS_COM,TIME_FORMAT,BREAKS,COLLECTION,COMPILING_ORG,DISS_ORG,DOM_SER_IDS,PUBL_ECB,PUBL_MU,PUBL_PUBLIC,"
    "UNIT_INDEX_BASE,COMPILATION,COVERAGE,DECIMALS,NAT_TITLE,SOURCE_AGENCY,SOURCE_PUB,TITLE,TITLE_COMPL,UNIT,UNIT_MULT"
)


@pytest.fixture
def sdmx(make_client):
    return make_client(dialects=(dialect,))


def data(key, parameters="", flow="EXR"):
    return f"/service/data/{flow}/{key}?{parameters}"


def rows(reply):
    assert reply.status == 200, reply.text
    return list(csv.DictReader(io.StringIO(reply.text)))


def parsed(reply):
    assert reply.status == 200, reply.text
    return ET.fromstring(reply.text)  # noqa: S314  our own answer


def observations(reply):
    return [(row["KEY"], row["TIME_PERIOD"], row["OBS_VALUE"]) for row in rows(reply)]


def test_csv_has_the_columns_of_the_ecb_and_a_row_for_each_observation(sdmx):
    reply = sdmx.get(data("D.USD.EUR.SP00.A", "format=csvdata&startPeriod=2026-10-29&endPeriod=2026-11-01"))
    assert reply.headers["content-type"] == "text/csv"
    assert reply.headers["content-disposition"] == "attachment;filename=data.csv"
    about = 'US Dollar/Euro,"Rate of Cambist from several sources, US Dollar/Euro",USD,0'
    assert reply.text.split("\n") == [
        COLUMNS,
        f"EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-10-29,1.113,A,F,,,P1D,,A,,,,,,,,,,9,,,,{about}",
        f"EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-10-30,1.1172,A,F,,,P1D,,A,,,,,,,,,,9,,,,{about}",
        "",
    ]


def test_the_values_are_those_of_time_series(sdmx):
    found = observations(sdmx.get(data("D.JPY.EUR.SP00.A", "format=csvdata&detail=dataonly&startPeriod=2026-10")))
    ours = sdmx.get("/time-series?from=EUR&to=JPY&start=2026-10-01&end=2026-10-30").json["results"]["JPY"]
    assert len(found) == 22
    assert {day: float(value) for _, day, value in found}.items() <= ours.items()


@pytest.mark.parametrize("flow", ["EXR", "ECB,EXR,1.0", "ECB,EXR", "ECB,EXR,latest"])
def test_the_dataflow_may_be_named_with_its_agency_and_version(sdmx, flow):
    found = observations(sdmx.get(data("D.USD+GBP.EUR.SP00.A", "format=csvdata&lastNObservations=1", flow)))
    assert found == [
        ("EXR.D.GBP.EUR.SP00.A", "2026-10-30", "0.8338"),
        ("EXR.D.USD.EUR.SP00.A", "2026-10-30", "1.1172"),
    ]


def test_an_empty_dimension_matches_all_currencies_that_the_ecb_lists(sdmx):
    reply = sdmx.get(data("D..EUR.SP00.A", "format=csvdata&startPeriod=2026-10-30"))
    currencies = {row["CURRENCY"] for row in rows(reply)}
    assert len(currencies) == 29
    assert {"USD", "ISK", "TRY"} <= currencies
    assert not {"BGN", "RUB", "EUR", "AED"} & currencies


def test_a_currency_that_the_ecb_does_not_list_is_answered_when_it_is_named(sdmx):
    found = observations(sdmx.get(data("D.AED.EUR.SP00.A", "format=csvdata&lastNObservations=1")))
    ours = sdmx.get("/historical?date=2026-10-30&from=EUR&to=AED").json["results"]["AED"]
    assert [(day, float(value)) for _, day, value in found] == [("2026-10-30", ours)]


def test_months_quarters_and_years_are_averages_of_whole_periods(sdmx):
    daily = observations(sdmx.get(data("D.USD.EUR.SP00.A", "format=csvdata&startPeriod=2026-08&endPeriod=2026-08")))
    monthly = observations(sdmx.get(data("M.USD.EUR.SP00.A", "format=csvdata&startPeriod=2026-08-01")))
    average = sum(float(value) for _, _, value in daily) / len(daily)
    assert [period for _, period, _ in monthly] == ["2026-08", "2026-09", "2026-10"]
    assert float(monthly[0][2]) == pytest.approx(average, rel=1e-9)
    longer = observations(sdmx.get(data("Q+H+A.USD.EUR.SP00.A", "format=csvdata&startPeriod=2025-07")))
    assert [period for _, period, _ in longer] == [
        *("2025-Q3", "2025-Q4", "2026-Q1", "2026-Q2", "2026-Q3"),
        *("2025-S2", "2026-S1"),
    ]


def test_the_first_and_the_last_observations_can_be_chosen(sdmx):
    chosen = "format=csvdata&startPeriod=2026-10-26&endPeriod=2026-10-30&"
    first = observations(sdmx.get(data("D.USD.EUR.SP00.A", f"{chosen}firstNObservations=2")))
    last = observations(sdmx.get(data("D.USD.EUR.SP00.A", f"{chosen}lastNObservations=1")))
    both = observations(sdmx.get(data("D.USD.EUR.SP00.A", f"{chosen}firstNObservations=2&lastNObservations=1")))
    assert [day for _, day, _ in first] == ["2026-10-26", "2026-10-27"]
    assert [day for _, day, _ in last] == ["2026-10-30"]
    assert both == first + last
    all_of_them = observations(sdmx.get(data("D.USD.EUR.SP00.A", f"{chosen}firstNObservations=3&lastNObservations=4")))
    assert [day for _, day, _ in all_of_them] == [f"2026-10-{day}" for day in range(26, 31)]


def test_a_weekend_gets_the_observation_before_it_by_end_and_number(sdmx):
    found = observations(sdmx.get(data("D.USD.EUR.SP00.A", "format=csvdata&endPeriod=2026-10-25&lastNObservations=1")))
    assert [day for _, day, _ in found] == ["2026-10-23"]


def test_a_known_series_without_observations_gives_an_empty_answer(sdmx):
    reply = sdmx.get(data("D.USD.EUR.SP00.A", "format=csvdata&startPeriod=2026-10-31&endPeriod=2026-11-01"))
    assert (reply.status, reply.content) == (200, b"")


@pytest.mark.parametrize("key", ["D.XXQ.EUR.SP00.A", "D.USD.GBP.SP00.A", "D.USD.EUR.EN00.A", "W.USD.EUR.SP00.A"])
def test_a_key_without_a_series_is_not_found(sdmx, key):
    reply = sdmx.get(data(key))
    assert (reply.status, reply.headers["content-type"]) == (404, "application/problem+json")
    problem = {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "No results found."}
    assert msgspec.json.decode(reply.content) == problem


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("updatedAfter=2026-01-01", "updatedAfter"),
        ("asOf=2026-01-01", "asOf"),
        ("includeHistory=true", "includeHistory"),
        ("c[CURRENCY]=USD", "c["),
        ("dimensionAtObservation=AllDimensions", "dimensionAtObservation"),
        ("detail=some", "some"),
        ("format=excel", "excel"),
        ("startPeriod=2026-13", "startPeriod"),
        ("endPeriod=yesterday", "endPeriod"),
        ("lastNObservations=0", "lastNObservations"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(sdmx, parameters, said):
    reply = sdmx.get(data("D.USD.EUR.SP00.A", parameters))
    assert reply.status == 400
    assert said in msgspec.json.decode(reply.content)["detail"]


def test_a_key_with_too_few_dimensions_is_refused_with_their_names(sdmx):
    reply = sdmx.get(data("D.USD.EUR"))
    assert reply.status == 400
    assert "FREQ.CURRENCY.CURRENCY_DENOM.EXR_TYPE.EXR_SUFFIX" in msgspec.json.decode(reply.content)["detail"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("parameters", "accept", "media_type"),
    [
        ("", "*/*", "application/vnd.sdmx.genericdata+xml;version=2.1"),
        ("", "", "application/vnd.sdmx.genericdata+xml;version=2.1"),
        ("", "text/csv", "text/csv"),
        ("", "application/json;q=0.5, application/vnd.sdmx.data+csv;version=1.0.0", "application/vnd.sdmx.data+csv"),
        ("", "application/vnd.sdmx.data+json;version=1.0.0-wd", "application/vnd.sdmx.data+json;version=1.0.0-wd"),
        (
            "",
            "application/vnd.sdmx.structurespecificdata+xml;version=2.1",
            "application/vnd.sdmx.structurespecificdata+xml;version=2.1",
        ),
        ("format=csvdata", "application/xml", "text/csv"),
        ("format=structurespecificdata", "*/*", "application/vnd.sdmx.structurespecificdata+xml"),
    ],
)
def test_the_format_is_chosen_by_the_parameter_or_by_accept(sdmx, parameters, accept, media_type):
    reply = sdmx.get(data("D.USD.EUR.SP00.A", f"lastNObservations=1&{parameters}"), headers={"Accept": accept})
    assert reply.status == 200
    assert reply.headers["content-type"].startswith(media_type)
    assert "Accept" in reply.headers["vary"].replace("Accept-Encoding", "")


def test_types_that_cannot_be_answered_are_refused(sdmx):
    reply = sdmx.get(data("D.USD.EUR.SP00.A"), headers={"Accept": "image/png"})
    assert reply.status == 400
    assert "image/png" in msgspec.json.decode(reply.content)["detail"]


SCHEMAS = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1"
URN = "urn:sdmx:org.sdmx.infomodel.datastructure.DataStructure=ECB:ECB_EXR1(1.0)"
SPECIFIC_URN = f"{URN}:ObsLevelDim:TIME_PERIOD"
NAMESPACE = f' namespace="{SPECIFIC_URN}"'


def head(more=""):
    return (
        "<message:Header><message:ID>ID</message:ID><message:Test>false</message:Test>"
        '<message:Prepared>2026-11-20T12:00:00.000+00:00</message:Prepared><message:Sender id="CAMBIST"/>'
        f'<message:Structure structureID="ECB_EXR1" dimensionAtObservation="TIME_PERIOD"{more}>'
        f"<common:Structure><URN>{URN}</URN></common:Structure></message:Structure></message:Header>"
    )


def without_id(reply):
    return re.sub("<message:ID>[^<]+<", "<message:ID>ID<", reply.text)


GENERIC_MESSAGE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<message:GenericData xmlns:message="{SCHEMAS}/message" xmlns:common="{SCHEMAS}/common" '
    f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:generic="{SCHEMAS}/data/generic">{head()}'
    '<message:DataSet action="Replace" validFromDate="2026-11-20T12:00:00.000+00:00" structureRef="ECB_EXR1">'
    '<generic:Series><generic:SeriesKey><generic:Value id="FREQ" value="D"/><generic:Value id="CURRENCY" value="GBP"/>'
    '<generic:Value id="CURRENCY_DENOM" value="EUR"/><generic:Value id="EXR_TYPE" value="SP00"/>'
    '<generic:Value id="EXR_SUFFIX" value="A"/></generic:SeriesKey><generic:Attributes>'
    '<generic:Value id="TIME_FORMAT" value="P1D"/><generic:Value id="COLLECTION" value="A"/>'
    '<generic:Value id="DECIMALS" value="10"/><generic:Value id="TITLE" value="British Pound/Euro"/>'
    '<generic:Value id="TITLE_COMPL" value="Rate of Cambist from several sources, British Pound/Euro"/>'
    '<generic:Value id="UNIT" value="GBP"/><generic:Value id="UNIT_MULT" value="0"/></generic:Attributes>'
    '<generic:Obs><generic:ObsDimension value="2026-10-30"/><generic:ObsValue value="0.8338"/><generic:Attributes>'
    '<generic:Value id="OBS_STATUS" value="A"/><generic:Value id="OBS_CONF" value="F"/></generic:Attributes>'
    "</generic:Obs></generic:Series></message:DataSet></message:GenericData>\n"
)

SPECIFIC_MESSAGE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<message:StructureSpecificData xmlns:message="{SCHEMAS}/message" xmlns:common="{SCHEMAS}/common" '
    f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:data="{SCHEMAS}/data/structurespecific" '
    f'xmlns:ecb_exr1="{SPECIFIC_URN}">{head(NAMESPACE)}'
    '<message:DataSet data:action="Replace" data:validFromDate="2026-11-20T12:00:00.000+00:00" '
    'data:structureRef="ECB_EXR1" data:dataScope="DataStructure" xsi:type="ecb_exr1:DataSetType">'
    '<Series FREQ="D" CURRENCY="GBP" CURRENCY_DENOM="EUR" EXR_TYPE="SP00" EXR_SUFFIX="A">'
    '<Obs TIME_PERIOD="2026-10-29" OBS_VALUE="0.83578"/><Obs TIME_PERIOD="2026-10-30" OBS_VALUE="0.8338"/>'
    "</Series></message:DataSet></message:StructureSpecificData>\n"
)


def test_generic_xml_is_written_as_the_ecb_writes_it(sdmx):
    reply = sdmx.get(data("D.GBP.EUR.SP00.A", "lastNObservations=1"))
    assert without_id(reply) == GENERIC_MESSAGE
    parsed(reply)


def test_specific_xml_is_written_as_the_ecb_writes_it(sdmx):
    reply = sdmx.get(data("D.GBP.EUR.SP00.A", "lastNObservations=2&format=structurespecificdata&detail=dataonly"))
    assert without_id(reply) == SPECIFIC_MESSAGE
    parsed(reply)


def test_json_has_the_same_observations(sdmx):
    body = msgspec.json.decode(sdmx.get(data("D.GBP+USD.EUR.SP00.A", "lastNObservations=1&format=jsondata")).content)
    series = body["dataSets"][0]["series"]
    assert {key: one["observations"] for key, one in series.items()} == {
        "0:0:0:0:0": {"0": [0.8338, 0, 0]},
        "0:1:0:0:0": {"0": [1.1172, 0, 0]},
    }
    currency = body["structure"]["dimensions"]["series"][1]
    assert [value["id"] for value in currency["values"]] == ["GBP", "USD"]


@pytest.mark.long
def test_too_many_observations_for_xml_are_refused(sdmx):
    reply = sdmx.get(data("D..EUR.SP00.A"))
    assert reply.status == 400
    assert "CSV" in msgspec.json.decode(reply.content)["detail"]


@pytest.mark.parametrize("detail", ["serieskeysonly", "nodata"])
def test_series_can_be_listed_without_observations(sdmx, detail):
    root = parsed(sdmx.get(data(".USD...", f"detail={detail}")))
    assert len(list(root.iter(f"{GENERIC}Series"))) == 5
    assert not list(root.iter(f"{GENERIC}Obs"))
    keys = rows(sdmx.get(data(".USD...", f"detail={detail}&format=csvdata")))
    assert [row["KEY"] for row in keys] == [f"EXR.{freq}.USD.EUR.SP00.A" for freq in "DMQHA"]
    every = sdmx.get(f"/service/data/EXR?detail={detail}")
    assert len(list(parsed(every).iter(f"{GENERIC}Series"))) == 5 * 41
    assert every.headers["x-calls-cost"] == "1"


def test_the_dataflow_comes_with_everything_that_it_refers_to(sdmx):
    root = parsed(sdmx.get("/service/dataflow/ECB/EXR/latest?references=all"))
    for kind in ("Dataflow", "DataStructure", "ConceptScheme"):
        assert len(list(root.iter(f"{STRUCTURE}{kind}"))) == 1, kind
    codelists = {each.get("id"): each for each in root.iter(f"{STRUCTURE}Codelist")}
    referred = {each.get("id") for each in root.iter("Ref") if each.get("class") == "Codelist"}
    assert referred == set(codelists)
    concepts = {each.get("id") for each in root.iter(f"{STRUCTURE}Concept")}
    assert {each.get("id") for each in root.iter("Ref") if each.get("class") == "Concept"} == concepts


def test_structures_can_be_asked_for_alone(sdmx):
    alone = parsed(sdmx.get("/service/datastructure/ECB/ECB_EXR1"))
    assert [each.tag for each in alone[1]] == [f"{STRUCTURE}DataStructures"]
    currencies = parsed(sdmx.get("/service/codelist/ECB/CL_CURRENCY/latest"))
    assert {"EUR", "USD", "AED"} <= {each.get("id") for each in currencies.iter(f"{STRUCTURE}Code")}
    assert sdmx.get("/service/codelist/ECB/CL_NOTHING").status == 404
    assert sdmx.get("/service/data/BSI/M.U2").status == 404


def test_csv_is_cached_by_clients_and_costs_a_call_for_each_currency(sdmx):
    target = data("D.USD+GBP.EUR.SP00.A", "format=csvdata&lastNObservations=1")
    first = sdmx.get(target)
    assert first.headers["x-calls-cost"] == "2"
    again = sdmx.get(target, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.headers["x-calls-cost"]) == (304, "0")


def test_the_plan_must_include_the_first_day_of_the_answer(make_client, key):
    plans = read_plans(default_plans() + "\n[recent]\ntags = ['currency']\nhistory_days = 60\n", "plans.toml")
    keys = {digest(key): StoredKey(1, Account(1, "a", "recent"))}
    limited = make_client(dialects=(dialect,), plans=plans, stored_keys=keys)
    assert limited.get(data("D.USD.EUR.SP00.A", "format=csvdata")).status == 403
    assert limited.get(data("D.USD.EUR.SP00.A", "format=csvdata&lastNObservations=1")).status == 200


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded files are not here")
def test_made_from_the_fixings_of_the_ecb_the_series_are_its_own(sdmx):
    recorded = list(csv.DictReader((RECORDED / "ecb_recent_01.csv").read_text(encoding="utf-8").splitlines()))
    reply = sdmx.get(data("D..EUR.SP00.A", "format=csvdata&startPeriod=2026-02-17&endPeriod=2026-03-18"))
    ours = {(row["CURRENCY"], row["TIME_PERIOD"]): row["OBS_VALUE"] for row in rows(reply)}
    assert ours == {(row["CURRENCY"], row["TIME_PERIOD"]): row["OBS_VALUE"] for row in recorded}
