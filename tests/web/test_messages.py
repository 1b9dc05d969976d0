"""The page's messages: every text in every language, with the same values in it."""

from __future__ import annotations

import re

import pytest
from tools import messages

from cambist.web.assets import load_assets

FILES = load_assets(("lib", "page")).files
TEXTS = messages.texts()
VALUES = re.compile(r"\{\d\}")
PLURALS = {"zero", "one", "two", "few", "many", "other"}


def test_texts_are_found_with_places_for_their_values() -> None:
    script = "f(t`One ${a ? `x${b}` : {c: 1}} two ${t`Inner ${d}`}`, t`It\\`s`);\n// t`not this`\n"
    assert list(messages.texts_of(script)) == ["One {0} two {1}", "Inner {0}", "It`s"]


def test_names_of_metals_and_units_are_among_the_texts() -> None:
    assert {"Gold", "Aluminium", "Troy ounce"} <= TEXTS


def test_each_language_of_the_page_has_its_messages() -> None:
    named = re.search(r"LANGUAGES = \{(.*?)\}", FILES["lib/texts.js"].content.decode())
    assert named is not None
    assert re.findall(r"(\w+):", named[1]) == ["en", *messages.languages()]


@pytest.mark.parametrize("language", messages.languages())
def test_every_text_has_a_message_with_the_same_values(language: str) -> None:
    found = messages.read(language)
    assert found.keys() == TEXTS, "python tools/messages.py adds what is missing"
    for text, message in found.items():
        forms = {"other": message} if isinstance(message, str) else message
        assert forms.keys() <= PLURALS, text
        assert "other" in forms, text
        for each in forms.values():
            assert each.strip(), text
            assert set(VALUES.findall(each)) <= set(VALUES.findall(text)), text
        assert set(VALUES.findall(forms["other"])) == set(VALUES.findall(text)), text


@pytest.mark.parametrize("language", messages.languages())
def test_the_messages_of_a_language_have_at_most_20_kb(language: str) -> None:
    assert len(FILES[f"page/messages/{language}.json"].compressed) <= 20_000
