"""Types of values in a kernel: numbers, pointers and blocks of them.

Types are interned: equal types are one object, so that they compare by identity
and serve as keys of caches.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from enum import Enum
from math import prod

from ..errors import TileTypeError


class Kind(Enum):
    """What a number is; the order is the order of promotion with Python scalars."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOATING = 2


class dtype:
    """The type of a number, such as ``tl.float32``."""

    __slots__ = ("name", "short", "ir", "primitive_bitwidth", "_kind", "_signed", "fp_mantissa_width")

    def __init__(self, name: str, short: str, ir: str | None, bits: int, kind: Kind | None,
                 signed: bool = False, mantissa: int = 0) -> None:
        self.name = name
        self.short = short
        self.ir = ir
        self.primitive_bitwidth = bits
        self._kind = kind
        self._signed = signed
        self.fp_mantissa_width = mantissa

    # A type is its own scalar type, so that code can ask any type for it.
    @property
    def scalar(self) -> dtype:
        return self

    @property
    def element_ty(self) -> dtype:
        raise AttributeError(f"{self.name} has no element type")

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def itemsize(self) -> int:
        return max(1, self.primitive_bitwidth // 8)

    @property
    def int_bitwidth(self) -> int:
        return self.primitive_bitwidth

    def kind(self) -> Kind:
        assert self._kind is not None
        return self._kind

    def is_floating(self) -> bool:
        return self._kind is Kind.FLOATING

    def is_int(self) -> bool:
        return self._kind is Kind.INTEGRAL or self._kind is Kind.BOOLEAN

    def is_bool(self) -> bool:
        return self._kind is Kind.BOOLEAN

    def is_int_signed(self) -> bool:
        return self.is_int() and self._signed

    def is_int_unsigned(self) -> bool:
        return self.is_int() and not self._signed

    def is_fp8(self) -> bool:
        return self.is_floating() and self.primitive_bitwidth == 8

    def is_fp16(self) -> bool:
        return self is float16

    def is_bf16(self) -> bool:
        return self is bfloat16

    def is_fp32(self) -> bool:
        return self is float32

    def is_fp64(self) -> bool:
        return self is float64

    def is_int32(self) -> bool:
        return self is int32

    def is_int64(self) -> bool:
        return self is int64

    def is_uint8(self) -> bool:
        return self is uint8

    def is_void(self) -> bool:
        return self is void

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple:
        return (_restore, (self.short,))

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest integer of the type."""
        bits = self.primitive_bitwidth
        if self.is_bool():
            return 0, 1
        if self._signed:
            return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        return 0, (1 << bits) - 1


void = dtype("void", "void", None, 0, None)
int1 = dtype("int1", "i1", "i1", 1, Kind.BOOLEAN, True)
int8 = dtype("int8", "i8", "i8", 8, Kind.INTEGRAL, True)
int16 = dtype("int16", "i16", "i16", 16, Kind.INTEGRAL, True)
int32 = dtype("int32", "i32", "i32", 32, Kind.INTEGRAL, True)
int64 = dtype("int64", "i64", "i64", 64, Kind.INTEGRAL, True)
uint8 = dtype("uint8", "u8", "i8", 8, Kind.INTEGRAL)
uint16 = dtype("uint16", "u16", "i16", 16, Kind.INTEGRAL)
uint32 = dtype("uint32", "u32", "i32", 32, Kind.INTEGRAL)
uint64 = dtype("uint64", "u64", "i64", 64, Kind.INTEGRAL)
float8e5 = dtype("fp8e5", "fp8e5", "f8E5M2", 8, Kind.FLOATING, mantissa=2)
float8e5b16 = dtype("fp8e5b16", "fp8e5b16", "f8E5M2FNUZ", 8, Kind.FLOATING, mantissa=2)
float8e4nv = dtype("fp8e4nv", "fp8e4nv", "f8E4M3FN", 8, Kind.FLOATING, mantissa=3)
float8e4b8 = dtype("fp8e4b8", "fp8e4b8", "f8E4M3FNUZ", 8, Kind.FLOATING, mantissa=3)
float8e4b15 = dtype("fp8e4b15", "fp8e4b15", None, 8, Kind.FLOATING, mantissa=3)
float16 = dtype("fp16", "fp16", "f16", 16, Kind.FLOATING, mantissa=10)
bfloat16 = dtype("bf16", "bf16", "bf16", 16, Kind.FLOATING, mantissa=7)
float32 = dtype("fp32", "fp32", "f32", 32, Kind.FLOATING, mantissa=23)
float64 = dtype("fp64", "fp64", "f64", 64, Kind.FLOATING, mantissa=52)

NUMBERS: tuple[dtype, ...] = (
    int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float8e5, float8e5b16, float8e4nv, float8e4b8, float8e4b15,
    float16, bfloat16, float32, float64,
)
FLOAT8: tuple[dtype, ...] = (float8e5, float8e5b16, float8e4nv, float8e4b8, float8e4b15)

# Every spelling of a number's type in a signature or an annotation.
SPELLINGS: dict[str, dtype] = {}
for _type in NUMBERS:
    SPELLINGS[_type.short] = SPELLINGS[_type.name] = _type
SPELLINGS |= {
    "u1": int1, "bool": int1, "B": int1,
    "float16": float16, "bfloat16": bfloat16, "float32": float32, "float64": float64,
    "float8e5": float8e5, "float8e5b16": float8e5b16, "float8e4nv": float8e4nv,
    "float8e4b8": float8e4b8, "float8e4b15": float8e4b15,
}


def _restore(spelling: str) -> dtype:
    return SPELLINGS[spelling] if spelling in SPELLINGS else void


class pointer_type(dtype):
    """The address of an element in memory; offsets count elements."""

    __slots__ = ("_pointee", "address_space", "const")
    _interned: dict[tuple, pointer_type] = {}

    def __new__(cls, element_ty: dtype, address_space: int = 1, const: bool = False) -> pointer_type:
        key = (element_ty, address_space, const)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            name = f"pointer<{'const ' if const else ''}{element_ty.name}>"
            dtype.__init__(found, name, f"*{'k' if const else ''}{element_ty.short}", None, 64, None)
            found._pointee = element_ty
            found.address_space = address_space
            found.const = const
            found = cls._interned.setdefault(key, found)
        return found

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False) -> None:
        """Interned: ``__new__`` has set the fields up."""

    @property
    def element_ty(self) -> dtype:
        return self._pointee

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def __reduce__(self) -> tuple:
        return (pointer_type, (self._pointee, self.address_space, self.const))


class block_type(dtype):
    """A block of numbers or pointers."""

    __slots__ = ("_element", "_shape", "numel")
    _interned: dict[tuple, block_type] = {}

    def __new__(cls, element_ty: dtype, shape: Sequence[int]) -> block_type:
        key = (element_ty, tuple(shape))
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            sizes = "x".join(str(size) for size in shape)
            dtype.__init__(found, f"<{sizes}x{element_ty.name}>", f"<{sizes}x{element_ty.short}>",
                           None, element_ty.primitive_bitwidth, element_ty._kind,
                           element_ty._signed, element_ty.fp_mantissa_width)
            found._element = element_ty
            found._shape = tuple(shape)
            found.numel = prod(found._shape)
            found = cls._interned.setdefault(key, found)
        return found

    def __init__(self, element_ty: dtype, shape: Sequence[int]) -> None:
        """Interned: ``__new__`` has set the fields up."""

    @property
    def scalar(self) -> dtype:
        return self._element

    @property
    def element_ty(self) -> dtype:
        return self._element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def is_block(self) -> bool:
        return True

    def is_ptr(self) -> bool:
        return False

    def __reduce__(self) -> tuple:
        return (block_type, (self._element, self._shape))


class tensor_descriptor_type(dtype):
    """A descriptor of an array in memory that is accessed block by block."""

    __slots__ = ("_element", "block_shape", "nan_padding", "round_f32_to_tf32")
    _interned: dict[tuple, tensor_descriptor_type] = {}

    def __new__(cls, element_ty: dtype, block_shape: Sequence[int], nan_padding: builtins.bool = False,
                round_f32_to_tf32: builtins.bool = False) -> tensor_descriptor_type:
        key = (element_ty, tuple(block_shape), nan_padding, round_f32_to_tf32)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            words = ",nan" * nan_padding + ",tf32" * round_f32_to_tf32
            sizes = ",".join(str(size) for size in block_shape)
            shape = "x".join(str(size) for size in block_shape)
            short = f"tensordesc<{element_ty.short}[{sizes}]{words}>"
            dtype.__init__(found, short, short, f"!tile.desc<{shape}x{element_ty.ir}{words}>", 64, None)
            found._element = element_ty
            found.block_shape = tuple(block_shape)
            found.nan_padding = nan_padding
            found.round_f32_to_tf32 = round_f32_to_tf32
            found = cls._interned.setdefault(key, found)
        return found

    def __init__(self, element_ty: dtype, block_shape: Sequence[int], nan_padding: builtins.bool = False,
                 round_f32_to_tf32: builtins.bool = False) -> None:
        """Interned: ``__new__`` has set the fields up."""

    @property
    def element_ty(self) -> dtype:
        return self._element

    def __reduce__(self) -> tuple:
        return (tensor_descriptor_type, (self._element, self.block_shape, self.nan_padding, self.round_f32_to_tf32))


class const:
    """Annotation of a pointer parameter through which nothing is stored."""


pi32_t = pointer_type(int32)


def like(type: dtype, scalar: dtype) -> dtype:
    """``scalar``, or a block of it where ``type`` is a block."""
    return block_type(scalar, type.shape) if type.is_block() else scalar


def _parse_descriptor(text: str) -> dtype | None:
    """``tensordesc<fp16[128,64]>``, with ``nan`` and ``tf32`` after the sizes."""
    match = re.fullmatch(r"tensordesc<(\w+)\[\s*(\d+(?:\s*,\s*\d+)*)\s*\]((?:\s*,\s*(?:nan|tf32))*)\s*>", text)
    element = match and SPELLINGS.get(match[1])
    if not match or element is None or element.is_bool():
        return None
    shape = [int(size) for size in match[2].split(",")]
    words = [word.strip() for word in match[3].split(",")]
    nan, tf32 = "nan" in words, "tf32" in words
    if min(shape) < 1 or len(shape) > 5 or (nan and not element.is_floating()) or (tf32 and element is not float32):
        return None
    return tensor_descriptor_type(element, shape, nan, tf32)


def parse_type(text: str) -> dtype | None:
    """The type that a signature spells, such as ``*fp32``, ``*ki8``, ``i32``; None if it is none."""
    if text.startswith("tensordesc<"):
        return _parse_descriptor(text)
    if text.startswith("*"):
        is_const = text.startswith("*k")
        element = parse_type(text[2 if is_const else 1:])
        return None if element is None else pointer_type(element, 1, is_const)
    return SPELLINGS.get(text)


def describe(type: dtype) -> str:
    """A type in a user's words, for messages."""
    if type.is_block():
        sizes = "x".join(str(size) for size in type.shape)
        what = f"pointers to {type.scalar.element_ty}" if type.scalar.is_ptr() else str(type.scalar)
        return f"a block of {sizes} {what}"
    if type.is_ptr():
        return f"a pointer to {type.element_ty}"
    if isinstance(type, tensor_descriptor_type):
        return f"a tensor descriptor of {'x'.join(map(str, type.block_shape))} blocks of {type.element_ty}"
    return f"a scalar {type}"


def type_of_number(value: builtins.bool | int | float) -> dtype:
    """The type that a Python number takes when it becomes a value of its own."""
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        for candidate in (int32, uint32, int64, uint64):
            low, high = candidate.range
            if low <= value <= high:
                return candidate
        raise TileTypeError(f"{value} does not fit in 64 bits")
    magnitude = abs(value)
    smallest, largest = 2.0 ** -126, (2 - 2.0 ** -23) * 2.0 ** 127
    special = magnitude == 0.0 or magnitude != magnitude or magnitude == float("inf")
    return float32 if special or smallest <= magnitude <= largest else float64
