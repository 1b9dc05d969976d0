"""`cambist watch`, with a fake stream on loopback."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.client.fake_stream import KEY, TSP, FakeStream, price, running_stream
from tests.patience import PATIENCE

from cambist.cli import main, show_prices, stream_address
from cambist.settings import read_settings

COMMAND = str(Path(sys.executable).with_name("cambist"))


@pytest.fixture
def stream() -> Iterator[FakeStream]:
    with running_stream() as stream:
        yield stream


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Default settings, an empty folder, no colours, a valid key and short timeouts."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("CAMBIST_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show_prices, "_ONCE_SECONDS", 1.0)


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[object, str, str]]:
    """Run the command, and return its exit code, standard output and standard error."""

    def shell(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["cambist", "watch", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return shell


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if "│" in line]


# One table


def test_one_table_is_shown_when_every_pair_has_a_price(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852"), price("XAUUSD", "4000.10", "4000.30")]]
    began = time.monotonic()
    code, out, err = shell("EURUSD", "xau/usd", "--url", stream.url, "--once")
    assert (code, err) == (0, "")
    assert [row[:5] for row in rows(out)] == [
        ["EURUSD", "1.0850", "1.0852", "1.0851", "0.0002"],
        ["XAUUSD", "4000.10", "4000.30", "4000.20", "0.20"],
    ]
    assert time.monotonic() - began < 0.9


def test_a_pair_without_a_price_is_waited_for_until_a_time_limit(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    code, out, _ = shell("EURUSD", "BTCUSD", "--url", stream.url, "--once")
    assert code == 1
    assert [row[:3] for row in rows(out)] == [["EURUSD", "1.0850", "1.0852"], ["BTCUSD", "-", "-"]]
    assert rows(out)[1][-1] == "no fresh price yet"


def test_unknown_pairs_are_reported_once_and_not_waited_for(stream, shell):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    code, out, err = shell("EURUSD", "NOPE", "--url", stream.url, "--once")
    assert (code, err) == (1, "cambist: The stream knows no pair [NOPE]\n")
    assert [(row[0], row[-1]) for row in rows(out)] == [("EURUSD", ""), ("NOPE", "unknown pair")]


@pytest.mark.parametrize(("flags", "name"), [([], "fx"), (["--per-second"], "fx1s")])
def test_it_authenticates_and_subscribes_once_with_unique_pairs(stream, shell, flags, name):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    shell("EURUSD", "eur/usd", "--url", stream.url, "--once", *flags)
    assert stream.requests == [{"op": "auth", "key": KEY}, {"op": "subscribe", "stream": name, "pairs": ["EURUSD"]}]


# The key, and the address


def test_without_the_variable_the_owners_key_is_used(stream, shell, monkeypatch, tmp_path):
    monkeypatch.delenv("CAMBIST_KEY")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "owner.key").write_text(f"{KEY}\n")
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    assert shell("EURUSD", "--url", stream.url, "--once", "--data", str(tmp_path / "kept"))[0] == 0
    assert stream.requests[0]["key"] == KEY


def test_the_address_comes_from_the_settings(stream, shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_STREAM_PORT", str(stream.port))
    monkeypatch.setenv("CAMBIST_HOST", "0.0.0.0")  # noqa: S104  nothing listens there
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852")]]
    assert shell("EURUSD", "--once")[0] == 0


def test_no_option_takes_a_key(shell):
    code, _, err = shell("EURUSD", "--key", KEY)
    assert code == 2
    assert "No such option" in err


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate whose name is not the address, beside its key."""
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=rates.example.org"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    return tmp_path / "cert.pem"


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
def test_the_services_own_certificate_is_trusted(certificate):
    access = stream_address.stream_address(
        read_settings({"CAMBIST_TLS_CERT": str(certificate), "CAMBIST_TLS_KEY": "k"}, {}), None
    )
    assert access.url == "wss://127.0.0.1:8001"
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(certificate, certificate.with_name("key.pem"))
    shake_hands(access.tls, server)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(ssl.create_default_context(), server)


