"""The interpreter: the same values as compiled code, errors at their lines, and a debugger that stops in kernels."""

import io
import linecache
import re
import sys
from fractions import Fraction

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.errors import InterpreterError
from tilewright.interpreter import arithmetic, formats
from tilewright.language import types as t
from tilewright.runtime.errors import DeviceAssertionError


@pytest.fixture
def interpret(monkeypatch):
    """`interpret(function)` is a kernel of the function that is interpreted, as are those it calls."""
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", "1")
    return lambda function, **options: tw.jit(function.fn, **options)


def line_of(kernel, text):
    """The line of a kernel's source that holds a text."""
    return kernel.source.first_line + next(i for i, line in enumerate(kernel.source.lines) if text in line)


# --- values -------------------------------------------------------------------------------------------------
@tw.jit
def combine(a, i, b, j):
    if a > b:
        return a, i
    return b, j


@tw.jit
def everything(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask, other=1.0)
    b = tl.load(y + i, mask=mask)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(3):
        if tl.sum(a) > step:
            total += tl.exp(-a) * b
        else:
            total -= 1
    square = tl.dot(tl.broadcast_to(a[:, None], (BLOCK, BLOCK)), tl.broadcast_to(b[None, :], (BLOCK, BLOCK)))
    total += tl.sum(square, axis=0)
    best, place = tl.reduce((a, i), 0, combine)
    total += best * 0 + place
    bits = (total.to(tl.int32, bitcast=True) >> 3 << 3).to(tl.float32, bitcast=True)
    tl.atomic_add(out + BLOCK * tl.num_programs(0), 1.5)
    tl.store(out + i, bits, mask=mask)


def test_values_agree_with_compiled_code(interpret, rng):
    x, y = rng.random((2, 60), np.float32)
    found, expected = np.zeros(65, np.float32), np.zeros(65, np.float32)
    interpret(everything)[(2,)](x, y, found, 60, BLOCK=32)
    everything[(2,)](x, y, expected, 60, BLOCK=32)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found[64] == 3.0


