"""The search of the documentation site, asked in a browser in the words of users, finds the right page first."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
NOTHING = "qqqqqqqqqqqqqqqqqqqq"
"""A word that no page has, nor one like it."""

FIRST = {
    "monthly average": "guides/accounting.html",
    "mark-up": "guides/price-list.html",
    "last working day": "guides/accounting.html",
    "per gram": "guides/jeweller.html",
    "refund": "guides/price-list.html",
    "JPY decimals": "reference/requests.html",
    "rate of the customs": "guides/accounting.html",
    "which source": "guides/trace.html",
    "how old": "guides/trace.html",
    "Excel": "guides/spreadsheets.html",
    "without internet": "guides/run.html",
    "VAT": "guides/accounting.html",
    "gold 18 carat": "guides/jeweller.html",
    "key lost": "guides/accounts.html",
    "quota": "guides/accounts.html",
    "reproduce": "guides/editions.html",
    "webhook": "guides/alerts.html",
    "stream": "guides/stream.html",
    "weekend": "reference/freshness.html",
    "history before 1999": "guides/sources.html",
    "bitcoin": "guides/wallet.html",
    "backup": "guides/backup.html",
    "upgrade": "guides/run.html",
    "price list": "guides/price-list.html",
}
"""The page that has to be first for what a user types."""


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files without a log."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the built site, on loopback."""
    if not find_spec("zensical"):
        pytest.skip("the tools of `make docs` are not installed")
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    handler = partial(QuietHandler, directory=str(folder / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def search(browser: Browser, site: str) -> Iterator[Callable[[str], list[str]]]:
    """Type words into the search of the site; return the pages that it shows, best first."""
    page = browser.new_page()
    page.goto(f"{site}index.html")
    page.locator(".md-search__button").click()
    box, results = page.get_by_role("combobox"), page.locator("[role=listbox] a")

    def ask(words: str) -> list[str]:
        box.fill(NOTHING)
        expect(results).to_have_count(0)
        box.fill(words)
        expect(results.first, f"nothing is found for {words}").to_be_attached()
        shown = [link.get_attribute("href") or "" for link in results.all()]
        return [re.sub(r"[?#].*", "", target).removeprefix(site) for target in shown]

    yield ask
    page.close()


@pytest.mark.parametrize(("words", "first"), FIRST.items())
def test_the_right_page_is_first(search: Callable[[str], list[str]], words: str, first: str) -> None:
    assert search(words)[0] == first


def test_each_question_finds_the_index_of_questions(search: Callable[[str], list[str]]) -> None:
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\| ([^|]+\?[^|]*) \|", text, re.MULTILINE)
    assert len(questions) > 40
    assert [question for question in questions if "questions.html" not in search(question)] == []
