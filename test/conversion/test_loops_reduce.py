"""Values of reductions on the CPU, against numpy."""

import warnings

import numpy as np
import pytest
from kernels import Kernel

RNG = np.random.default_rng()


def softmax_kernel(block: int, arch: str = "host") -> Kernel:
    t, p = f"tensor<{block}xf32>", f"tensor<{block}x!tile.ptr<f32>>"
    return Kernel(f"""
func.func @softmax(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %stride: i32, %n: i32) attributes {{tile.kernel}} {{
  %pid = tile.program_id 0 : i32
  %row = arith.muli %pid, %stride : i32
  %i = tile.arange 0 : tensor<{block}xi32>
  %ns = tile.splat %n : tensor<{block}xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<{block}xi32>
  %inrow = tile.addptr %in, %row : !tile.ptr<f32>, i32
  %ins = tile.splat %inrow : {p}
  %inp = tile.addptr %ins, %i : {p}, tensor<{block}xi32>
  %low = arith.constant dense<0xFF800000> : {t}
  %x = tile.load %inp mask %m other %low : {p}
  %max = tile.reduce (%x) axis 0 {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }} : ({t}) -> f32
  %maxs = tile.splat %max : {t}
  %d = arith.subf %x, %maxs : {t}
  %e = math.exp %d : {t}
  %sum = tile.reduce (%e) axis 0 {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }} : ({t}) -> f32
  %sums = tile.splat %sum : {t}
  %q = arith.divf %e, %sums : {t}
  %outrow = tile.addptr %out, %row : !tile.ptr<f32>, i32
  %outs = tile.splat %outrow : {p}
  %outp = tile.addptr %outs, %i : {p}, tensor<{block}xi32>
  tile.store %outp, %q mask %m : {p}
  return
}}""", arch)


@pytest.mark.parametrize("block, n", [(128, 100), (1024, 1000), (1024, 1024), (100, 77), (48, 48)])
def test_softmax(block, n):
    x = RNG.standard_normal((5, n), np.float32)
    y = np.full_like(x, 7)
    softmax_kernel(block)(y, x, np.int32(n), np.int32(n), grid=(5,))
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


def test_softmax_gives_the_same_bits_again():
    kernel, x = softmax_kernel(1024), RNG.standard_normal((1, 1000), np.float32)
    results = [np.empty_like(x) for _ in range(2)]
    for y in results:
        kernel(y, x, np.int32(1000), np.int32(1000))
    np.testing.assert_array_equal(*results)


def reduce_2d_kernel(rows: int, columns: int, axis: int, element: str, combiner: str) -> Kernel:
    kept = columns if axis == 0 else rows
    full, out = f"tensor<{rows}x{columns}x", f"tensor<{kept}x"
    return Kernel(f"""
func.func @reduce(%x: !tile.ptr<{element}>, %y: !tile.ptr<{element}>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<{rows}xi32>
  %j = tile.arange 0 : tensor<{columns}xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<{columns}xi32> -> tensor<1x{columns}xi32>
  %s = arith.constant dense<{columns}> : tensor<{rows}x1xi32>
  %i2 = arith.muli %i1, %s : tensor<{rows}x1xi32>
  %i3 = tile.broadcast %i2 : tensor<{rows}x1xi32> -> {full}i32>
  %j3 = tile.broadcast %j1 : tensor<1x{columns}xi32> -> {full}i32>
  %o = arith.addi %i3, %j3 : {full}i32>
  %xs = tile.splat %x : {full}!tile.ptr<{element}>>
  %xp = tile.addptr %xs, %o : {full}!tile.ptr<{element}>>, {full}i32>
  %v = tile.load %xp : {full}!tile.ptr<{element}>>
  %r = tile.reduce (%v) axis {axis} {{
  ^bb0(%a: {element}, %b: {element}):
    %c = {combiner} %a, %b : {element}
    tile.yield %c : {element}
  }} : ({full}{element}>) -> {out}{element}>
  %k = tile.arange 0 : tensor<{kept}xi32>
  %ys = tile.splat %y : {out}!tile.ptr<{element}>>
  %yp = tile.addptr %ys, %k : {out}!tile.ptr<{element}>>, {out}i32>
  tile.store %yp, %r : {out}!tile.ptr<{element}>>
  return
}}""")


