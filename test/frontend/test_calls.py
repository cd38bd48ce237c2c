"""Calls of functions, constants from outside, tuples, and what a kernel's identity depends on."""

import re
import typing
from pathlib import Path

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime.launch import Specialization

WIDTH = tl.constexpr(16)
ANNOTATED: tl.constexpr = 32
NAMES = tl.constexpr(("a", "b"))


class Pair(typing.NamedTuple):
    first: typing.Any
    second: typing.Any


@tw.jit
def add(a, b=1, *, scale: tl.constexpr = 2):
    """A docstring is no statement."""
    return (a + b) * scale


@tw.jit
def swap(pair):
    a, b = pair
    return b, a


@tw.jit
def twice(function, x):
    return function(function(x))


@tw.constexpr_function
def half(n):
    return n // 2


@tw.jit
def calls(x, out, n):
    v = tl.load(x)
    a, b = swap((add(v), add(v, b=n, scale=3)))
    tl.static_assert(len((a, b)) == 2)
    c = twice(add, v)
    tl.store(out + tl.arange(0, half(WIDTH)), a + b + c)


def test_functions_are_written_where_they_are_called(lower):
    text = lower(calls, x="*fp32", out="*fp32", n="i32")
    assert "func.call" not in text and text.count("arith.mulf") == 4
    assert "tensor<8xi32>" in text


def test_locations_name_callee_and_caller(lower):
    text = lower(calls, locations=True, x="*fp32", out="*fp32", n="i32")
    assert "callsite(" in text and "test_calls.py" in text
    assert "loc(unknown)" not in text


@tw.jit
def constants(out):
    tl.static_assert(WIDTH == 16)
    tl.static_assert(ANNOTATED == 32)
    tl.static_assert(NAMES[1] == "b")
    tl.static_assert(WIDTH.value == 16)
    tl.static_assert(isinstance(WIDTH, tl.constexpr))
    tl.static_assert(f"{WIDTH:04d}-{NAMES[0]!r}" == "0016-'a'")
    tl.static_assert(max(WIDTH, 3) == 16 and min(3, WIDTH, 2) == 2)
    tl.static_assert([i * 2 for i in (1, 2, 3) if i != 2] == (2, 6))
    tl.static_assert(1 < WIDTH <= 16 != 3)
    tl.static_assert(WIDTH is not None and WIDTH is not None)
    tl.static_assert("a" in NAMES and "c" not in NAMES)
    tl.static_assert((1, 2) + (3,) == (1, 2, 3) and (1, 2, 3)[1:] == (2, 3))
    tl.static_assert(tw.cdiv(WIDTH, 5) == 4 and tw.next_power_of_2(5) == 8)
    tl.static_assert(tl.cdiv(17, 4) == 5)
    tl.static_assert(float("inf") > 1e300 and int(3.7) == 3)
    tl.static_assert(2 ** WIDTH == 65536)
    tl.static_assert(tl.float32 == tl.float32 and not hasattr(tl, "nothing"))
    tl.static_assert(out.dtype.is_ptr() and out.dtype.element_ty.is_int() and not tl.float16.is_int())
    tl.static_assert("a-b".replace("-", "+").split("+")[0] == "a" and NAMES.index("b") == 1)
    size: tl.constexpr = WIDTH * 2
    doubled = WIDTH * 2
    tl.static_assert(size == 32 and doubled == 32)
    tl.store(out + tl.arange(0, size), tl.arange(0, doubled))
    for i, name in enumerate(NAMES):
        tl.static_assert(name == NAMES[i])


def test_constants_compute_as_python_does(lower):
    assert lower(constants, out="*i32").count("tile.store") == 1


@tw.jit
def named(pair, out):
    tl.static_assert(hasattr(pair, "first"))
    other = Pair(pair.second, pair.first)
    if other.first > 0:
        other = other._replace(first=other.first + 1)
    tl.store(out, other.first + other.second)


