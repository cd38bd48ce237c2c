"""Arrays that are not what they seem: types that stand for arrays, and arrays seen as another type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .language.types import dtype as language_dtype
from .language.types import parse_type


def is_dtype(value: Any) -> bool:
    """Whether a value is a type of elements: of this language, of torch or of numpy."""
    if isinstance(value, language_dtype):
        return not value.is_ptr() and not value.is_block()
    kind = type(value)
    if kind.__name__ == "dtype" and kind.__module__.partition(".")[0] == "torch":
        return True
    if isinstance(value, type):  # such as numpy.float32, which numpy takes for the type of an array
        return value.__module__ in ("numpy", "ml_dtypes") and hasattr(value, "dtype")
    return kind.__module__.startswith("numpy") and kind.__name__.endswith(("dtype", "DType"))


class MockTensor:
    """Stands for an array of a type where a kernel is only compiled: `kernel.warmup(MockTensor(dtype), ...)`.

    Args:
        dtype: The type of its elements.
        shape: For programs that ask for it.
    """

    def __init__(self, dtype: Any, shape: Sequence[int] | None = None) -> None:
        if isinstance(dtype, type):
            import numpy

            dtype = numpy.dtype(dtype)
        self.dtype = dtype
        self.shape = [1] if shape is None else list(shape)

    @staticmethod
    def wrap_dtype(value: Any) -> Any:
        """A stand-in for a type; anything else as it is."""
        return MockTensor(value) if is_dtype(value) else value

    @property
    def device(self) -> str:
        """Where an array would be by default."""
        from .runtime import gpu

        return gpu.default_device()

    def stride(self, dim: int | None = None) -> Any:
        """Distances between neighbours along each dimension, in elements."""
        strides = [1]
        for size in self.shape[:0:-1]:
            strides.insert(0, strides[0] * size)
        return tuple(strides) if dim is None else strides[dim]

    @staticmethod
    def data_ptr() -> int:
        """An address that every number divides."""
        return 0

    @staticmethod
    def ptr_range() -> int:
        """Bytes behind the address."""
        return 0


class TensorWrapper:
    """An array whose elements are read as another type of the same size.

    Args:
        base: The array.
        dtype: The type: of this language, of torch, or anything that names one.
    """

    def __init__(self, base: Any, dtype: Any) -> None:
        self.base = base
        self.dtype = dtype
        self.data = getattr(base, "data", base)
        self.shape = base.shape
        self.device = getattr(base, "device", "cpu")
        self.is_cuda = str(self.device).startswith("cuda")

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self.base.data_ptr() if hasattr(self.base, "data_ptr") else self.base.__array_interface__["data"][0]

    def stride(self, *args: Any) -> Any:
        """Distances in elements, as the array gives them."""
        if hasattr(self.base, "stride"):
            return self.base.stride(*args)
        strides = tuple(step // self.base.itemsize for step in self.base.strides)
        return strides[args[0]] if args else strides

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.base.element_size() if hasattr(self.base, "element_size") else self.base.itemsize

    def numel(self) -> int:
        """The number of elements."""
        return self.base.numel() if hasattr(self.base, "numel") else self.base.size

    def cpu(self) -> TensorWrapper:
        """A copy on the CPU."""
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        """Take the contents of another array."""
        self.base.copy_(other.base)

    def clone(self) -> TensorWrapper:
        """A copy."""
        return TensorWrapper(self.base.clone() if hasattr(self.base, "clone") else self.base.copy(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        """The array on another device."""
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes: Sequence[int]) -> TensorWrapper:
        """Memory of the same type."""
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """An array whose elements a kernel reads as another type of the same size.

    Args:
        tensor: An array, or one that is reinterpreted already.
        dtype: The type.

    Raises:
        TypeError: If it is no array, or the sizes differ.
    """
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if not hasattr(base, "data_ptr") and not hasattr(base, "__array_interface__"):
        raise TypeError(f"reinterpret: expects an array, got {type(tensor).__name__}")
    if isinstance(tensor, TensorWrapper) and dtype == base.dtype:
        return base
    wrapped = TensorWrapper(base, dtype)
    wanted = _type_of(dtype)
    if wanted is not None and wanted.itemsize != wrapped.element_size():
        raise TypeError(f"reinterpret: elements of {base.dtype} have {wrapped.element_size()} bytes, those of {dtype} "
                        f"have {wanted.itemsize}")
    return wrapped


def _type_of(dtype: Any) -> language_dtype | None:
    from .runtime.dtypes import classify

    if isinstance(dtype, language_dtype):
        return dtype
    try:
        return parse_type(classify(dtype))
    except TypeError:
        return None
