"""Arrays of microscaling formats on the host: 4-bit floats packed in pairs, and scales that are powers of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.triton import microscaling


class MXFP4Tensor:
    """Numbers of 4 bits (E2M1), held one a byte.

    Args:
        data: Values to round, nearest even; a torch tensor or an array of numpy.
        size: Without `data`, the shape of memory for `random`.
        device: Of torch, for `random`; without it an array of numpy is made.
    """

    def __init__(self, data: Any = None, size: Sequence[int] | int | None = None, device: Any = None) -> None:
        self.device = getattr(data, "device", device)
        if data is not None:
            self.data = microscaling.like(data, microscaling.encode_e2m1(microscaling.to_numpy(data)))
        elif size is not None:
            self.size = (size,) if isinstance(size, int) else tuple(size)
            self.data = None
        else:
            raise ValueError("MXFP4Tensor: give data or a size")

    def random(self) -> MXFP4Tensor:
        """Fill with random numbers."""
        self.data = microscaling.on_device(microscaling.random_e2m1(self.size), self.device)
        return self

    def to(self, dtype: Any) -> Any:
        """The values as floats of 32 bits."""
        microscaling.require_float32(dtype)
        return microscaling.like(self.data, microscaling.decode_e2m1(microscaling.to_numpy(self.data)))

    def to_packed_tensor(self, dim: int) -> Any:
        """Two neighbours along a dimension in each byte, the first in the low bits."""
        return microscaling.like(self.data, microscaling.pack(microscaling.to_numpy(self.data), dim))

    def unpack_packed_tensor(self, packed_tensor: Any, dim: int, original_shape: Sequence[int]) -> Any:
        """One number a byte again."""
        unpacked = microscaling.unpack(microscaling.to_numpy(packed_tensor), dim, original_shape[dim])
        return microscaling.like(packed_tensor, unpacked.reshape(original_shape))


class MXScaleTensor:
    """Scales that are powers of two (E8M0), a byte each.

    Args:
        data: Positive values, whose powers of two are taken; NaN stays NaN.
        size: Without `data`, the shape of memory for `random`.
        device: Of torch, for `random`; without it an array of numpy is made.
    """

    def __init__(self, data: Any = None, size: Sequence[int] | int | None = None, device: Any = None) -> None:
        self.device = getattr(data, "device", device)
        if data is not None:
            self.data = microscaling.like(data, microscaling.encode_e8m0(microscaling.to_numpy(data)))
        elif size is not None:
            self.size = (size,) if isinstance(size, int) else tuple(size)
            self.data = None
        else:
            raise ValueError("MXScaleTensor: give data or a size")

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fill with random scales, between two powers of two if given."""
        self.data = microscaling.on_device(microscaling.random_e8m0(self.size, low, high), self.device)
        return self

    def to(self, dtype: Any) -> Any:
        """The values as floats of 32 bits."""
        microscaling.require_float32(dtype)
        return microscaling.like(self.data, microscaling.decode_e8m0(microscaling.to_numpy(self.data)))
