"""The compile call: signatures, targets, options, stages, and failures of passes."""

import importlib
import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.options import CompileOptions
from tilewright.signature import bind_signature, parse_argument


@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


compile_module = importlib.import_module("tilewright.compile")
SIGNATURE = {"x": "*fp32:16", "y": "*fp32", "out": "*fp32", "n": "i32"}
TARGETS = list(tw.targets())


def test_types_of_a_signature():
    pointer = parse_argument("*fp32:16", "x")
    assert pointer.type is tl.pointer_type(tl.float32) and pointer.divisibility == 16
    assert parse_argument("*ki8", "x").type.is_const()
    assert parse_argument("**i32", "x").type.element_ty is tl.pi32_t
    assert parse_argument("i32:1", "x") == 1
    assert parse_argument("u1", "x").type is tl.int1
    bound = bind_signature(add, {**SIGNATURE, "n": 1, "BLOCK": np.int32(128)})
    assert bound["n"] == 1 and bound["BLOCK"] == 128 and type(bound["BLOCK"]) is int


@pytest.mark.parametrize("text, message", [
    ("*fp33", "'*fp33' is not a type; did you mean 'fp32'?"), ("*fp32:12", "promises divisibility by '12'"),
    ("fp32:16", "only pointers, integers and (their last size) descriptors have"),
    ("i32:x", "promises divisibility by 'x'")])
def test_types_that_do_not_exist(text, message):
    with pytest.raises(tw.CompilationError, match=re.escape(message)):
        parse_argument(text, "x")


@pytest.mark.parametrize("options, message", [
    ({"num_warp": 4}, "there is no option 'num_warp'; did you mean 'num_warps'?"),
    ({"num_warps": 3}, "option 'num_warps' must be a power of two, 12 or 24, got 3"),
    ({"num_warps": 0}, "option 'num_warps' must be a positive integer, got 0"),
    ({"num_warps": 64}, "option 'num_warps' must be at most 32, got 64"),
    ({"num_stages": 1.5}, "option 'num_stages' must be an integer of at least 0, got 1.5"),
    ({"enable_fp_fusion": 1}, "option 'enable_fp_fusion' must be True or False, got 1")])
def test_options_that_do_not_exist(options, message):
    with pytest.raises(tw.CompilationError, match=re.escape(message)):
        CompileOptions.parse(options)


def test_targets_that_do_not_exist():
    with pytest.raises(tw.CompilationError, match="there is no target 'gpu'") as caught:
        tw.compile(add, SIGNATURE, target="gpu")
    for name in TARGETS:
        assert name in str(caught.value)
    name = TARGETS[0]
    with pytest.raises(tw.CompilationError, match=f"target '{name}' has no architecture 'z9000'") as caught:
        tw.compile(add, SIGNATURE, target=f"{name}:z9000")
    assert tw.targets()[name][0] in str(caught.value)


def test_what_is_no_kernel():
    with pytest.raises(tw.CompilationError, match="expects a function decorated with @jit"):
        tw.compile(print, {})


def test_error_has_no_frames_of_the_compiler():
    @tw.jit
    def broken(x):
        tl.store(x, y)  # noqa: F821

    with pytest.raises(tw.CompilationError) as caught:
        tw.compile(broken, {"x": "*fp32"}, target=TARGETS[0])
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert len(caught.traceback) == 2  # this test, and the call


# --- one target through all stages ----------------------------------------------------------------
@pytest.fixture(params=["cpu"])
def kernel(request):
    return tw.compile(add, SIGNATURE, target=request.param, num_warps=8)


def test_every_stage_can_be_asked_for(kernel):
    assert list(kernel.asm)[0] == "tile" and "llvm" in kernel.asm
    assert "func.func @add" in kernel.asm["tile"] and "tile.kernel" in kernel.asm["tile"]
    for name in kernel.asm:
        if name not in compile_module.ASSEMBLED:
            assert len(kernel.asm[name]) > 100, name
    assert kernel.asm["llvm"] == kernel.asm["llvm"]
    with pytest.raises(KeyError, match="has no stage 'lvm'; did you mean 'llvm'?"):
        assert kernel.asm["lvm"]