@tw.jit
def ordered(x, out, places, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(out + i, tl.cumsum(value, 0))
    tl.store(out + BLOCK + i, tl.cumsum(value, 0, reverse=True))
    best, where = tl.sort(value, descending=True, return_indices=True)
    tl.store(out + 2 * BLOCK + i, best)
    tl.store(places + i, where)


@tw.jit
def is_float(x):
    return (x + tl.zeros((1,), tl.int1)).dtype.is_floating()


@tw.jit
def larger_or_nan(a, b):
    larger = a > b
    if is_float(a):
        larger |= a != a
    return tl.where(larger, a, b)


@tw.jit
def squared_first(a, b):
    return a + tl.sum(tl.full((2,), 0.5, tl.float32) * b)


@tw.jit
def combines_blocks(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    block = tl.load(x + i[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + i, tl.reduce(block, 1, larger_or_nan))
    tl.store(out + M + i, tl.reduce(block, 1, squared_first))


def test_combine_functions_with_blocks_of_their_own(interpret, rng):
    x = rng.normal(size=(4, 8)).astype(np.float32)
    x[1, 3] = np.nan
    out = np.zeros((2, 4), np.float32)
    interpret(combines_blocks)[(1,)](x, out, 4, 8)
    assert np.array_equal(out[0], x.max(1), equal_nan=True)
    np.testing.assert_allclose(out[1], x.sum(1), rtol=1e-5, atol=1e-6)


@tw.jit
def wraps_around(x, out):
    tl.store(out, tl.load(x) * 2)


def test_sums_are_checked_where_it_is_asked_for(interpret, monkeypatch):
    x, out = np.full(1, 2**30, np.int32), np.zeros(1, np.int32)
    interpret(wraps_around)[(1,)](x, out)
    assert out[0] == -2**31
    with pytest.raises(DeviceAssertionError, match="int32 overflow detected for operation mul"):
        interpret(wraps_around)[(1,)](x, out, debug=True)
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    with pytest.raises(DeviceAssertionError, match="int32 overflow"):
        interpret(wraps_around)[(1,)](x, out)


def test_scans_and_sorts(interpret, rng):
    x = rng.integers(-50, 50, 32).astype(np.float32)
    out, places = np.zeros(96, np.float32), np.zeros(32, np.int32)
    interpret(ordered)[(1,)](x, out, places, BLOCK=32)
    np.testing.assert_array_equal(out[:32], np.cumsum(x))
    np.testing.assert_array_equal(out[32:64], np.cumsum(x[::-1])[::-1])
    order = np.argsort(-x, kind="stable")
    np.testing.assert_array_equal(out[64:], x[order])
    np.testing.assert_array_equal(places, order)


@pytest.mark.parametrize("grid, error", [((), ValueError), ((1, 1, 1, 1), ValueError), ((-1,), ValueError),
                                         ((2.5,), TypeError), ("a", TypeError), (None, TypeError)])
def test_grids_are_those_of_compiled_kernels(interpret, grid, error):
    with pytest.raises(error, match="kernel 'scalar_atomics': the grid"):
        interpret(scalar_atomics)[grid](np.ones(1, np.int32), np.ones(2, np.int32))


@tw.jit
def scalar_atomics(x, out):
    tl.store(out, tl.atomic_add(x, 2))
    tl.store(out + 1, tl.atomic_cas(x, 3, 5))


@pytest.mark.parametrize("dtype", ["int32", "float16", "bfloat16", "float32", "float64"])
def test_atomics_of_scalars(interpret, dtype):
    dtype = getattr(pytest.importorskip("ml_dtypes"), dtype, dtype)
    x, out = np.ones(1, dtype), np.zeros(2, dtype)
    interpret(scalar_atomics)[(1,)](x, out)
    assert [*x, *out] == [5, 1, 3]


FORMATS = {t.bfloat16: "bfloat16", t.float8e5: "float8_e5m2", t.float8e4nv: "float8_e4m3fn",
           t.float8e5b16: "float8_e5m2fnuz", t.float8e4b8: "float8_e4m3fnuz"}


@pytest.mark.parametrize("type", FORMATS, ids=str)
def test_formats_agree_with_ml_dtypes(type, rng):
    other = getattr(pytest.importorskip("ml_dtypes"), FORMATS[type])
    bits = np.arange(1 << type.primitive_bitwidth, dtype=np.uint16 if type is t.bfloat16 else np.uint8)
    values = formats.from_bits(bits, type)
    np.testing.assert_array_equal(values, bits.view(other).astype(np.float32))
    again = formats.to_bits(values, type)
    kept = ~np.isnan(values)
    np.testing.assert_array_equal(again[kept], bits[kept])
    assert np.isnan(formats.from_bits(again[~kept], type)).all()
    largest = formats.NARROW[type].largest
    samples = (rng.standard_normal(4096) * np.exp(rng.uniform(-12, 6, 4096))).astype(np.float32)
    samples = samples[np.abs(samples) < largest]
    np.testing.assert_array_equal(formats.round_to(type, samples), samples.astype(other).astype(np.float32))
    toward_zero = formats.round_to(type, samples, to_zero=True)
    assert (np.abs(toward_zero) <= np.abs(samples)).all()
    if type is not t.bfloat16:
        magnitudes = np.unique(np.abs(values[np.isfinite(values)]))
        below = magnitudes[np.searchsorted(magnitudes, np.abs(samples), side="right") - 1]
        np.testing.assert_array_equal(np.abs(toward_zero), below)


def test_beyond_the_largest():
    samples = np.array([1e30, -1e30, np.inf, -np.inf, np.nan], np.float32)
    for type in FORMATS:
        found = formats.round_to(type, samples)
        form = formats.NARROW[type]
        if type is t.bfloat16:
            assert found[2] == np.inf and found[3] == -np.inf
        else:
            assert found[0] == form.largest and found[1] == -form.largest
            assert np.isnan(found[2]) if form.single_nan else found[2] == form.largest
        assert np.isnan(found[4])


def test_floats_become_integers():
    x = np.array([1.9, -1.9, 3e9, -3e9, np.nan, np.inf, -np.inf, 2.0**63], np.float64)
    assert formats.saturate(x, t.int32, False).tolist() == [1, -1, 2**31 - 1, -2**31, 0, 2**31 - 1, -2**31, 2**31 - 1]
    assert formats.saturate(x, t.uint64, True).tolist() == [1, 0, 3 * 10**9, 0, 0, 2**64 - 1, 0, 2**63]
    assert formats.saturate(x, t.int64, False)[-1] == 2**63 - 1
    # The sign is the operation's, whatever the type's is.
    assert formats.saturate(x, t.int32, True).view(np.uint32).tolist() == [1, 0, 3 * 10**9, 0, 0, 2**32 - 1, 0,
                                                                           2**32 - 1]


def test_products_of_doubles_are_fused(rng):
    """Rounded once: a product's error is what is left of it."""
    x, y = (rng.standard_normal(64) * 2.0 ** rng.integers(-300, 300, 64) for _ in range(2))
    left = arithmetic._fused(x, y, -(x * y))
    exact = [Fraction(a) * Fraction(b) - Fraction(a * b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert [Fraction(value) for value in left.tolist()] == exact
    huge, one = np.array([1e300, -1e300]), np.ones(2)
    assert arithmetic._fused(huge, abs(huge), one).tolist() == [np.inf, -np.inf]
    with np.errstate(invalid="ignore"):  # as where kernels run
        assert np.isnan(arithmetic._fused(np.array([np.inf]), np.zeros(1), np.ones(1))).all()


# --- memory -------------------------------------------------------------------------------------------------
@tw.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, value)


def test_accesses_outside_of_an_array(interpret):
    kernel = interpret(copy)
    x = np.arange(8, dtype=np.float32)
    out = np.zeros(6, np.float32)
    with pytest.raises(InterpreterError) as caught:
        kernel[(1,)](x, out, 8, BLOCK=8)
    text = str(caught.value)
    assert "the store of lane 6 is outside of 'out': element 6 of 6" in text
    assert f":{line_of(kernel, 'tl.store')}:" in text and "in program (0, 0, 0)" in text
    with pytest.raises(InterpreterError, match="the load of lane 8 is outside of 'x': element 8 of 8"):
        kernel[(1,)](x, np.zeros(16, np.float32), 9, BLOCK=16)


def test_a_slice_reaches_the_whole_array(interpret):
    @tw.jit
    def before(x, out):
        tl.store(out, tl.load(x - 2))

    out = np.zeros(1, np.float32)
    before[(1,)](np.arange(8, dtype=np.float32)[4:], out)
    assert out[0] == 2


def test_read_only_arrays(interpret):
    out = np.zeros(8, np.float32)
    out.flags.writeable = False
    with pytest.raises(InterpreterError, match="'out' is a read-only array"):
        interpret(copy)[(1,)](np.zeros(8, np.float32), out, 8, BLOCK=8)


@tw.jit
def indirect(addresses, out):
    pointer = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.program_id(0), tl.load(pointer))


def test_pointers_from_memory(interpret):
    values = np.array([3.0, 5.0], np.float32)
    addresses = values.ctypes.data + 4 * np.arange(2, dtype=np.int64)
    out = np.zeros(2, np.float32)
    interpret(indirect)[(2,)](addresses, out)
    assert out.tolist() == [3, 5]


# --- output and checks ------------------------------------------------------------------------------------------
@tw.jit
def checked(x):
    i = tl.arange(0, 4)
    value = tl.load(x + i)
    tl.device_print("value", value)
    tl.device_print("mask", i > 2, hex=True)
    assert value < 3, "too large"


def test_prints_and_assertions(interpret, capsys):
    kernel = interpret(checked)
    with pytest.raises(DeviceAssertionError) as caught:
        kernel[(1,)](np.arange(4, dtype=np.float32))
    assert f":{line_of(kernel, 'assert')}:" in str(caught.value)
    assert "too large for element 3, in program (0, 0, 0)" in str(caught.value)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "pid (0, 0, 0) idx (1) value: 1" and lines[7] == "pid (0, 0, 0) idx (3) mask: True"


def test_errors_are_those_of_the_compiler(interpret):
    @tw.jit
    def wrong(x):
        tl.store(x, tl.arange(0, 3))

    with pytest.raises(tw.CompilationError, match="'x'|powers of two|a single address"):
        wrong[(1,)](np.zeros(1, np.float32))


# --- the debugger ---------------------------------------------------------------------------------------------
@tw.jit
def scaled(value, factor):
    doubled = value * factor
    breakpoint()  # noqa: T100
    return doubled + 1


@tw.jit
def stopping(x, out, pair, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    total = 0
    for step in range(2):
        total += step
    value = scaled(value, 2.0)
    last = value - 1
    tl.store(out + i, last)


def arguments():
    return np.arange(4, dtype=np.float32), np.zeros(4, np.float32), (3, None)


def test_breakpoints_show_the_values(interpret, monkeypatch):
    seen = []

    def hook():
        frame = sys._getframe(1)
        outer = frame.f_back
        while outer.f_code.co_name != "stopping":
            outer = outer.f_back
        seen.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, dict(frame.f_locals),
                     outer.f_lineno, dict(outer.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    x, out, pair = arguments()
    interpret(stopping)[(2,)](x, out, pair, BLOCK=4)
    assert len(seen) == 2
    file, line, name, variables, call_line, outer = seen[0]
    assert file == __file__ and name == "scaled" and "breakpoint()" in linecache.getline(file, line)
    assert variables["doubled"].tolist() == [0, 2, 4, 6] and variables["factor"] == 2.0
    assert call_line == line_of(stopping, "scaled(value")
    assert outer["total"] == 1 and outer["BLOCK"] == 4 and outer["pair"] == (3, None)
    assert "in 'x', bytes 0" in repr(outer["x"]) and outer["i"].tolist() == [0, 1, 2, 3]
    assert out.tolist() == [0, 2, 4, 6]


def session(monkeypatch, capsys, commands, kernel, grid=(1,)):
    """What Python's debugger says to commands."""
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(commands) + "\n"))
    x, out, pair = arguments()
    kernel[grid](x, out, pair, BLOCK=4)
    return capsys.readouterr().out


def test_steps_go_from_statement_to_statement(interpret, monkeypatch, capsys):
    kernel = interpret(stopping)
    text = session(monkeypatch, capsys, ["p doubled", "n", "n", "p value.sum()", "s", "p last[1]", "c"], kernel)
    places = [int(place) for place in re.findall(r"> \S+\((\d+)\)", text)]
    wanted = [line_of(scaled, "breakpoint()"), line_of(scaled, "return doubled"), line_of(kernel, "last = "),
              line_of(kernel, "tl.store")]
    assert places == wanted
    for value in ("array([0., 2., 4., 6.]", "16.0", "2.0"):
        assert value in text


def test_leaving_the_debugger_ends_the_launch(interpret, monkeypatch, capsys):
    with pytest.raises(KeyboardInterrupt):
        session(monkeypatch, capsys, ["q"], interpret(stopping))


def test_tracers_see_the_lines_of_the_kernel(interpret):
    kernel, lines = interpret(stopping), set()

    def trace(frame, event, argument):
        if frame.f_code.co_filename == __file__ and event == "line":
            lines.add(frame.f_lineno)
        return trace

    saved = sys.gettrace()
    hook, sys.breakpointhook = sys.breakpointhook, lambda: None
    sys.settrace(trace)
    try:
        kernel[(1,)](*arguments(), BLOCK=4)
    finally:
        sys.settrace(saved)
        sys.breakpointhook = hook
    assert {line_of(kernel, "total += step"), line_of(scaled, "doubled = "), line_of(kernel, "tl.store")} <= lines


def test_compiled_kernels_refuse_breakpoints():
    with pytest.raises(tw.CompilationError, match="TILEWRIGHT_INTERPRET=1"):
        stopping[(1,)](*arguments(), BLOCK=4)
