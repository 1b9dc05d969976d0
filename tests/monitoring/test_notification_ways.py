"""The ways to the operator: real messages to a webhook, a mail server and a command on this machine."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.forward_proxy import ForwardProxy, certificate_of
from tests.monitoring.receivers import MailReceiver, Webhook, serving
from tests.patience import PATIENCE
from tools.ports import free_port

from cambist.monitoring.notifications import ways
from cambist.monitoring.notifications.message import Message, NotificationFailed, compose, trial_message
from cambist.monitoring.notifications.ways import notification_ways
from cambist.settings import Settings, read_settings
from cambist.status.alarm import BEGUN, ENDED, Notice

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATE = Notice(BEGUN, "source:ecb", "The source ecb is late: its newest data is 5 days old", NOW, NOW)
WELL = Notice(ENDED, "disk:", "The disk of the data folder is nearly full: 512 MB are free", NOW, NOW)
MESSAGE = compose("rates.example", "a", NOW, [LATE, WELL])
TEST = trial_message("cambist", "", NOW)


@pytest.fixture(autouse=True)
def _without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def mail(server: MailReceiver, *, user: str = "", scheme: str = "smtp", more: str = "") -> Settings:
    url = f"{scheme}://{user}127.0.0.1:{server.port}?from=rates@example.org&to=a@example.org,b@example.org{more}"
    return read_settings({"CAMBIST_NOTIFY_EMAIL": url}, {})


def send(settings: Settings, message: Message = MESSAGE) -> None:
    (way,) = notification_ways(settings).values()
    way(message)


@pytest.fixture
def certificate(tmp_path: Path) -> ssl.SSLContext:
    """A certificate for this machine, in `cert.pem` of the test's folder."""
    if not shutil.which("openssl"):
        pytest.skip("a certificate is made with openssl")
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*made.split(), *files], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    return context


# Webhook


def test_a_webhook_receives_json_with_a_text_and_each_alarm() -> None:
    with serving(Webhook()) as webhook:
        send(Settings(notify_webhook=webhook.url))
    ((path, headers, body),) = webhook.received
    assert path == "/hooks/secret-token?x=1"
    assert headers["Content-Type"] == "application/json"
    assert (body["service"], body["node"], body["at"]) == ("rates.example", "a", "2026-11-20T12:00:00Z")
    assert body["text"].splitlines() == [
        "The source ecb is late: its newest data is 5 days old (since 2026-11-20 12:00 UTC)",
        "Resolved: The disk of the data folder is nearly full: 512 MB are free (it had begun on 2026-11-20 12:00 UTC)",
    ]
    assert [(alarm["state"], alarm["key"]) for alarm in body["alarms"]] == [
        ("alarm", "source:ecb"),
        ("resolved", "disk:"),
    ]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_webhook_that_does_not_take_a_message_fails_without_naming_its_secret(status: int) -> None:
    with serving(Webhook()) as webhook:
        webhook.status = status
        with pytest.raises(NotificationFailed) as failed:
            send(Settings(notify_webhook=webhook.url))
    assert str(failed.value) == f"The webhook at 127.0.0.1 answers with {status}"


def test_a_webhook_that_is_not_there_fails() -> None:
    with pytest.raises(NotificationFailed, match="cannot be reached: Connection refused"):
        send(Settings(notify_webhook=f"http://127.0.0.1:{free_port()}/secret-token"))


# E-mail


def test_a_message_arrives_by_mail_at_each_recipient() -> None:
    with serving(MailReceiver()) as server:
        send(mail(server))
    (received,) = server.received
    assert received["From"] == "rates@example.org"
    assert received["To"] == "a@example.org, b@example.org"
    assert received["Subject"] == "[rates.example a] 1 alarm, 1 resolved"
    assert received["Date"] == "Fri, 20 Nov 2026 12:00:00 +0000"
    assert "The source ecb is late" in received.get_content()
    assert server.commands.count("plain RCPT") == 2


def test_one_alarm_is_the_subject_itself() -> None:
    assert compose("cambist", "", NOW, [LATE]).subject == (
        "[cambist] The source ecb is late: its newest data is 5 days old (since 2026-11-20 12:00 UTC)"
    )


def test_a_password_is_sent_over_starttls_alone(certificate: ssl.SSLContext, tmp_path: Path) -> None:
    with serving(MailReceiver(certificate, "p@ss")) as server:
        send(mail(server, user="user:p%40ss@", more=f"&starttls=always&ca={tmp_path / 'cert.pem'}"), TEST)
    assert [received["Subject"] for received in server.received] == ["[cambist] Test"]
    assert [word for word in server.commands if word.startswith("plain")] == ["plain EHLO", "plain STARTTLS"]


