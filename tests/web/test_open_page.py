"""A page that is open: visitors need no key, for calls and for the stream, and one account pays."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, expect
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, environment
from tests.web.sandbox import PageService, serving_page
from websockets.sync.client import connect

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture(scope="module")
def open_service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageService]:
    assert browser
    folder = tmp_path_factory.mktemp("open")
    create = [COMMAND, "account", "create", "visitors", "--plan", "premium", "--data", str(folder / "data")]
    with serving_page(folder, page="open", page_account="visitors") as service:
        assert "[visitors], which does not exist" in service.log.read_text()
        subprocess.run(create, env=environment(), capture_output=True, check=True, timeout=PATIENCE)
        yield service


def test_visitors_convert_without_a_key_and_the_account_pays(open_service, page):
    page.goto(f"{open_service.url}#/convert?amount=5&from=EUR&to=AED")
    expect(page.locator(".answer-card .value")).to_be_visible()
    expect(page.get_by_label("Your API key")).to_have_count(0)
    expect(page.locator(".answer-origin")).to_contain_text("by law")
    used = json.loads(open_service.run("account", "show", "visitors", "--json"))["used"]
    assert used >= 1
    assert open_service.text("/convert?amount=5&to=EUR", Accept="*/*")[0] == 401


def test_the_reference_of_an_open_page_is_answered_without_a_key(open_service, page):
    page.goto(f"{open_service.url}docs#/fetch-one")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.get_by_label("Your API key")).to_be_hidden()
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".try-status .badge").first).to_have_text("200 OK")


STREAM = """
(url) => new Promise((done) => {
  const socket = new WebSocket(url), heard = [];
  socket.onopen = () => socket.send(JSON.stringify({ op: "auth" }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    heard.push(message.op + (message.status ?? ""));
    if (message.op === "auth") socket.send(JSON.stringify({ op: "subscribe", stream: "fx1s", pairs: ["BTCUSD"] }));
    if (message.op === "price") { socket.close(); done(heard); }
  };
  socket.onclose = () => done(heard);
})
"""


def test_the_stream_lets_the_page_in_and_nobody_else_without_a_key(open_service, page):
    page.goto(open_service.url)
    assert page.evaluate(STREAM, f"ws://127.0.0.1:{open_service.stream_port}")[-1] == "price"
    for headers in ({}, {"Origin": "https://evil.example"}):
        with connect(f"ws://127.0.0.1:{open_service.stream_port}/", additional_headers=headers) as socket:
            socket.recv(10)
            socket.send('{"op":"auth"}')
            assert json.loads(socket.recv(10))["status"] == 401
