"""Names and signs of currencies in the languages of CLDR, by way of Babel, which is imported when needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}")
ENGLISH = "en"


class UnknownLanguage(ValueError):
    """CLDR has no such language."""


@lru_cache(maxsize=16)
def names_in(language: str) -> Mapping[str, str]:
    """Return the names of currencies by code, as a language has them. Errors: UnknownLanguage."""
    return dict(_locale(language).currencies)


@lru_cache(maxsize=16)
def signs_in(language: str) -> Mapping[str, str]:
    """Return the signs of currencies by code, as a language writes them; without those that are the code itself.

    Errors: UnknownLanguage.
    """
    return {code: sign for code, sign in _locale(language).currency_symbols.items() if sign != code}


def _locale(language: str) -> Any:
    babel = import_module("babel")
    try:
        if _LANGUAGE.fullmatch(language):
            return babel.Locale.parse(language.replace("-", "_"))
    except (babel.UnknownLocaleError, ValueError):
        pass
    raise UnknownLanguage(language)