def test_metadata(kernel):
    metadata = kernel.metadata
    assert metadata["name"] == metadata.name == kernel.name == "add"
    assert metadata.num_warps == 8 and metadata.num_ctas == 1
    assert metadata.shared_bytes >= 0 and metadata.scratch_bytes >= 0
    assert metadata.arguments == ["*fp32", "*fp32", "*fp32", "i32"] and metadata.divisibility == [16, 1, 1, 1]
    with pytest.raises(AttributeError, match="did you mean 'num_warps'"):
        assert metadata.num_warp


def test_compiling_twice_gives_the_same(kernel):
    again = tw.compile(add, SIGNATURE, target=kernel.target, num_warps=8)
    assert again.binary == kernel.binary and again.asm["tile"] == kernel.asm["tile"]


@tw.jit
def doubling_paths(x, out, n, factor, LENGTH: tl.constexpr):
    """Addresses, a mask and a loop's end to whose starts each step doubles the number of paths."""
    places, first = tl.arange(0, 64), tl.program_id(0)
    wanted, rows = places < n, tl.program_id(1)
    for _ in tl.static_range(LENGTH):
        places = places * factor + places
        wanted = (wanted & (places < n)) | wanted
        first = tl.minimum(first * 2 + first, first + n)
        rows = rows * factor + rows
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(first, rows):
        block = tl.load(x + places[:, None] + tl.arange(0, 64)[None, :] + k * 64, mask=wanted[:, None], other=0.0)
        acc = tl.dot(block, block, acc)
    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80", "nvidia:sm_90a", "amd:gfx942"])
def test_values_with_very_many_paths_are_looked_at_once(target):
    # Following each path would take longer than anyone can wait.
    signature = {"x": "*fp16:16", "out": "*fp32:16", "n": "i32", "factor": "i32", "LENGTH": 64}
    assert tw.compile(doubling_paths, signature, target=target, num_warps=8).binary


@tw.jit
def mixing_paths(x, out, n, factor, LENGTH: tl.constexpr):
    """A place, words and a mask to whose starts each step multiplies the number of paths."""
    place = factor.to(tl.int64)
    for _ in tl.static_range(LENGTH):
        place = place + place * n
    offsets = tl.arange(0, 256)
    mask = place + offsets < n
    word = tl.load(x + offsets, mask=mask, other=0)
    for _ in tl.static_range(LENGTH):
        word ^= word << 13
        word ^= word >> 17
        mask = mask & (mask | (offsets < n))
    tl.store(out + offsets, word, mask=mask)


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90a", "amd:gfx942"])
def test_mixed_values_with_very_many_paths_are_looked_at_once(target):
    signature = {"x": "*i32:16", "out": "*i32:16", "n": "i32", "factor": "i32", "LENGTH": 64}
    assert tw.compile(mixing_paths, signature, target=target).binary


@tw.jit
def place_paths(x, y, out, n, m, FORM: tl.constexpr, LENGTH: tl.constexpr):
    """Rows of operands, their masks and what these compare, to whose starts each step doubles the number of paths."""
    rows, columns, inner = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, 64)
    places, mask = rows, rows < n
    for _ in tl.static_range(LENGTH):
        if FORM == "masks":
            mask = (mask & (rows < m)) & (mask & (rows < n))
        elif FORM == "numbers":
            places = places + (places - n)
        else:
            rows = (rows % n) + (rows % m) - places
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, m, 64):
        a = tl.load(x + rows[:, None] * 64 + k + inner[None, :], mask=(mask & (places < m))[:, None], other=0.0)
        b = tl.load(y + (k + inner)[:, None] * 128 + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out + tl.arange(0, 128)[:, None] * 128 + columns[None, :], acc)


@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a"])
@pytest.mark.parametrize("form", ["masks", "numbers", "rows"])
def test_places_with_very_many_paths_are_looked_at_once(target, form):
    signature = {"x": "*fp16:16", "y": "*fp16:16", "out": "*fp32:16", "n": "i32", "m": "i32", "FORM": form,
                 "LENGTH": 48}
    assert tw.compile(place_paths, signature, target=target, num_warps=8).binary


