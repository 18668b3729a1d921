"""The wheel, built once for all tests of packages."""

from pathlib import Path

import pytest

from tests.packaging import compose
from tests.packaging.wheels import build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, made from the kernel that `make setup` has compiled."""
    return build(compose.ROOT, tmp_path_factory.mktemp("wheel"))
