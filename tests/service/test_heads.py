"""Random heads and bodies: what the service reads from pieces, and that none breaks it (`python -m chaos heads`)."""

from __future__ import annotations

import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaos import heads
from service import server
from tests.conftest import TEST_ALL
from tests.servers import Valkey
from tests.service.processes import Api

RANDOM = st.randoms(use_true_random=False)


@settings(max_examples=20_000 if TEST_ALL else 400, deadline=None)
@given(RANDOM)
def test_pieces_are_read_as_all_of_them_at_once(chance: random.Random) -> None:
    assert heads.compare(chance, Counter()) is None


def _early(whole: Any) -> Any:
    """As `Arrival.complete`, but one byte too early."""

    def complete(arrival: server.Arrival) -> bool:
        arrival.data += b" "
        try:
            return bool(whole(arrival))
        finally:
            del arrival.data[-1:]

    return complete


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("complete", _early(server.Arrival.complete)),
        ("complete", lambda arrival: server.END_OF_HEAD in arrival.data),
        ("_last_chunk_is_there", lambda arrival: b"\r\n0\r\n" in arrival.data),
    ],
)
def test_another_rule_for_what_has_arrived_is_noticed(name: str, changed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.Arrival, name, changed)
    assert any(heads.compare(random.Random(seed), Counter()) for seed in range(2000))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, valkey: Valkey) -> Iterator[Api]:
    """A service of one process."""
    url = f"sqlite:///{tmp_path_factory.mktemp('heads') / 'hstar.db'}"
    with Api(url, valkey.url, api_processes=1, api_threads=4) as started:
        yield started


@settings(max_examples=5000 if TEST_ALL else 120, deadline=None)
@given(RANDOM)
def test_no_head_and_no_body_breaks_the_service(api: Api, chance: random.Random) -> None:
    """Each message is answered by problems or answers, none of them a 5xx (but 501 and 505, what HTTP says of unknown
    codings and versions), and the connection is closed."""
    with closing(socket.create_connection(("127.0.0.1", api.port), timeout=60)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):  # it may be refused, and closed, before the end
            for piece in heads.pieces_of(heads.message(chance), chance):
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
        said = b""
        with suppress(ConnectionResetError):
            said = b"".join(iter(partial(connection.recv, 65536), b""))
    statuses = [line.split(b" ")[1] for line in said.split(b"\r\n") if line.startswith(b"HTTP/1.")]
    fine = (b"100", b"200", b"202", b"308", b"501", b"505")
    assert all(status in fine or status.startswith(b"4") for status in statuses), said
    assert not said or statuses


def test_and_it_goes_on(api: Api) -> None:
    with api.client() as client:
        assert client.get("/v1/limits").status_code == 200
    log = Path(api.log).read_text()
    assert "request_failed" not in log
    assert "Traceback" not in log
