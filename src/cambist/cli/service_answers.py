"""Where the commands that show rates get them: from a service, or without one from the data folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import typer

from cambist.accounts.names import echo
from cambist.cli.options import read_folder_settings
from cambist.errors import BadParameter, CambistError, CannotStart, KeyRefused, RequestRefused
from cambist.settings import KEY_VARIABLE, URL_VARIABLE, Settings
from cambist.status.environment import Environment

if TYPE_CHECKING:
    import ssl

    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.cli.remote_service import RemoteService

T = TypeVar("T")

Query = Mapping[str, str | None]
"""The parameters of a request; those that are None are left out."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the options of a command say about whom to ask."""

    data: Path | None
    url: str | None
    key: str | None


@dataclass(frozen=True, slots=True)
class RateAnswer:
    """An answer as it was sent, and who gave it."""

    content: bytes
    place: str
    environment: Environment

    @property
    def exact(self) -> Any:
        """The answer; its numbers are texts with all their digits."""
        return json.loads(self.content, parse_float=str, parse_int=str)

    def print_footer(self, *sentences: str) -> None:
        """Say on standard error where the answer is from, and that simulated prices are simulated."""
        simulated = ["SIMULATED prices of a sandbox."] if self.environment is Environment.SANDBOX else []
        typer.echo(" ".join([*sentences, f"From {self.place}.", *simulated]), err=True)


def ask(target: Target, path: str, query: Query) -> RateAnswer:
    """Ask the service that is named, else the one of the settings; without one, answer from the data folder.

    Errors: CambistError, OSError.
    """
    sent = {name: value for name, value in query.items() if value is not None}
    try:
        return consult(target, lambda answers: _reply(answers, path, sent))
    except RequestRefused as refused:
        from cambist.api.questions.code_suggestions import suggest_codes

        hint = "" if isinstance(refused, KeyRefused) else suggest_codes(sent.get("from"), sent.get("to"))
        if not hint:
            raise
        raise BadParameter(f"{refused}{hint}") from refused


def no_network_words(target: Target) -> list[str]:
    """Return the sentence that a running service reaches no source; nothing if it does, or does not say."""
    try:
        found = ask(target, "/sources", {}).exact.get("no_network")
    except (CambistError, OSError):
        return []
    return [f"{found['sentence']}."] if found else []


def consult(target: Target, use: Callable[[RemoteService | StoredAnswers], T]) -> T:
    """Use the service that is named, else the one of the settings; without one, use the data folder.

    Errors: CambistError, OSError, and those of `use`.
    """
    settings = read_folder_settings(target.data)
    named = _named_service(settings, target)
    return _use_nearest(settings, target, use) if named is None else use(named)


def address_and_key(target: Target) -> tuple[str, str]:
    """Return the address of the service that is named, else of the one of the settings, and the key for it.

    The key is empty if there is none for a service on this machine. Errors: BadParameter, SettingRefused.
    """
    settings = read_folder_settings(target.data)
    named = _named_service(settings, target)
    if named is not None:
        return named.configuration.url, named.configuration.key
    return settings.local_url, _chosen_key(target) or _owner_key(settings)


def _named_service(settings: Settings, target: Target) -> RemoteService | None:
    """Return the service that an option or the environment names, if one does."""
    from cambist.cli.remote_service import RemoteService
    from cambist.client.protocol import LOCAL_HOSTS

    url = target.url or os.environ.get(URL_VARIABLE, "").strip()
    if not url:
        return None
    if not re.match(r"https?://[^/\s]", url) or "?" in url:
        raise BadParameter(f"Invalid --url: [{echo(url)}], it takes an address such as http://127.0.0.1:8000")
    is_local = urlsplit(url).hostname in LOCAL_HOSTS
    key = _chosen_key(target) or (_owner_key(settings) if is_local else "")
    if not key:
        # The owner's key has all rights, and the operator of the other machine may be somebody else.
        raise BadParameter(f"There is no key for {url}: set the variable {KEY_VARIABLE}")
    return RemoteService(url, key)


def _use_nearest(settings: Settings, target: Target, use: Callable[[RemoteService | StoredAnswers], T]) -> T:
    """Use the service that the settings describe, or the data folder."""
    client = _local_client(settings, _chosen_key(target) or _owner_key(settings))
    refused: KeyRefused | None = None
    if client is not None:
        try:
            client.probe()
            return use(client)
        except ConnectionError:
            pass  # then from the folder
        except KeyRefused as error:  # it serves another folder
            if _chosen_key(target):
                raise
            refused = error
    from cambist.admin.history.stored_answers import StoredAnswers

    try:
        stored = StoredAnswers(settings)
    except CannotStart as error:
        raise CannotStart(f"No service answers at {settings.local_url}. {error}") from (refused or error)
    with closing(stored):
        return use(stored)


def _local_client(settings: Settings, key: str) -> RemoteService | None:
    from cambist.cli.remote_service import RemoteService

    if not key:
        return None
    return RemoteService(settings.local_url, key, _own_authority(settings))


def _own_authority(settings: Settings) -> ssl.SSLContext | None:
    """Return what trusts the certificate of the service of the settings; None if it has none.

    Errors: BadParameter, SettingRefused, OSError.
    """
    if settings.scheme != "https" or settings.tls_cert is None:
        return None
    from cambist.cli.stream_address import trust_only

    return trust_only(settings.tls_cert)


def _chosen_key(target: Target) -> str:
    return (target.key or os.environ.get(KEY_VARIABLE, "")).strip()


def _owner_key(settings: Settings) -> str:
    """Return the key that the first start left in the data folder; empty if it cannot be read."""
    from cambist.storage.data_directory import DataDirectory

    with suppress(OSError):
        return DataDirectory(settings.data).owner_key.read_text(encoding="utf-8", errors="replace").strip()
    return ""


def _reply(answers: RemoteService | StoredAnswers, path: str, query: Mapping[str, str]) -> RateAnswer:
    content = answers.get(path, query)
    return RateAnswer(content, answers.place, answers.environment)
