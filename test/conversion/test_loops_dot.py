"""Values of matrix products on the CPU, against numpy."""

import numpy as np
import pytest
from kernels import Kernel

RNG = np.random.default_rng()


def matmul_kernel(m: int, n: int, k: int, element: str = "f32", acc: str = "f32") -> Kernel:
    """C = A @ B in blocks of m x n, masked on all sides, the loop over K in steps of k."""
    a, b, c, zero = f"tensor<{m}x{k}x", f"tensor<{k}x{n}x", f"tensor<{m}x{n}x", "0" if acc == "i32" else "0.0"
    return Kernel(f"""
func.func @matmul(%A: !tile.ptr<{element}>, %B: !tile.ptr<{element}>, %C: !tile.ptr<{acc}>,
                  %M: i32, %N: i32, %K: i32) attributes {{tile.kernel}} {{
  %pm = tile.program_id 0 : i32
  %pn = tile.program_id 1 : i32
  %bm = arith.constant {m} : i32
  %bn = arith.constant {n} : i32
  %bk = arith.constant {k} : i32
  %c0 = arith.constant 0 : i32
  %m0 = arith.muli %pm, %bm : i32
  %n0 = arith.muli %pn, %bn : i32
  %rm = tile.arange 0 : tensor<{m}xi32>
  %rn = tile.arange 0 : tensor<{n}xi32>
  %rk = tile.arange 0 : tensor<{k}xi32>
  %m0s = tile.splat %m0 : tensor<{m}xi32>
  %n0s = tile.splat %n0 : tensor<{n}xi32>
  %om = arith.addi %m0s, %rm : tensor<{m}xi32>
  %on = arith.addi %n0s, %rn : tensor<{n}xi32>
  %om1 = tile.expand_dims %om axis 1 : tensor<{m}xi32> -> tensor<{m}x1xi32>
  %on1 = tile.expand_dims %on axis 0 : tensor<{n}xi32> -> tensor<1x{n}xi32>
  %Ms = tile.splat %M : tensor<{m}x1xi32>
  %Ns = tile.splat %N : tensor<1x{n}xi32>
  %mm = arith.cmpi slt, %om1, %Ms : tensor<{m}x1xi32>
  %mn = arith.cmpi slt, %on1, %Ns : tensor<1x{n}xi32>
  %Ks = tile.splat %K : tensor<{m}x1xi32>
  %arow = arith.muli %om1, %Ks : tensor<{m}x1xi32>
  %rk0 = tile.expand_dims %rk axis 0 : tensor<{k}xi32> -> tensor<1x{k}xi32>
  %rk1 = tile.expand_dims %rk axis 1 : tensor<{k}xi32> -> tensor<{k}x1xi32>
  %arows = tile.broadcast %arow : tensor<{m}x1xi32> -> {a}i32>
  %acols = tile.broadcast %rk0 : tensor<1x{k}xi32> -> {a}i32>
  %ao = arith.addi %arows, %acols : {a}i32>
  %As = tile.splat %A : {a}!tile.ptr<{element}>>
  %ap0 = tile.addptr %As, %ao : {a}!tile.ptr<{element}>>, {a}i32>
  %Nk = tile.splat %N : tensor<{k}x1xi32>
  %brow = arith.muli %rk1, %Nk : tensor<{k}x1xi32>
  %brows = tile.broadcast %brow : tensor<{k}x1xi32> -> {b}i32>
  %bcols = tile.broadcast %on1 : tensor<1x{n}xi32> -> {b}i32>
  %bo = arith.addi %brows, %bcols : {b}i32>
  %Bs = tile.splat %B : {b}!tile.ptr<{element}>>
  %bp0 = tile.addptr %Bs, %bo : {b}!tile.ptr<{element}>>, {b}i32>
  %astep = arith.constant dense<{k}> : {a}i32>
  %bkn = arith.muli %bk, %N : i32
  %bstep = tile.splat %bkn : {b}i32>
  %mma = tile.broadcast %mm : tensor<{m}x1xi1> -> {a}i1>
  %mnb = tile.broadcast %mn : tensor<1x{n}xi1> -> {b}i1>
  %zero = arith.constant dense<{zero}> : {c}{acc}>
  %r:3 = scf.for %kk = %c0 to %K step %bk iter_args(%sum = %zero, %ap = %ap0, %bp = %bp0)
      -> ({c}{acc}>, {a}!tile.ptr<{element}>>, {b}!tile.ptr<{element}>>) : i32 {{
    %left = arith.subi %K, %kk : i32
    %left0 = tile.splat %left : tensor<1x{k}xi32>
    %left1 = tile.splat %left : tensor<{k}x1xi32>
    %ma = arith.cmpi slt, %rk0, %left0 : tensor<1x{k}xi32>
    %mb = arith.cmpi slt, %rk1, %left1 : tensor<{k}x1xi32>
    %mas = tile.broadcast %ma : tensor<1x{k}xi1> -> {a}i1>
    %mbs = tile.broadcast %mb : tensor<{k}x1xi1> -> {b}i1>
    %amask = arith.andi %mma, %mas : {a}i1>
    %bmask = arith.andi %mbs, %mnb : {b}i1>
    %x = tile.load %ap mask %amask : {a}!tile.ptr<{element}>>
    %y = tile.load %bp mask %bmask : {b}!tile.ptr<{element}>>
    %d = tile.dot %x, %y, %sum : {a}{element}>, {b}{element}> -> {c}{acc}>
    %an = tile.addptr %ap, %astep : {a}!tile.ptr<{element}>>, {a}i32>
    %bn2 = tile.addptr %bp, %bstep : {b}!tile.ptr<{element}>>, {b}i32>
    scf.yield %d, %an, %bn2 : {c}{acc}>, {a}!tile.ptr<{element}>>, {b}!tile.ptr<{element}>>
  }}
  %Nm = tile.splat %N : tensor<{m}x1xi32>
  %crow = arith.muli %om1, %Nm : tensor<{m}x1xi32>
  %crows = tile.broadcast %crow : tensor<{m}x1xi32> -> {c}i32>
  %ccols = tile.broadcast %on1 : tensor<1x{n}xi32> -> {c}i32>
  %co = arith.addi %crows, %ccols : {c}i32>
  %Cs = tile.splat %C : {c}!tile.ptr<{acc}>>
  %cp = tile.addptr %Cs, %co : {c}!tile.ptr<{acc}>>, {c}i32>
  %cm = tile.broadcast %mm : tensor<{m}x1xi1> -> {c}i1>
  %cn = tile.broadcast %mn : tensor<1x{n}xi1> -> {c}i1>
  %cmask = arith.andi %cm, %cn : {c}i1>
  tile.store %cp, %r#0 mask %cmask : {c}!tile.ptr<{acc}>>
  return
}}""")


