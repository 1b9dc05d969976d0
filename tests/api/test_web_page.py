"""The page over HTTP: what browsers get, what other clients get, and the headers that protect it."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest

from cambist.api.docs.web_page import PageOptions, page_policy
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Host": "rates.example:8000"}


@pytest.fixture
def browser(make_client):
    return make_client(page=PageOptions(mode="keyed", stream_port=8001))


def asset_path(document: str, name: str) -> str:
    return "/" + re.search(rf'"([^"]*{name})"', document)[1]


def test_browsers_get_the_document_without_a_key(browser):
    reply = browser.get("/", key=None, headers=HTML)
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/html")
    assert reply.headers["cache-control"] == "no-cache"
    assert "<title>Cambist</title>" in reply.text


@pytest.mark.parametrize("accept", [None, "*/*", "application/json"])
def test_other_clients_get_at_the_root_what_they_get_without_a_page(browser, client, accept):
    headers = {"Accept": accept} if accept else {}
    with_page, without = (one.get("/", headers=headers) for one in (browser, client))
    assert with_page.status == without.status == 404
    assert with_page.content == without.content


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_page_refuses_other_methods_and_without_one_its_path_is_unknown(browser, client, method):
    with_page, without = (one.request(method, "/", headers=HTML) for one in (browser, client))
    assert (with_page.status, with_page.json["code"]) == (405, "wrong_method")
    assert (without.status, without.json["code"]) == (404, "unknown_path")


def test_what_is_allowed_is_answered_as_without_a_page(browser, client):
    with_page, without = (one.request("OPTIONS", "/", headers=HTML) for one in (browser, client))
    assert (with_page.status, with_page.content) == (without.status, without.content)


def test_a_page_that_is_off_is_nowhere(client):
    assert client.get("/", key=None, headers=HTML).status == 404
    assert client.get("/page/config.json", key=None).json["code"] == "unknown_path"


def test_files_are_immutable_and_compressed_for_those_who_accept_it(browser):
    path = asset_path(browser.get("/", key=None, headers=HTML).text, "app.js")
    plain = browser.get(path, key=None)
    packed = browser.get(path, key=None, headers={"Accept-Encoding": "gzip"})
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert "Accept-Encoding" in plain.headers["vary"]


@pytest.mark.parametrize("path", ["/page/0123/page/app.js", "/page/app.js", "/page"])
def test_files_of_another_version_are_not_found(browser, path):
    assert browser.get(path, key=None).json["code"] == "unknown_path"


@pytest.mark.parametrize("name", ["../settings.py", "console/index.html", "page/../page/app.js", "", "page/"])
def test_nothing_else_of_the_package_is_served(browser, name):
    root = asset_path(browser.get("/", key=None, headers=HTML).text, "page/app.js").removesuffix("page/app.js")
    assert browser.get(root + name, key=None).status == 404


def test_everything_that_the_document_names_is_served(browser):
    document = browser.get("/", key=None, headers=HTML).text
    names = [name for name in re.findall(r'(?:src|href)="([^"]+)"', document) if name != "docs"]
    assert len(names) == 5
    assert {browser.get(f"/{name}", key=None).status for name in names} == {200}


def test_a_shared_link_names_the_picture_by_the_address_that_was_asked(make_client):
    for secure, prefix, begin in (
        (False, "", "http://rates.example/page/"),
        (True, "/fx", "https://rates.example/fx/page/"),
    ):
        client = make_client(page=PageOptions(mode="keyed", is_secure=secure, path_prefix=prefix))
        document = client.get("/", key=None, headers=HTML | {"Host": "rates.example"}).text
        found = re.search(r'property="og:image" content="([^"]+)"', document)
        assert found is not None
        assert found[1].startswith(begin)
        assert found[1].endswith("/page/touch.png")
    odd = client.get("/", key=None, headers=HTML | {"Host": 'a"><b'})
    assert 'a"><b' not in odd.text


def test_the_configuration_says_what_the_page_must_know(make_client):
    options = PageOptions(mode="keyed", environment="sandbox", stream_port=8001, is_secure=True)
    config = make_client(page=options).get("/page/config.json", key=None, headers=HTML)
    assert config.headers["cache-control"] == "no-store"
    version = config.json.pop("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", version)
    assert config.json == {
        "mode": "keyed",
        "environment": "sandbox",
        "stream_url": "wss://rates.example:8001",
        "version": version,
        "notice": "",
    }


def test_the_policy_allows_files_of_the_page_and_its_stream_and_nothing_inline(browser):
    headers = browser.get("/", key=None, headers=HTML).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["connect-src"] == "'self' ws://rates.example:8001"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("options", "host", "address"),
    [
        (PageOptions(stream_port=8001), "[::1]:8000", "ws://[::1]:8001"),
        (PageOptions(stream_port=8001), "rates.example", "ws://rates.example:8001"),
        (PageOptions(stream_port=8001, stream_url="wss://s.example/prices"), "x", "wss://s.example/prices"),
        (PageOptions(stream_port=0), "rates.example", ""),
        (PageOptions(stream_port=8001), "evil.example; script-src *", ""),
        (PageOptions(stream_port=8001), "", ""),
    ],
)
def test_the_address_of_the_stream(options, host, address):
    assert options.stream_address(host) == address
    policy = page_policy(options.stream_address(host))
    assert policy.count("script-src") == 1
    assert f"connect-src 'self'{' ' + address.removesuffix('/prices') if address else ''};" in policy


def test_links_are_absolute_under_a_prefix(make_client):
    client = make_client(path_prefix="/rates/v1", page=PageOptions(mode="keyed", path_prefix="/rates/v1"))
    for path in ("/rates/v1", "/rates/v1/", "/"):
        document = client.get(path, key=None, headers=HTML).text
        source = re.search(r'src="([^"]+app\.js)"', document)[1]
        assert source.startswith("/rates/v1/page/")
        assert client.get(source, key=None).status == 200


def test_the_reference_says_in_a_sandbox_that_prices_are_simulated(make_client):
    simulated, real = make_client(environment="sandbox"), make_client()
    assert "All prices of this service are simulated" in simulated.get("/docs", key=None).text
    assert "simulated" not in real.get("/docs", key=None).text


@pytest.mark.parametrize("path", ["/docs", "/docs/"])
def test_the_reference_is_there_without_a_page(client, path):
    document = client.get(path, key=None, headers=HTML).text
    names = re.findall(r'(?:src|href)="([^"]+)"', document)
    assert any(name.endswith("page/docs.js") for name in names)
    for name in names:
        assert client.get(urljoin(path, name), key=None).status == 200
    assert client.get("/docs/config.json", key=None).json["mode"] == "off"


def test_the_reference_works_under_a_prefix_that_a_proxy_strips(make_client):
    """Its links are relative: only the browser knows the whole address."""
    client = make_client(path_prefix="/rates/v1")
    for path in ("/rates/v1/docs", "/rates/v1/docs/", "/docs", "/docs/"):
        document = client.get(path, key=None, headers=HTML).text
        for name in re.findall(r'(?:src|href)="([^"]+)"', document):
            assert not name.startswith("/")
            assert client.get(urljoin(path, name), key=None).status == 200


def test_the_reference_knows_the_mode_and_the_dialects(make_client):
    chosen = dialects(Settings(dialects="fixer"))
    client = make_client(page=PageOptions(mode="open"), dialects=chosen, environment="sandbox")
    config = client.get("/docs/config.json", key=None).json
    assert (config["mode"], config["environment"]) == ("open", "sandbox")
    (fixer,) = config["dialects"]
    assert fixer["title"].startswith("Fixer")
    assert (Path(__file__).parents[2] / fixer["guide"]).is_file()
    assert {"path": "/fixer/latest", "parameters": ["base", "symbols"]} in fixer["paths"]
    assert "access_key" in fixer["key_parameters"]


def test_the_openapi_document_is_compressed_for_those_who_accept_it(client):
    plain = client.get("/openapi.json", key=None)
    packed = client.get("/openapi.json", key=None, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < 40_000
    assert "Accept-Encoding" in plain.headers["vary"]
