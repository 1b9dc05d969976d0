"""The documentation matches the code: nothing is undocumented, and nothing documented is missing."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from cambist.accounts.plan import Plan
from cambist.api import errors
from cambist.api.docs.openapi import openapi_document
from cambist.cli.main import app
from cambist.registry.wiring.components import endpoints, posted_endpoints
from cambist.settings import PREFIX, Settings, setting_descriptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TABLES = [sys.executable, str(ROOT / "tools" / "write_tables.py"), "--check"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
GUIDES = sorted((DOCS / "guides").glob("*.md"))
IN_A_BROWSER = {"page", "console", "command-line"}
"""Guides that begin with what one sees, not with a command to copy."""
LONGEST_README = 150
"""Lines of the README."""
LONGEST_CHANGE = 200
"""Characters of a line of the changelog."""
ADRS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", text, flags=re.MULTILINE)


@pytest.mark.long
def test_the_generated_tables_are_up_to_date():
    checked = subprocess.run(TABLES, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("reference/endpoints", "| `/convert` |"),
        ("reference/settings", "| `stream_port` |"),
        ("reference/commands", "| `--anchor-day` |"),
        ("reference/endpoints", "| Convert an amount |"),
        ("../README", "| `/convert`, random |"),
    ],
)
def test_a_row_missing_from_a_generated_table_is_reported_with_its_page(tmp_path, name, row):
    lines = page(name).splitlines(keepends=True)
    shortened = tmp_path / "page.md"
    shortened.write_text("".join(line for line in lines if not line.startswith(row)), encoding="utf-8")
    assert len(shortened.read_text(encoding="utf-8").splitlines()) < len(lines)
    checked = subprocess.run([*TABLES, str(shortened)], capture_output=True, text=True, check=False)
    assert checked.returncode == 1
    assert str(shortened) in checked.stderr


def test_every_setting_is_documented_with_its_variable_and_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page("reference/settings"), flags=re.MULTILINE))
    assert rows == {name: PREFIX + name.upper() for name in setting_descriptions()}
    for name in ("host", "port", "workers", "threads", "log_level"):
        assert f"| `{PREFIX}{name.upper()}` | `{getattr(Settings(), name)}` |" in page("reference/settings")


def test_every_command_is_documented():
    commands = set(typer.main.get_command(app).commands)
    rows = re.findall(r"^\| \[`cambist ([a-z]+)", page("reference/commands"), flags=re.MULTILINE)
    assert set(rows) == commands


def test_every_endpoint_is_documented():
    paths = [endpoint.path for endpoint in [*endpoints(), *posted_endpoints()]]
    text = page("reference/endpoints")
    assert first_cells(text) == paths
    assert re.findall(r"^\| [^`|]+ \| `(?:POST )?([^`?]+)(?:\?[^`]*)?` \|$", text, flags=re.MULTILINE) == paths


def test_the_readme_shows_the_page_first_and_is_short():
    readme = page("../README")
    assert len(readme.splitlines()) < LONGEST_README
    assert readme.index("](docs/screenshots/") < readme.index("\n## ")


def test_every_field_of_a_plan_is_documented():
    documented = set(re.findall(r"`(\w+)`", "".join(first_column(page("reference/plans")))))
    assert set(Plan.__struct_fields__) - {"name"} <= documented


def first_column(text: str) -> list[str]:
    return re.findall(r"^\|([^|]+)\|", text, flags=re.MULTILINE)


def test_every_metric_is_documented():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = {name for name in re.findall(r'"(cambist_[a-z_]+)"', sources) if not name.endswith("_")}
    documented = {name.removesuffix("_total") for name in first_cells(page("reference/metrics"))}
    assert named <= documented


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_a_guide_begins_with_a_sentence_and_a_command(path):
    beginning = path.read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.match(r"# .+\n\n(?!```)[^#<|\n]", beginning)
    assert "```" in beginning or path.stem in IN_A_BROWSER


def test_every_page_of_the_site_is_in_its_navigation():
    navigation = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(navigation) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def test_the_site_loads_nothing_from_other_hosts():
    configured = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in configured
    assert "http" not in configured
    for diagram in (DOCS / "diagrams").glob("*.svg"):
        drawn = diagram.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http" not in drawn, diagram.name


@pytest.mark.long
@pytest.mark.skipif(not find_spec("zensical"), reason="the tools of `make docs` are not installed")
def test_the_site_is_built_without_warnings_and_loads_nothing_from_elsewhere(tmp_path):
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    loaded = r"<(?:script|img|iframe)[^>]* src=\"?https?:|<link[^>]* rel=\"?(?:stylesheet|preconnect)[^>]*https?:"
    for html in pages:
        assert not re.search(loaded, html.read_text(encoding="utf-8")), html.name


def test_every_error_code_is_documented_with_its_status():
    documented = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", page("reference/errors"), flags=re.MULTILINE)
    known = {*errors.PROBLEMS.values(), *errors.FRAMEWORK_PROBLEMS}
    assert sorted((int(status), code) for status, code in documented) == sorted(known)


def test_the_openapi_document_lists_every_error_code():
    codes = openapi_document(endpoints())["components"]["schemas"]["Error"]["properties"]["code"]["enum"]
    known = {problem.code for problem in (*errors.PROBLEMS.values(), *errors.FRAMEWORK_PROBLEMS)}
    assert set(codes) == known


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_are_valid(path):
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


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_can_be_pasted_as_they_stand(path):
    blocks = re.findall(r"^```console\n(.*?)^```", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert [found for block in blocks for found in re.findall(r"<[A-Za-z][^<>\n]*>", block)] == []


def test_every_make_target_of_the_readme_and_contributing_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for path in DOCUMENTS:
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
        assert named <= targets, path.name


def test_the_changelog_has_each_section_once_in_order_and_no_entry_twice():
    for version in page("../CHANGELOG").split("\n## ")[1:]:
        sections = re.findall(r"^### (.+)$", version, flags=re.MULTILINE)
        assert sections == [
            name for name in ("Upgrade notes", "Added", "Changed", "Fixed", "Security") if name in sections
        ]
        entries = re.findall(r"^- .+$", version, flags=re.MULTILINE)
        assert len(entries) == len(set(entries))


def test_each_change_is_one_short_line_of_the_changelog():
    lines = page("../CHANGELOG").splitlines()
    assert [line for line in lines if len(line) > LONGEST_CHANGE or line.startswith(" ")] == []
