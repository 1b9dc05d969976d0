"""The documents are held to the code: what is not documented is red, and so is what is documented but not there."""

import re
from pathlib import Path

import pytest
import typer

from cambist.app.parts import endpoints
from cambist.cli.main import app
from cambist.server import problems
from cambist.server.openapi import document
from cambist.settings import PREFIX, Settings, described

ROOT = Path(__file__).parents[2]
OPERATING = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ADRS = sorted((ROOT / "docs" / "adr").glob("*.md"))


def section(title: str) -> str:
    return OPERATING.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", text, flags=re.MULTILINE)


def test_every_setting_is_documented_with_its_variable_and_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", section("Settings"), flags=re.MULTILINE))
    assert rows == {name: PREFIX + name.upper() for name in described()}
    for name in ("host", "port", "workers", "threads", "log_level"):
        assert f"| `{PREFIX}{name.upper()}` | `{getattr(Settings(), name)}` |" in OPERATING


def test_every_command_is_documented():
    commands = set(typer.main.get_command(app).commands)
    assert {cell.split()[1] for cell in first_cells(section("Commands"))} == commands


def test_every_endpoint_is_documented():
    paths = set(re.findall(r"`(/[a-z/-]+)`", section("Endpoints")))
    assert {endpoint.path for endpoint in endpoints()} <= paths
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"`{endpoint.path}" in readme for endpoint in endpoints())


def test_every_error_code_is_documented_with_its_status():
    documented = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", section("Errors"), flags=re.MULTILINE)
    known = {*problems.PROBLEMS.values(), *problems.OF_THE_FRAMEWORK}
    assert sorted((int(status), code) for status, code in documented) == sorted(known)


def test_the_openapi_document_knows_every_error_code():
    codes = document(endpoints())["components"]["schemas"]["Error"]["properties"]["code"]["enum"]
    known = {problem.code for problem in (*problems.PROBLEMS.values(), *problems.OF_THE_FRAMEWORK)}
    assert set(codes) == known


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_adrs_are_numbered_without_gaps_and_have_all_their_parts():
    assert [int(path.name[:4]) for path in ADRS] == list(range(1, len(ADRS) + 1))
    for path in ADRS:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {int(path.name[:4])}. ")
        for part in ("**Context.**", "**Decision.**", "**Consequences.**", "**Alternatives.**"):
            assert part in text, f"{path.name} has no {part}"


def test_the_code_cites_only_adrs_that_exist():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert {int(number) for number in re.findall(r"\(ADR (\d+)\)", sources)} <= set(range(1, len(ADRS) + 1))


def test_every_make_target_of_the_readme_and_contributing_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for path in DOCUMENTS:
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
        assert named <= targets, path.name
