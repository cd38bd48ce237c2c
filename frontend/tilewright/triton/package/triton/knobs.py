"""Triton's settings: each an attribute of a group, an environment variable, or both.

Those with a meaning here are obeyed. Setting another one to what is not its default warns: it only tunes
Triton's own code, or asks for what is not offered. ``with knobs.<group>.scope():`` undoes what is set inside.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tilewright import config, hooks
from tilewright.hooks import CompileTimes as CompileTimes
from tilewright.hooks import HookChain as HookChain
from tilewright.hooks import JitFunctionInfo as JitFunctionInfo
from tilewright.jit import forget_kernels
from tilewright.triton import environment

#: Whether a setting also goes to the environment, for child processes.
propagate_env = True


def setenv(key: str, value: str | None) -> None:
    """Set or clear an environment variable, if settings go there."""
    if not propagate_env:
        return
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = value


def toBool(value: str) -> bool:  # noqa: N802 - Triton's name
    """A flag's text as a bool."""
    return value.strip().lower() in ("1", "true", "on", "y", "yes")


class _Knob:
    """A setting that an environment variable gives too."""

    def __init__(self, key: str, default: Any = None, parse: Callable[[str], Any] = str, obeyed: bool = False) -> None:
        self.key = key
        self.default = default
        self.parse = parse
        self.obeyed = obeyed

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: Any, owner: type | None = None) -> Any:
        if group is None:
            return self
        text = config.raw(self.key)
        return self.default if text is None else self.parse(text)

    def __set__(self, group: Any, value: Any) -> None:
        text = None if value is None else {True: "1", False: "0"}.get(value, str(value)) \
            if isinstance(value, bool) else str(value)
        if not self.obeyed and value not in (None, self.default):
            warnings.warn(f"knobs.{group.name}.{self.name} has no effect: Tilewright runs this program in Triton's "
                          "place", RuntimeWarning, stacklevel=2)
        config.override(self.key, text)
        setenv(self.key, text)
        forget_kernels()

    def __delete__(self, group: Any) -> None:
        self.__set__(group, None)


def _text(key: str, default: str | None = None, obeyed: bool = False) -> Any:
    return _Knob(key, default, str, obeyed)


def _flag(key: str, default: bool = False, obeyed: bool = False) -> Any:
    return _Knob(key, default, toBool, obeyed)


def _number(key: str, default: int | None = None) -> Any:
    return _Knob(key, default, int)


