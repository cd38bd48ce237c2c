"""What assemblers say of speed becomes remarks: recorded logs, and the assemblers that are at hand."""

from __future__ import annotations

import inspect
import re

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.cache import DiskCache
from tilewright.runtime import stored
from tilewright.runtime.launch import Specialization
from tilewright.runtime.nvidia import assembler
from tilewright.runtime.nvidia.advice import find_places, read_advice

CLEAN = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'matmul_kernel' for 'sm_90a'
ptxas info    : Function properties for matmul_kernel
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 170 registers, used 1 barriers
"""
PTX = "\n".join(["wgmma.fence.sync.aligned;", "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r1};",
                 "add.s32 %r1, %r2, %r3;", "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r2};"])
LOSS = "ptxas info    : ({}) Potential Performance Loss: wgmma.mma_async instructions are serialized due to {}"


def messages(log: str) -> list[str]:
    return [advice.message for advice in read_advice(log, PTX)]


def test_a_clean_log_says_nothing():
    assert read_advice(CLEAN, PTX) == []


@pytest.mark.parametrize("reason, words", [
    ("the presence of Extern calls in the function 'k'", "not inlined"),
    ("wgmma pipeline crossing function boundary at a function call in the function 'k'", "noinline=True"),
    ("insufficient register resources for the wgmma pipeline in the function 'k'", "smaller blocks or more warps"),
    ("insufficient register resources for the function 'k'", "smaller blocks or more warps"),
    ("non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage in the "
     "function 'k'", "an operand are written"),
    ("non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage in "
     "the function 'k'", "a sum is read"),
    ("non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in "
     "the function 'k'", "a sum is written"),
    ("ill formed pipeline stage in the function 'k'", "different paths"),
    ("program dependence on compiler-inserted WG.AR in divergent path in the function 'k'", "take tl.dot out of")])
def test_serialised_products(reason, words):
    (advice,) = read_advice(CLEAN + LOSS.format("C7514", reason), PTX)
    assert advice.message.startswith("products run one after another") and words in advice.message
    assert advice.message.endswith("(the assembler's C7514)")
    assert advice.lines == (2, 4)  # an old assembler: all products are meant
    (advice,) = read_advice(LOSS.format("C7514", reason) + " in line 4", PTX)
    assert advice.lines == (4,)


def test_equal_sentences_are_taken_together():
    log = "".join(f"ptxas info    : (C7517) wgmma.wait_group is injected in around line {line} by compiler to allow "
                  f"use of registers defined by GMMA in function 'k'\n" for line in (2, 4, 2))
    (advice,) = read_advice(log, PTX)
    assert advice.lines == (2, 4) and "awaited earlier" in advice.message
    (advice,) = read_advice(log.replace("wgmma.wait_group", "warpgroup.wait"), PTX)
    assert advice.lines == (2, 4) and "awaited earlier" in advice.message
    (advice,) = read_advice("ptxas info    : (C7519) warpgroup.arrive is injected in around line 2 by compiler to "
                            "allow use of registers in GMMA in function 'k'", PTX)
    assert advice.lines == (2,) and "costs next to nothing" in advice.message


def test_registers_of_warps_that_stay():
    (message,) = messages("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to "
                          "determine register count at entry.")
    assert "no warp gets more: unable to determine register count at entry (the assembler's C7508)" in message


def test_other_losses_are_quoted_and_other_sentences_are_not():
    assert messages("ptxas info    : (C7999) Potential Performance Loss: something new.\n"
                    "ptxas info    : (C7000) another matter") == ["something new. (the assembler's C7999)"]


def test_spills():
    log = CLEAN.replace("0 bytes spill stores, 0 bytes spill loads", "312 bytes spill stores, 328 bytes spill loads")
    (message,) = messages(log)
    assert "the 170 registers of a thread do not hold all values" in message
    assert "stores 312 bytes to memory and loads 328 bytes again" in message


LOCATED = """
.visible .entry k(
)
{
	.loc	1 3 0                           // kernel.py:3:0
$L__func_begin0:
	.loc	1 3 0                           // kernel.py:3:0
	wgmma.fence.sync.aligned;
	.loc	1 7 14                          // kernel.py:7:14
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r1};
	add.s32 %r1, %r2, %r3;
$L__tmp1:
	.loc	2 66 13, function_name $L__info_string0, inlined_at 1 9 4 // other.py:66:13 @[ kernel.py:9:4 ]
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r2};
$L__func_end0:
}
	.section	.debug_macinfo	{	}
	.file	1 "/folder/kernel.py"
	.file	2 "/folder" "other.py"
