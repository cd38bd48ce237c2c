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
from typing import Any

from ..errors import TileTypeError


class Kind(Enum):
    """What a number is; the order is the order of promotion with Python scalars."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOATING = 2


class Signedness(Enum):
    """Whether an integer has a sign."""

    SIGNED = 0
    UNSIGNED = 1


class dtype:
    """The type of a number, such as ``tl.float32``; ``tl.dtype("fp32")`` is the same object.

    For each type there is a test of its name: ``is_int32()``, ``is_fp16()``, ``is_fp8e4nv()``.
    """

    __slots__ = ("name", "short", "ir", "primitive_bitwidth", "_kind", "_signed", "fp_mantissa_width",
                 "exponent_bias")

    SIGNEDNESS = Signedness
    KIND = Kind
    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    def __new__(cls, name: str) -> dtype:
        found = _BY_NAME.get(name)
        if found is None:
            raise TileTypeError(f"there is no type '{name}'", f"types are {', '.join(_BY_NAME)}")
        return found

    def _describe(self, name: str, short: str, ir: str | None, bits: int, kind: Kind | None = None,
                  signed: bool = False, mantissa: int = 0, bias: int = 0) -> None:
        self.name = name
        self.short = short
        self.ir = ir
        self.primitive_bitwidth = bits
        self._kind = kind
        self._signed = signed
        self.fp_mantissa_width = mantissa
        self.exponent_bias = bias

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

    @property
    def int_signedness(self) -> Signedness:
        return Signedness.SIGNED if self.is_int_signed() else Signedness.UNSIGNED

    @property
    def cache_key_part(self) -> str:
        """What stands for the type in keys of caches."""
        return self.name

    def kind(self) -> Kind:
        assert self._kind is not None
        return self._kind

    def is_floating(self) -> bool:
        return self._kind is Kind.FLOATING

    def is_standard_floating(self) -> bool:
        return self.name in dtype.STANDARD_FP_TYPES

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

    def is_void(self) -> bool:
        return self is void

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def is_const(self) -> bool:
        return False

    @staticmethod
    def is_dtype(name: str) -> bool:
        """Whether there is a number's type, or void, of that name."""
        return name in _BY_NAME

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest integer of the type."""
        bits = self.primitive_bitwidth
        if self.is_bool():
            return 0, 1
        if self._signed:
            return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        return 0, (1 << bits) - 1

    def get_int_min_value(self) -> int:
        """The smallest integer of the type."""
        return self.range[0]

    def get_int_max_value(self) -> int:
        """The largest integer of the type."""
        return self.range[1]

    def codegen_name(self) -> str:
        """The name under which the language exports the type."""
        for short, long in (("fp", "float"), ("bf", "bfloat")):
            if self.name.startswith(short):
                return long + self.name[2:]
        return self.name

    def mangle(self) -> str:
        """The type in the name of a function."""
        if self.is_int():
            return f"{'i' if self._signed else 'u'}{self.primitive_bitwidth}"
        return "V" if self.is_void() else self.name

    def with_element_ty(self, element_ty: dtype) -> dtype:
        """The same shape of another element: of a scalar, the element."""
        return element_ty

    def to_ir(self, builder: Any) -> Any:
        """The type in the IR that a builder writes."""
        return builder.session.ir_type(self)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"tilewright.language.{self.codegen_name()}"

    def __reduce__(self) -> str | tuple:
        return (dtype, (self.name,))


# name, spelling in signatures, type in the IR, bits; floats: bits of the significand, exponent's bias.
# float8e4b15 is none of the IR's types: it is a byte there, and the conversions know better.
_INTEGERS = """
int1   i1  i1  1
int8   i8  i8  8
int16  i16 i16 16
int32  i32 i32 32
int64  i64 i64 64
uint8  u8  i8  8
uint16 u16 i16 16
uint32 u32 i32 32
uint64 u64 i64 64
"""
_FLOATS = """
fp8e5    f8E5M2     8  2  15
fp8e5b16 f8E5M2FNUZ 8  2  16
fp8e4nv  f8E4M3FN   8  3  7
fp8e4b8  f8E4M3FNUZ 8  3  8
fp8e4b15 i8         8  3  15
fp16     f16        16 10 15
bf16     bf16       16 7  127
fp32     f32        32 23 127
fp64     f64        64 52 1023
"""
_BY_NAME: dict[str, dtype] = {}


def _declare(name: str, *facts: Any, **more: Any) -> None:
    type = object.__new__(dtype)
    type._describe(name, *facts, **more)
    _BY_NAME[name] = type


def _declare_all() -> None:
    _declare("void", "void", None, 0)
    for name, short, ir, bits in map(str.split, _INTEGERS.strip().splitlines()):
        _declare(name, short, ir, int(bits), Kind.BOOLEAN if bits == "1" else Kind.INTEGRAL,
                 name.startswith("int") and bits != "1")
    for name, ir, bits, mantissa, bias in map(str.split, _FLOATS.strip().splitlines()):
        _declare(name, name, ir, int(bits), Kind.FLOATING, mantissa=int(mantissa), bias=int(bias))
    for name in list(_BY_NAME)[1:]:
        test = lambda self, name=name: self.name == name  # noqa: E731
        test.__name__, test.__doc__ = f"is_{name}", f"Whether the type is {name}."
        setattr(dtype, f"is_{name}", test)


_declare_all()
(void, int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8e5, float8e5b16, float8e4nv, float8e4b8,
 float8e4b15, float16, bfloat16, float32, float64) = _BY_NAME.values()

NUMBERS: tuple[dtype, ...] = tuple(_BY_NAME.values())[1:]
FLOAT8: tuple[dtype, ...] = tuple(type for type in NUMBERS if type.is_fp8())

# Every spelling of a number's type in a signature or an annotation.
SPELLINGS: dict[str, dtype] = {"u1": int1, "bool": int1, "B": int1}
for _type in NUMBERS:
    SPELLINGS |= {_type.short: _type, _type.name: _type, _type.codegen_name(): _type}


class pointer_type(dtype):
    """The address of an element in memory; offsets count elements."""

    __slots__ = ("_pointee", "address_space", "const")
    _interned: dict[tuple, pointer_type] = {}

    def __new__(cls, element_ty: dtype, address_space: int = 1, const: bool = False) -> pointer_type:
        key = (element_ty, address_space, const)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found._describe(f"{'const_' if const else ''}pointer<{element_ty.name}>",
                            f"*{'k' if const else ''}{element_ty.short}", None, 64)
            found._pointee = element_ty
            found.address_space = address_space
            found.const = const
            found = cls._interned.setdefault(key, found)
        return found

    @property
    def element_ty(self) -> dtype:
        return self._pointee

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def mangle(self) -> str:
        return f"P{self._pointee.mangle()}"

    def __repr__(self) -> str:
        return f"pointer_type({self._pointee!r}, {self.address_space}, {self.const})"

    def __reduce__(self) -> tuple:
        return (pointer_type, (self._pointee, self.address_space, self.const))


class block_type(dtype):
    """A block of numbers or pointers."""

    __slots__ = ("_element", "_shape", "numel")
    _interned: dict[tuple, block_type] = {}

    def __new__(cls, element_ty: dtype, shape: Sequence[int]) -> block_type:
        sizes = tuple(getattr(size, "value", size) for size in shape)  # of constants, what they hold
        key = (element_ty, sizes)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            listed = ", ".join(map(str, sizes))
            found._describe(f"<[{listed}], {element_ty.name}>", f"<{'x'.join(map(str, sizes))}x{element_ty.short}>",
                            None, element_ty.primitive_bitwidth, element_ty._kind, element_ty._signed,
                            element_ty.fp_mantissa_width, element_ty.exponent_bias)
            found._element = element_ty
            found._shape = sizes
            found.numel = prod(sizes)
            found = cls._interned.setdefault(key, found)
        return found

    @property
    def scalar(self) -> dtype:
        return self._element

    @property
    def element_ty(self) -> dtype:
        return self._element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel * self._element.itemsize

    def get_block_shapes(self) -> tuple[int, ...]:
        """The sizes."""
        return self._shape

    def with_element_ty(self, element_ty: dtype) -> dtype:
        return block_type(element_ty, self._shape)

    def is_block(self) -> bool:
        return True

    def is_ptr(self) -> bool:
        return False

    def mangle(self) -> str:
        return f"{self._element.mangle()}S{'_'.join(map(str, self._shape))}S"

    def __repr__(self) -> str:
        return f"block_type({self._element!r}, {list(self._shape)})"

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
            found._describe(short, short, f"!tile.desc<{shape}x{element_ty.ir}{words}>", 64)
            found._element = element_ty
            found.block_shape = tuple(block_shape)
            found.nan_padding = nan_padding
            found.round_f32_to_tf32 = round_f32_to_tf32
            found = cls._interned.setdefault(key, found)
        return found

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


def str_to_ty(name: str, c: Any = None) -> dtype:
    """The type that a signature spells; of ``"constexpr"`` the class of constants.

    Args:
        name: Such as ``"*fp32"``, ``"i32"`` or ``"constexpr"``.
        c: For ``"constexpr"``, the value.
    """
    if name == "constexpr":
        from ..ast.constants import constexpr

        return constexpr(c)  # type: ignore[return-value]
    found = parse_type(name)
    if found is None:
        raise TileTypeError(f"'{name}' is not a type of a signature",
                            "types are spelled like i32, fp16 or *fp32; a pointer begins with '*'")
    return found


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
