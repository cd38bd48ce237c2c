"""Names under which programs look for parts of Triton, and what those without a counterpart say."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tilewright
import triton
import triton.language as tl
from tilewright.triton.refusal import NotOffered

NAMES = {
    "triton": "AsyncCompileMode CompilationError Config FutureKernel InterpreterError JITFunction KernelInterface "
              "MockTensor OutOfResources TensorWrapper TritonError aggregate autotune cdiv compile constexpr_function "
              "heuristics jit must_use_result next_power_of_2 reinterpret set_allocator language runtime compiler "
              "testing tools knobs backends profiler",
    "triton.runtime": "Autotuner Config Heuristics JITFunction KernelInterface MockTensor OutOfResources TensorWrapper "
                      "autotune driver heuristics reinterpret InterpreterError PTXASError",
    "triton.runtime.jit": "JITFunction KernelInterface KernelParam MockTensor TensorWrapper reinterpret jit "
                          "constexpr_function JitFunctionInfo type_canonicalisation_dict get_jit_fn_file_line",
    "triton.runtime.autotuner": "Autotuner Config Heuristics OutOfResources PTXASError autotune heuristics",
    "triton.runtime.errors": "AutotunerError InterpreterError OutOfResources PTXASError TritonError",
    "triton.runtime.cache": "CacheManager FileCacheManager _base32 default_cache_dir get_cache_manager triton_key "
                            "get_override_manager get_dump_manager",
    "triton.runtime.interpreter": "InterpretedFunction",
    "triton.runtime.driver": "driver active",
    "triton.compiler": "ASTSource CompilationError CompiledKernel IRSource compile make_backend LazyDict",
    "triton.compiler.compiler": "ASTSource CompiledKernel GPUTarget LazyDict compile make_backend triton_key",
    "triton.compiler.errors": "CompilationError CompileTimeAssertionFailure UnsupportedLanguageConstruct",
    "triton.compiler.code_generator": "ast_to_ttir",
    "triton.backends": "backends",
    "triton.backends.compiler": "BaseBackend GPUTarget Language",
    "triton.backends.driver": "DriverBase GPUDriver Benchmarker",
    "triton.backends.nvidia.compiler": "CUDABackend CUDAOptions",
    "triton.backends.amd.compiler": "HIPBackend HIPOptions",
    "triton.testing": "Benchmark Mark assert_close cuda_memcheck do_bench do_bench_cudagraph do_bench_proton "
                      "do_bench_cudagraph_proton get_dram_gbps get_max_simd_tflops get_max_tensorcore_tflops nvsmi "
                      "perf_report set_gpu_clock cublas",
    "triton.knobs": "build redis cache compilation autotuning runtime language nvidia amd proton HookChain "
                    "CompileTimes refresh_knobs",
    "triton.tools.disasm": "get_sass",
    "triton.tools.mxfp": "MXFP4Tensor MXScaleTensor",
    "triton.profiler": "start finalize activate deactivate scope cpu_timed_scope enter_scope exit_scope state "
                       "metadata_state profile language",
    "triton._utils": "find_paths_if get_iterable_path",
    "triton._C.libtriton": "ir native_specialize_impl",
    "triton.language": "core math extra target_info standard random",
    "triton.language.core": "tensor constexpr dtype builtin load dot PropagateNan _unwrap_if_constexpr _aggregate "
                            "TRITON_MAX_TENSOR_NUMEL pointer_type block_type float32",
    "triton.language.math": "exp log fma umulhi",
    "triton.language.standard": "cdiv sigmoid softmax",
    "triton.language.extra.libdevice": "tanh pow isnan",
    "triton.language.extra.cuda.libdevice": "tanh",
    "triton.language.extra.hip.libdevice": "tanh",
    "triton.language.target_info": "current_target is_cuda is_hip is_hip_cdna3 cuda_capability_geq",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_are_where_programs_import_them_from(module):
    found = importlib.import_module(module)
    missing = [name for name in NAMES[module].split() if not hasattr(found, name)]
    assert not missing


def test_the_language_is_one():
    assert tl is tilewright.language and sys.modules["triton.language.math"] is tl.math
    assert triton.jit is tilewright.jit and issubclass(triton.CompilationError, triton.TritonError)
    assert issubclass(triton.OutOfResources, triton.TritonError)
    assert tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 0)


def test_names_that_are_not_offered_say_so():
    with pytest.raises(AttributeError, match="triton.ops is not offered by Tilewright"):
        triton.ops  # noqa: B018
    with pytest.raises(ImportError, match="Gluon's explicit layouts have no counterpart"):
        importlib.import_module("triton.experimental.gluon")
    with pytest.raises(ImportError, match="triton.experimental.gsan is not offered"):
        from triton.experimental import gsan  # noqa: F401
    from triton._C.libtriton import ir

    with pytest.raises(NotOffered, match="triton._C.libtriton.ir.context is not offered"):
        ir.context()
    with pytest.raises(NotOffered, match="triton.testing.cublas"):
        triton.testing.cublas()
    assert not ir


def test_helpers():
    from triton._C.libtriton import native_specialize_impl
    from triton._utils import find_paths_if, get_iterable_path

    nested = (1, (2, "x"), [3])
    assert find_paths_if(nested, lambda path, value: isinstance(value, int)) == [(0,), (1, 0), (2, 0)]
    assert get_iterable_path(nested, (1, 1)) == "x"
    for value, expected in [(1, ("constexpr", 1)), (32, ("i32", "D")), (33, ("i32", "")), (2**40, ("i64", "D")),
                            (2**63, ("u64", "D")), (1.0, ("fp32", None)), (True, ("u1", None)),
                            (None, ("constexpr", None)), ((1, 2.0), (("constexpr", "fp32"), (1, None)))]:
        assert native_specialize_impl(None, value) == expected
    with pytest.raises(OverflowError):
        native_specialize_impl(None, 2**64)
    assert triton.next_power_of_2(17) == 32 and triton.cdiv(17, 4) == 5


def test_types_survive_pickling():
    for each in (tl.float32, tl.pointer_type(tl.int8), tl.bfloat16):
        assert pickle.loads(pickle.dumps(each)) is each


def test_files_under_a_key(tmp_path, monkeypatch):
    from triton.runtime.cache import get_cache_manager

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    manager = get_cache_manager("ab" * 32)
    assert manager.get_file("a.txt") is None
    path = manager.put("text", "a.txt")
    assert manager.get_file("a.txt") == path and manager.has_file("a.txt") and path.startswith(str(tmp_path))
    manager.put_group("all", {"a.txt": path, "b.bin": "gone"})
    assert manager.get_group("all") == {"a.txt": path}
    assert manager.get_group("none") is None


def test_children_see_the_same_package(tmp_path):
    script = tmp_path / "child.py"
    script.write_text("import subprocess, sys\n"
                      "subprocess.run([sys.executable, '-c', 'import triton; print(triton.__file__)'], check=True)\n")
    fake = tmp_path / "site" / "triton"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("raise SystemError('the wrong triton')")
    import os

    path = os.pathsep.join([str(fake.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "tilewright.triton", str(script)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert "tilewright" in done.stdout and str(fake) not in done.stdout


def test_microscaling_arrays_of_the_host():
    from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor

    values = np.array([0, 0.25, 0.3, 0.75, 1.25, 2.5, 5, 100, -0.5, -7], np.float32)
    numbers = MXFP4Tensor(data=values)
    np.testing.assert_array_equal(numbers.to(np.float32), [0, 0, 0.5, 1, 1, 2, 4, 6, -0.5, -6])
    matrix = MXFP4Tensor(size=(8, 6)).random()
    for dim in (0, 1):
        packed = matrix.to_packed_tensor(dim)
        assert packed.shape[dim] == matrix.data.shape[dim] // 2
        np.testing.assert_array_equal(matrix.unpack_packed_tensor(packed, dim, (8, 6)), matrix.data)
    scales = MXScaleTensor(data=np.array([1.0, 3.0, 0.25, np.nan]))
    np.testing.assert_array_equal(scales.to(np.float32), np.array([1, 2, 0.25, np.nan], np.float32))
    drawn = MXScaleTensor(size=(100,)).random(0.5, 4.0).to(np.float32)
    assert drawn.min() >= 0.5 and drawn.max() <= 4
    with pytest.raises(ValueError, match="read as float32"):
        scales.to(np.float16)


def test_code_on_the_command_line():
    done = subprocess.run([sys.executable, "-m", "tilewright.triton", "-c",
                           "import sys, triton; print(sys.argv, triton.cdiv(7, 2))", "a"],
                          capture_output=True, text=True)
    assert done.stdout == "['-c', 'a'] 4\n", done.stderr
    for arguments in (["-c"], ["-m"], []):
        done = subprocess.run([sys.executable, "-m", "tilewright.triton", *arguments], capture_output=True, text=True)
        assert done.returncode == 2 and "usage:" in done.stdout + done.stderr
    done = subprocess.run([sys.executable, "-m", "tilewright.triton", "nowhere.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no file nowhere.py" in done.stderr
