"""Values of elementwise kernels on the CPU, against numpy."""

import numpy as np
import pytest
from kernels import Kernel

RNG = np.random.default_rng()


def add_kernel(block: int) -> Kernel:
    return Kernel(f"""
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {{tile.kernel}} {{
  %pid = tile.program_id 0 : i32
  %size = arith.constant {block} : i32
  %start = arith.muli %pid, %size : i32
  %range = tile.arange 0 : tensor<{block}xi32>
  %starts = tile.splat %start : tensor<{block}xi32>
  %i = arith.addi %starts, %range : tensor<{block}xi32>
  %ns = tile.splat %n : tensor<{block}xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<{block}xi32>
  %xs = tile.splat %x : tensor<{block}x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<{block}x!tile.ptr<f32>>, tensor<{block}xi32>
  %a = tile.load %xp mask %m : tensor<{block}x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<{block}x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<{block}x!tile.ptr<f32>>, tensor<{block}xi32>
  %b = tile.load %yp mask %m : tensor<{block}x!tile.ptr<f32>>
  %c = arith.addf %a, %b : tensor<{block}xf32>
  %zs = tile.splat %z : tensor<{block}x!tile.ptr<f32>>
  %zp = tile.addptr %zs, %i : tensor<{block}x!tile.ptr<f32>>, tensor<{block}xi32>
  tile.store %zp, %c mask %m : tensor<{block}x!tile.ptr<f32>>
  return
}}""")


@pytest.mark.parametrize("block", [1, 3, 16, 64, 100, 1024])
@pytest.mark.parametrize("n", [1, 63, 64, 1000])
def test_add_touches_only_live_lanes(block, n):
    x, y = RNG.standard_normal((2, n), np.float32)
    z = np.full(n + 64, 7, np.float32)
    add_kernel(block)(x, y, z, np.int32(n), grid=(-(-n // block),))
    np.testing.assert_array_equal(z[:n], x + y)
    assert (z[n:] == 7).all()


def test_code_size_does_not_depend_on_block_size():
    assert len(add_kernel(128).library) == len(add_kernel(65536).library)
