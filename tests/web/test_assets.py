"""The files of the page: named by a hash, compressed, and complete."""

from __future__ import annotations

import gzip
import posixpath
import re
from collections.abc import Mapping

import pytest

from cambist.web import assets
from cambist.web.assets import Asset, load_assets
from cambist.web.reference_data import COINS_PATH, REFERENCE_PATH, coins_json, reference_json

FOLDERS = ("lib", "style", "page")


def test_the_files_of_the_chosen_folders_are_read_with_their_types() -> None:
    files = load_assets(FOLDERS).files
    assert files["lib/dom.js"].content_type == "text/javascript; charset=utf-8"
    assert files["style/base.css"].content_type == "text/css; charset=utf-8"
    assert {path.split("/")[0] for path in files} == set(FOLDERS)
    assert all(gzip.decompress(file.compressed) == file.content for file in files.values())


def test_the_hash_changes_with_any_content_and_any_path() -> None:
    digests = [
        load_assets((), built).digest
        for built in ({"a.js": b"1"}, {"a.js": b"2"}, {"b.js": b"1"}, {"a.js": b"1", "b.js": b""}, {"a.js": b"1"})
    ]
    assert len(set(digests)) == 4
    assert digests[0] == digests[-1]


def test_a_folder_that_is_not_there_has_no_files() -> None:
    assert load_assets(("nowhere",)).files == {}


def test_scripts_never_parse_text_as_html_and_store_nothing_but_a_key_that_may_be_kept() -> None:
    files = load_assets(FOLDERS).files
    forbidden = re.compile(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
        rb"|localStorage|sessionStorage|indexedDB|document\.cookie"
    )
    found = {path: forbidden.findall(file.content) for path, file in files.items() if path.endswith(".js")}
    # What a visitor lets the tab keep: it is written, read, and removed.
    assert {path: words for path, words in found.items() if words} == {"lib/api.js": [b"sessionStorage"] * 3}


def test_scripts_are_sent_without_the_comments_on_lines_of_their_own(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "static" / "lib"
    folder.mkdir(parents=True)
    (folder / "a.js").write_text('/** A\n * b */\nconst a = "/** c */"; // d\n  // e\n  const f = `g // h`;\n')
    monkeypatch.setattr(assets.resources, "files", lambda _package: tmp_path)
    assert load_assets(["lib"]).files["lib/a.js"].content == b'const a = "/** c */"; // d\n  const f = `g // h`;\n'


def test_documents_have_no_inline_script_and_no_inline_style() -> None:
    for path, file in load_assets(("page", "console")).files.items():
        if path.endswith(".html"):
            text = file.content.decode()
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text), path


STATIC = re.compile(r'(?:from|import)\s*"(\.[^"]+)"')
ON_DEMAND = re.compile(r'import\("(\.[^"]+)"\)')


def named(files: Mapping[str, Asset], module: str, pattern: re.Pattern[str]) -> list[str]:
    """Return the modules that a module names in imports of one kind."""
    names = pattern.findall(files[module].content.decode())
    return [posixpath.normpath(posixpath.join(posixpath.dirname(module), name)) for name in names]


def reachable(files: Mapping[str, Asset], *paths: str) -> set[str]:
    """Return modules and all that they import statically, directly or not: what a browser loads before it runs them."""
    found, todo = set(), [*paths]
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += named(files, module, STATIC)
    return found


def on_demand(files: Mapping[str, Asset], loaded: set[str]) -> set[str]:
    """Return what loaded modules load later, when somebody asks for it, beyond what is there already."""
    scripts = [path for path in loaded if path.endswith(".js")]
    return reachable(files, *(name for path in scripts for name in named(files, path, ON_DEMAND))) - loaded


FILES = load_assets(FOLDERS, {REFERENCE_PATH: reference_json(), COINS_PATH: coins_json()}).files
VIEWS = re.findall(r'name: "(\w+)".*?styled: (true|"\w+")?', FILES["page/views.js"].content.decode())
FRAME = {"page/index.html", "page/icon.svg", "page/page.css", "style/base.css", REFERENCE_PATH}


@pytest.mark.parametrize(("view", "styled"), VIEWS)
def test_a_view_has_at_most_60_kb_and_what_it_loads_on_demand_12_kb(view: str, styled: str) -> None:
    """The 60 kB are all that a view waits for: what it imports statically, the frame, its styles and its tables.

    What it loads when somebody asks for it, with `import()`, is bounded on its own.
    """
    paths = FRAME | reachable(FILES, "page/app.js") | reachable(FILES, f"page/views/{view}.js")
    if view in ("convert", "board"):
        paths.add(COINS_PATH)
    if styled:
        paths.add(f"page/views/{view if styled == 'true' else styled.strip(chr(34))}.css")
    assert sum(len(FILES[path].compressed) for path in paths) <= 60_000
    assert sum(len(FILES[path].compressed) for path in on_demand(FILES, paths)) <= 12_000


def test_the_reference_has_at_most_60_kb_beside_the_openapi_document() -> None:
    """It loads no tables; the document itself has less than 40 kB."""
    paths = {"page/docs.html", "page/icon.svg", "page/page.css", "style/base.css", "page/views/try.css"}
    paths |= reachable(FILES, "page/docs.js")
    assert "lib/reference.js" not in paths
    assert sum(len(FILES[path].compressed) for path in paths) <= 60_000
