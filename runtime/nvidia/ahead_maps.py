"""Tensor maps of kernels as C functions: how each is made from the arguments, in C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The compiler's arithmetic, which wraps and never traps: see `LaunchExpression.h`.
HELPERS = """\
static inline int64_t tw_extend(uint64_t value, int bits) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
static inline int64_t tw_zero_extend(uint64_t value, int bits) {
  return (int64_t)(value << (64 - bits) >> (64 - bits));
}
static inline int64_t tw_divide(int64_t a, int64_t b) {
  return b == 0 ? a : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t tw_remainder(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline int64_t tw_maximum(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t tw_minimum(int64_t a, int64_t b) { return a < b ? a : b; }
"""

_CONSTANT, _ARGUMENT, _SIGN_EXTEND, _ZERO_EXTEND = range(4)
#: By opcode, of operands `a` and `b` and the width `n`.
_BINARY = {
    4: "tw_extend((uint64_t){a} + (uint64_t){b}, {n})",
    5: "tw_extend((uint64_t){a} - (uint64_t){b}, {n})",
    6: "tw_extend((uint64_t){a} * (uint64_t){b}, {n})",
    7: "tw_extend((uint64_t)tw_divide({a}, {b}), {n})",
    8: "tw_extend((uint64_t)tw_remainder({a}, {b}), {n})",
    9: "tw_extend((uint64_t)tw_maximum({a}, {b}), {n})",
    10: "tw_extend((uint64_t)tw_minimum({a}, {b}), {n})",
    11: "tw_extend((uint64_t){a} << (uint64_t){b} % {n}, {n})",
    12: "tw_extend((uint64_t)({a} >> (uint64_t){b} % {n}), {n})",
}

_ELEMENTS = {
    "i1": ("UINT8", 1), "i8": ("UINT8", 1), "i16": ("UINT16", 2), "i32": ("INT32", 4), "i64": ("INT64", 8),
    "f16": ("FLOAT16", 2), "bf16": ("BFLOAT16", 2), "f32": ("FLOAT32", 4), "f64": ("FLOAT64", 8)}
_BYTE = ("UINT8", 1)  # and so are the floats of 8 bits
_SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}

_MAP = """\
  CUtensorMap tw_map_{number};
  {{
    const cuuint64_t tw_sizes[] = {{{sizes}}};
    const cuuint64_t tw_strides[] = {{{strides}}};
    const cuuint32_t tw_box[] = {{{box}}}, tw_steps[] = {{{steps}}};
    const CUresult tw_result = cuTensorMapEncodeTiled(
        &tw_map_{number}, CU_TENSOR_MAP_DATA_TYPE_{type}, {rank},
        (void *)(uintptr_t){base},
        tw_sizes, tw_strides, tw_box, tw_steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_{swizzle}, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, {fill});
    if (tw_result != CUDA_SUCCESS)
      return tw_result;
  }}
"""


def write_map(number: int, recipe: Mapping[str, Any], parameters: Sequence[str]) -> str:
    """Statements that encode a map as `tw_map_<number>`, or return the driver's error.

    Args:
        number: Of the map among the kernel's.
        recipe: From the kernel's metadata; see `tilewright.launch_facts`.
        parameters: The names of what the kernel is passed.
    """
    kind, width = _ELEMENTS.get(recipe["element"], _BYTE)
    fill = "NAN_REQUEST_ZERO_FMA" if recipe["nan_padding"] else "NONE"
    # The driver's first dimension is the fastest, the compiler's last.
    sizes = [f"(cuuint64_t){write_expression(program, parameters)}" for program in reversed(recipe["sizes"])]
    strides = [f"(cuuint64_t){write_expression(program, parameters)} * {width}"
               for program in reversed(recipe["strides"])]
    return _MAP.format(
        number=number, sizes=", ".join(sizes), strides=", ".join(strides or ["0"]),
        box=", ".join(str(side) for side in reversed(recipe["block"])), steps=", ".join(["1"] * recipe["rank"]),
        type="TFLOAT32" if recipe["tf32"] else kind, rank=recipe["rank"],
        base=write_expression(recipe["base"], parameters), swizzle=_SWIZZLES[recipe["swizzle"]],
        fill=f"CU_TENSOR_MAP_FLOAT_OOB_FILL_{fill}")


def write_expression(program: Sequence[int], parameters: Sequence[str]) -> str:
    """A launch's postfix program as a C expression of type int64_t."""
    stack: list[str] = []
    for opcode, value in zip(program[::2], program[1::2], strict=True):
        if opcode == _CONSTANT:
            # C has no negative literals, and so none of the least integer.
            stack.append(f"INT64_C({value})" if value >= 0 else f"(-INT64_C({-(value + 1)}) - 1)")
        elif opcode == _ARGUMENT:
            stack.append(f"(int64_t){parameters[value]}")
        elif opcode in (_SIGN_EXTEND, _ZERO_EXTEND):
            name = "tw_extend" if opcode == _SIGN_EXTEND else "tw_zero_extend"
            stack.append(f"{name}((uint64_t){stack.pop()}, {value})")
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_BINARY[opcode].format(a=left, b=right, n=value))
    (result,) = stack
    return result
