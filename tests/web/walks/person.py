"""A person in a browser, whose steps read as sentences. A step that fails is named in the error."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from playwright.sync_api import Locator, Page, expect
from tests.web.browsing import check_fits, enter_key, violations
from tests.web.sandbox import PageService

P = ParamSpec("P")
T = TypeVar("T")
Text = str | re.Pattern[str]


def step(method: Callable[Concatenate[Person, P], T]) -> Callable[Concatenate[Person, P], T]:
    """Make a method a step: its name and its arguments are the sentence that a failure names."""

    @functools.wraps(method)
    def done(person: Person, *args: P.args, **named: P.kwargs) -> T:
        given = [
            *args,
            *(each for name, value in named.items() for each in (name.strip("_"), value) if name != "within"),
        ]
        said = [each.pattern if isinstance(each, re.Pattern) else str(each) for each in given]
        with person.does(" ".join([method.__name__.replace("_", " "), *said])):
            return method(person, *args, **named)

    return done


class Person:
    """Whoever uses a service in a browser. `name` is how failures call the person."""

    def __init__(self, name: str, page: Page, service: PageService) -> None:
        self.name, self.page, self.service = name, page, service
        self.steps: list[str] = []

    @contextmanager
    def does(self, sentence: str) -> Iterator[None]:
        """Name what is done inside: if it fails, the error says which step it was, and which came before."""
        try:
            yield
        except BaseException as error:
            if not hasattr(error, "__notes__"):
                before = "".join(f"\n  {each}" for each in self.steps)
                error.add_note(f"The {self.name}:{before}\n> {sentence}\n  at {self.page.url}")
            raise
        self.steps.append(sentence)

    def field(self, label: str) -> Locator:
        """Return a field by its label; the first one, if a view has several of that name."""
        return self.page.get_by_label(label, exact=True).first

    @step
    def opens(self, route: str = "") -> None:
        self.page.goto(self.service.url + route)

    @step
    def pastes_the_key(self) -> None:
        enter_key(self.page, self.service.key)

    @step
    def reloads_the_page(self) -> None:
        """Reload, and paste the key again, because the page has forgotten it."""
        self.page.reload()
        enter_key(self.page, self.service.key)

    @step
    def goes_back(self) -> None:
        self.page.go_back()

    @step
    def goes_to_the_view(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile(rf"^{name}\b")).click()

    @step
    def types(self, text: str, into: str) -> None:
        field = self.field(into)
        field.fill(text)
        field.blur()

    @step
    def picks(self, option: Text, typing: str, into: str) -> None:
        """Type a part of a name into a field that searches, and choose what it finds."""
        box = self.page.get_by_role("combobox", name=into, exact=True)
        box.click()
        box.press("Control+a")
        box.press_sequentially(typing)
        self.page.get_by_role("option", name=option).first.click()

    @step
    def chooses(self, option: str, in_: str) -> None:
        self.field(in_).select_option(label=option)

    @step
    def presses(self, button: Text, within: Locator | None = None) -> None:
        place = within or self.page
        place.get_by_role("button", name=button, exact=isinstance(button, str)).first.click()

    @step
    def follows(self, link: Text) -> None:
        self.page.get_by_role("link", name=link).first.click()

    @step
    def opens_the_file(self, path: Path) -> None:
        self.page.locator("input[type=file]").set_input_files(path)

    @step
    def saves(self, button: str, to: Path) -> Path:
        """Press a button that saves a file, and return where it is."""
        with self.page.expect_download() as saving:
            self.page.get_by_role("button", name=button).click()
        saving.value.save_as(to)
        return to

    @step
    def sees(self, text: Text) -> None:
        expect(self.page.locator("body")).to_contain_text(text, use_inner_text=True)

    @step
    def sees_no_more(self, text: Text) -> None:
        expect(self.page.locator("body")).not_to_contain_text(text, use_inner_text=True)

    @step
    def is_told(self, text: Text) -> None:
        """See an alert."""
        expect(self.page.get_by_role("alert").filter(has_text=text)).to_be_visible()

    @step
    def sees_in_the_field(self, field: str, value: Text) -> None:
        expect(self.field(field)).to_have_value(value)

    @step
    def sees_in_the_address(self, text: str) -> None:
        expect(self.page).to_have_url(re.compile(re.escape(text)))

    @step
    def reads_the_table(self, name: str) -> list[list[str]]:
        """Return the texts of a table's rows, when it has some."""
        rows = self.page.get_by_role("region", name=name).locator("tbody tr")
        expect(rows.first).to_be_visible()
        return [row.locator("th, td").all_inner_texts() for row in rows.all()]

    @step
    def can_use_what_is_there(self) -> None:
        """Find nothing that is cut off, and nothing that a screen reader cannot say."""
        size = self.page.viewport_size
        assert size
        check_fits(self.page, size["width"])
        assert violations(self.page) == []
