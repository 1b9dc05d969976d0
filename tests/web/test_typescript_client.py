"""The TypeScript client in a page of another origin, against the sandbox with the page."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.packages.conftest import compile_client
from tests.packages.conftest import node as node  # noqa: PLC0414  a fixture
from tests.web.sandbox import PageService

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.web.browsing import PageErrors

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ASKED = """async ([url, stream, key]) => {
  const { Cambist, UnknownSymbol } = await import("/dist/index.js");
  const client = new Cambist({ url, key });
  const { result } = await client.convert({ from: "EUR", to: "USD", amount: 100 });
  const refused = await client.fetchOne({ to: "ZZZ" }).catch((error) => error);
  const valued = await client.value({ positions: [{ asset: "XAU", amount: 2 }] });
  for await (const price of client.stream({ url: stream, pairs: ["BTC/USD"] })) {
    return { amount: String(result.USD), isUnknown: refused instanceof UnknownSymbol, valued, price };
  }
}"""


class Silent(SimpleHTTPRequestHandler):
    """Gives files, and writes no log."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def client_page(make_page: Callable[..., Page], node: str, tmp_path: Path) -> Iterator[Page]:
    """A page on an origin of its own, which has the compiled client."""
    compile_client(node, tmp_path)
    (tmp_path / "index.html").write_text("<!doctype html><link rel=icon href=data:,><title>A shop</title>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = make_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
        server.shutdown()


@pytest.mark.long
def test_a_page_asks_converts_and_streams(
    page_service: PageService, client_page: Page, page_errors: PageErrors
) -> None:
    page_errors.allow("400")
    given = [page_service.url, f"ws://127.0.0.1:{page_service.stream_port}", page_service.key]
    found = client_page.evaluate(ASKED, given)
    assert re.fullmatch(r"\d+(\.\d\d?)?", found["amount"])
    assert found["isUnknown"]
    assert found["valued"]["positions"][0]["worth"] > 0
    assert found["price"]["sym"] == "BTCUSD"
    assert 0 < float(found["price"]["bid"]) <= float(found["price"]["ask"])
