"""Launches through NVIDIA's driver: against a driver without a GPU, and without any driver."""

from __future__ import annotations

from pathlib import Path

import pytest
from tilewright.runtime.errors import AssemblerError, MissingDriverError
from tilewright.runtime.nvidia import assembler
from tilewright.runtime.nvidia.device import architecture_of, runs_binary, target_of


def test_a_launch_reaches_the_driver_with_all_it_was_given(fake_driver):
    lines = fake_driver("""
        kernel, source = make(shared_bytes=1024)
        kernel[5, 6, 7](Array(0x10000), 77, num_warps=8)
        kernel[9](Array(0x20000), 78, num_warps=8)
        print(source.requests[0].target, len(source.requests))
        compiled = kernel.compile(Array(0x10000), 77, num_warps=8)
        print(compiled.n_regs, compiled.n_spills, compiled.n_max_threads)
        del kernel, source, compiled
        gc.collect()
        print("end")
    """)
    assert lines == [
        "load image in 1000",
        "launch 3006 in 1000 grid 5 6 7 block 256 1 1 shared 1024 cluster 1 stream 0 args 10000 4d",
        "launch 3006 in 1000 grid 9 1 1 block 256 1 1 shared 1024 cluster 1 stream 0 args 20000 4e",
        "nvidia:sm_90a 1", "40 16 512", "unload 2000", "end"]


def test_each_gpu_has_its_kernel_and_context(fake_driver):
    lines = fake_driver("""
        kernel, source = make()
        kernel[1](Array(0x10000), 77)
        kernel[1](Array((1 << 40) + 0x10000), 77)
        try:
            make(params=("x", "y"))[0][1](Array(0x10000), Array(1 << 40))
        except ValueError as error:
            print(error)
        try:
            make(params=("x", "y"))[0][1](np.zeros(4), Array(0x10000))
        except ValueError as error:
            print(error)
    """)
    assert lines[:4] == ["load image in 1000",
                         "launch 3006 in 1000 grid 1 1 1 block 128 1 1 shared 0 cluster 1 stream 0 args 10000 4d",
                         "load image in 1001",
                         "launch 3006 in 1001 grid 1 1 1 block 128 1 1 shared 0 cluster 1 stream 0 args 10000010000 4d"]
    assert lines[4] == "kernel 'kernel': argument 'y' is on GPU 1, but argument 'x' is on GPU 0; move one of them"
    assert lines[5] == "kernel 'kernel': argument 'y' is on GPU 0, but argument 'x' is on the CPU; move one of them"


def test_clusters_streams_and_much_shared_memory(fake_driver):
    lines = fake_driver("""
        kernel, _ = make(shared_bytes=100_000)
        kernel[3](Array(0x10000, stream=0x77), 77, num_ctas=2)
    """)
    assert lines[1:3] == [
        "shared limit 100000",
        "launch 3006 in 1000 grid 6 1 1 block 128 1 1 shared 100000 cluster 2 stream 77 args 10000 4d"]


def test_launches_that_are_cooperative_or_overlap(fake_driver):
    lines = fake_driver("""
        kernel, _ = make()
        kernel[3](Array(0x10000), 77, launch_cooperative_grid=True)
        kernel[3](Array(0x10000), 77, launch_pdl=True, num_ctas=2, maxnreg=64)
        kernel[3](Array(0x10000), 77, launch_pdl=False)
    """)
    launches = [line.partition(" stream")[0] for line in lines if not line.startswith(("load", "unload"))]
    assert launches == [
        "cooperative 1", "launch 3006 in 1000 grid 3 1 1 block 128 1 1 shared 0 cluster 1",
        "overlap 1", "launch 3006 in 1000 grid 6 1 1 block 128 1 1 shared 0 cluster 2",
        "launch 3006 in 1000 grid 3 1 1 block 128 1 1 shared 0 cluster 1"]