class base_knobs:  # noqa: N801 - Triton's name
    """A group of settings."""

    name = ""

    @property
    def knob_descriptors(self) -> dict[str, Any]:
        """The settings that variables give, by attribute."""
        return {name: each for name, each in vars(type(self)).items() if isinstance(each, _Knob)}

    @property
    def knobs(self) -> dict[str, Any]:
        """All settings with their values."""
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self) -> base_knobs:
        """The group itself: a setting has one value in a process."""
        return self

    def reset(self) -> base_knobs:
        """Back to what the environment of the process's start said, or the defaults."""
        for each in self.knob_descriptors.values():
            config.override(each.key, None)
        forget_kernels()
        return self

    def _save(self) -> Callable[[], None]:
        keys = [each.key for each in self.knob_descriptors.values()]
        texts = {key: (config.overridden(key), os.environ.get(key)) for key in keys}

        def restore() -> None:
            for key, (text, outer) in texts.items():
                config.override(key, text)
                if outer is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = outer

        return restore

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Undo at the end what is set inside."""
        restore = self._save()
        try:
            yield
        finally:
            restore()
            forget_kernels()


class build_knobs(base_knobs):  # noqa: N801
    """Building launchers, which needs no other compiler here."""

    name = "build"
    cc = _text("CC")
    cudacrt_path = _text("TRITON_CUDACRT_PATH")
    cudart_path = _text("TRITON_CUDART_PATH")
    impl = None
    backend_dirs: set[str] = set()


class redis_knobs(base_knobs):  # noqa: N801
    """A cache on another machine."""

    name = "redis"
    key_format = _text("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = _text("TRITON_REDIS_HOST", "localhost")
    port = _number("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):  # noqa: N801
    """Where kernels are kept on disk."""

    name = "cache"
    home_dir = _text("TRITON_HOME", os.path.expanduser("~"), obeyed=True)
    dump_dir = _text("TRITON_DUMP_DIR", obeyed=True)
    override_dir = _text("TRITON_OVERRIDE_DIR", obeyed=True)
    dir = _text("TRITON_CACHE_DIR", obeyed=True)
    manager_class = _text("TRITON_CACHE_MANAGER")
    remote_manager_class = _text("TRITON_REMOTE_CACHE_BACKEND")

    def get_triton_dir(self, dirname: str) -> str:
        """A folder beside the cache."""
        return str(environment.home() / dirname)


class compilation_knobs(base_knobs):  # noqa: N801
    """How kernels are compiled."""

    name = "compilation"
    override = _flag("TRITON_KERNEL_OVERRIDE", obeyed=True)
    dump_ir = _flag("TRITON_KERNEL_DUMP", obeyed=True)
    store_binary_only = _flag("TRITON_STORE_BINARY_ONLY", obeyed=True)
    always_compile = _flag("TRITON_ALWAYS_COMPILE", obeyed=True)
    use_ir_loc = _text("USE_IR_LOC")
    enable_asan = _flag("TRITON_ENABLE_ASAN")
    disable_line_info = _flag("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = _flag("TRITON_FRONT_END_DEBUGGING", obeyed=True)
    allow_non_constexpr_globals = _flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", obeyed=True)
    instrumentation_mode = _text("TRITON_INSTRUMENTATION_MODE", "")
    fpsan_homomorphic_casts = _flag("TRITON_FPSAN_HOMOMORPHIC_CASTS")
    dump_ir_extract_di_local_variables = _flag("LLVM_EXTRACT_DI_LOCAL_VARIABLES")

    @property
    def listener(self) -> Any:
        """Called for each kernel: ``(*, src, metadata, metadata_group, times, cache_hit)``."""
        return hooks.compilation_listeners[-1] if hooks.compilation_listeners else None

    @listener.setter
    def listener(self, function: Any) -> None:
        hooks.compilation_listeners[:] = [] if function is None else [function]

    def _save(self) -> Callable[[], None]:
        restore, listeners = super()._save(), list(hooks.compilation_listeners)

        def restore_all() -> None:
            restore()
            hooks.compilation_listeners[:] = listeners

        return restore_all


class autotuning_knobs(base_knobs):  # noqa: N801
    """How kernels are tuned."""

    name = "autotuning"
    cache = _flag("TRITON_CACHE_AUTOTUNING", obeyed=True)
    print = _flag("TRITON_PRINT_AUTOTUNING", obeyed=True)

    @property
    def listener(self) -> Any:
        """Called after each tuning: ``(*, fn, key, best_config, configs_timings, cache_hit)``."""
        return hooks.autotuning_listeners[-1] if hooks.autotuning_listeners else None

    @listener.setter
    def listener(self, function: Any) -> None:
        hooks.autotuning_listeners[:] = [] if function is None else [function]


def _chain(chain: HookChain) -> Any:
    """A chain of hooks as an attribute; assigning a function makes it the only one."""
    def get(group: Any) -> HookChain:
        return chain

    def assign(group: Any, value: Any) -> None:
        if value is not chain:
            chain.replace(list(value.calls) if isinstance(value, HookChain) else [] if value is None else [value])

    return property(get, assign)


def _single(functions: list[Any]) -> Any:
    """One hook as an attribute."""
    def get(group: Any) -> Any:
        return functions[-1] if functions else None

    def assign(group: Any, value: Any) -> None:
        functions[:] = [] if value is None else [value]
        hooks.watched.update()

    return property(get, assign)


class runtime_knobs(base_knobs):  # noqa: N801
    """What happens around launches."""

    name = "runtime"
    interpret = _flag("TRITON_INTERPRET", obeyed=True)
    debug = _flag("TRITON_DEBUG", obeyed=True)
    override_arch = _text("TRITON_OVERRIDE_ARCH", obeyed=True)
    launch_enter_hook = _chain(hooks.launch_enter)
    launch_exit_hook = _chain(hooks.launch_exit)
    kernel_load_start_hook = _chain(hooks.kernel_load_start)
    kernel_load_end_hook = _chain(hooks.kernel_load_end)
    kernel_unload_hook = _chain(hooks.kernel_unload)
    jit_cache_hook = _single(hooks.before_compile)
    jit_post_compile_hook = _single(hooks.after_compile)

    @property
    def add_stages_inspection_hook(self) -> None:
        """Always None: the list of stages is the compiler's own."""
        return None

    @add_stages_inspection_hook.setter
    def add_stages_inspection_hook(self, value: Any) -> None:
        if value is not None:
            raise NotImplementedError("knobs.runtime.add_stages_inspection_hook: Tilewright's stages cannot be "
                                      "rewritten by a program; edit one with TILEWRIGHT_DUMP and TILEWRIGHT_OVERRIDE")

    def _save(self) -> Callable[[], None]:
        restore = super()._save()
        chains = (hooks.launch_enter, hooks.launch_exit, hooks.kernel_load_start, hooks.kernel_load_end,
                  hooks.kernel_unload)
        calls = [(chain, list(chain.calls)) for chain in chains]
        singles = [(single, list(single)) for single in (hooks.before_compile, hooks.after_compile)]

        def restore_all() -> None:
            restore()
            for chain, saved in calls:
                chain.replace(saved)
            for single, saved in singles:
                single[:] = saved
            hooks.watched.update()

        return restore_all


