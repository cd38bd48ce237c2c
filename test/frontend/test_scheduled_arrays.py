"""Arrays of a launch at stage `scheduled`: threads of a program that access the same elements."""

import re

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.errors import InterpreterError
from tilewright.interpreter.scheduled import Checked, run_scheduled

TARGETS = ("nvidia:sm_80", "nvidia:sm_90a")


def without_barriers(kernel, signature):
    text = tw.compile(kernel, signature, target="nvidia:sm_90a").asm["scheduled"]
    assert "tile.barrier" in text
    return re.sub(r"\n *tile\.barrier[^\n]*", "", text)


@pytest.mark.parametrize("target", TARGETS)
def test_a_load_after_the_stores_of_other_threads(target):
    x, out = np.zeros(256, np.int32), np.zeros(256, np.int32)
    report = Checked(kernels.neighbours, target)[(1,)](x, out, BLOCK=256)
    assert not report, report
    np.testing.assert_array_equal(out, np.roll(np.arange(256) ** 2, -1))
    text = without_barriers(kernels.neighbours, {"x": "*i32", "out": "*i32", "BLOCK": 256})
    assert run_scheduled(text, [x, out], (1,)).kinds() == {"race"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_store_after_the_loads_of_other_threads(target):
    x = np.arange(256, dtype=np.int32)
    report = Checked(kernels.turned, target)[(1,)](x, BLOCK=256)
    assert not report, report
    text = without_barriers(kernels.turned, {"x": "*i32", "BLOCK": 256})
    finding, = run_scheduled(text, [x], (1,))
    assert finding.kind == "race" and finding.op == "tile.store" and finding.other_op == "tile.load"


@pytest.mark.parametrize("target", TARGETS)
def test_a_number_that_one_thread_stores_and_all_load(target):
    x, out = np.full(1, 4, np.int32), np.zeros(1, np.int32)
    report = Checked(kernels.number, target)[(3,)](x, out)
    assert not report, report
    assert x == 7 and out == 14


@pytest.mark.parametrize("target", TARGETS)
def test_a_block_that_several_threads_hold(target):
    x, out = np.zeros(32, np.int32), np.zeros(1, np.int32)
    report = Checked(kernels.few, target)[(1,)](x, out, BLOCK=32)
    assert not report, report
    assert out == 496


@pytest.mark.parametrize("target", TARGETS)
def test_an_atomic_operation_tells_others_what_the_whole_program_wrote(target):
    x, parts = np.arange(512, dtype=np.int32), np.zeros(512, np.int32)
    out, counter = np.zeros(128, np.int32), np.zeros(1, np.int32)
    report = Checked(kernels.summed_by_the_last, target)[(4,)](x, parts, out, counter, BLOCK=128, PROGRAMS=4)
    assert not report, report
    np.testing.assert_array_equal(out, np.roll(x.reshape(4, 128).sum(axis=0) * 2, -1))
    text = without_barriers(kernels.summed_by_the_last, {
        **dict.fromkeys(("x", "parts", "out", "counter"), "*i32"), "BLOCK": 128, "PROGRAMS": 4})
    findings = run_scheduled(text, [x, parts, out, np.zeros(1, np.int32)], (4,))
    assert findings.kinds() == {"race"} and {finding.op for finding in findings} == {"tile.atomic_rmw"}


@pytest.mark.parametrize("block", [64, 256, 1024])
@pytest.mark.parametrize("target", TARGETS)
def test_threads_do_not_meet_in_an_atomic_operation_of_their_own_elements(target, block):
    x, tickets, out = np.arange(block, dtype=np.int32), np.arange(block, dtype=np.int32), np.zeros(block, np.int32)
    report = Checked(kernels.turned_behind_tickets, target)[(1,)](x, tickets, out, BLOCK=block)
    assert not report, report
    np.testing.assert_array_equal(out, np.arange(block))
    np.testing.assert_array_equal(x, np.arange(block)[::-1])
    signature = {**dict.fromkeys(("x", "tickets", "out"), "*i32:16"), "BLOCK": block}
    if block >= 256:  # else some hold copies, and are told what the others found
        text = tw.compile(kernels.turned_behind_tickets, signature, target=target, num_warps=4).asm["scheduled"]
        assert "scratch_offset" not in text and "tile.barrier" in text


@pytest.mark.parametrize("target", TARGETS)
def test_atomic_accesses_are_in_order(target):
    x = np.zeros(4, np.int32)
    report = Checked(kernels.tickets, target)[(2,)](x, BLOCK=64)
    assert not report, report
    np.testing.assert_array_equal(x, 2 * 3 * 16)


def test_a_store_in_flight_keeps_its_memory():
    x = np.random.default_rng().standard_normal((64, 64)).astype(np.float16)
    out, sums = np.empty_like(x), np.empty(64, np.float32)
    report = Checked(kernels.stored_on_the_way, "nvidia:sm_90a")[(1,)](x, out, sums, ROWS=64, COLUMNS=64)
    assert not report, report
    product = 2 * x.astype(np.float64) @ x.T.astype(np.float64)
    np.testing.assert_allclose(out, product, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(sums, product.sum(axis=1), rtol=1e-3, atol=1e-2)


def test_what_is_stored_and_loaded_again():
    x = np.random.default_rng().standard_normal((64, 64)).astype(np.float16)
    out = np.empty_like(x)
    report = Checked(kernels.stored_and_loaded, "nvidia:sm_90a")[(1,)](x, out, ROWS=64, COLUMNS=64)
    assert not report, report
    np.testing.assert_allclose(out, 4 * x.astype(np.float64) @ x.T.astype(np.float64), rtol=2e-3, atol=2e-3)


def test_an_access_outside_of_an_array():
    with pytest.raises(InterpreterError, match="outside of"):
        Checked(kernels.tickets, "nvidia:sm_90a")[(1,)](np.zeros(2, np.int32), BLOCK=64)
