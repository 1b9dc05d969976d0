"""The messages of the dialect `sdmx` are valid by the schemas of SDMX-ML 2.1 and SDMX-JSON 1.0."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cambist.api.faces.dialects.ecb_sdmx import dialect

SCRIPT = Path(__file__).parent / "scripts" / "check_sdmx.py"
SOME = "/service/data/EXR/D+M.USD+GBP.EUR.SP00.A?startPeriod=2026-08"
MESSAGES = {
    "generic.xml": SOME,
    "data_only.xml": f"{SOME}&detail=dataonly",
    "without_observations.xml": "/service/data/EXR/D.USD.EUR.SP00.A?startPeriod=2026-10-31&endPeriod=2026-11-01",
    "keys.xml": "/service/data/EXR?detail=serieskeysonly",
    "without_data.xml": "/service/data/EXR?detail=nodata",
    "everything.xml": "/service/dataflow/ECB/EXR?references=all",
    "structure.xml": "/service/datastructure/ECB/ECB_EXR1",
    "codelists.xml": "/service/codelist/ECB/all",
    "concepts.xml": "/service/conceptscheme/ECB/all",
    "values.json": f"{SOME}&format=jsondata",
    "keys.json": "/service/data/EXR?detail=serieskeysonly&format=jsondata",
}


@pytest.fixture
def messages(make_client, tmp_path):
    client = make_client(dialects=(dialect,))
    for name, target in MESSAGES.items():
        reply = client.get(target)
        assert reply.status == 200, reply.text
        (tmp_path / name).write_bytes(reply.content)
    return tmp_path


def checked(python, *files):
    command = [python, str(SCRIPT), *map(str, files)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.long
def test_every_message_is_valid(programs_python, messages):
    files = sorted(messages.iterdir())
    assert checked(programs_python, *files) == {file.name: [] for file in files}


def test_a_message_with_a_fault_is_not(programs_python, tmp_path):
    wrong = tmp_path / "wrong.xml"
    message = '<m:Error xmlns:m="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"><m:Text/></m:Error>'
    wrong.write_text(message)
    assert checked(programs_python, wrong)["wrong.xml"]