def test_tuples_as_arguments_and_through_branches(lower):
    text = lower(named, pair=Pair("i32", "fp32"), out="*fp32")
    assert "%arg0: i32, %arg1: f32, %arg2: !tile.ptr<f32>" in text and "scf.if" in text


@tw.jit
def optional(x, bias, out):
    v = tl.load(x)
    if bias is not None:
        v += tl.load(bias)
    tl.store(out, v)


@pytest.mark.parametrize("bias, loads", [(None, 1), ("*fp32", 2)])
def test_arguments_that_are_none(lower, bias, loads):
    assert lower(optional, x="*fp32", bias=bias, out="*fp32").count("tile.load") == loads


def make_kernel(factor):
    @tw.jit
    def scaled(out):
        tl.store(out, factor)

    return scaled


def test_variables_of_the_enclosing_function(lower):
    assert "constant 3 : i32" in lower(make_kernel(tl.constexpr(3)), out="*i32")


def test_identity_follows_constants_and_called_functions():
    assert make_kernel(tl.constexpr(3)).cache_key == make_kernel(tl.constexpr(3)).cache_key
    assert make_kernel(tl.constexpr(3)).cache_key != make_kernel(tl.constexpr(4)).cache_key
    assert calls.cache_key != constants.cache_key
    assert constants.used_globals["WIDTH"].value == 16
    names = [function.__name__ for function in calls._reachable()]
    assert set(names) == {"calls", "swap", "add", "twice"}


def test_parameters():
    @tw.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
    def kernel(x: tl.const, n: tl.int64, m: "i32", BLOCK: tl.constexpr = 4):  # noqa: F821
        pass

    x, n, m, block = kernel.params
    assert x.is_const and x.do_not_specialize_on_alignment and not x.do_not_specialize
    assert n.annotation_type == "i64" and n.do_not_specialize and n.do_not_specialize_on_alignment
    assert m.annotation_type == "i32" and not m.is_constexpr
    assert block.is_constexpr and block.default == 4 and not block.do_not_specialize


def test_a_parameter_that_does_not_exist():
    with pytest.raises(ValueError, match="'m'|m"):
        tw.jit(lambda n: None, do_not_specialize=["m"])


def test_calling_a_kernel_says_how_to_launch_it():
    with pytest.raises(RuntimeError, match=r"calls\[grid\]"):
        calls(1, 2, 3)


def test_language_functions_outside_of_a_kernel():
    with pytest.raises(tw.CompilationError, match="inside a @jit function"):
        tl.arange(0, 8)


def test_sources_that_cannot_be_read(tmp_path):
    def compiled(text, name="kernel", file="<nowhere>"):
        names = {"tw": tw, "tl": tl}
        exec(compile(text, file, "exec"), names)
        return tw.jit(names[name])

    with pytest.raises(tw.CompilationError, match="source of 'kernel' is not available"):
        assert compiled("def kernel(): pass").cache_key
    path = tmp_path / "changed.py"
    path.write_text("def other(): pass")
    with pytest.raises(tw.CompilationError, match="has changed since 'kernel' was defined"):
        assert compiled("def kernel(): pass", file=str(path)).cache_key
    with pytest.raises(tw.CompilationError, match="plain 'def'|read on its own"):
        assert tw.jit(lambda x: None).cache_key


def test_every_function_is_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "language.md").read_text()
    listed = set(text.split("`"))
    public = {name for name in dir(tl) if hasattr(getattr(tl, name), "__tile_builtin__")
              or getattr(getattr(tl, name), "__tile_function__", None) == "jit"}
    assert public - listed == set()
    assert all(getattr(tl, name).__doc__ for name in public)


def test_a_known_value_of_an_annotated_type():
    @tw.jit
    def kernel(out, n: tl.int64):
        tl.store(out, n)

    text = kernel.compile_for(Specialization({"out": "*i64", "n": "i64:1"}, {}, {}, {}, "cpu")).asm["tile"]
    assert "constant 1 : i64" in text and re.search(r"tile\.store %arg0, %c1_i64", text)
    assert re.search(r"func\.func @kernel\(%arg0: [^,]*, %arg1: i64\)", text)
