"""Binding, packing, grids and errors of launches on the CPU."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from c_kernels import Param
from tilewright.runtime import launch

COPY_SLOTS = """
KERNEL(copy_slots) {
  unsigned char *out = SLOT(unsigned char *, 0);
  const unsigned char *from = (const unsigned char *)&slots[1];
  for (int i = 0; i < 8; ++i) out[i] = from[i];
}
"""

ADD = """
KERNEL(add) {
  float *x = SLOT(float *, 0), *y = SLOT(float *, 1), *z = SLOT(float *, 2);
  int n = SLOT(int, 3), begin = position[0] * 64;
  for (int i = begin; i < begin + 64 && i < n; ++i) z[i] = x[i] + y[i];
}
"""

#: Each program adds one to its own cell, and the first tells what the grid is.
COUNT = """
KERNEL(count) {
  int32_t *cells = SLOT(int32_t *, 0), *extents = SLOT(int32_t *, 1);
  const int32_t *id = position, *n = position + 3;
  cells[(id[2] * n[1] + id[1]) * n[0] + id[0]] += 1;
  if (id[0] + id[1] + id[2] == 0)
    for (int i = 0; i < 3; ++i) extents[i] = n[i];
}
"""


def test_vector_addition(make_kernel):
    add, _ = make_kernel("add", ["x", "y", "z", Param("n", do_not_specialize=True)], ADD)
    for n in (1, 63, 64, 65, 1000, 12345):
        x, y = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
        z = np.full(n + 8, 7, np.float32)
        add[((n + 63) // 64,)](x, y, z, n)
        np.testing.assert_array_equal(z[:n], x + y)
        assert (z[n:] == 7).all()


@pytest.mark.parametrize("type_name, form, values", [
    ("i8", "b", [-128, 127, -1]), ("i16", "h", [-32768, 32767]), ("i32", "i", [-2**31, 2**31 - 1]),
    ("i64", "q", [-2**63, 2**63 - 1]), ("u8", "B", [0, 255]), ("u16", "H", [65535]), ("u32", "I", [2**32 - 1]),
    ("u64", "Q", [2**64 - 1]), ("i1", "?", [True, False]),
    ("fp32", "f", [0.1, -0.0, 1e-45, 3.5e38, float("inf")]), ("fp64", "d", [0.1, 5e-324]),
    ("fp16", "e", [0.1, 65504.0, 6e-8, 5.96e-8, -2.0, 2049.0, 2051.0, float("-inf")]),
])
def test_scalars_are_packed_in_their_type(make_kernel, type_name, form, values):
    kernel, _ = make_kernel("copy_slots", ["out", Param("x", annotation_type=type_name)], COPY_SLOTS)
    for value in values:
        out = np.zeros(8, np.uint8)
        kernel[1](out, value)
        with np.errstate(over="ignore"):
            expected = np.float32(value).tobytes() if form == "f" else struct.pack("<" + form, value)
        assert out.tobytes()[: len(expected)] == expected, value


def test_bfloat16_scalars_round_to_nearest_even(make_kernel):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kernel, _ = make_kernel("copy_slots", ["out", Param("x", annotation_type="bf16")], COPY_SLOTS)
    random = np.random.default_rng(5)
    values = [*random.standard_normal(100), *(random.standard_normal(100) * 1e-39), 1e39, 3.3961e38, float("nan")]
    with np.errstate(over="ignore"):
        values = np.array(values, np.float32)
    for value in values:
        out = np.zeros(8, np.uint8)
        kernel[1](out, float(value))
        got, want = out[:2].view(ml_dtypes.bfloat16)[0], ml_dtypes.bfloat16(value)
        assert got == want or (np.isnan(got) and np.isnan(want)), value


def test_constants_take_no_slot(make_kernel):
    kernel, _ = make_kernel("copy_slots", ["out", "a", Param("B", is_constexpr=True), "c", "d"], COPY_SLOTS)
    out = np.zeros(8, np.uint8)
    kernel[1](out, 1, 99, None, 123456789)
    assert out[:4].view(np.int32)[0] == 123456789


@pytest.mark.parametrize("grid, extents", [
    (5, (5, 1, 1)), ((5,), (5, 1, 1)), ([2, 3], (2, 3, 1)), ((3, 4, 5), (3, 4, 5)), (np.int64(6), (6, 1, 1)),
    (lambda meta: (meta["size"] // 2, meta["num_warps"]), (5, 8, 1)),
    (lambda meta: meta["size"], (10, 1, 1)), ((100, 41, 3), (100, 41, 3)),
])
def test_every_program_of_a_grid_runs_once(make_kernel, grid, extents):
    count, _ = make_kernel("count", ["cells", "extents", "size"], COUNT)
    cells, seen = np.zeros(np.prod(extents), np.int32), np.zeros(3, np.int32)
    for repeat in range(1, 6):
        count[grid](cells, seen, size=10, num_warps=8)
        assert (cells == repeat).all()
    assert tuple(seen) == extents


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (3, 2, 0), lambda meta: (0, 1)])
def test_an_empty_grid_runs_nothing(make_kernel, grid):
    count, _ = make_kernel("count", ["cells", "extents"], COUNT)
    cells = np.zeros(16, np.int32)
    assert count[grid](cells, cells).name == "count"
    assert not cells.any()


@pytest.mark.parametrize("grid, error, message", [
    ((), ValueError, "the grid is .*; expected 1 to 3 sides"), ((1, 2, 3, 4), ValueError, "expected 1 to 3 sides"),
    (-1, ValueError, "negative side"), ((1, -2), ValueError, "negative side"), ("ab", TypeError, "the grid is 'ab'"),
    ((1.5,), TypeError, "expected an int"), (None, TypeError, "the grid is None"),
    (lambda meta: "x", TypeError, "the grid is 'x'"), ((2**31,), ValueError, "too large"),
])
def test_wrong_grids(make_kernel, grid, error, message):
    count, _ = make_kernel("count", ["cells", "extents"], COUNT)
    cells = np.zeros(16, np.int32)
    with pytest.raises(error, match=f"kernel 'count': .*{message}|kernel 'count': {message}"):
        count[grid](cells, cells)


def test_an_error_of_a_callable_grid_passes_through(make_kernel):
    count, _ = make_kernel("count", ["cells", "extents"], COUNT)
    with pytest.raises(KeyError, match="nowhere"):
        count[lambda meta: meta["nowhere"]](np.zeros(4, np.int32), np.zeros(4, np.int32))


def test_binding_errors_name_the_kernel_and_the_argument(make_kernel):
    add, _ = make_kernel("add", ["x", "y", Param("z", default=3), Param("N", is_constexpr=True)], ADD)
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match=r"kernel 'add': argument 'N' \(a constexpr\) is missing"):
        add[1](x, x)
    with pytest.raises(TypeError, match="kernel 'add': argument 'y' is missing"):
        add[1](x, N=4)
    with pytest.raises(TypeError, match="kernel 'add': argument 'x' is given twice"):
        add[1](x, x, x=x, N=4)
    with pytest.raises(TypeError, match="kernel 'add' takes 4 arguments, but 5 are given"):
        add[1](x, x, x, 4, 5)
    with pytest.raises(KeyError, match="no parameter or option 'num_wraps'; the options are num_warps, num_stages"):
        add[1](x, x, N=4, num_wraps=4)


def test_defaults_and_keywords(make_kernel):
    kernel, source = make_kernel("copy_slots", ["out", Param("x", default=77)], COPY_SLOTS)
    out = np.zeros(8, np.uint8)
    kernel[1](out=out)
    assert out[0] == 77
    kernel[1](x=78, out=out)
    assert out[0] == 78
    assert len(source.requests) == 1


def test_compile_does_not_launch(make_kernel):
    count, source = make_kernel("count", ["cells", "extents"], COUNT)
    cells = np.zeros(16, np.int32)
    assert count.compile(cells, cells).name == "count"
    assert not cells.any() and len(source.requests) == 1


def test_a_missing_symbol_and_a_damaged_library(make_kernel, build_library):
    add, source = make_kernel("sub", ["x"], ADD)
    with pytest.raises(RuntimeError, match="kernel 'sub': its library has no symbol of that name"):
        add[1](2)
    source.library = b"\x7fELF" + bytes(100)
    with pytest.raises(RuntimeError, match="kernel 'sub': its library cannot be loaded: "):
        add[1](3.0)


def test_a_global_that_changes_after_compilation_is_refused(make_kernel):
    count, source = make_kernel("count", ["cells", "extents"], COUNT, used_globals={"SIZE": 4, "names": (1, 2)})
    cells = np.zeros(16, np.int32)
    count[1](cells, cells)
    source.used_globals["names"] = tuple([1, 2])  # equal
    count[1](cells, cells)
    source.used_globals["SIZE"] = 8
    with pytest.raises(RuntimeError, match="kernel 'count' was compiled with the global variable SIZE = 4, which is "
                                           "now 8; pass it as a tl.constexpr argument"):
        count[1](cells, cells)
    del source.used_globals["SIZE"]
    with pytest.raises(RuntimeError, match="which is now None"):
        count[1](cells, cells)
    source.used_globals["SIZE"] = 4
    count[1](cells, cells)


def test_strided_views_pass_the_address_of_their_first_element(make_kernel):
    kernel, _ = make_kernel("copy_slots", ["out", "x"], COPY_SLOTS)
    out, matrix = np.zeros(8, np.uint8), np.zeros((6, 8))
    for view in (matrix[::-1], matrix[:, 3], matrix.T[2:]):
        kernel[1](out, view)
        assert out.view(np.uint64)[0] == view.__array_interface__["data"][0]


def test_a_loaded_kernel_outlives_what_it_was_loaded_from(make_kernel):
    add, source = make_kernel("add", ["x", "y", "z", "n"], ADD)
    x = np.ones(64, np.float32)
    z = np.zeros(64, np.float32)
    add[1](x, x, z, 64)
    source.library = b""
    add[1](x, x, z, 64)
    assert (z == 2).all()


def test_thousands_of_kernels_are_loaded_and_stay_apart(build_library):
    """The loader takes two files of one name for the same: each needs its own."""
    library = build_library(COPY_SLOTS)
    first, second = (build_library(f"KERNEL(tell) {{ SLOT(int *, 0)[0] = {value}; }}") for value in (111, 222))
    from tilewright import _launcher

    for _ in range(500):
        assert _launcher.load_cpu("copy_slots", library, 0).name == "copy_slots"
    out = np.zeros(4, np.int32)
    from c_kernels import Source

    for binary, value in ((first, 111), (second, 222)):
        launch.make_launcher(Source("tell", [Param("x")], binary))[1](out)
        assert out[0] == value
