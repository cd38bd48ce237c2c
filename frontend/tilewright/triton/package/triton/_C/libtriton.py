"""What programs look for in Triton's native code. Its IR is not Tilewright's: what builds or reads it refuses."""

from __future__ import annotations

from typing import Any

from tilewright.triton.refusal import Refusal

ir = Refusal("triton._C.libtriton.ir", "Tilewright's IR is MLIR of its own dialect; use tilewright.compile(...).asm")
passes = Refusal("triton._C.libtriton.passes", "run passes with tile-opt")
llvm = Refusal("triton._C.libtriton.llvm", "use tilewright.compile(...).asm['llvmir']")
nvidia = Refusal("triton._C.libtriton.nvidia", "use tilewright.compile(..., target='nvidia:sm_90a')")
amd = Refusal("triton._C.libtriton.amd", "use tilewright.compile(..., target='amd:gfx942')")
interpreter = Refusal("triton._C.libtriton.interpreter", "set TRITON_INTERPRET=1 to run kernels with every check")


def native_specialize_impl(backend: Any, value: Any, is_const: bool = False, specialize_value: bool = True,
                           align: bool = True) -> tuple[Any, Any]:
    """The type of an argument as a signature spells it, and what is special about its value."""
    from tilewright.triton.specialization import specialize

    return specialize(value, is_const, specialize_value, align)


def get_cache_invalidating_env_vars() -> dict[str, str]:
    """Variables that change what is compiled; all of them are part of Tilewright's own keys."""
    return {}
