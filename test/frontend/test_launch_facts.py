"""What the lowering left on a module for its launch."""

from __future__ import annotations

import json

import pytest
from tilewright.ast.builder import session
from tilewright.launch_facts import read_descriptors

RECIPES = """[
  {element = "f16", rank = 2 : i32, block = array<i64: 128, 64>, swizzle = 128 : i32, nan_padding,
   base = array<i64: 1, 0>, sizes = [array<i64: 1, 1, 2, 32>, array<i64: 0, 64>],
   strides = [array<i64: 0, -9223372036854775808>]},
  {element = "f32", rank = 1 : i32, block = array<i64: 128>, swizzle = 0 : i32, tf32,
   base = array<i64: 1, 2, 0, 64, 4, 64>, sizes = [array<i64: 1, 1, 2, 32>], strides = []}]"""


def test_recipes_of_tensor_maps_can_be_stored():
    current = session()
    with current.context:
        recipes = read_descriptors({"tile.launch_descriptors": current.ir.Attribute.parse(RECIPES)})
    assert json.loads(json.dumps(recipes)) == recipes == [
        {"element": "f16", "rank": 2, "block": [128, 64], "swizzle": 128, "nan_padding": True, "tf32": False,
         "base": [1, 0], "sizes": [[1, 1, 2, 32], [0, 64]], "strides": [[0, -2**63]]},
        {"element": "f32", "rank": 1, "block": [128], "swizzle": 0, "nan_padding": False, "tf32": True,
         "base": [1, 2, 0, 64, 4, 64], "sizes": [[1, 1, 2, 32]], "strides": []}]


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90a"])
def test_a_kernel_without_descriptors_is_launched_with_its_own_warps(target):
    import tilewright as tw
    import tilewright.language as tl

    @tw.jit
    def put(x):
        tl.store(x, 1.0)

    metadata = tw.compile(put, {"x": "*fp32"}, target, num_warps=8).metadata
    assert metadata.descriptors == [] and metadata.launch_warps == 8
