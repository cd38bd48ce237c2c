"""Choosing a kernel's constants and options by trying them, or by computing them from the arguments."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tilewright import config, hooks
from tilewright.errors import CompileTimeAssertionFailure, OutOfResources
from tilewright.jit import KernelInterface
from tilewright.options import option_names
from tilewright.runtime import gpu
from tilewright.tuning_results import Results, is_on_gpu

Hook = Callable[..., Any]
Timing = list[float]

#: Milliseconds of running before and of measuring a configuration on the CPU.
_CPU_WARMUP, _CPU_REPETITION = 5, 25


@dataclass
class Config:
    """One way to run a kernel: values of its constants, and options.

    Attributes:
        kwargs: Constants by the parameter's name.
        num_warps: Warps of a program: a power of two, 12 or 24.
        num_stages: Stages that loads run ahead.
        num_ctas: Blocks of a program.
        maxnreg: Bound of a thread's registers.
        pre_hook: Called with all arguments by name before each run with this configuration.
        ir_override: A file with an edited stage to go on from; see `CompileOptions`.
    """

    kwargs: dict[str, Any]
    num_warps: int | None = 4
    num_stages: int | None = 3
    num_ctas: int | None = 1
    maxnreg: int | None = None
    pre_hook: Hook | None = None
    ir_override: str | None = field(default=None, repr=False)

    def all_kwargs(self) -> dict[str, Any]:
        """Constants and options, as a launch takes them."""
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas, "num_stages": self.num_stages,
                   "maxnreg": self.maxnreg, "ir_override": self.ir_override}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __hash__(self) -> int:
        return hash((str(self), self.pre_hook))


class _Wrapper(KernelInterface):
    """A kernel whose arguments are completed before it is launched."""

    def __init__(self, fn: Any, arg_names: Sequence[str]) -> None:
        self.fn = fn
        self.arg_names: list[str] = list(arg_names)
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        self.__module__ = getattr(fn, "__module__", __name__)

    @property
    def jit_function(self) -> Any:
        """The kernel below all wrappers."""
        return self.fn.jit_function if isinstance(self.fn, _Wrapper) else self.fn

    @property
    def base_fn(self) -> Any:
        """The Python function below all wrappers."""
        return getattr(self.jit_function, "fn", self.jit_function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)  # which says how to launch

    def _check_names(self, what: str, names: Iterable[str], options: bool = False) -> None:
        known = {*self.arg_names, *(option_names() if options else ())}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(f"{what} of '{self.__name__}' names '{unknown[0]}', which is no parameter of it; they are "
                             f"{', '.join(self.arg_names)}")


class Heuristics(_Wrapper):
    """A kernel some of whose constants are computed from the other arguments; see `heuristics`."""

    def __init__(self, fn: Any, arg_names: Sequence[str],
                 values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        super().__init__(fn, arg_names)
        self.values = dict(values)
        self._check_names("heuristics", self.values, options=True)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args, strict=False)), **kwargs})
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


class Autotuner(_Wrapper):
    """A kernel that is timed in several configurations; see `autotune`, which explains the arguments.

    Attributes:
        configs: The configurations.
        best_config: The one of the last launch.
        cache: The choice for each tuning key.
        configs_timings: Milliseconds of the last tuning (median, low, high), by configuration.
        bench_time: Seconds that the last tuning took.
        nargs: The positional arguments of the last launch, by name.
    """

    def __init__(self, fn: Any, arg_names: Sequence[str], configs: Sequence[Config] | None, key: Sequence[str],
                 reset_to_zero: Sequence[str] | None, restore_value: Sequence[str] | None, pre_hook: Hook | None = None,
                 post_hook: Hook | None = None, prune_configs_by: Mapping[str, Any] | None = None,
                 warmup: int | None = None, rep: int | None = None, use_cuda_graph: bool = False,
                 do_bench: Hook | None = None, cache_results: bool = False) -> None:
        super().__init__(fn, arg_names)
        self.configs = list(configs or ()) or [Config({})]
        self.keys = [key] if isinstance(key, str) else list(key)
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.pre_hook: Hook = pre_hook or self._reset_arrays
        self.post_hook: Hook = post_hook or self._restore_arrays
        self.do_bench = _choose_bench(warmup, rep, use_cuda_graph, do_bench)
        self._has_own_bench = do_bench is not None
        self.cache_results = cache_results
        self.cache: dict[tuple, Config] = {}
        self.configs_timings: dict[Config, Timing] = {}
        self.bench_time = 0.0
        self.best_config: Config | None = None
        self.nargs: dict[str, Any] | None = None
        self.restore_copies: dict[str, Any] = {}
        self._last_failure: Exception | None = None
        self._check_names("autotune(key=)", self.keys)
        self._check_names("autotune(reset_to_zero=)", self.reset_to_zero)
        self._check_names("autotune(restore_value=)", self.restore_value)
        for option in self.configs:
            self._check_names(f"Config({option})", option.kwargs, options=True)
        self._read_pruning(prune_configs_by)

    def _read_pruning(self, prune_configs_by: Mapping[str, Any] | None) -> None:
        pruning = dict(prune_configs_by or {})
        self.early_config_prune: Hook | None = pruning.pop("early_config_prune", None)
        self.perf_model: Hook | None = pruning.pop("perf_model", None)
        self.configs_top_k: float = pruning.pop("top_k", 1.0)
        if pruning:
            raise ValueError(f"autotune(prune_configs_by=) of '{self.__name__}' has the unknown entry "
                             f"'{next(iter(pruning))}'; expected early_config_prune, perf_model, top_k")
        if isinstance(self.configs_top_k, bool) or not isinstance(self.configs_top_k, (int, float)):
            raise TypeError(f"autotune(prune_configs_by=) of '{self.__name__}': top_k must be a number, got "
                            f"{self.configs_top_k!r}")

    # --- launching ------------------------------------------------------------------------------------
    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        named = {**self.nargs, **kwargs}
        self._check_conflicts(kwargs)
        if warmup:
            return [self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **option.all_kwargs()})
                    for option in self._prune(named, kwargs)]
        if len(self.configs) == 1:
            best = self.configs[0]
        else:
            key = self._tuning_key(named)
            best = self.cache.get(key) or self._tune(key, args, named, grid, kwargs)
        self.best_config = best
        if best.pre_hook is not None:
            best.pre_hook({**named, **best.all_kwargs()})
        return self.fn.run(*args, grid=grid, **{**kwargs, **best.all_kwargs()})

    def _check_conflicts(self, kwargs: Mapping[str, Any]) -> None:
        conflicts = sorted({name for option in self.configs for name in option.kwargs if name in kwargs})
        if conflicts:
            raise ValueError(f"Conflicting meta-parameters of '{self.__name__}': {', '.join(conflicts)}: they are "
                             "tuned, and cannot be given by the launch as well")

    def prune_configs(self, kwargs: dict[str, Any]) -> list[Config]:
        """The configurations that would be tried for the last launch's arguments and these."""
        return self._prune({**(self.nargs or {}), **kwargs}, kwargs)

    def _tuning_key(self, named: Mapping[str, Any]) -> tuple:
        """Values of the key's arguments, and types of all arrays."""
        values = [named[name] for name in self.keys if name in named]
        types = [str(named[name].dtype) for name in self.arg_names if hasattr(named.get(name), "dtype")]
        # A process that works on a GPU may run the kernel on the CPU as well, where another choice is best.
        elsewhere = ("cpu",) if gpu.is_in_use() and not is_on_gpu(named) else ()
        return (*values, *types, *elsewhere)

    # --- tuning ---------------------------------------------------------------------------------------
    def _tune(self, key: tuple, args: tuple, named: dict[str, Any], grid: Any, kwargs: dict[str, Any]) -> Config:
        start = time.perf_counter()
        candidates = self._prune(named, kwargs)
        disk = Results(self, key, named)
        timings = {option: known for option in candidates if (known := disk.get(option)) is not None}
        fresh = [option for option in candidates if option not in timings]
        groups = self._group_equal(fresh, named)
        self._compile_all([group[0] for group in groups], args, grid, kwargs)
        for group in groups:
            timing = self._measure(group[0], args, named, grid, kwargs)
            timings.update({option: timing for option in group})
        self.configs_timings = timings
        best = min(timings, key=lambda option: timings[option])
        if math.isinf(timings[best][0]):
            raise AutotunerError(f"no configuration of '{self.__name__}' can run; the last one failed "
                                 "as shown above") from self._last_failure
        if fresh:
            disk.put(timings)
            # The launch that follows must not see what the trials left.
            self.pre_hook({**named, **best.all_kwargs()}, reset_only=True)
        self.bench_time = time.perf_counter() - start
        if config.print_autotuning():
            self._print(key, timings, best)
        self.cache[key] = best
        for listener in list(hooks.autotuning_listeners):
            listener(fn=self.jit_function, key=key, best_config=best, configs_timings=timings, cache_hit=not fresh)
        return best

    def _group_equal(self, options: Sequence[Config], named: Mapping[str, Any]) -> list[list[Config]]:
        """Configurations that are the same kernel: on the CPU those that differ in a GPU's options alone."""
        if self._has_own_bench or is_on_gpu(named):
            return [[option] for option in options]
        from tilewright.runtime.cpu import UNUSED_OPTIONS

        groups: dict[str, list[Config]] = {}
        for option in options:
            used = {name: value for name, value in option.all_kwargs().items() if name not in UNUSED_OPTIONS
                    or name in self.arg_names}
            groups.setdefault(repr((sorted(used.items()), option.pre_hook)), []).append(option)
        return list(groups.values())

    def _compile_all(self, options: Sequence[Config], args: tuple, grid: Any, kwargs: dict[str, Any]) -> None:
        """Compile side by side; what fails does so again, and is reported, when it is measured."""
        if len(options) < 2:
            return
        from tilewright.runtime.cpu import available_cpus

        def compile_one(option: Config) -> None:
            with suppress(Exception):
                self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **option.all_kwargs()})

        with ThreadPoolExecutor(min(len(options), available_cpus())) as pool:
            list(pool.map(compile_one, options))

    def _measure(self, option: Config, args: tuple, named: dict[str, Any], grid: Any, kwargs: dict[str, Any]) -> Timing:
        """Times of one configuration; infinite if it cannot be compiled or does not fit the device."""
        current = {**named, **option.all_kwargs()}

        def run() -> None:
            if option.pre_hook is not None:
                option.pre_hook(current)
            self.pre_hook(current, reset_only=False)
            try:
                self.fn.run(*args, grid=grid, **{**kwargs, **option.all_kwargs()})
            except Exception as error:
                self.post_hook(current, exception=error)
                raise
            self.post_hook(current, exception=None)

        from tilewright.runtime.errors import AssemblerError

        try:
            times = self._bench(run, named)
        except (OutOfResources, CompileTimeAssertionFailure, AssemblerError) as error:
            self._last_failure = error
            if config.print_autotuning():
                print(f"autotuning {self.__name__}: {option}: {error}")
            return [math.inf] * 3
        return [float(time) for time in times] if isinstance(times, (list, tuple)) else [float(times)]

    def _bench(self, run: Callable[[], None], named: Mapping[str, Any]) -> Any:
        quantiles = (0.5, 0.2, 0.8)
        if self.do_bench is not None:
            return self.do_bench(run, quantiles=quantiles)
        from tilewright.testing import do_bench

        if is_on_gpu(named):
            return do_bench(run, quantiles=quantiles, device="gpu")
        # Runs on the CPU are timed one by one and without a queue: a few tell as much as many.
        return do_bench(run, warmup=_CPU_WARMUP, rep=_CPU_REPETITION, quantiles=quantiles, device="cpu")

    def _reset_arrays(self, named: dict[str, Any], reset_only: bool = False) -> None:
        """What is done before a trial; an array that is None is left alone."""
        for name in self.reset_to_zero:
            if named[name] is not None:
                _assign(named[name], 0)
        if not reset_only:
            self.restore_copies = {name: _clone(named[name]) for name in self.restore_value if named[name] is not None}

    def _restore_arrays(self, named: dict[str, Any], exception: Exception | None = None) -> None:
        """What is done after a trial."""
        for name, value in self.restore_copies.items():
            _assign(named[name], value)
        self.restore_copies = {}

    # --- pruning --------------------------------------------------------------------------------------
    def _prune(self, named: dict[str, Any], kwargs: dict[str, Any]) -> list[Config]:
        candidates = self.configs
        if self.early_config_prune is not None:
            candidates = list(self.early_config_prune(candidates, named, **kwargs))
            if not candidates:
                raise AutotunerError(f"early_config_prune of '{self.__name__}' leaves no configuration")
        if self.perf_model is None:
            return candidates
        top = self.configs_top_k
        count = int(len(self.configs) * top) if isinstance(top, float) and top <= 1.0 else int(top)
        if len(candidates) <= count:
            return candidates
        estimates = {option: self.perf_model(**{**named, **kwargs, **option.all_kwargs()}) for option in candidates}
        return sorted(candidates, key=lambda option: estimates[option])[:max(count, 1)]

    def _print(self, key: tuple, timings: Mapping[Config, Timing], best: Config) -> None:
        print(f"autotuning {self.__name__} for {key}:")
        for option, times in sorted(timings.items(), key=lambda item: item[1]):
            print(f"  {times[0]:10.4f} ms  {option}{'  <- chosen' if option is best else ''}")


