"""Roles and signals at stage `scheduled`: what is compiled is in order, and what is damaged is reported."""

import re

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.interpreter.scheduled import Checked, run_scheduled
from tilewright.interpreter.scheduled.host import evaluate

TARGET = "nvidia:sm_90a"
SIGNATURE = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16", "N": "i32:16", "K": "i32:16",
             "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}


@pytest.mark.parametrize("M, N, K, programs", [(128, 128, 256, 1), (120, 72, 200, 3), (64, 64, 64, 2)])
@pytest.mark.parametrize("stages, warps", [(1, 4), (3, 4), (4, 8)])
def test_products_of_blocks(rng, M, N, K, programs, stages, warps):
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    c = np.empty((M, N), np.float16)
    sides = {"BLOCK_M": 128 if warps == 8 else 64, "BLOCK_N": 64, "BLOCK_K": 64}
    report = Checked(kernels.tiles, TARGET)[(programs,)](a, b, c, M, N, K, **sides, num_stages=stages, num_warps=warps)
    assert not report, report
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=0.1)


@pytest.mark.parametrize("K", [0, 64, 192])
def test_programs_of_a_grid_take_turns(rng, K):
    a, b = rng.standard_normal((4, 128, K)).astype(np.float16), rng.standard_normal((2, 3, K, 64)).astype(np.float16)
    c = np.empty((4, 2, 3, 128, 64), np.float16)
    report = Checked(kernels.grid, TARGET)[3, 2, 4](a, b, c, K, BLOCK_M=128, BLOCK_N=64, BLOCK_K=64, num_warps=8)
    assert not report, report
    exact = np.einsum("zmk,yxkn->zyxmn", a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(c, exact, atol=0.1)
    signature = {**dict.fromkeys("abc", "*fp16:16"), "K": "i32:16", "BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}
    assert "tile.launch_grid" in tw.compile(kernels.grid, signature, target=TARGET, num_warps=8).asm["scheduled"]


@pytest.mark.parametrize("warps", [4, 8, 12, 16])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_what_is_behind_a_loop_has_its_memory(rng, warps, stages):
    table, a, b = rng.permutation(256).astype(np.int32), *(rng.standard_normal((n, 192), np.float32) for n in (256, 32))
    c = np.empty((256, 32), np.float32)
    report = Checked(kernels.behind, TARGET)[(1,)](table, a, b, c, 192, BLOCK_M=256, BLOCK_N=32, BLOCK_K=64,
                                                   num_warps=warps, num_stages=stages)
    assert not report, report
    x = a[table].astype(np.float64)
    np.testing.assert_allclose(c, 2 * (x @ b.T) + 4 * (x[:, :64] @ b[:, :64].T), atol=0.3)


@pytest.mark.parametrize("rows, columns, warps", [(64, 256, 4), (128, 128, 8), (128, 256, 8), (192, 128, 12),
                                                  (256, 128, 8)])
@pytest.mark.parametrize("stages", [1, 3])
def test_what_an_outer_loop_reads_leaves_memory(rng, rows, columns, warps, stages):
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((3 * rows, 128), (128, columns)))
    addend, c = (rng.standard_normal((3 * rows, columns)).astype(np.float16) for _ in range(2))
    report = Checked(kernels.added_tiles, TARGET)[(2,)](a, b, addend, c, 3 * rows, columns, 128, BLOCK_M=rows,
                                                        BLOCK_N=columns, num_warps=warps, num_stages=stages)
    assert not report, report
    np.testing.assert_allclose(c, a.astype(np.float64) @ b + addend, atol=0.2)


def test_what_is_added_to_a_product_is_read_as_threads_have_it(rng):
    signature = {**dict.fromkeys(("a", "b", "addend", "c"), "*fp16:16"), **dict.fromkeys("MNK", "i32:16")}
    text = tw.compile(kernels.added_tiles, {**signature, "BLOCK_M": 128, "BLOCK_N": 128}, target=TARGET,
                      num_warps=8).asm["scheduled"]
    assert "parts(" in text and "tile.convert_layout" not in text


@pytest.mark.parametrize("warps, stages", [(4, 1), (8, 5), (12, 2), (16, 3)])
def test_products_of_many_stored_blocks_have_memory(rng, warps, stages):
    a, b = rng.standard_normal((256, 192), np.float32), rng.standard_normal((128, 192), np.float32)
    c = np.empty((256, 128), np.float32)
    report = Checked(kernels.unrolled_loops, TARGET)[(2, 1)](a, b, c, 256, 128, 192, BLOCK_M=128, BLOCK_N=128,
                                                             BLOCK_K=64, num_warps=warps, num_stages=stages)
    assert not report, report
    np.testing.assert_allclose(c, 4 * (a.astype(np.float64) @ b.T), atol=0.4)


@pytest.mark.parametrize("step", [16, 64, 128])
def test_stores_of_overlapping_blocks_are_in_order(rng, step):
    count, side = 4, 64
    rows = (count - 1) * step + side
    a, b = rng.standard_normal((rows, 128)).astype(np.float16), rng.standard_normal((128, side)).astype(np.float16)
    c = np.zeros((rows, side), np.float32)
    signature = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16", "count": "i32", "M": "i32:16", "K": "i32:16",
                 "STEP": step, "SIDE": side}
    text = tw.compile(kernels.rolling, signature, target=TARGET, num_stages=3).asm["scheduled"]
    assert "tile.block_store" in text and (" written" in text) == (step < side)
    report = run_scheduled(text, [a, b, c, count, rows, 128], (1,))
    assert not report, report
    # The last block at a place counts.
    last = np.minimum(np.arange(rows) // step, count - 1)[:, None] + 1
    np.testing.assert_allclose(c, np.where(np.arange(rows)[:, None] % step < side, last, 0) * (
        a.astype(np.float64) @ b), atol=0.2)
    if step < side:
        assert run_scheduled(text.replace(" written", ""), [a, b, c, count, rows, 128], (1,)).kinds() == {"race"}


# Rows at which blocks of 128 begin: over the one before the last, over the last, and apart. Where arrays begin, the
# one that ends with the last row has two blocks.
SCATTERED = np.asarray([0, 304, 8, 136, 200, 512, 208, 208, 432, 504], np.int32)
SCATTERED_TYPES = {"table": "*ki32:16", "count": "i32", "a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16",
                   "M": "i32:16", "K": "i32:16", "SIDE": 128}


def run_scattered(text, rng):
    """Products at SCATTERED, of which the last one at a row counts."""
    a, b = rng.standard_normal((768, 128)).astype(np.float16), rng.standard_normal((128, 64)).astype(np.float16)
    c, factors = np.zeros((768, 64), np.float32), np.zeros((768, 1))
    report = run_scheduled(text, [SCATTERED, len(SCATTERED), a, b, c, 768, 128], (1,))
    for turn, place in enumerate(SCATTERED):
        factors[place:768 if place == 512 and "descriptor_set" in text else place + 128] = turn + 1
    return report, c, a.astype(np.float64) @ b * factors


@pytest.fixture(scope="module")
def scattered():
    """Programs whose warps store parts that may lie over those of other warps."""
    texts = {name: tw.compile(getattr(kernels, f"scattered_{name}"), SCATTERED_TYPES, target=TARGET,
                              num_warps=8).asm["scheduled"] for name in ("tiles", "arrays")}
    assert all("parts(" in text and " written" in text for text in texts.values())
    return texts


@pytest.mark.parametrize("which", ["tiles", "arrays"])
def test_warps_take_turns(scattered, rng, which):
    report, c, exact = run_scattered(scattered[which], rng)
    assert not report, report
    np.testing.assert_allclose(c, exact, atol=0.4)


def test_arrays_that_thread_blocks_may_meet_in_are_refused():
    with pytest.raises(tw.CompilationError, match="may store over in a later iteration"):
        tw.compile(kernels.scattered_arrays, SCATTERED_TYPES, target=TARGET, num_warps=4, num_ctas=2)


def test_thread_blocks_of_a_program_do_not_meet(rng):
    text = tw.compile(kernels.scattered_tiles, SCATTERED_TYPES, target=TARGET, num_warps=4, num_ctas=2).asm["scheduled"]
    report, c, exact = run_scattered(text, rng)
    assert not report, report
    np.testing.assert_allclose(c, exact, atol=0.4)


TURN = r"(\n *tile\.acquire [^\n]*)(\n *tile\.await_block_stores[^\n]*written)(\n *tile\.arrive [^\n]*)"
# Where warps wait for what was stored before the last block: also when they make a descriptor. Where they wait until
# they have written themselves, where they tell others, where they wait for the last block.
DAMAGED_TURNS = [("tiles", TURN, r"\2\3", {"race", "deadlock"}),
                 *((which, *damage) for which in ("tiles", "arrays")
                   for damage in ((TURN, r"\1\3", {"race"}), (TURN, r"\1\2", {"deadlock"}),
                                  (r"(scf\.if %\w+ \{)\n *tile\.acquire [^\n]*(?=\n *\})", r"\1", {"race"})))]


@pytest.mark.parametrize("which, pattern, replacement, kinds", DAMAGED_TURNS)
def test_damaged_turns(scattered, rng, which, pattern, replacement, kinds):
    for damaged in kernels.replace_each(pattern, replacement, scattered[which]):
        assert run_scattered(damaged, rng)[0].kinds() & kinds, damaged


@pytest.fixture(scope="module")
def text():
    """A correct program with roles, to be damaged."""
    text = tw.compile(kernels.tiles, SIGNATURE, target=TARGET, num_stages=3).asm["scheduled"]
    assert "tile.roles" in text
    return text


@pytest.fixture(scope="module")
def stored_by_one(text):
    """The same, but a thread stores whole blocks for all warps."""
    text, awaits = re.subn(r"(\n *tile\.await_block_stores in_flight 0) by_warps( written)?",
                           r"\1\2\n tile.barrier", text)
    text, stores = re.subn(r"(\n *tile\.block_store .*) parts\(#\w+\)", r"\n tile.barrier publish\1", text)
    assert awaits and stores
    return text


def run(text, rng):
    a, b = rng.standard_normal((128, 320)).astype(np.float16), rng.standard_normal((320, 64)).astype(np.float16)
    return run_scheduled(text, [a, b, np.empty((128, 64), np.float16), 128, 64, 320], (1,))


def test_the_programs_before_they_are_damaged(text, stored_by_one, rng):
    for each in text, stored_by_one:
        report = run(each, rng)
        assert not report, report


@pytest.mark.parametrize("pattern, kinds", [(r"\n *tile\.barrier[^\n]*(?=\n *tile\.b)", {"race"}),
                                            (" publish", {"unpublished"})])
def test_one_thread_stores_too_early(stored_by_one, rng, pattern, kinds):
    for damaged in kernels.replace_each(pattern, "", stored_by_one):
        assert run(damaged, rng).kinds() & kinds, damaged


def test_copies_overwrite_what_threads_may_still_read(rng):
    signature = SIGNATURE | {"BLOCK_M": 128}
    text = tw.compile(kernels.scaled, signature, target=TARGET, num_stages=2).asm["scheduled"]
    assert not run(text, rng)
    for damaged in kernels.replace_each(r"(tile\.arrive \S+) publish", r"\1", text):
        assert run(damaged, rng).kinds() == {"unpublished"}, damaged


# What is damaged, how, and what has to be found of each place where that can be done.
DAMAGE = {
    "a store of what other warps write": (r" parts\(#\w+\)", "", {"race", "unpublished"}),
    "a wait that other warps do not know of": (" by_warps", "", {"race", "not awaited"}),
    "an arrival": (r"\n *tile\.arrive[^\n]*", "", {"deadlock"}),
    "what is expected": (r"\n *tile\.expect[^\n]*", "", {"deadlock"}),
    "a copy": (r"\n *tile\.block_copy[^\n]*", "", {"deadlock"}),
    "a wait for stores": (r"\n *tile\.await_block_stores[^\n]*", "", {"race", "not awaited"}),
    "a wait for too few": (r"in_flight 0", "in_flight 1", {"race", "not awaited"}),
    "fewer bytes": (r"bytes \d+", "bytes 8192", {"race", "deadlock"}),
    "always the even phase": (r"(tile\.acquire \S+ phase) %\w+", r"\1 %c0_i32", {"race", "deadlock"}),
    "always the odd phase": (r"(tile\.acquire \S+ phase) %\w+", r"\1 %c1_i32", {"race", "deadlock"}),
    "phases that do not turn": (r"arith\.xori (%\w+), %c1_i32", r"arith.xori \1, %c0_i32", {"race", "deadlock"}),
    "more arrivals than come": (r"arrivals (\d)", r"arrivals 1\1", {"deadlock"}),
    "fewer arrivals than come": (r"arrivals 4", "arrivals 3", {"race", "deadlock"}),
    "the first signal always": (r"(tile\.arrive %\w+)\[%\w+\]", r"\1[%c0_i32]", {"deadlock"}),
    "a copy for another signal": (r"(signal %\w+)\[%\w+\]", r"\1[%c0_i32]", {"deadlock"}),
    "signals where a buffer is": (r"(tile\.signal_alloc arrivals \d+) offset \d+", r"\1 offset 0", {"race"}),
    "buffers at one place": (r"tile\.buffer_alloc offset [1-9]\d*", "tile.buffer_alloc offset 0", {"race"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(text, rng, what):
    pattern, replacement, kinds = DAMAGE[what]
    for damaged in kernels.replace_each(pattern, replacement, text):
        assert run(damaged, rng).kinds() & kinds, damaged


def test_a_deadlock_tells_who_waits_for_what(text, rng):
    compiled = tw.compile(kernels.tiles, SIGNATURE, target=TARGET, num_stages=3).asm.located("scheduled")
    report = run(re.sub(r"\n *tile\.arrive[^\n]*", "", compiled), rng)
    finding = next(each for each in report if each.kind == "deadlock")
    assert "role 1 waits at tile.acquire" in finding.text and "lacks 4 arrivals" in finding.text
    assert finding.place.file == kernels.__file__


def test_too_few_blocks_in_a_ring(text, rng):
    for stack in set(re.findall(r"!tile\.buffer<3(x\d+x\d+xf16)", text)):
        smaller = text.replace(f"<3{stack}", f"<2{stack}").replace("!tile.signals<3>", "!tile.signals<2>")
        others = [each for each in re.findall(r"!tile\.buffer<3(x\d+x\d+xf16)", smaller)]
        for other in others:
            smaller = smaller.replace(f"<3{other}", f"<2{other}")
        assert "out of bounds" in run(smaller, rng).kinds()


def test_expressions_of_the_host():
    arguments = [np.int32(-7), np.int32(3)]
    assert evaluate([1, 0, 2, 32, 1, 1, 2, 32, 7, 32], arguments) == -2
    assert evaluate([1, 0, 2, 32, 1, 1, 2, 32, 8, 32], arguments) == -1
    assert evaluate([1, 0, 3, 8], arguments) == 249
    assert evaluate([0, 5, 0, 0, 7, 64], arguments) == 5
    assert evaluate([0, 1 << 30, 0, 4, 6, 32], arguments) == 0
    assert evaluate([0, 3, 0, 9, 9, 64, 0, 7, 10, 64], arguments) == 7
    assert evaluate([0, -16, 0, 2, 12, 64, 0, 1, 11, 64], arguments) == -8
