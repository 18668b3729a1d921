"""The time of a small job while huge jobs hold every slot of a running service.

    make run                                                # in another terminal
    python -m bench.quick_jobs http://127.0.0.1:8000

Starts two `auto` solves without limits; then submits 8-puzzles of five moves one after the other, and prints the
seconds from each request to its answer. At the end it cancels the two solves.
"""

from __future__ import annotations

import os
import sys
import time
from statistics import median

import httpx

SMALL_JOBS = 20
#: random 24-puzzles, which a search cannot solve within a minute
HUGE = {"puzzle": "tiles:5x5", "scramble": {"k": 10_000, "seed": 1}, "algorithm": "auto"}


def measure(url: str, huge: int = 2) -> list[float]:
    """Seconds from request to answer of each small job."""
    key = os.environ.get("HSTAR_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        running = []
        try:
            for number in range(huge):
                body = HUGE | {"scramble": {"k": 10_000, "seed": number}}
                answer = client.post("/v1/solves", json=body).raise_for_status()
                running.append(answer.json()["id"])
            while {client.get(f"/v1/jobs/{one}").json()["status"] for one in running} != {"running"}:
                time.sleep(0.1)
            return [_small(client, seed) for seed in range(SMALL_JOBS)]
        finally:
            for one in running:
                client.post(f"/v1/jobs/{one}/cancel", headers={"Prefer": "wait=10"})


def _small(client: httpx.Client, seed: int) -> float:
    began = time.perf_counter()
    body = {"puzzle": "8-puzzle", "scramble": {"k": 5, "seed": seed}}
    answer = client.post("/v1/solves", json=body, headers={"Prefer": "wait=30"}).raise_for_status().json()
    assert answer["outcome"] == "solved", answer
    return time.perf_counter() - began


def main() -> int:
    """Measure the service at the given address."""
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    seconds = measure(url)
    print(f"{len(seconds)} small jobs beside 2 huge ones: median {median(seconds):.3f} s, longest {max(seconds):.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
