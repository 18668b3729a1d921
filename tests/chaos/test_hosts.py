"""Every part on a host of its own, in network namespaces: `python -m chaos hosts` in short."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from chaos.hosts import Hosts, cuts, every_kind, hosts
from chaos.network import CUTS, Cut, Network, why_not
from tests.servers import wait_until

HERE = Path("/proc/thread-self/ns/net")


@pytest.fixture(scope="module", autouse=True)
def _namespaces() -> None:
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def system() -> Iterator[Hosts]:
    with hosts(2, {}) as made:
        yield made


def answers(address: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((address, port), timeout=0.5):
        return True
    return False


@pytest.mark.parametrize("how", CUTS)
def test_a_host_that_is_cut_off_answers_nobody_until_it_is_mended(how: Cut) -> None:
    with Network() as network:
        host, other = network.host("server"), network.host("other")
        with host.inside():
            server = socket.create_server((host.address, 0))
        port = server.getsockname()[1]
        with server:
            assert answers(host.address, port)
            with network.cut(host, how):
                assert not answers(host.address, port)
                with other.inside():
                    assert not answers(host.address, port)
                with host.inside():
                    assert answers(host.address, port)
            wait_until(partial(answers, host.address, port), "the host to be reached again")


def test_afterwards_this_process_is_where_it_was() -> None:
    before = HERE.readlink()
    with Network():
        assert HERE.readlink() != before
    assert HERE.readlink() == before


@pytest.mark.thorough
def test_jobs_of_every_kind_end_on_other_hosts(system: Hosts) -> None:
    assert every_kind(system)["subtree"] > 0


@pytest.mark.thorough
def test_jobs_end_once_although_a_host_is_cut_off_for_longer_than_a_connection_lives(system: Hosts) -> None:
    done = list(cuts(system, 20, only=["postgresql", "worker-1"], ways=["silent"]))
    assert [one.host for one in done] == ["postgresql", "worker-1"]
    assert "503" in done[0].answers
    assert done[1].repeated_attempts > 0
