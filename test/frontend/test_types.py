"""Types as values: names, facts, spellings, and which targets admit them."""

import pickle

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.errors import TileTypeError
from tilewright.language import types as t

# name, bits, bits of the significand, exponent's bias
FLOATS = {tl.float8e5: ("fp8e5", 8, 2, 15), tl.float8e5b16: ("fp8e5b16", 8, 2, 16), tl.float8e4nv: ("fp8e4nv", 8, 3, 7),
          tl.float8e4b8: ("fp8e4b8", 8, 3, 8), tl.float8e4b15: ("fp8e4b15", 8, 3, 15), tl.float16: ("fp16", 16, 10, 15),
          tl.bfloat16: ("bf16", 16, 7, 127), tl.float32: ("fp32", 32, 23, 127), tl.float64: ("fp64", 64, 52, 1023)}


@pytest.mark.parametrize("type", FLOATS, ids=str)
def test_floats(type):
    assert (type.name, type.primitive_bitwidth, type.fp_mantissa_width, type.exponent_bias) == FLOATS[type]
    assert type.is_floating() and not type.is_int() and type.is_fp8() == (type.primitive_bitwidth == 8)
    assert type.is_standard_floating() == (not type.is_fp8()) and type.kind() is tl.dtype.KIND.FLOATING
    assert getattr(tl, type.codegen_name()) is type and type.itemsize == type.primitive_bitwidth // 8


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers(bits):
    signed, unsigned = getattr(tl, f"int{bits}"), getattr(tl, f"uint{bits}")
    assert signed.int_signedness is tl.dtype.SIGNEDNESS.SIGNED and signed.is_int_signed()
    assert unsigned.int_signedness is tl.dtype.SIGNEDNESS.UNSIGNED and unsigned.is_int_unsigned()
    assert (signed.get_int_min_value(), signed.get_int_max_value()) == (-2**(bits - 1), 2**(bits - 1) - 1)
    assert (unsigned.get_int_min_value(), unsigned.get_int_max_value()) == (0, 2**bits - 1)
    assert (signed.mangle(), unsigned.mangle()) == (f"i{bits}", f"u{bits}")
    assert signed.int_bitwidth == unsigned.primitive_bitwidth == bits


def test_booleans():
    assert tl.int1.is_bool() and tl.int1.is_int() and tl.int1.itemsize == 1 and tl.int1.primitive_bitwidth == 1
    assert tl.int1.kind() is tl.dtype.KIND.BOOLEAN and not tl.int1.is_int_signed()


@pytest.mark.parametrize("type", t.NUMBERS, ids=str)
def test_names(type):
    assert str(type) == type.name == type.cache_key_part and tl.dtype(type.name) is type
    assert eval(repr(type), {"tilewright": tw}) is type
    assert tl.dtype.is_dtype(type.name) and getattr(type, f"is_{type.name}")()
    assert not any(getattr(type, f"is_{other.name}")() for other in t.NUMBERS if other is not type)
    assert tl.str_to_ty(type.short) is type and tl.str_to_ty(f"*{type.short}") is tl.pointer_type(type)
    assert type.scalar is type and not type.is_ptr() and not type.is_block() and not type.is_void()


def test_pointers_and_blocks():
    pointer, block = tl.pointer_type(tl.float32), tl.block_type(tl.int16, [4, 8])
    assert (str(pointer), pointer.mangle(), pointer.element_ty) == ("pointer<fp32>", "Pfp32", tl.float32)
    assert tl.str_to_ty("*ki32") is tl.pointer_type(tl.int32, const=True) and tl.pi32_t is tl.pointer_type(tl.int32)
    assert (str(block), block.mangle(), block.shape) == ("<[4, 8], int16>", "i16S4_8S", (4, 8))
    assert (block.numel, block.nbytes, block.scalar) == (32, 64, tl.int16)
    assert block.with_element_ty(tl.float32) is tl.block_type(tl.float32, (4, 8))


@pytest.mark.parametrize("type", [*t.NUMBERS, tl.void, tl.pi32_t, tl.block_type(tl.int8, (2,))], ids=str)
def test_types_survive_pickling_as_themselves(type):
    assert pickle.loads(pickle.dumps(type)) is type


def test_a_type_that_does_not_exist():
    with pytest.raises(TileTypeError, match="there is no type 'fp12'"):
        tl.dtype("fp12")
    with pytest.raises(TileTypeError, match="'fp12' is not a type of a signature"):
        tl.str_to_ty("fp12")


# --- targets ----------------------------------------------------------------------------------------
@tw.jit
def copy_kernel(x, out):
    tl.store(out, tl.load(x).to(tl.float32))


@tw.jit
def cast_kernel(x, out):
    tl.store(out, tl.load(x).to(tl.float8e4nv).to(tl.float32))


REFUSED = [("nvidia:sm_80", "fp8e4nv"), ("nvidia:sm_86", "fp8e4nv"), ("nvidia:sm_90a", "fp8e4b8"),
           ("nvidia:sm_90a", "fp8e5b16"), ("amd:gfx942", "fp8e4b15")]


@pytest.mark.parametrize("target, name", REFUSED)
def test_targets_name_the_8_bit_floats_they_admit(target, name):
    message = rf"type {name} not supported in this architecture. The supported fp8 dtypes are \(.*'fp8e5'"
    with pytest.raises(tw.CompilationError, match=message):
        tw.compile(copy_kernel, {"x": f"*{name}", "out": "*fp32"}, target=target)


def test_conversions_to_8_bit_floats_are_checked():
    with pytest.raises(tw.CompilationError, match="type fp8e4nv not supported in this architecture"):
        tw.compile(cast_kernel, {"x": "*fp32", "out": "*fp32"}, target="nvidia:sm_80")
    tw.compile(cast_kernel, {"x": "*fp32", "out": "*fp32"}, target="nvidia:sm_89")


@pytest.mark.parametrize("type", t.FLOAT8, ids=str)
def test_the_cpu_admits_all(type):
    assert tw.compile(copy_kernel, {"x": f"*{type.short}", "out": "*fp32"}, target="cpu").asm["object"]
