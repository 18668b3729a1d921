"""The option ``--certificate`` of commands that find something wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hstar.certificates import Refused
from hstar.certificates.refutations import Refutation
from hstar.commands.terminal import err
from hstar.errors import Fault, InvalidRequest, why

__all__ = ["CertificateFile", "write_certificate"]

CertificateFile = Annotated[
    Path | None,
    typer.Option(help="if something is wrong, also write a proof of that, for checker/check.py"),
]


def write_certificate(path: Path | None, refute: Callable[[], Refutation]) -> None:
    """Write what ``refute`` returns to the file, if there is one; say why if there is nothing to write.

    :raises InvalidRequest: the file cannot be written
    """
    if path is None:
        return
    try:
        refutation = refute()
        with path.open("wb") as file:
            refutation.write(file)
    except Refused as refused:
        err.print(f"no certificate: {escape(str(refused))}", soft_wrap=True)
    except OSError as error:
        raise InvalidRequest("cannot write the certificate", [Fault("--certificate", why(error))]) from None
