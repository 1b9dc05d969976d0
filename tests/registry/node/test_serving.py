"""A service writes down where it listens, and commands read it as long as it runs."""

from pathlib import Path

import pytest

from cambist.registry.node.serving import ServedSettings, as_served, served
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory


@pytest.fixture
def folder(tmp_path: Path) -> DataDirectory:
    claimed = DataDirectory(tmp_path)
    claimed.claim()
    return claimed


def test_a_command_finds_the_service_that_was_started_with_flags(folder: DataDirectory) -> None:
    running = Settings(data=folder.path, host="::1", port=9000, operator_port=0, path_prefix="/rates", fetch=False)
    running_tls = Settings(data=folder.path, tls_cert=Path("cert.pem"), tls_key=Path("key.pem"))
    plain = Settings(data=folder.path, coin_max_age=running.coin_max_age)
    with served(running):
        assert as_served(plain) == running
        assert as_served(plain, ["port"]).port == plain.port
    with served(running_tls):
        assert as_served(plain).tls_cert == Path("cert.pem").absolute()
    assert not folder.served_settings.exists()
    assert as_served(plain) == plain


def test_what_a_killed_service_wrote_is_ignored(folder: DataDirectory) -> None:
    plain = Settings(data=folder.path)
    with served(Settings(data=folder.path, port=9000)):
        folder.release()
        assert folder.served_settings.exists()
        assert as_served(plain) == plain


@pytest.mark.parametrize("content", [b"", b"{", b'{"port": "x"}', b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_ignored(folder: DataDirectory, content: bytes) -> None:
    folder.served_settings.write_bytes(content)
    assert as_served(Settings(data=folder.path)) == Settings(data=folder.path)


def test_a_folder_that_cannot_be_written_does_not_keep_a_service_from_serving(
    folder: DataDirectory, caplog: pytest.LogCaptureFixture
) -> None:
    folder.served_settings.mkdir()
    with served(Settings(data=folder.path, port=9000)):
        assert as_served(Settings(data=folder.path)).port == 8000
    assert "will not find this service" in caplog.text


def test_no_secret_is_among_what_is_written() -> None:
    secret = {name for name in ServedSettings.__struct_fields__ if "notify" in name or name.endswith("_key")}
    assert secret == {"tls_key", "operator_tls_key"}  # the paths of files
    assert not {"database", "redis", "gateway"} & {*ServedSettings.__struct_fields__}
