import socket

import pytest

from cambist.errors import CannotStart, SettingRefused
from cambist.registry import nodes
from cambist.registry.nodes import check_node, node_name
from cambist.settings import Settings

REDIS, DATABASE = "redis://cache", "postgresql://db/rates"


def test_a_node_has_the_name_that_is_set_or_that_of_its_machine() -> None:
    assert node_name(Settings(redis=REDIS, node="rates-1")) == "rates-1"
    assert node_name(Settings(redis=REDIS)) == socket.gethostname()
    assert node_name(Settings(node="rates-1")) == ""


def test_one_machine_and_a_node_with_a_database_server_may_start() -> None:
    check_node(Settings())
    check_node(Settings(redis=REDIS, database=DATABASE, roles="api"))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (Settings(roles="api"), r"set \[redis\], or remove \[roles\]"),
        (Settings(redis=REDIS), r"set \[database\] beside \[redis\]"),
        (Settings(redis=REDIS, database="sqlite:////srv/a.db"), r"set \[database\] beside \[redis\]"),
        (Settings(redis=REDIS, database=DATABASE, sandbox=True), r"A sandbox is alone"),
    ],
)
def test_what_cannot_work_is_refused(settings: Settings, reason: str) -> None:
    with pytest.raises(CannotStart, match=reason):
        check_node(settings)


def test_a_wrong_url_of_redis_is_refused_at_the_start() -> None:
    with pytest.raises(SettingRefused, match=r"there is no port 0"):
        check_node(Settings(redis="redis://cache:0", database=DATABASE))


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "find_spec", lambda _name: None)
    with pytest.raises(CannotStart, match=r"cambist\[cluster\]"):
        check_node(Settings(redis=REDIS, database=DATABASE))
