"""The command line in this process, which is quicker than a new process."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from typer.testing import CliRunner, Result

from hstar.cli import app
from tests.forking import TEST_ALL, fork_experiments


def invoke(arguments: Sequence[str], input: str | None = None) -> Result:
    """Exit status, standard output and standard error of ``hstar`` with these arguments and this standard input.

    The processes of experiments are forked from this one, which takes a twentieth of starting Python twice. Tests of
    how they end start the command itself, and `make test-all` starts all as they are.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not TEST_ALL:
            fork_experiments(patch.setattr)
        return CliRunner().invoke(app, list(arguments), input=input)


def run(*arguments: str, input: str | None = None) -> Result:
    """As `invoke`."""
    return invoke(arguments, input)
