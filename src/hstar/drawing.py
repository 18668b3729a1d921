"""What all drawings with Matplotlib share: settings, file metadata, and the error if Matplotlib is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal

from hstar.errors import HstarError

__all__ = ["METADATA", "FileFormat", "PlotsNotInstalled", "matplotlib_settings"]

FileFormat = Literal["svg", "png", "pdf"]
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "hstar",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a heuristic may hold a dollar sign
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
#: the metadata of a file: no date, so that the same rows give the same bytes
METADATA: dict[FileFormat, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "hstar"},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": "hstar"},
}
#: Matplotlib's settings are global in the process, and the service draws in several threads.
_settings_lock = Lock()


class PlotsNotInstalled(HstarError):
    """Matplotlib, which draws the plots, is not installed."""

    code = "plots-not-installed"


@contextmanager
def matplotlib_settings(font_size: float = 10) -> Iterator[None]:
    """Our settings of Matplotlib, for one thread at a time.

    :raises PlotsNotInstalled: install ``hstar[plot]``
    """
    try:
        import matplotlib as mpl  # importing it takes half a second, which other commands save
    except ImportError:
        raise PlotsNotInstalled('plots need Matplotlib: pip install "hstar[plot]"') from None
    with _settings_lock, mpl.rc_context(SETTINGS | {"font.size": font_size}):
        yield
