"""The certificate is tried before anything is served with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from cambist.errors import CannotStart
from cambist.http.certificate import check_certificate


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two certificates and their keys, and a key with a password."""
    if not shutil.which("openssl"):
        pytest.skip("certificates are made with openssl")
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("one", "other"):
        request = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        )
        files = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run([*request.split(), *files], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    locked = "openssl ec -aes256 -in one.key -out locked.key -passout pass:word"
    subprocess.run(locked.split(), cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    (folder / "no.pem").write_text("no certificate")
    return folder


def test_a_certificate_with_its_key_is_good_and_so_is_none(made: Path) -> None:
    check_certificate(made / "one.pem", made / "one.key")
    check_certificate(None, None)


@pytest.mark.parametrize(
    ("certificate", "key", "setting", "missing"),
    [("gone.pem", "one.key", "tls_cert", "gone.pem"), ("one.pem", "gone.key", "tls_key", "gone.key")],
)
def test_a_missing_file_is_named(made: Path, certificate: str, key: str, setting: str, missing: str) -> None:
    with pytest.raises(CannotStart) as refused:
        check_certificate(made / certificate, made / key)
    assert str(refused.value) == (
        f"The file [{made / missing}] of the setting [{setting}] cannot be read: No such file or directory"
    )


@pytest.mark.parametrize(
    ("certificate", "key"),
    [("one.pem", "other.key"), ("no.pem", "one.key"), ("one.pem", "no.pem"), ("one.pem", "locked.key")],
)
def test_files_that_do_not_fit_are_refused(made: Path, certificate: str, key: str) -> None:
    with pytest.raises(CannotStart, match=r"cannot be used: they have to be PEM files without a password"):
        check_certificate(made / certificate, made / key)