def test_programs_that_take_turns(fake_driver):
    lines = fake_driver("""
        kernel, _ = make("maps 0 5 turns", launch_grid=True)
        kernel[4](Array(0x10000), 77)
        kernel[5, 6, 7](Array(0x10000), 77)
        kernel[5, 0, 7](Array(0x10000), 77)
        kernel, _ = make("maps 0 5 turns", launch_grid=True, shared_bytes=100_001)
        kernel[1 << 20, 3](Array(0x10000), 77)
        try:
            kernel[1 << 30, 2](Array(0x10000), 77)
        except ValueError as error:
            print(error)
    """)
    found = [line.partition(" block")[0].rpartition("grid ")[2] for line in lines if line.startswith(("launch", "of"))]
    assert found == ["4 1 1", "of 4 1 1", "6 1 1", "of 5 6 7", "3 1 1", "of 1048576 3 1"]
    assert "kernel 'kernel': the grid has more than 2147483644 programs" in lines


def test_tensors_of_torch_run_on_their_gpu_and_its_current_stream(fake_driver):
    lines = fake_driver("""
        import torch_stand_in
        torch = torch_stand_in.install()
        kernel, source = make()
        kernel[1](torch.Tensor(0x10000, "bfloat16", "cuda:1"), 77)
        print(source.requests[0].signature["x"])
        kernel[1](torch.Parameter(0x20000, "float8_e4m3fn", "cuda:0"), 78)
        print(source.requests[1].signature["x"])
        for device in ("xpu:0", "meta"):
            try:
                kernel[1](torch.Tensor(0x20000, device=device), 78)
            except TypeError as error:
                print(error)
    """)
    assert [line for line in lines if not line.startswith(("load", "unload"))] == [
        "launch 3006 in 1001 grid 1 1 1 block 128 1 1 shared 0 cluster 1 stream 501 args 10000 4d", "*bf16",
        "launch 3006 in 1000 grid 1 1 1 block 128 1 1 shared 0 cluster 1 stream 500 args 20000 4e", "*fp8e4nv",
        "kernel 'kernel': argument 'x' is a tensor on device xpu:0, where kernels cannot run",
        "kernel 'kernel': argument 'x' is a tensor on device meta, where kernels cannot run"]


def test_a_tensor_of_torch_on_the_cpu(fake_driver):
    lines = fake_driver("""
        import torch_stand_in
        torch = torch_stand_in.install()
        data = np.zeros(16, np.float32)
        kernel, source = make(params=("x", "y"))
        try:
            kernel[1](torch.Tensor(data.ctypes.data), torch.Tensor(0x20000, device="cuda:0"))
        except ValueError as error:
            print(error)
        from tilewright.runtime import cpu
        cpu.load = lambda kernel, index: print("cpu", kernel.target) or exit()
        kernel[1](torch.Tensor(data.ctypes.data), data)
    """)
    assert lines == ["kernel 'kernel': argument 'y' is on GPU 0, but argument 'x' is on the CPU; move one of them",
                     "cpu cpu"]


def test_what_does_not_fit_is_named_before_the_launch(fake_driver):
    lines = fake_driver("""
        from tilewright import OutOfResources
        for shared, options, grid in [(300_000, {}, 1), (0, {"num_warps": 32}, 1), (0, {}, (1, 70_000)), (0, {}, 13),
                                      (0, {"num_ctas": 2}, 2**30)]:
            kernel, _ = make(shared_bytes=shared)
            try:
                kernel[grid](Array(0x10000), 77, **options)
            except OutOfResources as error:
                print("resources", error.required, error.limit, error.name)
            except (ValueError, RuntimeError) as error:
                print(error)
    """)
    wanted = [line for line in lines if not line.startswith(("load", "unload"))]
    assert wanted == [
        "resources 300000 232448 shared memory", "resources 1024 512 threads",
        "kernel 'kernel': side 1 of the grid is 70000, but a GPU takes at most 65535 there",
        "kernel 'kernel': cuLaunchKernel failed with CUDA_ERROR_INVALID_VALUE (1): a text of the driver",
        "kernel 'kernel': side 0 of the grid is 1073741824, but a GPU takes at most 1073741823 there"]


