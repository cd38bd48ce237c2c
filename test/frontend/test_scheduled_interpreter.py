"""Stage `scheduled`, executed: the values of numpy, nothing to report, but of what is damaged."""

import re

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
import tilewright.language as tl
from tilewright.interpreter.scheduled import Checked, run_scheduled
from tilewright.interpreter.scheduled.layouts import parse_layout

TARGETS = ("nvidia:sm_80", "nvidia:sm_90a")


def line_of(kernel, text):
    """The line of a kernel's source that holds a text."""
    return kernel.source.first_line + next(i for i, line in enumerate(kernel.source.lines) if text in line)


# --- values, without findings -------------------------------------------------------------------------------
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_products(rng, target, stages):
    M, N, K = 128, 64, 176
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    c = np.empty((M, N), np.float32)
    report = Checked(kernels.product, target)[(2, 1)](a, b, c, M, N, K, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
                                                      num_stages=stages)
    assert not report, report
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.int8], ids=lambda dtype: dtype.__name__)
def test_products_of_other_types(rng, target, dtype):
    a, b = (rng.integers(-9, 9, (64, 64)).astype(dtype) for _ in range(2))
    c = np.empty((64, 64), np.int32 if dtype is np.int8 else dtype)
    report = Checked(kernels.product, target)[(1, 1)](a, b, c, 64, 64, 64, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
                                                      SUMS=tl.int32 if dtype is np.int8 else tl.float32)
    assert not report, report
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("warps", [1, 8])
def test_softmax(rng, target, warps):
    x = rng.standard_normal((3, 700)).astype(np.float32)
    out = np.empty_like(x)
    report = Checked(kernels.softmax, target)[(3,)](x, out, 700, BLOCK=1024, num_warps=warps)
    assert not report, report
    weights = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, weights / weights.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stages", [2, 3])
def test_attention(rng, target, stages):
    q, k, v = (rng.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    out = np.empty((128, 64), np.float32)
    report = Checked(kernels.attention, target)[(2,)](q, k, v, out, 128, HEAD=64, BLOCK_M=64, BLOCK_N=32,
                                                      num_stages=stages)
    assert not report, report
    weights = 2.0 ** (q.astype(np.float64) @ k.T.astype(np.float64))
    np.testing.assert_allclose(out, weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64), atol=3e-3)


@pytest.mark.parametrize("target", TARGETS)
def test_collectives(rng, target):
    x = rng.integers(0, 32, (32, 32)).astype(np.int32)
    out, counts = np.empty_like(x), np.empty(32, np.int32)
    report = Checked(kernels.collectives, target)[(1,)](x, out, counts, BLOCK=32)
    assert not report, report
    np.testing.assert_array_equal(out, np.sort(x.T + np.cumsum(x, axis=0), axis=1))
    np.testing.assert_array_equal(counts, np.bincount(x.max(axis=1), minlength=32))


# --- damaged code --------------------------------------------------------------------------------------------
SIGNATURE = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16", "N": "i32:16", "K": "i32:16",
             "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}


def scheduled(target, stages):
    """A correct program to be damaged."""
    return tw.compile(kernels.product, SIGNATURE, target=target, num_stages=stages).asm["scheduled"]


def run(text, rng, depth=224):
    a, b = rng.standard_normal((64, depth)).astype(np.float16), rng.standard_normal((depth, 64)).astype(np.float16)
    return run_scheduled(text, [a, b, np.empty((64, 64), np.float16), 64, 64, depth], (1, 1))


def damaged(text, pattern, change):
    """The text with each match of a pattern changed, one at a time."""
    found = [text[:match.start()] + change(match) + text[match.end():] for match in re.finditer(pattern, text)]
    assert found
    return found


@pytest.mark.parametrize("stages", [1, 3, 4])
@pytest.mark.parametrize("target", TARGETS)
def test_a_missing_barrier(rng, target, stages):
    text = scheduled(target, stages)
    if "tile.barrier" not in text:
        pytest.skip("threads meet in conversions alone")
    for each in damaged(text, r"\n *tile\.barrier[^\n]*", lambda match: ""):
        assert "race" in run(each, rng).kinds()


