"""Renders what deploy/ has for Kubernetes, checks each object against the schemas, and prints it all as JSON.

It runs in the environment of requirements-manifests.lock, with the real Kustomize and the real engine of Helm.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml
from helm_python import Chart
from helm_python.chart import lint

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/helm/cambist"
VERSIONS = ["1.30", "1.37"]


def kustomized(name: str) -> list[dict[str, Any]]:
    """Return the objects that Kustomize makes of a folder."""
    command = [Path(sys.executable).parent / "kubectl", "kustomize", ROOT / "deploy/kubernetes" / name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects that Helm makes of the chart."""
    made = Chart.load(CHART).render(values, name="cambist", namespace="rates")
    return [each for _, text in sorted(made.items()) for each in yaml.safe_load_all(text) if each]


def refusal(values: dict[str, Any]) -> str:
    """Return why Helm does not render the chart; empty: it does."""
    try:
        chart = Chart.load(CHART)
        chart.validate_schema(values)
        chart.render(values, name="cambist")
    except Exception as error:  # noqa: BLE001  the test reads what it says
        return str(error)
    return ""


def complaints(objects: list[dict[str, Any]]) -> list[str]:
    """Return what the schemas of Kubernetes say against objects."""
    found = []
    for version in VERSIONS:
        for each in objects:
            try:
                kubernetes_validate.validate(each, version, strict=True)
            except kubernetes_validate.utils.ValidationError as error:
                found.append(f"{version} {each['kind']}: {error}")
    return found


def main() -> None:
    """Print everything."""
    cases = json.loads(sys.argv[1])
    objects = {name: kustomized(name) for name in cases["kustomize"]}
    objects |= {name: rendered(values) for name, values in cases["helm"].items()}
    found = {
        "objects": objects,
        "complaints": {name: complaints(each) for name, each in objects.items()},
        "lint": lint(CHART, cases["helm"]["helm-cluster"], strict=True),
        "refusals": [refusal(values) for values in cases["refused"]],
        "wrong": complaints(
            [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"prots": []}}]
        ),
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
