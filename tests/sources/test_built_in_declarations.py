"""The built-in declarations: every file is a source, says what it must, and is shipped with the package."""

import zipfile
from pathlib import Path

import pytest
from flit_core.wheel import make_wheel_in

from cambist.errors import SourceRefused
from cambist.registry.sources.source_adapters import RESERVED_KEYS, adapters, built_in, is_declared
from cambist.settings import Settings
from cambist.sources.adapters import ADAPTERS
from cambist.sources.base import KnownFrom
from cambist.sources.declaration import DeclaredAdapter, read_declaration

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src/cambist/sources/declared"
FILES = sorted(FOLDER.glob("*.toml"))
EVERY = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@EVERY
def test_a_file_is_ranked_under_its_own_key_and_has_no_module(path: Path) -> None:
    assert built_in(path.stem).source.key == path.stem
    assert ADAPTERS.count(path.stem) == 1
    assert path.stem in RESERVED_KEYS
    assert not (FOLDER.parent / "adapters" / f"{path.stem}.py").exists()


@EVERY
def test_a_file_begins_with_what_is_known_of_the_source(path: Path) -> None:
    comment = path.read_text(encoding="utf-8").split("\nkey = ")[0]
    assert all(line.startswith("#") and len(line) <= 120 for line in comment.splitlines())
    for word in ("Address", "Direction", "Published", "Traps", "Known from"):
        assert f"# {word}: " in comment, word


@EVERY
def test_the_setting_of_a_key_exists(path: Path) -> None:
    setting = built_in(path.stem).source.setting
    assert not setting or setting in Settings.__struct_fields__


def test_modules_and_declarations_are_one_list() -> None:
    assert list(adapters()) == [*ADAPTERS]
    assert [key for key in ADAPTERS if is_declared(key)] == [key for key in ADAPTERS if key in {f.stem for f in FILES}]
    assert {key for key in ADAPTERS if isinstance(built_in(key), DeclaredAdapter)} == {path.stem for path in FILES}


def test_a_wheel_has_every_declaration(tmp_path: Path) -> None:
    info = make_wheel_in(ROOT / "pyproject.toml", tmp_path)
    with zipfile.ZipFile(info.file) as wheel:
        shipped = {name for name in wheel.namelist() if name.startswith("cambist/sources/declared/")}
    assert shipped == {f"cambist/sources/declared/{path.name}" for path in FILES}


BOI = (FOLDER / "boi.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", ["home", "terms", "covers", "known_from", "request.media"])
def test_a_built_in_declaration_needs_what_an_operator_may_leave_out(field: str) -> None:
    name = field.rpartition(".")[2]
    text = "\n".join(line for line in BOI.splitlines() if not line.startswith(f"{name} = "))
    with pytest.raises(SourceRefused, match=rf"\[{field}\] is missing"):
        read_declaration(text, "boi.toml", is_built_in=True)
    assert read_declaration(text, "boi.toml").source.key == "boi"


@pytest.mark.parametrize("line", ['setting = "fred_key"', 'alias = "BRX"', "outranks_pegs = true"])
def test_what_only_a_built_in_source_may_say_is_refused_of_an_operator(line: str) -> None:
    text = BOI.replace('key = "boi"', f'key = "boi"\n{line}')
    if line.startswith("setting"):
        text = text.replace("&format=csv", "&format=csv&k={key}")
    with pytest.raises(SourceRefused, match=rf"\[{line.split(maxsplit=1)[0]}\]"):
        read_declaration(text, "own.toml")
    assert read_declaration(text, "boi.toml", is_built_in=True).source.key == "boi"


def test_a_setting_without_a_place_for_the_key_has_no_effect() -> None:
    text = BOI.replace('key = "boi"', 'key = "boi"\nsetting = "fred_key"')
    with pytest.raises(SourceRefused, match=r"\[setting\] has no effect: no request contains"):
        read_declaration(text, "boi.toml", is_built_in=True)


def test_a_declared_source_may_be_off_and_unproven() -> None:
    lines = 'key = "boi"\ndisabled_reason = "Its terms are unclear."'
    text = BOI.replace('key = "boi"', lines).replace('"recorded"', '"documentation"')
    source = read_declaration(text, "boi.toml", is_built_in=True).source
    assert (source.disabled_reason, source.known_from) == ("Its terms are unclear.", KnownFrom.DOCUMENTATION)
    assert not source.is_on_by_default
