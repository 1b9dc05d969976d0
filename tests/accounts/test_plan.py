import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.accounts.plan import TAGS, Plan, default_plans, read_plans
from cambist.errors import CambistError, PlansRefused

UNLIMITED = '[unlimited]\ntags = ["admin"]\n'
"""The least that a plans file must hold: two lines."""


def refusal(text: str) -> str:
    with pytest.raises(PlansRefused) as refused:
        read_plans(text, "plans.toml")
    return str(refused.value)


def gold(*lines: str) -> str:
    """A file whose plan [gold] begins on line 3, its first own line being line 5."""
    return "\n".join([UNLIMITED + "[gold]", 'tags = ["currency"]', *lines, ""])


def test_the_default_plans_are_those_that_the_interface_promises() -> None:
    plans = read_plans(default_plans(), "plans.toml")
    shown = {
        name: (plan.calls_a_month, plan.rate, plan.burst, plan.book_refresh, plan.history_days)
        for name, plan in plans.items()
    }
    assert shown == {
        "one": (1_000_000, 50, 100, 60, None),
        "extra": (1_000_000, 100, 200, 30, None),
        "premium": (1_000_000, 500, 1_000, 1, None),
        "unlimited": (None, None, None, 0, None),
    }


def test_each_default_plan_includes_the_one_before_it() -> None:
    one, extra, premium, unlimited = read_plans(default_plans(), "plans.toml").values()
    assert set(one.tags) == {"currency", "crypto", "admin"}
    assert set(extra.tags) - set(one.tags) == {"fx"}
    assert set(premium.tags) - set(extra.tags) == {"fx-series", "metals", "stream"}
    assert set(unlimited.tags) == set(TAGS)


def test_of_the_default_plans_those_with_the_stream_have_its_limits() -> None:
    one, extra, premium, unlimited = read_plans(default_plans(), "plans.toml").values()
    assert (premium.stream_connections, premium.stream_pairs, premium.stream_messages) == (5, 50, 100)
    assert one.stream_connections == extra.stream_connections == 0
    assert unlimited.stream_connections > premium.stream_connections


def test_a_plan_reads_as_it_is_written() -> None:
    text = gold(
        "calls_a_month = 0",
        "rate = 0.5",
        "burst = 1",
        "book_refresh = 2.5",
        "history_days = 30",
        "stream_connections = 1",
        "stream_pairs = 2",
        "stream_messages = 3",
        "stream_calls_a_minute = 4",
    )
    assert read_plans(text, "plans.toml")["gold"] == Plan(
        name="gold",
        calls_a_month=0,
        rate=0.5,
        burst=1,
        book_refresh=2.5,
        tags=("currency",),
        history_days=30,
        stream_connections=1,
        stream_pairs=2,
        stream_messages=3,
        stream_calls_a_minute=4,
    )


def test_what_a_plan_does_not_say_is_not_limited_and_has_no_stream() -> None:
    plans = read_plans(UNLIMITED, "plans.toml")
    assert plans["unlimited"] == Plan(name="unlimited", tags=("admin",))


def test_plans_keep_the_order_of_the_file() -> None:
    assert list(read_plans(f'[z]\ntags = ["admin"]\n{UNLIMITED}[a]\ntags = ["admin"]', "")) == ["z", "unlimited", "a"]


def test_a_tag_that_is_repeated_counts_once() -> None:
    assert read_plans('[unlimited]\ntags = ["fx", "admin", "fx"]', "")["unlimited"].tags == ("fx", "admin")