def test_the_drivers_compiler_is_quoted(fake_driver):
    lines = fake_driver("""
        try:
            make("bad image")[0][1](Array(0x10000), 77)
        except RuntimeError as error:
            print(error)
    """)
    assert lines == [
        "kernel 'kernel': cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_IMAGE (200): a text of the driver",
        "line 3: unknown instruction"]


def test_the_drivers_compiler_advises(fake_driver):
    lines = fake_driver("""
        Kernel.advise = lambda self, advice: print(*(each.message for each in advice), sep="\\n")
        make("spill this")[0][1](Array(0x10000), 77)
    """)
    assert lines[1].startswith("the 32 registers of a thread do not hold all values: a thread stores 40 bytes to "
                               "memory and loads 48 bytes again")


def test_arrays_that_no_gpu_knows(fake_driver):
    lines = fake_driver("""
        for array in (Array(0x10), Array(0x10000, "<c8"), Array(0x10000, ">f4")):
            try:
                make()[0][1](array, 77)
            except (TypeError, ValueError) as error:
                print(error)
        kernel, source = make(params=("x", "y"))
        kernel[1](Array(0), Array((1 << 40) + 2))  # an empty array is nowhere
        print(source.requests[0].signature, source.requests[0].divisibility)
    """)
    assert lines[0].startswith("kernel 'kernel': argument 'x' has the address 0x10, which the driver does not know")
    for line, typestr in zip(lines[1:3], ("<c8", ">f4"), strict=True):
        assert line == f"kernel 'kernel': argument 'x' has elements of type '{typestr}', which kernels do not know"
    assert lines[-1] == "{'x': '*fp32', 'y': '*fp32'} {('x',): 16}"


def test_timing_by_events(fake_driver):
    lines = fake_driver("""
        from tilewright.testing import do_bench
        runs = []
        print(do_bench(lambda: runs.append(1), warmup=10, rep=20, device="gpu"), len(runs))
        print(do_bench(lambda: None, device="gpu", quantiles=[0.5, 0.1]))
    """)
    launches = fake_driver("""
        from tilewright.testing import do_bench
        kernel, _ = make()
        print(do_bench(lambda: kernel[1](Array(0x10000), 77), 1, 1))  # nobody says that it is a GPU's
    """)
    assert launches[-1] == "0.5"
    # Every event of the driver comes half a millisecond after the one before; 5 runs take 4.5 ms.
    assert lines == [f"0.5 {1 + 5 + int(10 / 0.9) + int(20 / 0.9)}", "[0.5, 0.5]"]


def test_without_a_driver_it_says_what_to_do():
    if Path("/dev/nvidiactl").exists():
        pytest.skip("there is a driver")
    pytest.importorskip("cuda.bindings", reason="without cuda-python the message is another")
    from tilewright.runtime import nvidia

    with pytest.raises(MissingDriverError, match="there is no NVIDIA driver here .*pass numpy arrays"):
        nvidia.target_of(0)


@pytest.mark.parametrize("capability, arch", [
    ((8, 0), "sm_80"), ((8, 6), "sm_86"), ((8, 7), "sm_86"), ((8, 9), "sm_89"), ((9, 0), "sm_90a"),
    ((10, 0), "sm_100a"), ((10, 3), "sm_89"), ((12, 0), "sm_120a"), ((12, 1), "sm_89")])
def test_architectures_by_capability(capability, arch):
    assert architecture_of(capability) == arch


@pytest.mark.parametrize("arch, capability, runs", [
    ("sm_80", (8, 0), True), ("sm_80", (8, 9), True), ("sm_86", (8, 0), False), ("sm_80", (9, 0), False),
    ("sm_90a", (9, 0), True), ("sm_90a", (10, 0), False), ("sm_100a", (10, 0), True), ("sm_100a", (10, 3), False),
    ("sm_89", (12, 1), False)])
def test_machine_code_by_capability(arch, capability, runs):
    assert runs_binary(arch, capability) == runs


