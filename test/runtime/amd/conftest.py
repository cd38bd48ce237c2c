"""Fixtures of the AMD emulator's tests: targets, and assembled kernels."""

from __future__ import annotations

import emulator_kernels
import pytest

TARGETS = ("gfx942", "gfx950", "gfx1100", "gfx1200")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if emulator_kernels.find_tools() is None:
        skip = pytest.mark.skip(reason="needs llc and ld.lld of LLVM 22")
        for item in items:
            if "assemble" in getattr(item, "fixturenames", ()):
                item.add_marker(skip)


@pytest.fixture(params=TARGETS)
def arch(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def assemble():
    """A function from (IR text, target) to a loaded code object, cached for the session."""
    return emulator_kernels.assemble
