"""What the tests of values share: they run kernels, and compare with numpy.

With ``--device cuda`` the kernels run on a GPU, on copies of the same arrays; with ``--device interpreter``
they are interpreted, with ``--device scheduled`` as the compiler schedules them for a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest
from tilewright.signature import known_targets, parse_target


@pytest.fixture(scope="session")
def device(pytestconfig) -> str:
    """Where kernels run: "cpu", "cuda", "emulator", "interpreter" or "scheduled"."""
    return pytestconfig.getoption("--device")


@pytest.fixture(scope="session")
def admits(device, pytestconfig):
    """Whether kernels may use a type there."""
    targets = {"cpu": "cpu", "interpreter": "cpu", "emulator": "amd",
               "scheduled": pytestconfig.getoption("--scheduled-for")}
    if device == "cuda":
        from tilewright.runtime.nvidia import target_of

        targets["cuda"] = target_of(0)
    name, arch = parse_target(targets[device])
    byte_floats = known_targets()[name].byte_floats[arch]
    return lambda type: not type.is_fp8() or type.name in byte_floats


@pytest.fixture(autouse=True)
def arrays_on_device(request, device, pytestconfig, monkeypatch):
    """Move arrays to the GPU for each launch, where the tests run on one."""
    if device == "cpu":
        return
    mark = request.node.get_closest_marker("cpu_only")
    if mark is not None:
        pytest.skip(f"on the CPU only: {mark.kwargs['reason']}")
    if device == "emulator":
        from emulated_arrays import launch_in_emulator

        launch_in_emulator(monkeypatch)
    if device == "scheduled":
        from checked_arrays import launch_checked

        launch_checked(monkeypatch, pytestconfig.getoption("--scheduled-for"))
    if device == "cuda":
        from gpu_arrays import launch_on_gpu

        launch_on_gpu(monkeypatch)


@pytest.fixture(autouse=True)
def quiet_references():
    """Infinities and NaN are meant; numpy need not warn of them."""
    with np.errstate(all="ignore"):
        yield
