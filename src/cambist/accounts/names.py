"""What may be typed for accounts and keys, and how it is repeated. Pure."""

from __future__ import annotations

import re

from cambist.accounts.api_key import PREFIX
from cambist.errors import BadParameter, shorten
from cambist.settings.mail import is_mail_address

LONGEST_NAME = 64
LONGEST_NOTE = 200
_ACCOUNT = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._@+-]{{0,{LONGEST_NAME - 1}}}")


def check_account_name(name: str) -> None:
    """Refuse what cannot be an account's name. Errors: BadParameter."""
    _check_no_key(name)
    if not is_account_name(name):
        raise BadParameter(
            f"Invalid account name: [{echo(name)}], it takes 1 to {LONGEST_NAME} letters, digits and ._@+-, "
            "beginning with a letter or digit"
        )


def is_account_name(name: str) -> bool:
    """Return whether an account may have this name."""
    return _ACCOUNT.fullmatch(name) is not None and not name.startswith(PREFIX)


def check_key_name(name: str) -> None:
    """Refuse an invalid name of a key. It may be empty: each key also has its prefix.

    Errors: BadParameter.
    """
    _check_no_key(name)
    if len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise BadParameter(
            f"Invalid key name: [{echo(name)}], it takes at most {LONGEST_NAME} printable characters, "
            "no blanks around them"
        )


def check_note(note: str) -> None:
    """Refuse an invalid note on an account; it may be empty. Errors: BadParameter."""
    if any(word.startswith(PREFIX) for word in note.split()):
        raise BadParameter(f"A note must not contain an API key: leave out what begins with {PREFIX}")
    if len(note) > LONGEST_NOTE or not note.isprintable() or note != note.strip():
        raise BadParameter(
            f"Invalid note: [{echo(note)}], it takes at most {LONGEST_NOTE} printable characters on one line, "
            "no blanks around them"
        )


def check_anchor_day(day: int) -> int:
    """Return the day of the month on which periods begin. Errors: BadParameter."""
    if not 1 <= day <= 31:
        raise BadParameter(f"Invalid anchor day: [{echo(str(day))}], it takes a day of the month from 1 to 31")
    return day


def check_email(address: str) -> str:
    """Return an address, or an empty text for none. Errors: BadParameter."""
    if address and not is_mail_address(address):
        raise BadParameter(f"Invalid email: [{echo(address)}], it takes one address such as shop@example.org")
    return address


def echo(text: str) -> str:
    """Return a text as an error may repeat it: on one line, and shortened if it is long."""
    return shorten(text if text.isprintable() else repr(text)[1:-1])


def _check_no_key(name: str) -> None:
    # A key that was pasted here would be shown in every list of accounts; the sentence must not repeat it either.
    if name.startswith(PREFIX):
        raise BadParameter(f"A name must not begin with {PREFIX}: that is how keys begin")