class AutotunerError(ValueError):
    """A kernel cannot be tuned."""


def _clone(value: Any) -> Any:
    return value.clone() if hasattr(value, "clone") else value.copy()


def _assign(array: Any, value: Any) -> None:
    if hasattr(array, "copy_"):
        array.zero_() if isinstance(value, int) else array.copy_(value)
    else:
        array[...] = value


def autotune(configs: Sequence[Config], key: Sequence[str], prune_configs_by: Mapping[str, Any] | None = None,
             reset_to_zero: Sequence[str] | None = None, restore_value: Sequence[str] | None = None,
             pre_hook: Hook | None = None, post_hook: Hook | None = None, warmup: float | None = None,
             rep: float | None = None, use_cuda_graph: bool = False, do_bench: Hook | None = None,
             cache_results: bool = False) -> Callable[[Any], Autotuner]:
    """Run a kernel in the fastest of several configurations, found when it is first launched.

    Args:
        configs: What to try.
        key: Parameters whose values ask for a choice of their own; types of arrays do so too.
        prune_configs_by: ``early_config_prune``, a function from the configurations and the named arguments to
            those worth trying; ``perf_model``, which estimates the time of one, and ``top_k``, how many (or
            which part) of the best to try.
        reset_to_zero: Arrays set to zero before each trial.
        restore_value: Arrays that get their contents back after each trial.
        pre_hook: Called instead of these two before a trial, with the named arguments and `reset_only`.
        post_hook: Called after a trial, with the named arguments and its error or None.
        warmup: Milliseconds of running before measuring.
        rep: Milliseconds of measuring.
        use_cuda_graph: Has no effect: the time of launching is left out in either case.
        do_bench: Times a function instead of `tilewright.testing.do_bench`; takes ``quantiles``.
        cache_results: Keep the times on disk.

    Example:
        >>> @autotune([Config({"BLOCK": 256}), Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
        ... @jit
        ... def scale(x, n, BLOCK: tl.constexpr): ...
    """
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook, post_hook,
                                prune_configs_by, warmup, rep, use_cuda_graph, do_bench, cache_results)


def _choose_bench(warmup: int | None, rep: int | None, use_cuda_graph: bool, do_bench: Hook | None) -> Hook | None:
    """What times a configuration; None for the usual way."""
    if do_bench is not None or (warmup is None and rep is None and not use_cuda_graph):
        return do_bench
    from tilewright import testing

    # A graph of launches is another way to leave the time of launching out, which is left out anyway.
    return partial(testing.do_bench, warmup=25 if warmup is None else warmup, rep=100 if rep is None else rep)


def heuristics(values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Compute constants of a kernel from its arguments at each launch.

    Args:
        values: For each constant a function of the arguments by name.

    Example:
        >>> @heuristics({"BLOCK": lambda args: next_power_of_2(args["n"])})
        ... @jit
        ... def softmax(x, n, BLOCK: tl.constexpr): ...
    """
    return lambda fn: Heuristics(fn, fn.arg_names, values)
