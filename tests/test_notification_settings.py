"""The settings of notifications: what is refused, and that no secret is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from cambist.errors import SettingRefused
from cambist.settings import Settings, read_settings, shown


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("notify_webhook", "ftp://chat.example/s3cret", "it is no URL of http or https"),
        ("notify_webhook", "https:///s3cret", "it is no URL of http or https"),
        ("notify_webhook", "https://chat.example:99999/s3cret", "it is no URL of http or https"),
        ("notify_email", "mail.example?s3cret", "it is no URL such as smtp://"),
        ("notify_email", "smtp://u:s3cret@mail.example", r"it needs addresses: from=… and to=…"),
        ("notify_email", "smtp://u:s3cret@mail.example?from=a@b&to=c", r"it needs addresses"),
        ("notify_email", "smtp://u:s3cret@mail.example?from=a@b&to=c@d&tls=1", r"unknown part \[tls\]"),
        ("notify_email", "smtp://u:s3cret@mail.example?from=a@b&to=c@d&starttls=1", "starttls takes auto, always"),
        ("notify_command", "page 's3cret", "No closing quotation"),
    ],
)
def test_notifications_that_cannot_be_sent_are_refused_without_their_secret(name: str, value: str, reason: str) -> None:
    with pytest.raises(SettingRefused, match=rf"The setting \[{name}\] is refused: {reason}") as refused:
        read_settings({f"CAMBIST_{name.upper()}": value}, {})
    assert "s3cret" not in str(refused.value)


def test_a_mail_url_names_server_sender_and_recipients() -> None:
    url = "smtps://user:p%40ss%2F@mail.example?from=a@b.example&to=c@d.example,%20e@f.example&ca=/etc/ca.pem"
    server = Settings(notify_email=url).mail_server
    assert server is not None
    assert (server.host, server.port, server.is_secure, server.starttls) == ("mail.example", 465, True, "auto")
    assert (server.sender, server.recipients) == ("a@b.example", ("c@d.example", "e@f.example"))
    assert (server.user, server.password, server.authority) == ("user", "p@ss/", Path("/etc/ca.pem"))
    assert "p@ss" not in repr(server)


def test_no_secret_is_shown() -> None:
    secrets = {
        "database": "postgresql://cambist:s3cret@db/rates",
        "redis": "rediss://:s3cret@cache:6380/2",
        "notify_webhook": "https://chat.example/s3cret",
        "notify_email": "smtp://user:s3cret@mail.example:25?from=a@b.example&to=c@d.example",
        "notify_command": "page --token s3cret",
        "fred_key": "s3cret",
    }
    found = {name: shown(name, value) for name, value in secrets.items()}
    assert "s3cret" not in str(found)
    assert found["notify_email"] == "smtp://user:***@mail.example:25?from=a@b.example&to=c@d.example"
    assert {shown(name, "") for name in secrets} == {""}
