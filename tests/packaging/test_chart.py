"""The chart for Kubernetes, rendered by Helm itself: valid, and with settings that the programs accept."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
import yaml
from sqlalchemy import text

from hstar.schema import Limits
from store.__main__ import main
from store.capacity import check_memory
from store.database import make_engine, make_sessions
from store.settings import Settings
from tests.packaging import compose
from tests.packaging.test_compose import SECRETS
from tests.store.builders import must_claim, submit

if find_spec("helm_python") is None:
    pytest.skip("there is no wheel of Helm for this machine", allow_module_level=True)

import helm_python
import kubernetes_validate

CHART = compose.ROOT / "deploy/chart"
EVERYTHING: dict[str, Any] = {
    "certificates": "claimed",
    "databases": "tables",
    "autoscaling": {"enabled": True, "max": 50},
    "small": {"replicas": 3},
    "settings": {"HSTAR_KEEP_DAYS": "180"},
}
#: what the Secret has
SECRET = {
    "HSTAR_DATABASE_URL": "postgresql://hstar:p@db/hstar",
    "HSTAR_BROKER_URL": "redis://:p@redis/0",
}
UNITS = {"Mi": 2**20, "Gi": 2**30}


def render(values: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The manifests, hooks included."""
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values or {}))
        found = chart.render(values or {}, name="hstar", namespace="solving")
    return [one for rendered in found.values() for one in yaml.safe_load_all(rendered) if one is not None]


