"""The files for Kubernetes: rendered by Kustomize and Helm, checked against the schemas, and compared."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from cambist.settings import read_settings

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv/manifests/bin/python"
NODES = {"replicas": 3, "existingSecret": "cambist"}
FULL = {
    **NODES,
    "httpsProxy": "http://proxy.example:3128",
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "rates", "annotations": {"example.org/a": "b"}},
    "storage": {"className": "fast"},
    "image": {"pullSecrets": [{"name": "registry"}]},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"operator": "Exists"}],
}
CASES = {
    "kustomize": ["single", "cluster"],
    "helm": {"helm-single": {}, "helm-cluster": NODES, "helm-full": FULL},
    "refused": [{"replicas": 3}, {"replica": 3}, {"settings": {"PORT": "1"}}],
}
LINKS = {"CAMBIST_DATABASE": "postgresql://cambist@db/cambist", "CAMBIST_REDIS": "redis://redis:6379"}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    if not PYTHON.exists():
        pytest.skip("the tools for Kubernetes are not installed: make .venv/.manifests")
    command = [PYTHON, Path(__file__).with_name("render_manifests.py"), json.dumps(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def one(found: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    (only,) = [each for each in found["objects"][name] if each["kind"] == kind]
    return copy.deepcopy(dict(only))


def pod(found: dict[str, Any], name: str) -> dict[str, Any]:
    return dict(one(found, name, "StatefulSet")["spec"]["template"]["spec"])


@pytest.mark.long
def test_every_object_has_the_shape_of_the_published_schemas(found: dict[str, Any]) -> None:
    assert found["complaints"] == {name: [] for name in ("single", "cluster", *CASES["helm"])}
    assert found["lint"]["errors"] == []
    assert [each for each in found["lint"]["messages"] if each["severity"] > 1] == []
    assert found["wrong"], "the schemas let a misspelled field pass"


def test_helm_refuses_nodes_without_links_and_names_that_it_does_not_know(found: dict[str, Any]) -> None:
    assert "Several nodes need existingSecret" in found["refusals"][0]
    assert "replica" in found["refusals"][1]
    assert "PORT" in found["refusals"][2]


@pytest.mark.parametrize("name", ["single", "cluster"])
def test_helm_and_kustomize_make_the_same_pods(found: dict[str, Any], name: str) -> None:
    kustomized, rendered = pod(found, name), pod(found, f"helm-{name}")
    for made in (kustomized, rendered):
        made["containers"][0].pop("envFrom")
        made["containers"][0].pop("imagePullPolicy", None)
        made["containers"][0]["env"].sort(key=lambda variable: variable["name"])
        for spread in made.get("topologySpreadConstraints", []):
            spread.pop("labelSelector")
    assert kustomized == rendered
    policies = [one(found, each, "NetworkPolicy")["spec"] for each in (name, f"helm-{name}")]
    assert {**policies[0], "podSelector": None} == {**policies[1], "podSelector": None}


@pytest.mark.parametrize("name", ["single", "cluster", *CASES["helm"]])
def test_a_pod_is_no_root_cannot_write_its_root_and_is_probed(found: dict[str, Any], name: str) -> None:
    made = pod(found, name)
    (container,) = made["containers"]
    assert made["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert container["readinessProbe"]["httpGet"] == {"path": "/health/traffic", "port": "operator"}
    assert container["livenessProbe"]["httpGet"] == {"path": "/health/live", "port": "operator"}
    text = (ROOT / "deploy/container/Containerfile").read_text()
    assert f"USER {made['securityContext']['runAsUser']}:{made['securityContext']['runAsGroup']}\n" in text
    assert "/var/lib/cambist" in {each["mountPath"] for each in container["volumeMounts"]}


@pytest.mark.parametrize("name", ["single", "cluster", *CASES["helm"]])
def test_selectors_find_the_pods_and_the_service_takes_the_settings(found: dict[str, Any], name: str) -> None:
    stateful = one(found, name, "StatefulSet")["spec"]
    labels = stateful["template"]["metadata"]["labels"].items()
    services = [each for each in found["objects"][name] if each["kind"] == "Service"]
    policy = one(found, name, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"]
    for selector in (stateful["selector"]["matchLabels"], policy, *(each["spec"]["selector"] for each in services)):
        assert selector
        assert selector.items() <= labels
    assert stateful["serviceName"] in {each["metadata"]["name"] for each in services}
    config = one(found, name, "ConfigMap")
    (container,) = stateful["template"]["spec"]["containers"]
    assert container["envFrom"][0]["configMapRef"]["name"] == config["metadata"]["name"]
    variables = {each["name"]: each.get("value", "cambist-0") for each in container["env"]}
    nodes = stateful["replicas"] > 1
    settings = read_settings({**config["data"], **variables, **(LINKS if nodes else {})}, {})
    assert (settings.operator_host, settings.workers, settings.node == "cambist-0") == ("0.0.0.0", 2, nodes)  # noqa: S104  the address in the pod
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert ports == {"api": settings.port, "stream": settings.stream_port, "operator": settings.operator_port}


@pytest.mark.parametrize("name", ["cluster", "helm-cluster"])
def test_nodes_have_a_disruption_budget_and_the_way_to_their_links(found: dict[str, Any], name: str) -> None:
    assert one(found, name, "StatefulSet")["spec"]["replicas"] == 3
    budget = one(found, name, "PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1
    labels = one(found, name, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    assert budget["selector"]["matchLabels"].items() <= labels.items()
    ports = {port["port"] for each in one(found, name, "NetworkPolicy")["spec"]["egress"] for port in each["ports"]}
    assert {53, 443, 5432, 6379} <= ports
    secret = pod(found, name)["containers"][0]["envFrom"][1]["secretRef"]
    assert secret["name"] == "cambist"
    assert not secret.get("optional")


def test_one_service_has_no_budget_and_no_way_to_links(found: dict[str, Any]) -> None:
    for name in ("single", "helm-single"):
        assert "PodDisruptionBudget" not in {each["kind"] for each in found["objects"][name]}
        ports = {port["port"] for each in one(found, name, "NetworkPolicy")["spec"]["egress"] for port in each["ports"]}
        assert not ports & {5432, 6379}


def test_the_chart_gives_the_proxy_and_an_ingress(found: dict[str, Any]) -> None:
    assert one(found, "helm-full", "ConfigMap")["data"]["HTTPS_PROXY"] == "http://proxy.example:3128"
    paths = one(found, "helm-full", "Ingress")["spec"]["rules"][0]["http"]["paths"]
    assert [(each["path"], each["backend"]["service"]["port"]["name"]) for each in paths] == [
        ("/stream", "stream"), ("/", "api"),
    ]  # fmt: skip
