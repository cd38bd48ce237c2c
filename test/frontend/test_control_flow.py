"""Branches, loops, jumps and what flows through them."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def if_both(x, out, n):
    if n > 0:
        a = tl.load(x)
        b = 1
    else:
        a = 0.0
        b = n
    tl.store(out, a)
    tl.store(out + 1, b)


def test_if_gives_variables_of_both_paths(lower):
    text = lower(if_both, x="*fp32", out="*fp32", n="i32")
    assert re.search(r"%\d+:2 = scf.if %\d+ -> \(f32, i32\)", text)


@tw.jit
def if_dead(x, out, n):
    if n > 0:
        t = tl.load(x)
        tl.store(out, t)
    else:
        t = tl.arange(0, 8)
        tl.store(out + t, t)
    t = 1.0
    tl.store(out, t)


def test_variables_that_nothing_reads_do_not_flow(lower):
    assert "-> (" not in lower(if_dead, x="*fp32", out="*fp32", n="i32")


@tw.jit
def static_if(out, FLAG: tl.constexpr):
    if FLAG == "a":
        tl.store(out, 1)
    elif FLAG is None:
        tl.store(out, 2)
    else:
        tl.store(out, 3)


@pytest.mark.parametrize("flag, stored", [("a", 1), (None, 2), (7, 3)])
def test_conditions_of_constants_are_decided_while_compiling(lower, flag, stored):
    text = lower(static_if, out="*i32", FLAG=flag)
    assert "scf.if" not in text and text.count("tile.store") == 1 and f"constant {stored} : i32" in text


@tw.jit
def loop(x, out, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    count = 0
    for i in range(0, n, BLOCK):
        value = tl.load(x + i + tl.arange(0, BLOCK))
        acc += value
        count += 1
    tl.store(out + tl.arange(0, BLOCK), acc)
    tl.store(out, count)


def test_for_carries_what_changes_and_is_read(lower):
    text = lower(loop, x="*fp32", out="*fp32", n="i32", BLOCK=32)
    assert "-> (tensor<32xf32>, i32)" in text
    assert "scf.for" in text


@tw.jit
def swap(out, n):
    a = 0
    b = 1
    for _ in range(n):
        a, b = b, a + b
    tl.store(out, a)


def test_tuples_are_assigned_at_once(lower):
    text = lower(swap, out="*i32", n="i32")
    yielded = re.search(r"iter_args\((%\w+) = \S+, (%\w+) = .*?scf.yield (%\w+), (%\w+) :", text, re.S)
    first, second, new_first, new_second = yielded.groups()
    assert new_first == second
    assert f"{new_second} = arith.addi {first}, {second}" in text


@tw.jit
def count_down(out, n):
    for i in range(n, 0, -2):
        tl.store(out + i, i)


def test_constant_negative_step_counts_down(lower):
    text = lower(count_down, out="*i32", n="i32")
    assert "step %c2_i32" in text and re.search(r"arith.subi %arg1, %arg\d", text)


@tw.jit
def options(out, n):
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True, warp_specialize=True,
                      disallow_acc_multi_buffer=True, disable_licm=True):
        tl.store(out + i, i)


def test_options_of_a_loop_are_recorded(lower):
    text = lower(options, out="*i32", n="i32")
    for option in ("tile.num_stages = 3", "tile.loop_unroll_factor = 2", "tile.flatten", "tile.warp_specialize",
                   "tile.disallow_acc_multi_buffer", "tile.disable_licm"):
        assert option in text


@tw.jit
def unrolled(out, N: tl.constexpr):
    for i in tl.static_range(N):
        tl.store(out + i, tl.arange(0, 2 ** i).shape[0])
    for size in (3, 5):
        tl.store(out, size)


def test_static_range_and_tuples_are_written_out(lower):
    text = lower(unrolled, out="*i32", N=3)
    assert "scf.for" not in text and text.count("tile.store") == 5


@tw.jit
def while_loop(x, out, n):
    i = 0
    total = 0.0
    while i < n and total < 100.0:
        total += tl.load(x + i)
        i += 1
    tl.store(out, total)


def test_while_carries_its_variables(lower):
    text = lower(while_loop, x="*fp32", out="*fp32", n="i32")
    assert re.search(r"scf.while \(.*\) : \(i32, f32\) -> \(i32, f32\)", text)


@tw.jit
def walrus(out, n):
    i = 0
    while (k := i * 2) < n:
        i = k + 1
    tl.store(out, k)


def test_walrus_in_a_condition_flows_out(lower):
    assert "scf.while" in lower(walrus, out="*i32", n="i32")


@tw.jit
def ternary(x, out, n):
    y = tl.load(x) if n > 3 else 0.0
    z = 1 if n is None else 2
    tl.store(out, y * z)


def test_conditional_expressions(lower):
    text = lower(ternary, x="*fp32", out="*fp32", n="i32")
    assert text.count("scf.if") == 1 and "-> (f32)" in text


# --- jumps ------------------------------------------------------------------------------------------
@tw.jit
def early_return(out, n):
    if n < 0:
        return
    tl.store(out, n)


def test_early_return_of_a_kernel(lower):
    text = lower(early_return, out="*i32", n="i32")
    assert re.search(r"scf.if %\d+ \{\n\s*\} else \{\n\s*tile.store", text)


@tw.jit
def breaking(x, out, n):
    found = -1
    for i in range(n):
        if tl.load(x + i) == 7:
            found = i
            break
        tl.store(out + i, 1)
    tl.store(out, found)


def test_break_leaves_the_loop(lower):
    text = lower(breaking, x="*i32", out="*i32", n="i32")
    assert "scf.while" in text and "scf.for" not in text


@tw.jit
def continuing(x, out, n):
    for i in range(n):
        if tl.load(x + i) == 7:
            continue
        tl.store(out + i, 1)


def test_continue_keeps_the_for(lower):
    text = lower(continuing, x="*i32", out="*i32", n="i32")
    assert "scf.for" in text
    assert re.search(r"scf.if %\d+ \{\n\s*\} else \{", text)


@tw.jit
def breaking_static(x, out, STOP: tl.constexpr):
    for i in tl.static_range(10):
        if i == STOP:
            break
        tl.store(out + i, i)


def test_break_of_a_static_range_stops_writing_it_out(lower):
    assert lower(breaking_static, x="*i32", out="*i32", STOP=3).count("tile.store") == 3


@tw.jit
def first_above(x, n, limit):
    for i in range(n):
        if tl.load(x + i) > limit:
            return i
    return -1


@tw.jit
def calls_first_above(x, out, n):
    tl.store(out, first_above(x, n, 0.5))


def test_return_from_a_loop_of_a_function(lower):
    text = lower(calls_first_above, x="*fp32", out="*i32", n="i32")
    assert text.count("scf.while") == 1 and "execute_region" not in text


@tw.jit
def partial_return(x, n):
    if n > 0:
        if n > 10:
            return 1.0
        x += 1.0
    else:
        if n < -10:
            return 2.0
    return x


@tw.jit
def calls_partial_return(x, out, n):
    tl.store(out, partial_return(x, n))


def test_return_on_some_paths_of_both_branches(lower):
    assert lower(calls_partial_return, x="fp32", out="*fp32", n="i32").count("tile.store") == 1


@tw.jit
def nested_jumps(x, out, n, m):
    for i in range(n):
        for j in range(m):
            v = tl.load(x + j)
            if v == 0:
                continue
            if v == 1:
                break
            if v == 2:
                return
            tl.store(out + i, v)
        if i == 5:
            break


def test_nested_jumps(lower):
    assert lower(nested_jumps, x="*i32", out="*i32", n="i32", m="i32").count("scf.while") == 2


@tw.jit
def endless_with_break(x, out):
    i = 0
    while True:
        if tl.load(x + i) == 0:
            break
        i += 1
    tl.store(out, i)


def test_while_true_with_break(lower):
    assert "scf.while" in lower(endless_with_break, x="*i32", out="*i32")