BAD = {
    "an unknown key": (gold("calls_month = 5"), 5, "unknown key [calls_month]; did you mean [calls_a_month]?"),
    "a name within the table": (gold('name = "x"'), 5, "unknown key [name]"),
    "an unknown key that is like none": (gold("xyzzy = 5"), 5, "there are alerts, book_refresh, burst, calls_a_month"),
    "a quota that is text": (
        gold('calls_a_month = "many"'),
        5,
        "calls_a_month of plan [gold] is refused: [many], it takes a whole",
    ),
    "a quota that is a fraction": (gold("calls_a_month = 1.5"), 5, "[1.5]"),
    "a quota that is true": (gold("calls_a_month = true"), 5, "[true]"),
    "a negative quota": (gold("calls_a_month = -1"), 5, "[-1], it takes a whole number of at least 0"),
    "a quota that JSON cannot hold": (gold("calls_a_month = 9007199254740991"), 5, "[9007199254740991]"),
    "a rate without a burst": (gold("rate = 5"), 5, "has a rate without a burst"),
    "a burst without a rate": (gold("burst = 5"), 5, "has a burst without a rate"),
    "a rate of nothing": (gold("burst = 5", "rate = 0"), 6, "[0], it takes a number above 0"),
    "a rate that is no number": (gold("burst = 5", "rate = nan"), 6, "[nan]"),
    "an endless rate": (gold("burst = 5", "rate = inf"), 6, "[inf]"),
    "a rate that is true": (gold("burst = 5", "rate = true"), 6, "[true]"),
    "a burst of nothing": (gold("rate = 5", "burst = 0"), 6, "burst of plan [gold]"),
    "a refresh before now": (gold("book_refresh = -1"), 5, "[-1], it takes a number of at least 0"),
    "a refresh that is text": (gold('book_refresh = "1 s"'), 5, "[1 s]"),
    "no day of history": (gold("history_days = 0"), 5, "history_days of plan [gold]"),
    "more history than time has": (gold("history_days = 100000000"), 5, "history_days of plan [gold]"),
    "a stream limit below nothing": (gold("stream_pairs = -1"), 5, "stream_pairs of plan [gold]"),
    "a charge below nothing": (gold("stream_calls_a_minute = -1"), 5, "stream_calls_a_minute of plan [gold]"),
    "an unknown tag": (
        UNLIMITED + '[gold]\ntags = ["currency", "metal"]',
        4,
        "[metal], 'metal' is none of those that it takes; did you mean [metals]?",
    ),
    "no tag": (UNLIMITED + "[gold]\ntags = []", 4, "plan [gold] has no tags: it must name"),
    "tags that are no list": (
        UNLIMITED + '[gold]\ntags = "currency"',
        4,
        "[currency], it takes a list, not text; did you",
    ),
    "tags that are no text": (
        UNLIMITED + "[gold]\ntags = [1]",
        4,
        "[1], it takes text, not a whole number; there are admin",
    ),
    "a plan without tags": (UNLIMITED + "\n\n[gold]\nrate = 5\nburst = 5", 5, "has no tags"),
    "a stream without limits": (UNLIMITED + '[gold]\ntags = ["stream"]', 4, "stream_connections is not above 0"),
    "a name with capitals": (UNLIMITED + '[Gold]\ntags = ["admin"]', 3, "invalid plan name: [Gold]"),
    "a name with blanks": (UNLIMITED + '["go ld"]\ntags = ["admin"]', 3, "invalid plan name: [go ld]"),
    "a name that is empty": (UNLIMITED + '[""]\ntags = ["admin"]', 3, "invalid plan name: []"),
    "a name that is a path": (UNLIMITED + '["../x"]\ntags = ["admin"]', 3, "invalid plan name: [../x]"),
    "a name that is too long": (UNLIMITED + f'[{"x" * 33}]\ntags = ["admin"]', 3, "invalid plan name"),
    "a name that begins with a dash": (UNLIMITED + '[-x]\ntags = ["admin"]', 3, "invalid plan name"),
    "a value that is no plan": ("gold = 5\n" + UNLIMITED, 1, "[gold] is no plan"),
    "a list of plans": (UNLIMITED + '[[gold]]\ntags = ["admin"]', 3, "[gold] is no plan"),
    "a plan within a plan": (gold("[gold.deep]", "rate = 5"), 5, "unknown key [deep]"),
    "no plan at all": ("", 1, "there is no plan [unlimited]"),
    "no plan [unlimited]": ('# mine\n[gold]\ntags = ["admin"]\n', 3, "there is no plan [unlimited]"),
    "a line that is no TOML": (UNLIMITED + "[gold]\nrate 5\n", 4, "Expected '=' after a key"),
    "a table that is not closed": (UNLIMITED + "[gold\n", 3, "Expected ']'"),
    "a text that ends too early": (UNLIMITED + '[gold]\ntags = ["admin"', 4, "Unclosed array"),
    "a plan twice": (UNLIMITED + UNLIMITED, 3, "Cannot declare"),
    "a key twice": (gold("rate = 5", "rate = 5"), 6, "Cannot overwrite"),
}


@pytest.mark.parametrize(("text", "line", "reason"), BAD.values(), ids=BAD)
def test_a_malformed_file_is_refused_with_its_name_the_line_and_the_reason(text: str, line: int, reason: str) -> None:
    said = refusal(text)
    assert said.startswith(f"plans.toml, line {line}: ")
    assert reason in said
    assert said.isprintable()
    assert len(said) < 400


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (UNLIMITED + '["a\\nb"]\ntags = ["admin"]', r"invalid plan name: [a\nb]"),
        ("x = " + "[" * 5000, "nested too deeply"),
        (gold("calls_a_month = " + "9" * 5000), "digits"),
    ],
)
def test_where_the_line_is_not_known_the_reason_is_said_without_it(text: str, reason: str) -> None:
    said = refusal(text)
    assert said.startswith("plans.toml: ")
    assert reason in said
    assert said.isprintable()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("unlimited = { tags = ['admin'], rate = -5, burst = 5 }", 1),
        ("\nunlimited.tags = ['admin']\nunlimited.burst = 1\nunlimited.rate = -5", 4),
        ("[ 'unlimited' ]\n# tags\ntags = [\n  'admin',\n]\nburst = 1\n\n\"rate\" = -5", 8),
        (
            "[gold]\ntags = ['admin']\nrate = 1\nburst = 1\n[unlimited]\ntags = ['admin']\nburst = 1\nrate = -5 # rate",
            8,
        ),
        ("[unlimited]\ntags = [\n\n'admn']", 2),
        ("['gold']\ntags = ['admin']\n#\u2028\x85\n[unlimited]\nburst = 1\nrate = -5", 6),
    ],
)
def test_the_line_is_right_however_a_plan_is_written(text: str, line: int, end: str) -> None:
    assert refusal(text.replace("\n", end)).startswith(f"plans.toml, line {line}: ")


@given(st.text(alphabet="abtgs=[]{}\".\n#15'", max_size=60))
def test_no_text_at_all_raises_anything_else(text: str) -> None:
    try:
        plans = read_plans(text, "plans.toml")
    except PlansRefused as refused:
        assert re.match(r"plans\.toml(, line [0-9]+)?: ", str(refused))  # noqa: PT017  both ends are fine
    else:
        assert "unlimited" in plans


def test_a_refused_file_is_an_error_of_ours() -> None:
    assert issubclass(PlansRefused, CambistError)
