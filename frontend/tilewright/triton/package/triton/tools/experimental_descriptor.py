"""Descriptors under their first names."""

from tilewright.triton.refusal import Refusal

_ADVICE = "use triton.tools.tensor_descriptor.TensorDescriptor"
create_1d_tma_descriptor = Refusal("triton.tools.experimental_descriptor.create_1d_tma_descriptor", _ADVICE)
create_2d_tma_descriptor = Refusal("triton.tools.experimental_descriptor.create_2d_tma_descriptor", _ADVICE)