@pytest.mark.long
def test_a_message_is_sent_over_tls_from_the_start(certificate: ssl.SSLContext, tmp_path: Path) -> None:
    with serving(MailReceiver(certificate, "pass", is_secure=True)) as server:
        send(mail(server, user="user:pass@", scheme="smtps", more=f"&ca={tmp_path / 'cert.pem'}"), TEST)
    assert len(server.received) == 1
    assert not any(word.startswith("plain") for word in server.commands)


def test_a_certificate_that_is_not_trusted_is_refused(certificate: ssl.SSLContext) -> None:
    with serving(MailReceiver(certificate, is_secure=True)) as server, pytest.raises(NotificationFailed) as failed:
        send(mail(server, scheme="smtps"))
    assert "its certificate is refused: self-signed certificate" in str(failed.value)


def test_starttls_that_is_wanted_and_not_offered_is_a_failure() -> None:
    with serving(MailReceiver()) as server, pytest.raises(NotificationFailed):
        send(mail(server, more="&starttls=always"))
    assert server.received == []


def test_a_wrong_password_is_named_and_never_shown() -> None:
    with serving(MailReceiver(None, "right")) as server, pytest.raises(NotificationFailed) as failed:
        send(mail(server, user="user:wrong-secret@"))
    assert str(failed.value) == "The mail server 127.0.0.1 does not take a message: user or password is wrong"


def test_refused_recipients_are_a_failure() -> None:
    with serving(MailReceiver()) as server:
        server.refuses_recipients = True
        with pytest.raises(NotificationFailed):
            send(mail(server))


# A command


def test_a_command_has_the_message_on_its_standard_input(tmp_path: Path) -> None:
    script = tmp_path / "on alarm.py"
    script.write_text(
        f"import pathlib, sys; pathlib.Path({str(tmp_path / 'got')!r}).write_bytes(sys.stdin.buffer.read())"
    )
    send(Settings(notify_command=f"{sys.executable} '{script}'"))
    assert json.loads((tmp_path / "got").read_text())["text"].startswith("The source ecb is late")


def test_a_command_that_fails_hangs_or_is_not_there_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "_COMMAND_SECONDS", 0.2)
    for command, problem in (
        (f"{sys.executable} -c 'raise SystemExit(3)'", "exit code 3|has not ended"),
        (f"{sys.executable} -c 'import time; time.sleep(60)'", "has not ended after 0 s"),
        ("/no/such/program", "The command cannot be run: No such file or directory"),
    ):
        with pytest.raises(NotificationFailed, match=problem):
            send(Settings(notify_command=command))


# Proxies


@pytest.mark.parametrize("named_by", ["setting", "HTTP_PROXY"])
def test_a_webhook_over_http_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch, named_by: str) -> None:
    with serving(Webhook()) as webhook, serving(ForwardProxy(chat_example=webhook.server_port)) as proxy:
        proxy.wants_login = True
        monkeypatch.setenv("HTTP_PROXY", proxy.url_with_login if named_by == "HTTP_PROXY" else "http://127.0.0.1:1")
        setting = proxy.url_with_login if named_by == "setting" else ""
        send(Settings(notify_webhook="http://me:pw@chat.example/hooks/token?x=1", proxy=setting))
        assert proxy.asked == ["POST http://chat.example/hooks/token?x=1"]
        ((path, headers, _),) = webhook.received
        assert (path, headers["Authorization"]) == ("/hooks/token?x=1", "Basic bWU6cHc=")
        assert headers["Host"] == "chat.example"


def test_a_webhook_over_https_is_asked_through_a_tunnel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    context = certificate_of("chat.example", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with serving(Webhook()) as webhook, serving(ForwardProxy(chat_example=webhook.server_port)) as proxy:
        webhook.socket = context.wrap_socket(webhook.socket, server_side=True)
        proxy.wants_login = True
        monkeypatch.setenv("HTTPS_PROXY", proxy.url_with_login)
        send(Settings(notify_webhook="https://chat.example/hooks/token"))
        assert [path for path, _, _ in webhook.received] == ["/hooks/token"]
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(
            NotificationFailed, match=r"chat\.example cannot be reached through the proxy: the proxy answ"
        ):
            send(Settings(notify_webhook="https://chat.example/hooks/token"))
        assert proxy.asked == ["CONNECT chat.example:443"] * 2


def test_a_webhook_on_this_machine_and_mail_are_sent_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with serving(Webhook()) as webhook:
        send(Settings(notify_webhook=webhook.url))
        assert len(webhook.received) == 1
    with serving(MailReceiver()) as server:
        send(mail(server))
        assert len(server.received) == 1