"""


def test_lines_of_ptx_are_found_in_the_source():
    plain = "// generated\n.visible .entry k(\n)\n{\n" + PTX + "\n}\n"
    assert find_places(plain, LOCATED, [6, 7]) == [("/folder/kernel.py", 7, 14)]
    assert find_places(plain, LOCATED, [8]) == [("/folder/other.py", 66, 13)]
    assert find_places(plain, LOCATED, [1, 99]) == []
    assert find_places(plain + "ret;\n", LOCATED, [6]) == []  # another program


# --- the assemblers at hand ----------------------------------------------------------------------------
@pytest.fixture(params=["nvjitlink", "ptxas"])
def some_assembler(request, monkeypatch):
    if getattr(assembler, f"_{request.param}")() is None:
        pytest.skip(f"{request.param} is not installed")
    other = {"nvjitlink": "_ptxas", "ptxas": "_nvjitlink"}[request.param]
    monkeypatch.setattr(assembler, other, lambda: None)


@tw.jit
def product(a, b, c, K, SIZE: tl.constexpr):
    rows, depth = tl.arange(0, SIZE), tl.arange(0, 64)
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for k in range(0, K, 64):
        left = tl.load(a + rows[:, None] * K + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * SIZE + rows[None, :])
        total = tl.dot(left, right, total)  # here
    tl.store(c + rows[:, None] * SIZE + rows[None, :], total.to(tl.float16))


SIGNATURE = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "K": "i32:16", "SIZE": 128}


def line_of(fn, text: str) -> int:
    lines, first = inspect.getsourcelines(fn.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


def find(remarks, words: str):
    return [remark for remark in remarks if words in remark.message]


def test_advice_stands_at_the_line_of_the_product(some_assembler):
    kernel = tw.compile(product, SIGNATURE, target="nvidia:sm_90a", ptx_options="-O0")
    assert not find(kernel.remarks, "(the assembler's")
    assert kernel.asm["cubin"][:4] == b"\x7fELF"
    (serialised,) = find(kernel.remarks, "one after another")
    assert serialised.position.file == __file__ and serialised.position.line == line_of(product, "# here")
    assert "tl.dot(left" in str(serialised) and serialised.severity == "remark"
    assert [part for part, _ in kernel.times.lowering_stages] == ["llvm", "ptx", "cubin"]


def test_a_clean_kernel_has_no_advice(some_assembler):
    kernel = tw.compile(product, SIGNATURE, target="nvidia:sm_90a", num_warps=4)
    assert kernel.asm["cubin"] and not find(kernel.remarks, "(the assembler's") and not find(kernel.remarks, "spills")


def test_spills_stand_at_the_kernel(some_assembler):
    kernel = tw.compile(product, SIGNATURE, target="nvidia:sm_80", maxnreg=64)
    assert ".maxnreg 64" in kernel.asm["ptx"] and kernel.asm["cubin"]
    (spills,) = find(kernel.remarks, "spills")
    assert spills.position.line == line_of(product, "def product") and "the 64 registers" in spills.message


def test_optimisation_levels_reach_the_assembler(some_assembler):
    for level in range(4):
        kernel = tw.compile(product, SIGNATURE, target="nvidia:sm_80", ptx_options=f"-O{level}")
        assert kernel.asm["cubin"][:4] == b"\x7fELF"


def test_text_that_says_its_lines(monkeypatch):
    plain = tw.compile(product, SIGNATURE, target="nvidia:sm_90a").asm["ptx"]
    assert ".loc" not in plain
    monkeypatch.setenv("TILEWRIGHT_LINE_INFO", "1")
    located = tw.compile(product, SIGNATURE, target="nvidia:sm_90a").asm["ptx"]
    numbers = [i for i, line in enumerate(plain.splitlines(), 1) if "wgmma.mma_async" in line]
    places = find_places(plain, located, numbers)
    assert [(file, line) for file, line, _ in places] == [(__file__, line_of(product, "# here"))]


def test_kernels_on_the_disk_keep_their_remarks(some_assembler, tmp_path, monkeypatch):
    monkeypatch.setattr(stored.cache, "disk_cache", lambda: DiskCache(tmp_path, 1 << 30))
    signature = {name: kind.removesuffix(":16") if isinstance(kind, str) else "constexpr"
                 for name, kind in SIGNATURE.items()}
    divisibility = {(name,): 16 for name, kind in SIGNATURE.items() if isinstance(kind, str)}
    asked = Specialization(signature, {("SIZE",): 128}, divisibility, {"ptx_options": "-O0"}, "nvidia:sm_90a")
    first = stored.obtain(product, asked)
    again = stored.obtain(product, asked)
    assert isinstance(again, stored.StoredKernel)
    assert find(first.remarks, "one after another") and again.remarks == first.remarks

    # A driver's compiler speaks after the kernel was kept.
    again.advise(read_advice("    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads", ""))
    stored.keep_remarks(again)
    assert find(stored.obtain(product, asked).remarks, "registers do not hold all values")


def test_remarks_and_times_are_printed_when_asked_for(monkeypatch, capsys):
    from tilewright import remarks

    kernel = tw.compile(product, SIGNATURE, target="cpu", maxnreg=32)
    remarks.show(kernel)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("TILEWRIGHT_REMARKS", "1")
    monkeypatch.setenv("TILEWRIGHT_TIMES", "1")
    remarks.show(kernel)
    assert "remark: option 'maxnreg' has no effect on target 'cpu'" in capsys.readouterr().err
    tw.compile(product, SIGNATURE, target="nvidia:sm_90a")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("product for nvidia:sm_90a: ir ") and ", scheduled " in line and "; in all " in line


@pytest.mark.parametrize("threads, first, second, spills, chosen", [
    (256, 72, 64, 0, "ptxas"),  # four programs instead of three
    (256, 72, 64, 8, "nvJitLink"),  # but not by spilling
    (256, 72, 70, 0, "nvJitLink"),  # no step is gained
    (256, 64, 40, 0, "nvJitLink"),  # so many fewer are not tried for
    (1024, 40, 32, 0, "ptxas"),
    (1024, 32, 24, 0, "nvJitLink"),  # more threads do not fit
])
def test_registers_that_keep_a_program_out(monkeypatch, threads, first, second, spills, chosen):
    ptx = f".visible .entry kernel()\n.reqntid {threads}, 1, 1\n"
    monkeypatch.setattr(assembler, "_ptxas", lambda: "ptxas")
    monkeypatch.setattr(assembler, "_nvjitlink", lambda: assembler)
    monkeypatch.setattr(assembler, "_assemble_in_process",
                        lambda *_: assembler.Assembly(b"nvJitLink", "", registers=first, spill_bytes=0))
    monkeypatch.setattr(assembler, "_assemble_by_ptxas",
                        lambda *_: assembler.Assembly(b"ptxas", "", registers=second, spill_bytes=spills))
    monkeypatch.setattr(assembler.config, "ptxas", lambda: None)
    assert assembler.assemble_with_log(ptx, "sm_90a").cubin == chosen.encode()
    told = f"{ptx}.maxnreg {first}\n"
    assert assembler.assemble_with_log(told, "sm_90a").cubin == b"nvJitLink"


@pytest.mark.parametrize("threads, registers, on_chip, spills, bound", [
    (256, 130, 2, 0, 128),
    (256, 130, 2, 8, 128),  # tried, but it spills
    (256, 130, 1, 0, None),  # on-chip memory holds no other program
    (256, 161, 4, 0, None),  # a fifth of 160 is what may be saved
    (256, 160, 4, 0, 128),
    (256, 128, 3, 0, None),
    (512, 66, 9, 0, 64),
    (1024, 33, 9, 0, 32),
    (1024, 32, 9, 0, None),  # there are no more threads
])
def test_few_registers_that_keep_a_program_out(monkeypatch, threads, registers, on_chip, spills, bound):
    ptx = (f"// programs that on-chip memory admits: {on_chip}\n.visible .entry kernel()\n.reqntid {threads}, 1, 1\n"
           "{ wgmma }\n")

    def assemble(path, text, arch, flags):
        told = re.search(r"^\.reqntid \d+, 1, 1 \.maxnreg (\d+)$", text, re.MULTILINE)
        if told is None:
            return assembler.Assembly(b"free", "", registers=registers, spill_bytes=0)
        assert len(text.splitlines()) == len(ptx.splitlines())  # remarks tell lines
        return assembler.Assembly(told[1].encode(), "", registers=int(told[1]), spill_bytes=spills)

    monkeypatch.setattr(assembler, "_ptxas", lambda: "ptxas")
    monkeypatch.setattr(assembler, "_assemble_by_ptxas", assemble)
    expected = b"free" if bound is None or spills else str(bound).encode()
    assert assembler.assemble_with_log(ptx, "sm_90a").cubin == expected
    # Who says how many registers there are, and roles that share them out, are left alone.
    for word in (".maxnreg 255", "setmaxnreg"):
        text = ptx.replace("{ wgmma }", f"{{ wgmma {word} }}")
        assert assembler.assemble_with_log(text, "sm_90a").cubin == b"free"


def test_products_for_which_fewer_registers_are_too_few(monkeypatch):
    def assemble(path, text, arch, flags):
        if ".maxnreg" in text:
            raise assembler.AssemblerError("Insufficient registers (56)")
        return assembler.Assembly(b"free", "", registers=58, spill_bytes=0)

    monkeypatch.setattr(assembler, "_ptxas", lambda: "ptxas")
    monkeypatch.setattr(assembler, "_assemble_by_ptxas", assemble)
    ptx = "// programs that on-chip memory admits: 32\n.entry kernel()\n.reqntid 128, 1, 1\n{ wgmma }\n"
    assert assembler.assemble_with_log(ptx, "sm_90a").cubin == b"free"


def test_products_that_registers_do_not_hold(tmp_path):
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'ptxas fatal   : (C7602) Insufficient registers (128) to compile'\nexit 1\n")
    tool.chmod(0o755)
    with pytest.raises(assembler.AssemblerError, match="use smaller blocks or fewer warps:\n.*C7602"):
        assembler._assemble_by_ptxas(str(tool), "", "sm_90a", [])
