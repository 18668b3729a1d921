"""The command line in this process, which is quicker than a new process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from hstar.cli import app


def run(*arguments: str, input: str | None = None) -> Result:
    """Exit status, standard output and standard error of ``hstar`` with these arguments and this standard input."""
    return CliRunner().invoke(app, list(arguments), input=input)