def pods(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The specifications of pods by their part."""
    return {
        one["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"]["template"]["spec"]
        for one in manifests
        if "template" in one.get("spec", {})
    }


def environment(pod: dict[str, Any]) -> dict[str, str]:
    (container,) = pod["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "hstar"}}]
    return {one["name"]: one["value"] for one in container["env"]} | SECRET


def size(quantity: str) -> int:
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


@pytest.fixture(scope="module", params=[None, EVERYTHING], ids=["defaults", "everything"])
def manifests(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return render(request.param)


def test_helm_finds_no_fault() -> None:
    report = helm_python.lint(str(CHART), strict=True)
    assert (report["errors"], [one for one in report["messages"] if one["severity"] > 1]) == ([], [])


def test_every_object_is_one_of_kubernetes(manifests: list[dict[str, Any]]) -> None:
    ours = [one for one in manifests if not one["apiVersion"].startswith("keda.sh/")]
    assert len(ours) >= 5
    for one in ours:
        for version in ("1.28", "1.33"):
            kubernetes_validate.validate(one, version, strict=True)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**ours[0], "spec": {"replicas": "two"}}, "1.33", strict=True)


def test_the_parts_are_those_of_compose_with_the_same_commands() -> None:
    services = compose.load(SECRETS)["services"]
    found = pods(render(EVERYTHING))
    assert set(found) == {"api", "worker", "small", "sweeper", "migrate"}
    for part, pod in found.items():
        assert pod["containers"][0]["command"] == services[part]["command"]
    assert set(pods(render())) == {"api", "worker", "sweeper", "migrate"}


def test_the_programs_accept_their_settings_and_have_the_memory_and_the_disk(manifests: list[dict[str, Any]]) -> None:
    for part, pod in pods(manifests).items():
        # Kubernetes would set HSTAR_... for each Service whose name begins so.
        assert pod["enableServiceLinks"] is False
        (container,) = pod["containers"]
        given = environment(pod)
        settings = Settings.from_env(given)
        assert settings.worker_takes == ("small" if part == "small" else "all")
        mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
        volumes = {one["name"]: one for one in pod["volumes"]}
        assert set(mounts.values()) == set(volumes)
        assert (settings.certificate_mib > 0) == (f"{settings.var}/certificates" in mounts)
        if part in ("worker", "small"):
            memory = size(container["resources"]["limits"]["memory"])
            check_memory(settings, settings.workers, settings.quick_slots, settings.paused_slots, memory)
            processes = settings.workers + settings.quick_slots + settings.paused_slots
            layers = size(volumes[mounts[str(settings.var)]]["emptyDir"]["sizeLimit"])
            assert layers >= processes * settings.layers_mib * 2**20
            databases = volumes[mounts[settings.databases]]
            if "emptyDir" in databases:
                assert size(databases["emptyDir"]["sizeLimit"]) > settings.databases_mib * 2**20
            else:  # all workers have the same, so that one builds what the others read
                assert databases["persistentVolumeClaim"] == {"claimName": "tables"}


@pytest.mark.parametrize("worker", [{"slots": 1, "pausedSlots": 0}, {"slots": 16, "pausedSlots": 5}])
def test_memory_follows_from_the_slots(worker: dict[str, int]) -> None:
    pod = pods(render({"worker": worker, "maxMemoryMiB": 1_000_000}))["worker"]
    settings = Settings.from_env(environment(pod))
    assert settings.cap_memory_mib == 1_000_000
    memory = size(pod["containers"][0]["resources"]["limits"]["memory"])
    check_memory(settings, settings.workers, settings.quick_slots, settings.paused_slots, memory)
    assert memory < (settings.workers + 2) * 1_000_000 * 2**20


def test_every_pod_is_hardened(manifests: list[dict[str, Any]]) -> None:
    for pod in pods(manifests).values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"]


def test_the_migration_comes_before_everything_else(manifests: list[dict[str, Any]]) -> None:
    hooks = {one["kind"]: one["metadata"].get("annotations", {}).get("helm.sh/hook") for one in manifests}
    assert {kind for kind, hook in hooks.items() if hook} == {"Job"}
    assert hooks["Job"] == "pre-install,pre-upgrade"


@pytest.fixture
def drained(tmp_path: Any, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HSTAR_DATABASE_URL", sqlite_url)
    monkeypatch.setenv("HSTAR_VAR", str(tmp_path))
    yield
    assert (tmp_path / f"draining-{socket.gethostname()}").exists()


@pytest.mark.usefixtures("drained")
def test_a_worker_is_drained_before_it_is_told_to_end(capsys: pytest.CaptureFixture[str]) -> None:
    found = pods(render({**EVERYTHING, "drainSeconds": 7}))
    command: list[str] = []
    for part in ("worker", "small"):
        command = found[part]["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
        assert command[-2:] == ["--seconds", "7"]
        # Afterwards it needs up to 30 s to hand back what is left.
        assert found[part]["terminationGracePeriodSeconds"] >= 7 + 30
    assert command[:3] == ["python", "-m", "store"]
    assert main(command[3:]) == 0
    assert capsys.readouterr().out == "0 jobs run\n"


def test_workers_follow_the_number_of_jobs(postgresql_url: str) -> None:
    found = {one["kind"]: one for one in render(EVERYTHING)}
    scaled, authentication = found["ScaledObject"]["spec"], found["TriggerAuthentication"]["spec"]
    # The Deployment must not have a number of its own, to which an upgrade would go back.
    deployments = {one["metadata"]["name"]: one for one in render(EVERYTHING) if one["kind"] == "Deployment"}
    assert "replicas" not in deployments[scaled["scaleTargetRef"]["name"]]["spec"]
    assert deployments["hstar-small"]["spec"]["replicas"] == 3
    assert authentication["secretTargetRef"] == [
        {"parameter": "connection", "name": "hstar", "key": "HSTAR_DATABASE_URL"}
    ]
    (trigger,) = scaled["triggers"]
    slots = int(environment(pods(render(EVERYTHING))["worker"])["HSTAR_WORKERS"])
    assert (trigger["type"], trigger["metadata"]["targetQueryValue"]) == ("postgresql", str(slots))
    query = trigger["metadata"]["query"]
    assert re.findall(r"LIMIT (\d+)", query) == [str(50 * slots)]
    sessions = make_sessions(make_engine(postgresql_url))

    def counted() -> int:
        with sessions.read() as session:
            return int(session.execute(text(query)).scalar_one())

    assert counted() == 0
    for _ in range(3):
        submit(sessions, limits=Limits(seconds=1, memory_mib=512))
    must_claim(sessions)
    assert counted() == 3
    with sessions.write() as session:
        session.execute(text("UPDATE jobs SET state = 'cancelled', finished_at = now() WHERE state = 'queued'"))
    assert counted() == 1
    sessions.close()


@pytest.mark.parametrize(
    "values",
    [
        {"workers": 3},
        {"worker": {"slots": 0}},
        {"secret": ""},
        {"maxMemoryMiB": "2Gi"},
        {"settings": {"LOG": "x"}},
        {"settings": {"HSTAR_WORKERS": "3"}},
        {"settings": {"HSTAR_KEEP_DAYS": 3}},
        {"autoscaling": {"enabled": "yes"}},
    ],
)
def test_the_schema_refuses_wrong_values(values: dict[str, Any]) -> None:
    with pytest.raises(helm_python.HelmError):
        render(values)
