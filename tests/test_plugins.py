import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from cambist.plugins import load

Plant = Callable[..., None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Put a module into a package `garden`, as if it were a file there."""
    monkeypatch.setitem(sys.modules, "garden", ModuleType("garden"))

    def put(name: str, **attributes: object) -> None:
        module = ModuleType(f"garden.{name}")
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, module.__name__, module)

    return put


def test_each_name_is_loaded_as_the_object_of_its_module(plant: Plant) -> None:
    plant("rose", flower="red")
    plant("violet", flower="blue")
    assert load("garden", ["rose", "violet"], "flower", str) == {"rose": "red", "violet": "blue"}


def test_the_order_is_that_of_the_registry(plant: Plant) -> None:
    plant("rose", flower="red")
    plant("violet", flower="blue")
    assert list(load("garden", ["violet", "rose"], "flower", str)) == ["violet", "rose"]


def test_only_what_is_registered_is_loaded(plant: Plant) -> None:
    plant("rose", flower="red")
    plant("violet", flower="blue")
    assert list(load("garden", ["rose"], "flower", str)) == ["rose"]
    assert load("garden", [], "flower", str) == {}


def test_a_name_may_be_in_a_subpackage(plant: Plant) -> None:
    plant("shade.fern", flower="none")
    assert load("garden", ["shade.fern"], "flower", str) == {"shade.fern": "none"}


def test_a_module_with_an_object_of_another_type_is_refused_by_its_name(plant: Plant) -> None:
    plant("stone", flower=7)
    with pytest.raises(TypeError, match=r"garden\.stone must define `flower: str"):
        load("garden", ["stone"], "flower", str)


def test_a_module_without_the_object_is_refused_by_its_name(plant: Plant) -> None:
    plant("stone")
    with pytest.raises(TypeError, match=r"garden\.stone must define `flower: str"):
        load("garden", ["stone"], "flower", str)


def test_a_missing_module_is_refused_by_its_name() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"cambist\.sources\.adapters\.nowhere"):
        load("cambist.sources.adapters", ["nowhere"], "feed", object)