def test_another_architecture_than_the_gpus_own(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ARCH", "sm_80")
    assert target_of(0) == "nvidia:sm_80"


def test_a_gpu_that_is_too_old():
    with pytest.raises(RuntimeError, match="compute capability 7.5; kernels need 8.0"):
        architecture_of((7, 5))


PTX = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 p) {
  .reg .b64 %a; .reg .f32 %x;
  ld.param.u64 %a, [p];
  ld.global.f32 %x, [%a];
  st.global.f32 [%a+4], %x;
  ret;
}
"""


@pytest.fixture(params=["nvJitLink", "ptxas", "TILEWRIGHT_PTXAS"])
def some_assembler(request, monkeypatch):
    """Each way to an assembler that there is here."""
    if request.param == "nvJitLink":
        if assembler._nvjitlink() is None:
            pytest.skip("nvJitLink is not installed")
        monkeypatch.setattr(assembler, "_find_ptxas", lambda: None)
        return request.param
    path = assembler._find_ptxas()
    if path is None:
        pytest.skip("there is no ptxas")
    if request.param == "TILEWRIGHT_PTXAS":
        monkeypatch.setattr(assembler, "_find_ptxas", lambda: None)
        monkeypatch.setenv("TILEWRIGHT_PTXAS", path)
    else:
        monkeypatch.setattr(assembler, "_nvjitlink", lambda: None)
    return path


def test_assembling(some_assembler):
    assembly = assembler.assemble_with_log(PTX, "sm_90a")
    assert assembly.cubin[:4] == b"\x7fELF"
    assert assembly.registers >= 2 and assembly.spill_bytes == 0
    assert some_assembler in assembler.describe_assembler()


def test_an_assembler_is_quoted(some_assembler):
    with pytest.raises(AssemblerError, match="(?s)refused the PTX for sm_80.*line 7.*modifier"):
        assembler.assemble(PTX.replace("ld.param", "ld.parameter"), "sm_80")
    with pytest.raises(AssemblerError, match="sm_999"):
        assembler.assemble(PTX, "sm_999")


def test_which_assembler_it_is(monkeypatch):
    asked = []
    monkeypatch.delenv("TILEWRIGHT_PTXAS", raising=False)
    monkeypatch.setattr(assembler, "_nvjitlink", lambda: "nvJitLink")
    monkeypatch.setattr(assembler, "_find_ptxas", lambda: "ptxas")
    monkeypatch.setattr(assembler, "_assemble_by_ptxas", lambda *_: asked.append("ptxas"))
    monkeypatch.setattr(assembler, "_assemble_in_process",
                        lambda *_: asked.append("nvJitLink") or assembler.Assembly(b"", ""))
    for text in ("add.s32", "wgmma.mma_async", "setmaxnreg.inc"):
        assembler.assemble_with_log(text, "sm_90a")
    assert asked == ["nvJitLink", "ptxas", "ptxas"]
    monkeypatch.setattr(assembler, "_find_ptxas", lambda: None)
    assembler.assemble_with_log("wgmma.mma_async", "sm_90a")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "a path")
    assembler.assemble_with_log("add.s32", "sm_90a")
    assert asked[3:] == ["nvJitLink", "ptxas"]

    def refuse(*_):
        raise AssemblerError("nvJitLink does not assemble for sm_120a")

    monkeypatch.delenv("TILEWRIGHT_PTXAS")
    monkeypatch.setattr(assembler, "_assemble_in_process", refuse)
    with pytest.raises(AssemblerError, match="sm_120a"):
        assembler.assemble_with_log("add.s32", "sm_120a")
    monkeypatch.setattr(assembler, "_find_ptxas", lambda: "ptxas")
    assembler.assemble_with_log("add.s32", "sm_120a")
    assert asked[5:] == ["ptxas"]


def test_without_an_assembler(monkeypatch):
    monkeypatch.setattr(assembler, "_nvjitlink", lambda: None)
    monkeypatch.setattr(assembler, "_find_ptxas", lambda: None)
    monkeypatch.delenv("TILEWRIGHT_PTXAS", raising=False)
    assert assembler.describe_assembler() is None
    assert assembler.assemble_with_log(PTX, "sm_80") is None
    with pytest.raises(AssemblerError, match="there is no assembler for PTX: put ptxas"):
        assembler.assemble(PTX, "sm_80")