COMBINERS = {
    "arith.addi": np.add,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.xori": np.bitwise_xor,
    "arith.muli": np.multiply,
}


@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(8, 128), (64, 3), (5, 7), (1, 100), (70, 1), (3, 200)])
def test_integers_along_each_axis(shape, axis, combiner):
    x = RNG.integers(-1000, 1000, shape, dtype=np.int32)
    y = np.empty(np.delete(shape, axis), np.int32)
    reduce_2d_kernel(*shape, axis, "i32", combiner)(x, y)
    np.testing.assert_array_equal(y, COMBINERS[combiner].reduce(x, axis=axis, dtype=np.int32))


@pytest.mark.parametrize("shape", [(8, 128), (3, 100)])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_number_wins_over_nan(shape, axis):
    x = RNG.standard_normal(shape).astype(np.float32)
    x[RNG.random(shape) < 0.5] = np.nan
    x[0], x[:, 0] = np.nan, np.nan  # one line of each kind without a number
    y = np.empty(np.delete(shape, axis), np.float32)
    reduce_2d_kernel(*shape, axis, "f32", "arith.maxnumf")(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        np.testing.assert_array_equal(y, np.fmax.reduce(x, axis=axis))


def argmax_kernel(block: int) -> Kernel:
    t, p = f"tensor<{block}xf32>", f"tensor<{block}x!tile.ptr<f32>>"
    return Kernel(f"""
func.func @argmax(%in: !tile.ptr<f32>, %best: !tile.ptr<f32>, %where: !tile.ptr<i32>,
                  %n: i32) attributes {{tile.kernel}} {{
  %pid = tile.program_id 0 : i32
  %row = arith.muli %pid, %n : i32
  %i = tile.arange 0 : tensor<{block}xi32>
  %ns = tile.splat %n : tensor<{block}xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<{block}xi32>
  %inrow = tile.addptr %in, %row : !tile.ptr<f32>, i32
  %ins = tile.splat %inrow : {p}
  %inp = tile.addptr %ins, %i : {p}, tensor<{block}xi32>
  %low = arith.constant dense<0xFF800000> : {t}
  %x = tile.load %inp mask %m other %low : {p}
  %r:2 = tile.reduce (%x, %i) axis 0 {{
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %eq, %lt : i1
    %gt = arith.cmpf ogt, %a, %b : f32
    %pick = arith.ori %gt, %tie : i1
    %v = arith.select %pick, %a, %b : f32
    %vi = arith.select %pick, %ai, %bi : i32
    tile.yield %v, %vi : f32, i32
  }} : ({t}, tensor<{block}xi32>) -> (f32, i32)
  %bp = tile.addptr %best, %pid : !tile.ptr<f32>, i32
  tile.store %bp, %r#0 : !tile.ptr<f32>
  %wp = tile.addptr %where, %pid : !tile.ptr<i32>, i32
  tile.store %wp, %r#1 : !tile.ptr<i32>
  return
}}""")


@pytest.mark.parametrize("block, n", [(256, 200), (256, 30), (1000, 900), (4096, 4096), (90, 90), (2, 1)])
def test_argmax_takes_the_first_of_equals(block, n):
    x = RNG.integers(0, 50, (9, n)).astype(np.float32)
    best, where = np.empty(9, np.float32), np.empty(9, np.int32)
    argmax_kernel(block)(x, best, where, np.int32(n), grid=(9,))
    np.testing.assert_array_equal(best, x.max(1))
    np.testing.assert_array_equal(where, x.argmax(1))


def test_sums_do_not_depend_on_the_machine():
    """One order of additions: registers of 8 and of 16 lanes give the same bits."""
    x = RNG.standard_normal((1, 1000), np.float32)
    results = []
    for arch in ("host", "x86-64-v3"):
        y = np.empty_like(x)
        softmax_kernel(1024, arch)(y, x, np.int32(1000), np.int32(1000))
        results.append(y)
    np.testing.assert_array_equal(*results)