def run(kernel, block, a, b, dtype):
    (m, k), n = a.shape, b.shape[1]
    c = np.full((m, n), 7, dtype)
    grid = (-(-m // block[0]), -(-n // block[1]))
    kernel(a, b, c, np.int32(m), np.int32(n), np.int32(k), grid=grid)
    return c


@pytest.mark.parametrize("block", [(64, 64, 32), (16, 16, 16), (32, 8, 64), (1, 64, 16), (12, 48, 20), (64, 1, 32)])
@pytest.mark.parametrize("size", [(64, 64, 64), (65, 31, 33), (7, 100, 5)])
def test_f32(block, size):
    m, n, k = size
    a, b = RNG.standard_normal((m, k), np.float32), RNG.standard_normal((k, n), np.float32)
    c = run(matmul_kernel(*block), block, a, b, np.float32)
    np.testing.assert_allclose(c, a.astype(float) @ b.astype(float), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("element, dtype, acc, acc_dtype", [
    ("f64", np.float64, "f64", np.float64),
    ("f16", np.float16, "f32", np.float32),
    ("f16", np.float16, "f16", np.float16),
    ("i8", np.int8, "i32", np.int32),
])
def test_other_types(element, dtype, acc, acc_dtype):
    block, (m, n, k) = (32, 32, 32), (40, 70, 50)
    a = RNG.integers(-8, 8, (m, k)).astype(dtype)
    b = RNG.integers(-8, 8, (k, n)).astype(dtype)
    c = run(matmul_kernel(*block, element, acc), block, a, b, acc_dtype)
    np.testing.assert_array_equal(c, (a.astype(float) @ b.astype(float)).astype(acc_dtype))
