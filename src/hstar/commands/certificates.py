"""The option ``--certificate`` of commands that find something wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hstar.certificates import Refused, refutations
from hstar.certificates.refutations import Refutation
from hstar.commands.terminal import err
from hstar.errors import Fault, InvalidRequest, InvalidState, why
from hstar.puzzles import get_puzzle
from hstar.schema import SolveRequest

__all__ = ["CertificateFile", "certifying_unsolvable", "write_certificate"]

CertificateFile = Annotated[
    Path | None,
    typer.Option(help="if something is wrong, also write a proof of that, for checker/check.py"),
]


@contextmanager
def certifying_unsolvable(path: Path | None, request: SolveRequest) -> Iterator[None]:
    """If the state that is read in the block is none that moves lead from to the goal, also write a proof of that.

    :raises InvalidState: what was raised in the block
    """
    try:
        yield
    except InvalidState as error:
        held = error.held
        if path is not None and held is not None and request.state is not None:
            puzzle = get_puzzle(request.puzzle, request.goal)
            moves = puzzle.move_set(request.moves, costs=True)
            if write_certificate(path, lambda: refutations.unsolvable(puzzle, moves, held)):
                err.print(f"certificate: {escape(str(path))} proves that this state cannot be solved", soft_wrap=True)
        raise


def write_certificate(path: Path | None, refute: Callable[[], Refutation]) -> bool:
    """Write what ``refute`` returns to the file, if there is one; say why if there is nothing to write. Returns whether
    it was written.

    :raises InvalidRequest: the file cannot be written
    """
    if path is None:
        return False
    try:
        file = BytesIO()
        refute().write(file)
        path.write_bytes(file.getvalue())
        return True
    except Refused as refused:
        err.print(f"no certificate: {escape(str(refused))}", soft_wrap=True)
        return False
    except OSError as error:
        raise InvalidRequest("cannot write the certificate", [Fault("--certificate", why(error))]) from None
