"""Building C code, which Tilewright does not need."""

from tilewright.triton.refusal import Refusal

compile_module_from_src = Refusal("triton.runtime.build.compile_module_from_src", "build extensions by other means")
