"""The alert rules: Prometheus can parse them, the service has every metric in them, and each is explained."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flask.testing import FlaskClient

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "docs/alerts.yml"
TEXT = RULES.read_text()


def test_every_metric_is_one_that_there_is(client: FlaskClient) -> None:
    shown = client.get("/metrics").get_data(as_text=True)
    # Before its first count, a counter with labels shows only its type and help text.
    known = set(re.findall(r"^# TYPE (\S+)", shown, re.MULTILINE))
    named = set(re.findall(r"\bhstar_[a-z_]+", TEXT))
    assert named
    assert {name for name in named if name not in known} == set()


def test_every_alert_is_explained() -> None:
    explained = set(re.findall(r"^\| `(Hstar\w+)` \|", (ROOT / "docs/operating.md").read_text(), re.MULTILINE))
    assert set(re.findall(r"alert: (\w+)", TEXT)) == explained


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (it comes with Prometheus)")
def test_prometheus_reads_them() -> None:
    done = subprocess.run(["promtool", "check", "rules", str(RULES)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
