"""Triton's sanitizer of races."""

from tilewright.triton.refusal import Refusal

main = Refusal("triton.tools.gsan", "kernels cannot be instrumented; TRITON_INTERPRET=1 runs them with other checks")