@tw.jit
def operand_paths(x, w, scales, out, n, LENGTH: tl.constexpr):
    """Operands and factors to whose starts each step doubles the number of paths."""
    rows, columns = tl.arange(0, 16), tl.arange(0, 64)
    total = tl.zeros((16, 64), tl.float32)
    for k in range(0, n, 64):
        words = tl.load(w + columns[None, :] * n + k + columns[:, None])
        factor = tl.load(scales + columns + k)
        for _ in tl.static_range(LENGTH):
            words ^= words << 1
            factor += factor * factor
        total += tl.dot(tl.load(x + rows[:, None] * n + k + columns[None, :]), words.to(tl.float16)) * factor[None, :]
    tl.store(out + rows[:, None] * 64 + columns[None, :], total)


@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a"])
def test_operands_with_very_many_paths_are_looked_at_once(target):
    signature = {"x": "*fp16:16", "w": "*i8:16", "scales": "*fp32:16", "out": "*fp32:16", "n": "i32:16", "LENGTH": 48}
    assert tw.compile(operand_paths, signature, target=target, num_warps=4, num_stages=3).binary


@pytest.mark.parametrize("target", ["cpu"])
def test_dump_writes_every_stage(tmp_path, monkeypatch, target):
    monkeypatch.setenv("TILEWRIGHT_DUMP", str(tmp_path))
    kernel = tw.compile(add, SIGNATURE, target=target)
    written = {path.name for path in tmp_path.glob("*/*")}
    assert {f"add.{name}" for name in kernel.asm if name not in compile_module.ASSEMBLED} <= written


@tw.jit(repr=lambda specialization: f"scaled_{specialization.constants['FACTOR']}")
def scaled(x, FACTOR: tl.constexpr):
    tl.store(x, FACTOR)


def test_the_name_may_depend_on_the_specialization():
    assert tw.compile(scaled, {"x": "*i32", "FACTOR": 3}, target="cpu").name == "scaled_3"


def test_a_failing_pass_names_the_line():
    diagnostics = [("error", "needs more than there is", add.source.file, add.source.first_line + 3, 9,
                    [("note", "because of this", "", 0, 0, [])])]
    error = compile_module.describe_failure(add, diagnostics, None)
    text = str(error)
    assert f"test_compile.py:{add.source.first_line + 3}:9: error: needs more than there is" in text
    assert "      |         ^" in text or "^" in text
    assert "note: because of this" in text


@tw.jit
def helper(x):
    return tl.exp(x)


@tw.jit
def calls_helper(x):
    tl.store(x, helper(tl.load(x)))


def test_a_failing_pass_in_a_called_function_names_both():
    line = helper.source.first_line + 2
    error = compile_module.describe_failure(
        calls_helper, [("error", "cannot be done", helper.source.file, line, 12, [])], None)
    assert f"test_compile.py:{line}:12: error: cannot be done" in str(error)
    assert "      |            ^^^^^^^^^" in str(error)
    assert f":{calls_helper.source.first_line + 1}:1: note: while compiling 'calls_helper'" in str(error)


FAILING = '''
module {
  func.func @kernel(%p: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
    %x = tile.load %p : !tile.ptr<f8E5M2>
    %y = math.exp %x : f8E5M2 loc(callsite("library.py":3:5 at callsite("middle.py":7:1 at "user.py":20:9)))
    tile.store %p, %y : !tile.ptr<f8E5M2>
    return
  }
}
'''


def test_a_failing_pass_lists_the_calls(tmp_path):
    from tilewright.mlir import ir
    from tilewright.mlir._mlir_libs import _tileNative

    reproducer = tmp_path / "reproducer.mlir"
    with ir.Context():
        module = ir.Module.parse(FAILING)
        with pytest.raises(_tileNative.CompileFailure) as caught:
            _tileNative.lower(module, "cpu", "host", "tile", "llvm", reproducer=str(reproducer))
    severity, message, file, line, column, notes = caught.value.args[0][0]
    assert severity == "error" and "math.exp" in message and (file, line, column) == ("library.py", 3, 5)
    assert [note[2:5] for note in notes][:2] == [("middle.py", 7, 1), ("user.py", 20, 9)]
    assert "math.exp" in reproducer.read_text()