@pytest.mark.parametrize("stages", [1, 3, 4])
def test_what_is_not_published(rng, stages):
    for each in damaged(scheduled("nvidia:sm_90a", stages), " publish", lambda match: ""):
        assert run(each, rng).kinds() == {"unpublished"}


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("target", TARGETS)
def test_a_wait_for_too_few_copies(rng, target, stages):
    for each in damaged(scheduled(target, stages), r"(tile\.await\(.*in_flight )(\d+)",
                        lambda match: f"{match[1]}{int(match[2]) + 1}"):
        assert run(each, rng).kinds() & {"race", "not awaited"}


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_wait_for_too_few_products(rng, stages):
    for each in damaged(scheduled("nvidia:sm_90a", stages), r"(tile\.await_dots\(.*in_flight )(\d+)",
                        lambda match: f"{match[1]}{int(match[2]) + 1}"):
        assert run(each, rng).kinds() & {"race", "in flight"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_stack_with_too_few_blocks(rng, target):
    text = scheduled(target, 3)
    stacks = set(re.findall(r"!tile\.buffer<3(x\d+x\d+xf16)", text))
    assert len(stacks) == 2
    for stack in stacks:
        assert "out of bounds" in run(text.replace(f"<3{stack}", f"<2{stack}"), rng).kinds()


@pytest.mark.parametrize("target", TARGETS)
def test_stages_that_share_a_block(rng, target):
    """The index of a block that is always the first."""
    text = scheduled(target, 3)
    found = damaged(text, r"(tile\.buffer_view %\w+)\[%\w+\]", lambda match: f"{match[1]}[%c0_i32]")
    assert all(run(each, rng).kinds() & {"race", "overwritten", "uninitialised", "values"} for each in found[-2:])


@pytest.mark.parametrize("target", TARGETS)
def test_buffers_that_share_bytes(rng, target):
    text = scheduled(target, 3)
    found = damaged(text, r"tile\.buffer_alloc offset [1-9]\d*", lambda match: "tile.buffer_alloc offset 0")
    assert all("race" in run(each, rng).kinds() for each in found)


def test_memory_that_the_program_has_not(rng):
    text = re.sub(r"tile\.shared_bytes = \d+", "tile.shared_bytes = 1024", scheduled("nvidia:sm_90a", 3))
    assert "out of bounds" in run(text, rng).kinds()


def test_a_finding_names_both_lines(rng):
    compiled = tw.compile(kernels.product, SIGNATURE, target="nvidia:sm_90a", num_stages=1)
    text = re.sub(r"\n *tile\.barrier publish[^\n]*", "", compiled.asm.located("scheduled"))
    finding = next(each for each in run(text, rng) if each.kind == "race" and each.op == "tile.async_dot")
    assert finding.place.line == line_of(kernels.product, "tl.dot")
    assert finding.other_op == "tile.buffer_store"
    assert finding.other_place.line in [line_of(kernels.product, f"{name} = tl.load") for name in "xy"]
    assert "total = tl.dot(x, y, total)" in str(finding)


# --- layouts ---------------------------------------------------------------------------------------------------
def test_who_holds_an_element():
    layout = parse_layout("#tile.layout<[8, 4]: register = [[0, 1], [0, 2]], lane = [[1, 0], [0, 0]], "
                          "warp = [[2, 0], [4, 0]], repeat = [register x 3 -> dim1]>")
    holders = layout.holders((8, 12))
    assert layout.size("register") == 12 and layout.size("lane") == 4 and layout.size("warp") == 4
    # Two lanes of a warp hold a row, so that several have each element.
    assert all((lanes == -1).all() for lanes in holders.lanes)
    np.testing.assert_array_equal(np.concatenate(holders.elements), np.arange(96))
    assert all(owned.all() for owned in holders.owned)


def test_where_an_element_lies():
    layout = parse_layout("#tile.layout<[2, 4]: offset = [[0, 1], [0, 2], [1, 1]], repeat = [offset x 3 -> dim0]>")
    np.testing.assert_array_equal(layout.offsets((6, 4)), [[0, 1, 2, 3], [5, 4, 7, 6], [8, 9, 10, 11], [13, 12, 15, 14],
                                                           [16, 17, 18, 19], [21, 20, 23, 22]])


# --- lanes -----------------------------------------------------------------------------------------------------
LANES = """
#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
#rows = #tile.layout<[64]: register = [[32]], lane = [[1], [2], [4], [8], [16]]>
#pairs = #tile.layout<[64]: register = [[1]], lane = [[2], [4], [8], [16], [32]]>
module attributes {{tile.num_warps = 1 : i32, tile.shared_bytes = 256 : i32}} {{
func.func @kernel(%x: !tile.ptr<f32>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<64xi32, #rows>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>, #rows>
  %p = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>, #rows>, tensor<64xi32, #rows>
  %a = tile.buffer_alloc offset 0 : !tile.buffer<64xf32, #memory>
  %0 = tile.async_copy %p, %a : tensor<64x!tile.ptr<f32>, #rows> -> !tile.buffer<64xf32, #memory>
  %1 = tile.commit(%0) : !tile.pending<!tile.buffer<64xf32, #memory>>
  %2 = tile.await(%1) in_flight 0 : !tile.pending<!tile.buffer<64xf32, #memory>>
  {between}
  %3 = tile.buffer_load %2 : !tile.buffer<64xf32, #memory> -> tensor<64xf32, {layout}>
  tile.buffer_store %3, %2 : tensor<64xf32, {layout}> -> !tile.buffer<64xf32, #memory>
  return
}}
}}
"""


@pytest.mark.parametrize("layout, between, kinds", [("#rows", "", set()), ("#pairs", "", {"race"}),
                                                    ("#pairs", "tile.barrier", set())])
def test_lanes_of_a_warp_wait_for_their_own_copies(layout, between, kinds):
    x = np.arange(64, dtype=np.float32)
    assert run_scheduled(LANES.format(layout=layout, between=between), [x], (1,)).kinds() == kinds
