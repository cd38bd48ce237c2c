"""Functions and compiled kernels as programs handle them on the host."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.runtime.jit import MockTensor


def make_add():
    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m = i < n
        tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

    return add


@pytest.fixture
def add():
    return make_add()


@pytest.fixture
def arrays():
    x, y = np.random.default_rng().standard_normal((2, 1000)).astype(np.float32)
    return x, y, np.zeros_like(x)


@pytest.mark.parametrize("grid", [4, (4,), [4], (4, 1), (4, 1, 1), (np.int64(4),),
                                  lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),), lambda meta: 4])
def test_grids(add, arrays, grid):
    x, y, out = arrays
    add[grid](x, y, out, 1000, BLOCK=256)
    np.testing.assert_array_equal(out, x + y)


def test_empty_grids_run_nothing(add, arrays):
    for grid in [0, (0,), (4, 0), (4, 1, 0)]:
        assert add[grid](*arrays, 1000, BLOCK=256).metadata.name == "add"
    assert not arrays[2].any()


def test_arguments_by_name_in_any_order(add, arrays):
    x, y, out = arrays
    add[(4,)](BLOCK=256, n=1000, out=out, num_warps=2, y=y, x=x)
    np.testing.assert_array_equal(out, x + y)
    with pytest.raises(KeyError, match="no parameter or option 'BLOK'"):
        add[(4,)](x, y, out, 1000, BLOK=256)


def test_what_a_launch_gives(add, arrays):
    kernel = add[(4,)](*arrays, 1000, BLOCK=256, num_warps=8)
    assert isinstance(kernel, triton.compiler.CompiledKernel)
    for stage in ("ttir", "ttgir", "llir", "source"):
        assert stage in kernel.asm and isinstance(kernel.asm[stage], str)
    assert "sass" not in kernel.asm and "ptx" not in kernel.asm
    with pytest.raises(KeyError, match="has no stage 'ptx'"):
        kernel.asm["ptx"]
    metadata = kernel.metadata
    assert (metadata.name, metadata.num_warps, metadata.num_ctas, metadata.num_stages) == ("add", 8, 1, 3)
    assert metadata.target == GPUTarget("cpu", "host", 1)
    assert metadata.shared > 0 and kernel.n_regs > 0 and kernel.n_spills == 0
    assert (metadata.tmem_size, metadata.global_scratch_size, metadata.profile_scratch_size) == (0, 0, 0)
    assert metadata._asdict()["shared"] == metadata.shared
    assert kernel.src.fn is add and kernel.src.fn.arg_names == ["x", "y", "out", "n", "BLOCK"]
    assert kernel.src.signature == {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert kernel.src.constants == {"BLOCK": 256}
    assert kernel.packed_metadata[:2] == (8, 1)
    assert kernel.hash == add[(4,)](*arrays, 1000, BLOCK=256, num_warps=8).hash
    assert kernel.hash != add[(4,)](*arrays, 1000, BLOCK=256, num_warps=4).hash


def test_a_kernel_that_is_compiled_first(add, arrays):
    x, y, out = arrays
    kernel = add.warmup(x, y, out, 1000, BLOCK=256, num_warps=2, grid=(1,))
    assert not out.any()
    kernel._init_handles()
    kernel[(4, 1, 1)](x, y, out, 1000, 256)
    np.testing.assert_array_equal(out, x + y)
    out[:] = 0
    kernel[(4, 1, 1)](x, y, out, 1000)  # without its constants
    np.testing.assert_array_equal(out, x + y)
    out[:] = 0
    kernel.run(4, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, out, 1000, 256)
    np.testing.assert_array_equal(out, x + y)
    with pytest.raises(TypeError, match="takes 5 arguments, or the 4 that are not constants, but 2 are given"):
        kernel[(4,)](x, y)


def test_types_stand_for_arrays(add, arrays):
    kernel = add.warmup(np.dtype("float32"), tl.float32, MockTensor(tl.float32), 1000, BLOCK=256, grid=(1,))
    assert kernel is add.warmup(*arrays, 1000, BLOCK=256, grid=(1,))
    assert kernel is add.warmup(np.float32, np.float32, np.float32, 1000, BLOCK=256, grid=(1,))
    assert MockTensor.wrap_dtype(3) == 3
    assert MockTensor(tl.float16, (2, 3, 4)).stride() == (12, 4, 1)


def test_what_programs_read_of_a_function(add, arrays):
    assert add.arg_names == ["x", "y", "out", "n", "BLOCK"]
    assert [param.is_constexpr for param in add.params] == [False] * 4 + [True]
    assert add.params[4].num == 4 and add.params[4].name == "BLOCK" and not add.params[4].has_default
    assert add.__name__ == "add" and callable(add.fn) and add.src.startswith("def add(")
    assert isinstance(add, triton.KernelInterface) and len(add.cache_key) == 64
    with pytest.raises(RuntimeError, match=r"launch it over a grid, add\[grid\]"):
        add(*arrays, 1000, 256)


def test_kernels_of_a_device(add, arrays):
    device = triton.runtime.driver.active.get_current_device()
    assert len(add.device_caches[device][0]) == 0
    for n in (1000, 999, 16, 1, 1000):
        add[(1,)](*arrays, n, BLOCK=16)
    kernels = add.device_caches[device][0]
    assert len(kernels) == 3  # divisible by 16, not, and the constant 1
    assert {kernel.metadata.name for kernel in kernels.values()} == {"add"}
    add.device_caches.clear()
    assert len(add.device_caches[device][0]) == 0


def test_another_text_for_a_function(add, arrays):
    x, y, out = arrays
    add[(4,)](x, y, out, 1000, BLOCK=256)
    before = add.cache_key
    add._unsafe_update_src(add.src.replace("+ tl.load(y", "- tl.load(y"))
    add[(4,)](x, y, out, 1000, BLOCK=256)
    np.testing.assert_array_equal(out, x - y)
    assert add.cache_key != before
    add._unsafe_update_src(add.src.replace("- tl.load(y", "+ tl.load(y"))
    assert add.cache_key == before
    add.hash = "another"
    assert add.cache_key == "another"
    add.hash = None
    assert add.cache_key == add.hash == before


def test_options_without_an_effect_are_remarked(add, arrays):
    kernel = add[(4,)](*arrays, 1000, BLOCK=256, maxnreg=64, waves_per_eu=2, launch_pdl=True, num_stages=0)
    said = [str(remark) for remark in kernel.remarks]
    for name in ("maxnreg", "waves_per_eu", "launch_pdl"):
        assert f"remark: option '{name}' has no effect on target 'cpu'" in said
    for options, message in [({"launch_cooperative_grid": True}, "'launch_cooperative_grid' is not offered for target"),
                             ({"extern_libs": {"a": "b"}}, "'extern_libs' offers no library but 'libdevice'"),
                             ({"sanitize_overflow": 1}, "'sanitize_overflow' must be True or False"),
                             ({"instrumentation_mode": "consan"}, "'instrumentation_mode' is not offered"),
                             ({"maxnreg": 0}, "'maxnreg' must be a positive integer"),
                             ({"ir_override": "nowhere.llvm"}, "there is no file 'nowhere.llvm'")]:
        with pytest.raises(triton.CompilationError, match=message):
            add[(4,)](*arrays, 1000, BLOCK=256, **options)


def test_names_of_kernels_and_facts_of_launches(arrays):
    described = []

    def describe(grid, metadata, args):
        described.append((grid, metadata.name, args["n"]))
        return {"name": f"add {args['n']}", "flops": args["n"]}

    @triton.jit(repr=lambda specialization: f"add_{specialization.constants['BLOCK']}", launch_metadata=describe)
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i) + tl.load(y + i), mask=i < n)

    seen = []
    triton.knobs.runtime.launch_enter_hook.add(seen.append)
    try:
        kernel = add[(1,)](*arrays, 100, BLOCK=128)
        assert described == []  # only for who asks
        assert seen[0].get()["flops"] == 100 and seen[0].get()["name"] == "add 100"
        assert described == [((1, 1, 1), "add_128", 100)] and kernel.metadata.name == "add_128"
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(seen.append)


def test_hooks_before_each_run(add, arrays):
    seen = []
    add.add_pre_run_hook(lambda *args, **kwargs: seen.append((len(args), kwargs)))
    add[(4,)](*arrays, 1000, BLOCK=256)
    assert seen == [(4, {"BLOCK": 256})]
    np.testing.assert_array_equal(arrays[2], arrays[0] + arrays[1])
    with pytest.raises(TypeError, match="expects a function"):
        add.add_pre_run_hook(3)


def test_compiling_in_threads(arrays):
    kernels = [make_add() for _ in range(3)]
    with ThreadPoolExecutor(2) as executor:
        with triton.AsyncCompileMode(executor):
            futures = [kernel.warmup(*arrays, 1000, BLOCK=128, grid=(1,)) for kernel in kernels]
            assert all(isinstance(future, triton.FutureKernel) for future in futures)
            kernels[0][(8,)](*arrays, 1000, BLOCK=128)
            np.testing.assert_array_equal(arrays[2], arrays[0] + arrays[1])
        assert [future.result().metadata.name for future in futures] == ["add"] * 3

        @triton.jit
        def broken(x):
            tl.store(x, undefined)  # noqa: F821

        with pytest.raises(triton.CompilationError, match="undefined"):
            with triton.AsyncCompileMode(executor):
                broken.warmup(arrays[0], grid=(1,))
        with triton.AsyncCompileMode(executor, ignore_errors=True):
            broken.warmup(arrays[0], grid=(1,))
    assert not isinstance(kernels[0].warmup(*arrays, 7, BLOCK=128, grid=(1,)), triton.FutureKernel)


def test_kernels_that_another_process_asked_for(arrays):
    requests = []
    first, second = make_add(), make_add()
    triton.knobs.runtime.jit_post_compile_hook = lambda **facts: requests.append(facts)
    try:
        first[(4,)](*arrays, 1000, BLOCK=256, num_warps=2)
    finally:
        triton.knobs.runtime.jit_post_compile_hook = None
    (request,) = requests
    assert request["fn"].name.endswith("add") and request["compile"]["num_warps"] == 2
    assert not request["is_manual_warmup"] and not request["compile"]["is_warmup"]
    data = request["compile"]["specialization_data"]
    assert json.loads(data)["target"] == "cpu"
    kernel = second.preload(data)
    assert kernel.metadata.num_warps == 2
    assert len(second.device_caches[0][0]) == 1
    assert second[(4,)](*arrays, 1000, BLOCK=256, num_warps=2) is kernel

    @triton.jit
    def other(x):
        tl.store(x, 1.0)

    with pytest.raises(ValueError, match="is of .*add, not of .*other"):
        other.preload(data)


def test_hooks_are_told_of_kernels_that_are_only_compiled(arrays):
    told = []
    triton.knobs.runtime.jit_cache_hook = lambda **facts: told.append(facts["is_manual_warmup"])
    try:
        make_add().warmup(*arrays, 1000, BLOCK=256, grid=(4,))
        make_add()[(4,)](*arrays, 1000, BLOCK=256)
    finally:
        triton.knobs.runtime.jit_cache_hook = None
    assert told == [True, False]


def test_compiling_without_a_launch(add):
    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(add, signature, constexprs={(4,): 256}, attrs={(0,): [["tt.divisibility", 16]]})
    for target, stages in [(GPUTarget("cuda", 90, 32), ("ttir", "ttgir", "llir", "ptx")),
                           (GPUTarget("hip", "gfx942", 64), ("ttir", "ttgir", "llir", "amdgcn", "hsaco")), (None, ())]:
        kernel = triton.compile(source, target=target, options={"num_warps": 8, "backend_name": "x"})
        assert all(stage in kernel.asm for stage in stages)
        assert target is None or kernel.metadata.target == target
        assert kernel.metadata.num_warps == 8 and kernel.metadata.divisibility == [16, 1, 1, 1]
    for constants in ({"BLOCK": 256}, {4: 256}):
        assert ASTSource(add, signature, constants).hash() == ASTSource(add, signature, {(4,): 256}).hash()
    with pytest.raises(ValueError, match="the constant 'BLOCK' of 'add' has no value"):
        triton.compile(ASTSource(add, signature))
    with pytest.raises(ValueError, match="has no parameter 'z'"):
        ASTSource(add, {"z": "i32"})
    with pytest.raises(triton.TritonError, match="Triton's '.ttgir' files are not read"):
        triton.compile("kernel.ttgir")
    with pytest.raises(triton.TritonError, match="no code for compute capability 7.5"):
        triton.compile(source, target=GPUTarget("cuda", 75, 32))


def test_backends():
    backend = make_backend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({"num_warps": 8, "unknown": 1})
    assert (options.num_warps, options.warp_size, backend.binary_ext) == (8, 32, "cubin")
    assert backend.hash() and options.hash() and "cpu" in triton.backends.backends
    driver = triton.runtime.driver.active
    assert driver.get_current_target().backend == "cpu" and driver.get_current_device() == 0
    properties = driver.utils.get_device_properties(0)
    for name in ("max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize"):
        assert properties[name] > 0
    assert driver.get_benchmarker()(lambda: None, quantiles=[0.5]) >= 0
    memory = driver.get_empty_cache_for_benchmark()
    driver.clear_cache(memory)
    driver.get_device_interface().synchronize()


def test_the_target_is_a_constant_in_kernels():
    @triton.jit
    def ask(out):
        if tl.target_info.is_cuda():
            tl.store(out, 1)
        elif tl.target_info.is_hip_cdna3():
            tl.store(out, 2)
        else:
            tl.store(out, 3)
        tl.store(out + 1, tl.target_info.current_target().backend == "cpu")

    out = np.zeros(2, np.int32)
    ask[(1,)](out)
    assert out.tolist() == [3, 1]
    for target, number in ((GPUTarget("cuda", 90, 32), 1), (GPUTarget("hip", "gfx942", 64), 2)):
        text = triton.compile(ASTSource(ask, {"out": "*i32"}), target=target).asm["ttir"]
        assert f"constant {number} : i32" in text
    assert not tl.target_info.is_cuda() and not tl.target_info.cuda_capability_geq(9, 0)


def test_another_type_for_an_array():
    @triton.jit
    def copy(x, out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i).to(tl.float32))

    bits = np.arange(64, dtype=np.uint8)
    out = np.zeros(64, np.float32)
    copy[(1,)](triton.reinterpret(bits, tl.float8e5), out, BLOCK=64)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    np.testing.assert_array_equal(out, bits.view(ml_dtypes.float8_e5m2).astype(np.float32))
    wrapped = triton.reinterpret(bits, tl.int8)
    assert triton.reinterpret(wrapped, np.dtype("uint8")) is bits
    assert wrapped.shape == (64,) and wrapped.stride() == (1,) and wrapped.numel() == 64
    with pytest.raises(TypeError, match="have 1 bytes, those of fp16 have 2"):
        triton.reinterpret(bits, tl.float16)
    with pytest.raises(TypeError, match="expects an array, got int"):
        triton.reinterpret(3, tl.float16)


def test_allocators():
    from triton.runtime._allocation import NullAllocator, get_allocator

    def allocate(size, alignment, stream):
        return np.empty(size, np.int8)

    triton.set_allocator(allocate)
    assert get_allocator() is allocate
    triton.set_allocator(None)
    assert isinstance(get_allocator(), NullAllocator)
    with pytest.raises(TypeError, match="expects a function"):
        triton.set_allocator(3)


def test_what_only_a_vendor_has():
    from triton.language.extra import cuda, hip

    @triton.jit
    def ask(out):
        cuda.gdc_wait()
        tl.store(out, cuda.num_warps())
        if tl.target_info.is_cuda():
            tl.store(out + 1, cuda.globaltimer())
            tl.store(out + 2, cuda.smid())
        if tl.target_info.is_hip():
            tl.store(out + 1, hip.memrealtime())
        cuda.gdc_launch_dependents()

    out = np.zeros(3, np.int64)
    ask[(1,)](out, num_warps=8)
    assert out.tolist() == [8, 0, 0]
    ptx = triton.compile(ASTSource(ask, {"out": "*i64"}), target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    for text in ("griddepcontrol.wait", "griddepcontrol.launch_dependents", "%globaltimer", "%smid"):
        assert text in ptx
    earlier = triton.compile(ASTSource(ask, {"out": "*i64"}), target=GPUTarget("cuda", 80, 32)).asm["ptx"]
    assert "%smid" in earlier and "griddepcontrol" not in earlier
    amdgcn = triton.compile(ASTSource(ask, {"out": "*i64"}), target=GPUTarget("hip", "gfx942", 64)).asm["amdgcn"]
    assert "s_memrealtime" in amdgcn and "griddepcontrol" not in amdgcn

    @triton.jit
    def wrong(out):
        tl.store(out, cuda.globaltimer())

    with pytest.raises(triton.CompilationError, match="globaltimer: is for NVIDIA's GPUs"):
        wrong[(1,)](out)


def test_combine_functions_and_helpers_that_programs_name():
    @triton.jit
    def combine(x, out, SIZE: tl.constexpr):
        value = tl.load(x + tl.arange(0, SIZE))
        tl.store(out, tl.reduce(value, 0, tl.standard._sum_combine))
        tl.store(out + 1, tl.reduce(value, 0, tl.standard._elementwise_max))
        tl.store(out + 2, tl.standard._log2(SIZE))
        tl.store(out + 3, value.to(tl.float32, fp_downcast_rounding="rtne").sum(0))

    x = np.arange(32, dtype=np.float32)
    out = np.zeros(4, np.float32)
    combine[(1,)](x, out, SIZE=32)
    assert out.tolist() == [496, 31, 5, 496]
    assert tl.core.str_to_ty("*fp16") is tl.pointer_type(tl.float16)
    assert tl.core.get_int_dtype(16, False) is tl.uint16 and tl.core.get_primitive_bitwidth(tl.int64) == 64


def test_a_block_without_dimensions_is_a_scalar():
    @triton.jit
    def total(x, out, n, BLOCK: tl.constexpr):
        number = tl.zeros([], dtype=tl.float32)
        whole = tl.full((), 2, tl.int32)
        for start in range(0, n, BLOCK):
            if start >= 0:
                number += tl.sum(tl.load(x + start + tl.arange(0, BLOCK)), 0)
            whole += 1
        tl.store(out, number)
        tl.store(out + 1, whole)

    x = np.arange(64, dtype=np.float32)
    out = np.zeros(2, np.float32)
    total[(1,)](x, out, 64, BLOCK=16)
    assert out.tolist() == [x.sum(), 6]


def test_the_library_of_functions_may_be_named(add, arrays):
    x, y, out = arrays
    for libraries in ({}, {"libdevice": "libdevice.10.bc"}):
        out[:] = 0
        add[(1,)](x, y, out, 1000, BLOCK=1024, extern_libs=libraries)
        assert np.array_equal(out, x + y)
