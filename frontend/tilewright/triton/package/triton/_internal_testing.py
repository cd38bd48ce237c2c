"""What tests of kernels share: random arrays of every type, and questions about the device they run on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from tilewright.triton.separate import ProcessResult as ProcessResult
from tilewright.triton.separate import run_in_process as run_in_process
from tilewright.triton.trial_arrays import dtypes as dtypes
from tilewright.triton.trial_arrays import dtypes_with_bfloat16 as dtypes_with_bfloat16
from tilewright.triton.trial_arrays import float_dtypes as float_dtypes
from tilewright.triton.trial_arrays import float_dtypes_with_bfloat16 as float_dtypes_with_bfloat16
from tilewright.triton.trial_arrays import int_dtypes as int_dtypes
from tilewright.triton.trial_arrays import integral_dtypes as integral_dtypes
from tilewright.triton.trial_arrays import numpy_random as numpy_random
from tilewright.triton.trial_arrays import str_to_triton_dtype as str_to_triton_dtype
from tilewright.triton.trial_arrays import tma_dtypes as tma_dtypes
from tilewright.triton.trial_arrays import to_numpy as to_numpy
from tilewright.triton.trial_arrays import to_triton as to_triton
from tilewright.triton.trial_arrays import torch_dtype_name as torch_dtype_name
from tilewright.triton.trial_arrays import torch_dtypes as torch_dtypes
from tilewright.triton.trial_arrays import torch_float8_dtypes as torch_float8_dtypes
from tilewright.triton.trial_arrays import uint_dtypes as uint_dtypes
from tilewright.triton.trial_arrays import unwrap_tensor as unwrap_tensor

from triton import knobs
from triton.runtime import driver

# Bytes of on-chip memory of a program on AMD's GPUs, by architecture; the others have the last.
_AMD_ON_CHIP = {"gfx950": 160 * 1024, "gfx1250": 320 * 1024}
_AMD_ON_CHIP_DEFAULT = 64 * 1024


def is_interpreter() -> bool:
    """Whether kernels are interpreted."""
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target() -> Any:
    """What kernels are compiled for by default; None where they are interpreted."""
    return None if is_interpreter() else driver.active.get_current_target()


def _is_backend(name: str) -> bool:
    target = get_current_target()
    return target is not None and target.backend == name


def is_cuda() -> bool:
    """Whether kernels run on an NVIDIA GPU."""
    return _is_backend("cuda")


def is_hip() -> bool:
    """Whether kernels run on an AMD GPU."""
    return _is_backend("hip")


def is_xpu() -> bool:
    """Whether kernels run on an Intel GPU, for which there is no target."""
    return False


def _capability() -> tuple[int, int]:
    return divmod(int(get_current_target().arch), 10) if is_cuda() else (0, 0)


def is_ampere_or_newer() -> bool:
    return _capability() >= (8, 0)


def is_hopper() -> bool:
    return _capability()[0] == 9


def is_hopper_or_newer() -> bool:
    return _capability() >= (9, 0)


def is_blackwell() -> bool:
    return _capability()[0] in (10, 11)


def is_blackwell_ultra() -> bool:
    return _capability() == (10, 3)


def is_rubin() -> bool:
    return _capability() == (10, 7)


def is_sm12x() -> bool:
    return _capability()[0] == 12


def _is_arch(*prefixes: str) -> bool:
    return is_hip() and str(get_current_target().arch).startswith(prefixes)


def is_hip_cdna2() -> bool:
    return _is_arch("gfx90a")


def is_hip_cdna3() -> bool:
    return _is_arch("gfx942")


def is_hip_cdna4() -> bool:
    return _is_arch("gfx950")


def is_hip_cdna3_or_newer() -> bool:
    return _is_arch("gfx942", "gfx950")


def is_hip_cdna() -> bool:
    return _is_arch("gfx90a", "gfx942", "gfx950")


def is_hip_rdna3() -> bool:
    return _is_arch("gfx11")


def is_hip_rdna4() -> bool:
    return _is_arch("gfx120")


def is_hip_rdna() -> bool:
    return is_hip_rdna3() or is_hip_rdna4()


def is_hip_gfx1250() -> bool:
    return _is_arch("gfx1250")


def get_hip_lds_size() -> int:
    """Bytes of on-chip memory of a program on the AMD GPU."""
    return _AMD_ON_CHIP.get(str(get_current_target().arch), _AMD_ON_CHIP_DEFAULT)


def supports_tma(byval_only: bool = False) -> bool:
    """Whether kernels may use tensor descriptors: on every target, with or without units for them."""
    return True


def tma_skip_msg(byval_only: bool = False) -> str:
    """Why a test that needs tensor descriptors is skipped, which none is."""
    return "tensor descriptors are not supported"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def supports_ws() -> bool:
    """Whether the device has units that roles of warps feed."""
    return is_hopper_or_newer()


def default_alloc_fn(size: int, align: int, _: Any) -> Any:
    """Memory on the device for `triton.set_allocator`."""
    import torch

    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


def _fresh_knobs_impl(skipped_attr: Iterable[str] | None = None) -> tuple[Callable[[], Any], Callable[[], None]]:
    """Two functions: one that sets all settings back and gives them, one that undoes it and what came after."""
    skipped = set(skipped_attr or ())
    groups = [group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in skipped]
    undo: list[Callable[[], None]] = []

    def fresh() -> Any:
        undo.append(lambda before=knobs.propagate_env: setattr(knobs, "propagate_env", before))
        for group in groups:
            undo.append(group._save())
            group.reset()
            for setting in group.knob_descriptors.values():
                os.environ.pop(setting.key, None)
        knobs.propagate_env = True
        return knobs

    def restore() -> None:
        while undo:
            undo.pop()()
        knobs.refresh_knobs()

    return fresh, restore
