"""The files of the page: named by a hash, compressed, and complete."""

from __future__ import annotations

import gzip
import re

from cambist.web.assets import load_assets

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


def test_scripts_never_parse_text_as_html_and_never_store_anything() -> None:
    files = load_assets(FOLDERS).files
    forbidden = re.compile(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
        rb"|localStorage|sessionStorage|indexedDB|document\.cookie"
    )
    found = {path: forbidden.findall(file.content) for path, file in files.items() if path.endswith(".js")}
    assert {path: words for path, words in found.items() if words} == {}


def test_documents_have_no_inline_script_and_no_inline_style() -> None:
    for path, file in load_assets(("page", "console")).files.items():
        if path.endswith(".html"):
            text = file.content.decode()
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text), path
