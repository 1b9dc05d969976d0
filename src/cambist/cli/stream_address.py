"""The address of the stream and the API key that `cambist watch` uses."""

from __future__ import annotations

import os
import re
import ssl
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from cambist.accounts.names import echo
from cambist.client.price_stream import StreamAddress
from cambist.client.protocol import LOCAL_HOSTS
from cambist.errors import BadParameter
from cambist.settings import KEY_VARIABLE, Settings, authority, local_host
from cambist.storage.data_directory import DataDirectory

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL | re.ASCII)


def stream_address(settings: Settings, url: str | None) -> StreamAddress:
    """Return the stream's address and the key to use: of `url`, or of the service that the settings describe.

    Errors: BadParameter, SettingRefused, OSError.
    """
    if url is not None:
        if not re.match(r"wss?://[^/\s]", url):
            raise BadParameter(f"Invalid --url: [{echo(url)}], it takes an address such as ws://127.0.0.1:8001")
        return StreamAddress(url, _key(settings, is_local=urlsplit(url).hostname in LOCAL_HOSTS))
    if not settings.stream_port:
        raise BadParameter("The setting [stream_port] is 0, so there is no stream; --url names one elsewhere")
    host = authority(local_host(settings.host), settings.stream_port)
    if settings.scheme == "https" and settings.tls_cert is not None:
        return StreamAddress(f"wss://{host}", _key(settings), trust_only(settings.tls_cert))
    return StreamAddress(f"ws://{host}", _key(settings))


def _key(settings: Settings, *, is_local: bool = True) -> str:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if key:
        return key
    if not is_local:
        # The owner's key has all rights, and the operator of the other machine may be somebody else.
        raise BadParameter(f"The owner's key is not sent to another machine: set the variable {KEY_VARIABLE}")
    file = DataDirectory(settings.data).owner_key
    with suppress(FileNotFoundError):
        key = file.read_text(encoding="utf-8", errors="replace").strip()
    if not key:
        raise BadParameter(f"There is no key in {file}: set the variable {KEY_VARIABLE}, or name the folder by --data")
    return key


def trust_only(certificate: Path) -> ssl.SSLContext:
    """Return a context that trusts only the service's own certificate, whatever names are in it.

    Errors: BadParameter, OSError.
    """
    found = _CERTIFICATE.search(certificate.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise BadParameter(f"The setting [tls_cert] is refused: there is no certificate in {certificate}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=found[0])
    return context
