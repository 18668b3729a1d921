"""``hstar unpack``: the files that a wheel has beside the library, as copies to read, change and give away."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer

from hstar.commands.serve import home
from hstar.commands.terminal import Json, out, print_json, read_bytes, refusing
from hstar.errors import Fault, InvalidRequest, why

#: made by Python
MADE = {".pyc"}


def unpack(
    what: Annotated[
        Literal["examples", "checker"],
        typer.Argument(help="the example course and autograders; or the program that checks certificates"),
    ],
    directory: Annotated[Path, typer.Argument(help="where to make the folder of this name")] = Path(),
    as_json: Json = False,
) -> None:
    """Copy the examples or the checker of certificates out of the installation.

    Files that are there already are kept; if one of them differs, nothing is copied.

    Example: hstar unpack examples
    """
    with refusing():
        source, target = home()[0] / what, directory / what
        files = {
            target / path.relative_to(source): path
            for path in sorted(source.rglob("*"))
            if path.is_file() and path.suffix not in MADE
        }
        new = [path for path in files if not path.exists()]
        changed = [
            Fault(str(path), "there is another file of this name")
            for path in files.keys() - set(new)
            if read_bytes(path, "DIRECTORY") != files[path].read_bytes()
        ]
        if changed:
            raise InvalidRequest(f"{target} has other files", sorted(changed, key=lambda one: one.where))
        try:
            for path in new:
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(files[path], path)
                shutil.copymode(files[path], path)
        except OSError as error:
            raise InvalidRequest(f"cannot write to {directory}", [Fault("DIRECTORY", why(error))]) from None
        if as_json:
            print_json({"items": [str(path) for path in files]})
        else:
            out.print("\n".join(map(str, files)), markup=False, soft_wrap=True)