class language_knobs(base_knobs):  # noqa: N801
    """What the language's defaults are."""

    name = "language"
    fp32_default = _text("TRITON_F32_DEFAULT", obeyed=True)
    default_fp_fusion = _flag("TRITON_DEFAULT_FP_FUSION", True, obeyed=True)
    force_disable_fp_fusion = _flag("TRITON_FORCE_DISABLE_FP_FUSION", obeyed=True)


class nvidia_knobs(base_knobs):  # noqa: N801
    """NVIDIA's tools."""

    name = "nvidia"
    ptxas = _text("TRITON_PTXAS_PATH", obeyed=True)
    ptxas_blackwell = _text("TRITON_PTXAS_BLACKWELL_PATH")
    cuobjdump = _text("TRITON_CUOBJDUMP_PATH")
    nvdisasm = _text("TRITON_NVDISASM_PATH")
    dump_nvptx = _flag("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = _flag("DISABLE_PTXAS_OPT", obeyed=True)
    ptxas_options = _text("PTXAS_OPTIONS", obeyed=True)
    mock_ptx_version = _text("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = _flag("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = _text("TRITON_LIBDEVICE_PATH")
    libcuda_path = _text("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):  # noqa: N801
    """AMD's code."""

    name = "amd"
    codegen_path = _text("TRITON_AMD_CODEGEN_PATH")
    use_buffer_ops = _flag("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = _flag("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = _flag("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = _flag("AMDGCN_ENABLE_DUMP")
    libhip_path = _text("TRITON_LIBHIP_PATH")
    use_block_pingpong = _Knob("TRITON_HIP_USE_BLOCK_PINGPONG", None, toBool)
    use_in_thread_transpose = _flag("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = _Knob("TRITON_HIP_USE_ASYNC_COPY", None, toBool)
    use_coexec_scheduler = _flag("TRITON_HIP_USE_COEXEC_SCHEDULER")
    use_expert_scheduling = _flag("TRITON_HIP_USE_EXPERT_SCHEDULING")
    scalarize_packed_fops = _flag("AMDGCN_SCALARIZE_PACKED_FOPS")
    dump_mir = _text("TRITON_DUMP_MIR")
    swap_mir = _text("TRITON_SWAP_MIR")


class proton_knobs(base_knobs):  # noqa: N801
    """Triton's profiler."""

    name = "proton"
    disable = _flag("TRITON_PROTON_DISABLE", obeyed=True)
    cupti_lib_dir = _text("TRITON_CUPTI_LIB_PATH")
    profile_buffer_size = _number("TRITON_PROFILE_BUFFER_SIZE", 64 * 1024 * 1024)
    profile_metric_buffer_size = _number("TRITON_PROFILE_METRIC_BUFFER_SIZE", 64 * 1024 * 1024)
    enable_nvtx = _flag("TRITON_ENABLE_NVTX", True)
    enable_hw_trace = _flag("TRITON_ENABLE_HW_TRACE")


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


def refresh_knobs() -> None:
    """Forget what was read of the environment; each setting is read when it is asked for, so only kernels
    that were compiled before have to go."""
    forget_kernels()
