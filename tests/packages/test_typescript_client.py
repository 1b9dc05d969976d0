"""The TypeScript client without a service: what is generated, what its types refuse, and what is published."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.packages.conftest import COMPILER, PACKAGE, missing_requirement
from tests.patience import PATIENCE
from tools.typescript_types import INTERFACE, WRITTEN, client_interface, type_of

TYPES = Path(__file__).parent / "typescript" / "types.ts"


@pytest.fixture(scope="module")
def document() -> Mapping[str, Any]:
    return dict(json.loads(INTERFACE.read_text()))


def test_each_endpoint_is_a_method(document: Mapping[str, Any]) -> None:
    written = WRITTEN.read_text()
    assert written == client_interface(document)
    asked = set(re.findall(r'this\.(?:ask|post|postText)\("([^"]+)"', written))
    assert asked == set(document["paths"])


def test_a_change_of_the_interface_changes_the_types(document: Mapping[str, Any]) -> None:
    changed = json.loads(json.dumps(document))
    changed["paths"]["/fetch-one"]["get"]["parameters"][0]["name"] = "source_currency"
    assert "  readonly source_currency?: string;" in client_interface(changed)
    assert "source_currency" not in WRITTEN.read_text()


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["number", "string"]}, "number | string"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "string | null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/When"}}, "readonly (When)[]"),
        ({"enum": ["above", 1]}, '"above" | 1'),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Readonly<Record<string, number>>"),
    ],
)
def test_a_schema_has_a_type(schema: Mapping[str, Any], expected: str) -> None:
    assert type_of(schema) == expected


def test_a_form_of_a_schema_that_is_new_is_refused() -> None:
    with pytest.raises(ValueError, match="no type for"):
        type_of({"oneOf": []})


@pytest.mark.long
def test_the_compiler_refuses_wrong_questions(node: str, compiled: Path, tmp_path: Path) -> None:
    shutil.copy(TYPES, tmp_path / "types.ts")
    (tmp_path / "node_modules").symlink_to(compiled)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    chosen = ["--strict", "--noEmit", "--module", "NodeNext", "--target", "ES2022", "--lib", "ES2022,DOM"]
    command = [node, str(COMPILER), *chosen, "types.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.long
def test_the_package_has_what_is_published_and_no_dependency(compiled: Path) -> None:
    about = json.loads((PACKAGE / "package.json").read_text())
    assert not about.keys() & {"dependencies", "peerDependencies", "optionalDependencies", "private"}
    for kind in ("types", "default"):
        assert (compiled / "cambist-client" / about["exports"]["."][kind]).is_file()
    assert all((PACKAGE / name).is_file() for name in about["files"] if name != "dist")
    imported = re.findall(r'from "([^"]+)"', "".join(path.read_text() for path in (PACKAGE / "src").iterdir()))
    assert imported
    assert all(name.startswith("./") for name in imported)


def test_the_lock_file_pins_checksums_and_names_no_host() -> None:
    text = (PACKAGE / "package-lock.json").read_text()
    assert "://" not in text
    packages = json.loads(text)["packages"]
    wanted = json.loads((PACKAGE / "package.json").read_text())["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(one["integrity"].startswith("sha512-") for name, one in packages.items() if name)


def test_a_missing_requirement_is_reported(tmp_path: Path) -> None:
    assert missing_requirement(None) == "there is no node"
    assert "TypeScript is not in" in missing_requirement(sys.executable, tmp_path / "node_modules/typescript/bin/tsc")
    old, compiler = tmp_path / "node", tmp_path / "tsc"
    old.write_text("#!/bin/sh\necho v18.1.0\n")
    old.chmod(0o755)
    compiler.touch()
    assert missing_requirement(str(old), compiler) == "it needs Node 20, this is v18.1.0"
