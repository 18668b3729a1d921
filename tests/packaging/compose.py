"""Reads docker-compose.yml as Compose does: first variables, then YAML."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
VARIABLE = re.compile(r"\$(?:\$|\{(\w+)(?::([-?])([^}]*))?\})")


class MissingVariableError(Exception):
    """A variable marked `:?` is unset or empty; the message is what Compose prints."""


def interpolate(text: str, env: Mapping[str, str]) -> str:
    """Replace `${NAME}`, `${NAME:-default}` and `${NAME:?message}`; `$$` is a dollar sign."""

    def value(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        if name is None:
            return "$"
        if env.get(name):
            return env[name]
        if kind == "?":
            raise MissingVariableError(f"required variable {name} {rest}")
        return rest if kind == "-" else ""

    return VARIABLE.sub(value, text)


def load(env: Mapping[str, str]) -> dict[str, Any]:
    """The whole file with the variables of `env` replaced. Raises MissingVariableError."""
    return dict(yaml.safe_load(interpolate(FILE.read_text(), env)))
