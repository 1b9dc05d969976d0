"""Every HTML page that is served has a content security policy, and cannot be framed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.conftest import Client

from cambist.api.docs.web_page import PageOptions
from cambist.api.faces.dialects import DIALECTS as NAMES
from cambist.registry.wiring.components import dialects, endpoints
from cambist.settings import Settings

DIALECTS = dialects(Settings(dialects=",".join(NAMES)))
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def served(make_client: Callable[..., Client]) -> Client:
    """A client of a service with the page and every dialect."""
    return make_client(page=PageOptions(mode="keyed", stream_port=8001), dialects=DIALECTS)


def directives(policy: str) -> dict[str, str]:
    return dict(part.strip().split(" ", 1) for part in policy.split(";"))


def test_every_html_page_is_protected(served: Client) -> None:
    """The pages are found by asking every path, working and broken, as a browser does."""
    paths = [
        "/",
        "/docs",
        "/docs/",
        "/openapi.json",
        "/nowhere",
        "/docs/none",
        "/docs/config.json",
        "/mcp",
        "/receipts",
        "/page/config.json",
    ]
    paths += [one.path for one in endpoints()]
    paths += [re.sub(r"{[^}]+}", "x", route.template) for one in DIALECTS for route in one.routes]
    pages = 0
    for path in paths:
        for target in (path, f"{path}/x"):
            reply = served.get(target, key=None, headers=HTML)
            if not reply.headers.get("content-type", "").startswith("text/html"):
                continue
            pages += 1
            policy = directives(reply.headers["content-security-policy"])
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'", target
            assert "unsafe" not in policy.get("script-src", ""), target
            assert reply.headers["x-frame-options"] == "DENY", target
            assert reply.headers["x-content-type-options"] == "nosniff", target
            assert reply.headers["cross-origin-opener-policy"] == "same-origin", target
    assert pages >= 4  # the page, the reference with and without a slash, errors of a dialect


def test_the_reference_has_no_script_within_it(served: Client) -> None:
    page = served.get("/docs", key=None, headers=HTML)
    policy = directives(page.headers["content-security-policy"])
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert not re.search(r"<script>|<script [^>]*>[^<]|<style| style=| on[a-z]+=|javascript:", page.text)
    sources = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(sources) == 6
    for source in sources:
        assert served.get(f"/{source}", key=None).status == 200