def shake_hands(client: ssl.SSLContext, server: ssl.SSLContext) -> None:
    """Do a TLS handshake in memory."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(back, there, server_hostname="127.0.0.1")
    theirs = server.wrap_bio(there, back, server_side=True)
    for side in (ours, theirs) * 2:
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert ours.getpeercert(binary_form=True)


# Errors


def error_of(ended: tuple[object, str, str]) -> str:
    code, out, err = ended
    assert (code, out) == (2, "")
    assert err.startswith("cambist: ")
    assert err.count("\n") == 1
    assert KEY not in err
    return err.removeprefix("cambist: ")[:-1]


def test_an_unknown_key_is_refused(stream, shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_KEY", "another")
    sentence = error_of(shell("EURUSD", "--url", stream.url))
    assert sentence == "The stream refuses the key: The API key is unknown here"
    assert stream.connections == 1


def test_no_valid_pair_is_refused(stream, shell):
    assert error_of(shell("NOPE", "--url", stream.url)) == "The stream refuses the pairs: No valid pairs in ['NOPE']"


def test_more_pairs_than_the_plan_allows_are_refused(stream, shell):
    stream.most = 1
    assert error_of(shell("EURUSD", "BTCUSD", "--url", stream.url)).endswith("Too many pairs: [2]")


def test_control_characters_of_the_server_are_escaped(stream, shell):
    stream.known_pairs = set()
    assert "\\x1b" in error_of(shell("A\x1b[2J", "--url", stream.url))


def test_a_missing_stream_is_reported(shell):
    url = "ws://127.0.0.1:1"
    reason = f"There is no stream at [{url}]: nothing listens there"
    assert error_of(shell("EURUSD", "--url", url)).startswith(f"{reason}: start the service with [cambist serve]")


@pytest.mark.parametrize("url", ["127.0.0.1:8001", "http://127.0.0.1:8001", "ws://"])
def test_an_invalid_address_of_a_stream_is_refused(shell, url):
    assert error_of(shell("EURUSD", "--url", url)).startswith(f"Invalid --url: [{url}]")


def test_a_missing_key_and_a_disabled_stream_are_reported(shell, monkeypatch):
    monkeypatch.setenv("CAMBIST_STREAM_PORT", "0")
    assert "[stream_port] is 0" in error_of(shell("EURUSD"))
    monkeypatch.delenv("CAMBIST_STREAM_PORT")
    monkeypatch.delenv("CAMBIST_KEY")
    assert "set the variable CAMBIST_KEY" in error_of(shell("EURUSD"))


def test_the_owners_key_is_not_sent_to_another_machine(shell, monkeypatch, tmp_path):
    monkeypatch.delenv("CAMBIST_KEY")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "owner.key").write_text(f"{KEY}\n")
    assert "not sent to another machine" in error_of(shell("EURUSD", "--url", "ws://rates.example:8001"))


# Lines, the terminal, Ctrl-C


def test_without_a_terminal_each_change_is_a_line_until_ctrl_c(stream, shell):
    first, second = price("EURUSD", "1.0850", "1.0852"), price("EURUSD", "1.0851", "1.0853", TSP + 500)
    stream.rounds = [[first, first, {"op": "price", "sym": "EURUSD", "bid": "NaN", "ask": "1", "tsp": 1}, second]]
    stream.then = lambda: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    code, out, err = shell("EURUSD", "--url", stream.url)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "EURUSD 1.0850 1.0852 2026-11-20T12:00:00.000Z",
        "EURUSD 1.0851 1.0853 2026-11-20T12:00:00.500Z",
    ]


def test_in_a_terminal_a_table_is_redrawn_until_ctrl_c(stream):
    stream.rounds = [[price("EURUSD", "1.0850", "1.0852"), price("EURUSD", "1.0851", "1.0853")]]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    program = subprocess.Popen(
        [COMMAND, "watch", "EURUSD", "--url", stream.url], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    try:
        shown = read_until(ours, "▲")
        assert "1.0851" in shown
        assert "Spread" in shown
        program.send_signal(signal.SIGINT)
        assert "\x1b[?25h" in read_until(ours, "\x1b[?25h")  # the cursor is back
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.wait(10)
        os.close(ours)


def read_until(terminal: int, sign: str) -> str:
    text, deadline = b"", time.monotonic() + 20
    while sign not in text.decode(errors="replace"):
        assert time.monotonic() < deadline, text.decode(errors="replace")
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536)
    return text.decode(errors="replace")
