"""Nothing that a service writes or answers contains a key or a password."""

from __future__ import annotations

import http.client
import re
import subprocess
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.accounts.api_key import mint

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

STRANGER = mint(lambda alphabet: alphabet[9])
SECRETS = {
    "CAMBIST_FRED_KEY": "fredsecret0123456789abcdefabcdef",
    "CAMBIST_OPENEXCHANGERATES_KEY": "oxrsecret0123456789",
    "CAMBIST_TWELVEDATA_KEY": "twelvesecret0123456789",
}
"""Keys of sources; the sources cannot be reached."""
WEBHOOK, MAIL, DATABASE, REDIS = "hooksecret1", "mailsecret2", "databasesecret3", "redissecret4"


def run(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [COMMAND, *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout + done.stderr


def ask(port: int, target: str, headers: dict[str, str] | None = None, method: str = "GET", body: str = "") -> str:
    """Return the whole answer, with its headers."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, target, body=body or None, headers=headers or {})
        response = connection.getresponse()
        return f"{response.status} {response.getheaders()} {response.read().decode(errors='replace')}"


def is_up(port: int) -> bool:
    try:
        return ask(port, "/openapi.json").startswith("200")
    except OSError:
        return False


def created_key(output: str) -> str:
    found = re.search(r"cmb_\w+", output)
    assert found, output
    return found[0]


def requests_with(key: str) -> list[tuple[str, dict[str, str]]]:
    """Return requests that carry a key in every place where a client may put it, or does by mistake."""
    pair = "/fetch-one?from=EUR&to=USD"
    basic = b64encode(f"{key}:".encode()).decode()
    return [
        (pair, {"X-API-Key": key}),
        (f"{pair}&api_key={key}", {}),
        (f"{pair}&{key}=1", {"X-API-Key": key}),
        (f"{pair}&to={key}", {"X-API-Key": key}),
        (f"/{key}/latest/EUR", {}),
        (pair, {"Authorization": f"Bearer {key}"}),
        (pair, {"Authorization": f"Basic {basic}"}),
        (pair, {"X-API-Key": key, "X-Request-Id": key}),
        (f"/mcp?api_key={key}", {}),
        (f"/historical?date={key}&from=EUR", {"X-API-Key": key}),
    ]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_no_secret_is_logged_or_answered(tmp_path: Path, log_format: str) -> None:
    data, log, access = str(tmp_path / "data"), tmp_path / "log", tmp_path / "access.log"
    port, operator, nowhere = free_port(), free_port(), free_port()
    variables = {
        **SECRETS,
        "CAMBIST_DATA": data,
        "CAMBIST_OPERATOR_PORT": str(operator),
        "CAMBIST_GATEWAY": f"http://127.0.0.1:{nowhere}",
        "CAMBIST_LOG_LEVEL": "debug",
        "CAMBIST_LOG_FORMAT": log_format,
        "CAMBIST_ACCESS_LOG_FILE": str(access),
        "CAMBIST_NOTIFY_WEBHOOK": f"http://127.0.0.1:{nowhere}/{WEBHOOK}",
        "CAMBIST_NOTIFY_EMAIL": f"smtp://ann:{MAIL}@127.0.0.1:{nowhere}?from=a@example.org&to=b@example.org",
    }
    command = [COMMAND, "serve", "--port", str(port), "--workers", "1"]
    with log.open("wb") as to_log, (tmp_path / "out").open("wb") as to_out:
        process = subprocess.Popen(command, env=environment(**variables), stdout=to_out, stderr=to_log)
    with ended_in_the_end(process):
        assert until(lambda: is_up(port), PATIENCE), log.read_text()
        owner = created_key((tmp_path / "out").read_text())
        run("account", "create", "ann", "--plan", "unlimited", **variables)
        kept, revoked = (created_key(run("key", "create", "ann", **variables)) for _ in range(2))
        run("key", "revoke", revoked[:8], **variables)
        keys = [owner, kept, revoked, STRANGER, kept[:-1]]
        answers = [ask(port, *request) for key in keys for request in requests_with(key)]
        answers += [ask(port, "/mcp", {"X-API-Key": kept, "Content-Type": "application/json"}, "POST", "{nonsense")]
        answers += [ask(operator, path) for path in ("/metrics", "/health/live", "/health/ready")]
        processes = [
            line.read_bytes().decode() for line in Path("/proc").glob("[0-9]*/cmdline") if _is_ours(line, data)
        ]
        said = [run("doctor", **variables), run("notify", "--test", **variables)]
    bad = {
        "CAMBIST_DATABASE": f"postgresql://ann:{DATABASE}@127.0.0.1:{nowhere}/x",
        "CAMBIST_DATA": str(tmp_path / "b"),
    }
    said += [run("serve", **bad), run("serve", CAMBIST_REDIS=f"redis://:{REDIS}@127.0.0.1:{nowhere}", **bad)]
    written = [log.read_text(), access.read_text()]
    assert "/fetch-one" in written[1]
    assert '"level"' in written[0] if log_format == "json" else "INFO" in written[0]
    signing = [
        line for each in Path(data).rglob("signing.key") for line in re.findall(r'"d":\s*"([^"]+)"', each.read_text())
    ]
    secrets = [*keys, *SECRETS.values(), WEBHOOK, MAIL, DATABASE, REDIS, *signing]
    for secret in secrets:
        # A client's own identifier comes back to it; nothing else does.
        sent_back = [re.sub(r"\('x-request-id', '[^']*'\)", "", answer) for answer in answers]
        for text in [*written, *said, *processes, *sent_back]:
            assert secret not in text, (secret, text[max(0, text.index(secret) - 300) :][:400])


def _is_ours(line: Path, data: str) -> bool:
    try:
        return data.encode() in (line.parent / "environ").read_bytes()
    except OSError:
        return False
