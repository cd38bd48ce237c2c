"""What makes a new specialization, and how its description reaches the compiler."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import tilewright
import tilewright.language as tl
from c_kernels import Param

NOTHING = "KERNEL(nothing) {}"


@pytest.fixture
def one(make_kernel):
    """A launcher of one parameter `x`, and what its compilations were asked for."""

    def make(**flags):
        launcher, source = make_kernel("nothing", [Param("x", **flags)], NOTHING)
        return launcher, source.requests

    return make


def describe(launcher, requests, *args, **kwargs):
    """The type and the divisibility that a launch with these arguments is compiled for."""
    launcher[1](*args, **kwargs)
    request = requests[-1]
    return request.signature["x"], request.divisibility.get(("x",), 1)


@pytest.mark.parametrize("value, expected", [
    (0, ("i32", 16)), (2, ("i32", 1)), (16, ("i32", 16)), (17, ("i32", 1)), (-16, ("i32", 16)), (-1, ("i32", 1)),
    (2**31 - 1, ("i32", 1)), (-2**31, ("i32", 16)), (2**31, ("i64", 16)), (-2**31 - 1, ("i64", 1)),
    (2**63 - 1, ("i64", 1)), (2**63, ("u64", 16)), (2**64 - 1, ("u64", 1)),
    (1.0, ("fp32", 1)), (0.5, ("fp32", 1)), (True, ("i1", 1)), (False, ("i1", 1)),
    (np.int8(3), ("i32", 1)), (np.int64(32), ("i32", 16)), (np.float64(2.0), ("fp32", 1)), (np.bool_(True), ("i1", 1)),
])
def test_scalars_get_types_by_value(one, value, expected):
    assert describe(*one(), value) == expected


@pytest.mark.parametrize("value", [1, np.int32(1)])
def test_the_integer_one_is_a_constant(one, value):
    launcher, requests = one()
    assert describe(launcher, requests, value) == ("constexpr", 1)
    assert requests[-1].constexprs == {("x",): 1}


def test_integers_beyond_64_bits_are_refused(one):
    for value in (2**64, -2**63 - 1):
        with pytest.raises(OverflowError, match="kernel 'nothing': argument 'x' is -?[0-9]+, which does not fit"):
            one()[0][1](value)


def test_do_not_specialize_keeps_one_and_multiples_of_16_ordinary(one):
    launcher, requests = one(do_not_specialize=True)
    for value in (1, 16, 17):
        assert describe(launcher, requests, value) == ("i32", 1)
    assert len(requests) == 1


def test_alignment_alone_can_be_left_out_of_the_key(one):
    launcher, requests = one(do_not_specialize_on_alignment=True)
    assert describe(launcher, requests, 1) == ("constexpr", 1)
    assert describe(launcher, requests, 16) == ("i32", 1)
    assert describe(launcher, requests, 17) == ("i32", 1)
    assert len(requests) == 2


def test_annotated_types_decide_and_are_checked(one):
    assert describe(*one(annotation_type="i64"), 2) == ("i64", 1)
    assert describe(*one(annotation_type="u8"), 255) == ("u8", 1)
    assert describe(*one(annotation_type="fp64"), 3) == ("fp64", 1)
    for type_name, value in [("u8", 256), ("u8", -1), ("i8", 128), ("i16", -32769), ("u32", 2**32)]:
        with pytest.raises(OverflowError, match=f"does not fit its type {type_name}"):
            one(annotation_type=type_name)[0][1](value)
    with pytest.raises(TypeError, match="argument 'x' is a float, but its type is i32"):
        one(annotation_type="i32")[0][1](1.5)
    with pytest.raises(TypeError, match="argument 'x' is an array, but its type is i32"):
        one(annotation_type="i32")[0][1](np.zeros(4))


def test_one_of_an_annotated_type_is_passed_and_known(one):
    launcher, requests = one(annotation_type="i64")
    assert describe(launcher, requests, 1) == ("i64:1", 1)
    assert describe(launcher, requests, 17) == ("i64", 1)
    assert len(requests) == 2
    launcher, requests = one(annotation_type="i64", do_not_specialize=True)
    assert describe(launcher, requests, 1) == describe(launcher, requests, 17) == ("i64", 1)


@pytest.mark.parametrize("dtype, name", [
    ("bool", "i1"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"), ("uint8", "u8"),
    ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"), ("float16", "fp16"), ("float32", "fp32"),
    ("float64", "fp64"),
])
def test_arrays_are_pointers_to_their_elements(one, dtype, name):
    assert describe(*one(), np.zeros(64, dtype))[0] == f"*{name}"


def test_types_of_ml_dtypes(one):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype, name in [("bfloat16", "bf16"), ("float8_e5m2", "fp8e5"), ("float8_e4m3fn", "fp8e4nv"),
                        ("float8_e5m2fnuz", "fp8e5b16"), ("float8_e4m3fnuz", "fp8e4b8")]:
        assert describe(*one(), np.zeros(64, getattr(ml_dtypes, dtype)))[0] == f"*{name}"


def test_alignment_of_an_array_is_part_of_the_key(one):
    launcher, requests = one()
    memory = np.zeros(1024, np.uint8)
    start = -memory.ctypes.data % 16
    assert describe(launcher, requests, memory[start:]) == ("*u8", 16)
    assert describe(launcher, requests, memory[start + 1:]) == ("*u8", 1)
    launcher[1](memory[start + 16:])
    launcher[1](memory[start + 17:])
    assert len(requests) == 2


def test_a_const_parameter_points_to_const(one):
    assert describe(*one(is_const=True), np.zeros(8, np.float32))[0] == "*kfp32"


def test_none_and_constexprs_are_constants(one):
    launcher, requests = one()
    for value in (None, tl.constexpr(7), tl.constexpr("text"), tl.constexpr(tl.constexpr(2.5))):
        assert describe(launcher, requests, value)[0] == "constexpr"
        assert requests[-1].constexprs[("x",)] == getattr(value, "value", value)
    assert len(requests) == 4
    launcher[1](tl.constexpr(7))
    assert len(requests) == 4


def test_functions_of_kernels_are_constants(one):
    @tilewright.jit
    def combine(a, b):
        return a + b

    launcher, requests = one()
    assert describe(launcher, requests, combine)[0] == "constexpr"
    assert requests[-1].constexprs == {("x",): combine}


def test_constexpr_parameters_are_told_apart_by_type_and_value(one):
    launcher, requests = one(is_constexpr=True)
    values = [0, 1, True, False, 1.0, 0.0, -0.0, "1", None, (1, 2), (1, (2,)), [1, 2], 2**70, np.float32, float("nan")]
    for value in values:
        launcher[1](value)
    assert [repr(request.constexprs[("x",)]) for request in requests] == [repr(value) for value in values]
    for value in [0, 1, True, 1.0, -0.0, "1", (1, (2,)), [1, 2], 2**70, float("nan")]:
        launcher[1](value)
    assert len(requests) == len(values)
    assert len({request.key for request in requests}) == len(values)


def test_a_constexpr_without_a_hash_is_refused(one):
    with pytest.raises(TypeError, match="kernel 'nothing': argument 'x' unhashable type"):
        one(is_constexpr=True)[0][1]({})


class Pair(NamedTuple):
    first: object
    second: object


def test_tuples_are_flattened_and_keep_their_paths(one):
    launcher, requests = one()
    array = np.zeros(16, np.float32)
    launcher[1]((array, (3, None)))
    request = requests[-1]
    assert request.signature["x"] == ("*fp32", ("i32", "constexpr"))
    assert request.constexprs == {("x", 1, 1): None}
    assert request.divisibility == {("x", 0): 16}
    launcher[1]((array, (4, None)))
    assert len(requests) == 1
    launcher[1](Pair(array, (4, None)))
    assert requests[-1].tuple_types == {("x",): Pair}
    assert len(requests) == 2


def test_options_are_part_of_the_key(one):
    launcher, requests = one()
    launcher[1](2)
    launcher[1](2, num_warps=8)
    launcher[1](3, num_warps=8)
    launcher[1](2, num_warps=8, num_stages=1)
    launcher[1](2, num_stages=1, num_warps=8)
    # The order of options makes a key of its own, but nothing is compiled for it.
    assert [request.options for request in requests] == [{}, {"num_warps": 8}, {"num_warps": 8, "num_stages": 1}]
    assert len(launcher) == 4


@pytest.mark.parametrize("make", [
    lambda: np.zeros(4, dtype=object), lambda: np.zeros(4, "c8"), lambda: np.zeros(4, ">f4"),
    lambda: np.zeros(4, [("a", "i4")]), lambda: np.zeros(4, "U3"), lambda: "text", lambda: object(), lambda: {},
    lambda: np.frombuffer(bytes(17), np.uint8)[1:].view("f4"),
])
def test_what_cannot_be_passed_is_named(one, make):
    with pytest.raises((TypeError, ValueError), match="^kernel 'nothing': argument 'x' (has|is) "):
        one()[0][1](make())


def test_dlpack_and_pointer_holders(one):
    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Holder:
        dtype = "torch.bfloat16"
        device = "cpu"

        def __init__(self, array):
            self.array = array

        def data_ptr(self):
            return self.array.ctypes.data

    array = np.zeros(64, np.float16)
    assert describe(*one(), Exporter(array))[0] == "*fp16"
    assert describe(*one(), Holder(array))[0] == "*bf16"

    class Elsewhere(Holder):
        device = "meta"

    with pytest.raises(TypeError, match="argument 'x' is on device meta, where kernels cannot run"):
        one()[0][1](Elsewhere(array))
