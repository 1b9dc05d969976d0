"""Which sources are asked, with which key, and why the others are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cambist.errors import SettingRefused, SourceRefused
from cambist.history.typed_series import CLOSES
from cambist.registry.sources.source_adapters import (
    OWN_SOURCES,
    adapters,
    fixing_adapters,
    load_adapters,
    load_declared_adapters,
    reasons_off,
    source_keys,
)
from cambist.settings import Settings
from cambist.sources.adapters import ADAPTERS
from cambist.status.environment import SIMULATED

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "own-sources.md").read_text(encoding="utf-8")
HARBOUR, MERIDIAN = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with both sources of the page; the second needs a key."""
    (tmp_path / OWN_SOURCES).mkdir()
    (tmp_path / OWN_SOURCES / "b.toml").write_text(HARBOUR)
    (tmp_path / OWN_SOURCES / "a.toml").write_text(MERIDIAN)
    (tmp_path / OWN_SOURCES / "notes.txt").write_text("not a source")
    return tmp_path


def off(settings: Settings, environment: dict[str, str] | None = None) -> dict[str, str]:
    found = load_adapters(settings)
    return reasons_off(settings, found, source_keys(settings, found.values(), environment or {}))


def test_declared_sources_come_last_in_the_order_of_their_files(folder: Path) -> None:
    assert list(load_adapters(Settings(data=folder))) == [*ADAPTERS, "meridian", "harbour"]
    assert list(fixing_adapters(Settings(data=folder)))[-2:] == ["meridian", "harbour"]
    assert "kraken" not in fixing_adapters(Settings(data=folder))


def test_a_folder_without_declarations_has_no_declared_sources(tmp_path: Path) -> None:
    assert load_declared_adapters(tmp_path / "nowhere") == {}
    assert list(load_adapters(Settings(data=tmp_path))) == list(adapters())


@pytest.mark.parametrize("key", ["harbour", "ecb", SIMULATED, CLOSES])
def test_a_taken_key_is_refused_with_the_file(folder: Path, key: str) -> None:
    (folder / OWN_SOURCES / "c.toml").write_text(HARBOUR.replace('"harbour"', f'"{key}"'))
    with pytest.raises(SourceRefused, match=r"c\.toml"):
        load_declared_adapters(folder / OWN_SOURCES)


def test_keys_come_from_settings_and_those_of_declared_sources_from_variables(folder: Path) -> None:
    settings = Settings(data=folder, fred_key="f", twelvedata_key="")
    found = load_adapters(settings).values()
    assert source_keys(settings, found, {"MERIDIAN_KEY": "m", "FRED_KEY": "x"}) == {
        "fred": "f",
        "meridian": "m",
    }
    assert source_keys(settings, found, {"MERIDIAN_KEY": ""}) == {"fred": "f"}


def test_without_settings_sources_are_off_that_have_a_reason_or_lack_their_key(folder: Path) -> None:
    reasons = off(Settings(data=folder))
    assert reasons["fred"] == "needs a key of your own: fred_key"
    assert reasons["meridian"] == "needs a key of your own: MERIDIAN_KEY"
    assert reasons["imf"] == adapters()["imf"].source.disabled_reason
    assert reasons["swissquote"] == adapters()["swissquote"].source.disabled_reason
    assert not {"ecb", "kraken", "harbour"} & {*reasons}


def test_a_key_switches_its_source_on(folder: Path) -> None:
    reasons = off(Settings(data=folder, fred_key="f"), {"MERIDIAN_KEY": "m"})
    assert not {"fred", "meridian"} & {*reasons}
    assert "twelvedata" in reasons


def test_a_source_that_is_switched_on_still_needs_its_key(folder: Path) -> None:
    reasons = off(Settings(data=folder, feeds_on="imf, fred"))
    assert "imf" not in reasons
    assert reasons["fred"] == "needs a key of your own: fred_key"


def test_off_wins_over_on_and_over_a_key(folder: Path) -> None:
    said = "switched off by the setting feeds_off"
    reasons = off(Settings(data=folder, feeds_on="imf,ecb", feeds_off="imf,ecb,harbour,fred", fred_key="f"))
    assert [reasons[key] for key in ("imf", "ecb", "harbour", "fred")] == [said] * 4


@pytest.mark.parametrize("name", ["feeds_on", "feeds_off"])
def test_a_setting_that_names_no_source_is_refused_with_the_nearest(folder: Path, name: str) -> None:
    with pytest.raises(
        SettingRefused, match=rf"^The setting \[{name}\] names no source: \[krakn\]; did you mean \[kraken\]\?$"
    ):
        off(Settings(data=folder, **{name: "ecb,krakn"}))


def test_a_node_goes_on_if_its_shared_settings_switch_off_a_source_of_another_version(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared = Settings(data=folder, redis="redis://127.0.0.1:1", feeds_off="ecb,source_of_tomorrow")
    assert "ecb" in off(shared)
    assert "[source_of_tomorrow]" in caplog.text
    with pytest.raises(SettingRefused, match="source_of_tomorrow"):
        off(Settings(data=folder, redis="redis://127.0.0.1:1", feeds_on="source_of_tomorrow"))
