"""What a program may have called around launches, compilations and the loading of kernels."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from . import config

if TYPE_CHECKING:
    from .jit import JITFunction
    from .kernel import CompiledKernel

Hook = Callable[..., Any]


class HookChain:
    """Functions that are called one after another.

    Args:
        reversed: Call the last one added first.
    """

    def __init__(self, reversed: bool = False) -> None:
        self.calls: list[Hook] = []
        self.reversed = reversed

    def add(self, hook: Hook) -> None:
        """Append a function; one that is there already stays once."""
        if hook not in self.calls:
            self.calls.append(hook)
        _update()

    def remove(self, hook: Hook) -> None:
        """Take a function out, if it is there."""
        if hook in self.calls:
            self.calls.remove(hook)
        _update()

    def replace(self, hooks: list[Hook]) -> None:
        """Have these functions alone."""
        self.calls[:] = hooks
        _update()

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for hook in self.calls[::-1] if self.reversed else list(self.calls):
            hook(*args, **kwargs)

    def __bool__(self) -> bool:
        return True  # a chain is there, even without functions

    def __iter__(self) -> Iterator[Hook]:
        return iter(list(self.calls))


#: Called before and after each launch with `LazyFacts` about it.
launch_enter = HookChain()
launch_exit = HookChain(reversed=True)
#: Called before and after a kernel is loaded: (module, function, name, metadata_group, hash).
kernel_load_start = HookChain()
kernel_load_end = HookChain(reversed=True)
#: Called with the same when a kernel goes away.
kernel_unload = HookChain(reversed=True)
#: Called with (key, repr, fn, compile, is_manual_warmup, already_compiled), all by name, before a kernel is
#: obtained; one that returns True prevents it.
before_compile: list[Hook] = []
#: Called with the same when it was obtained.
after_compile: list[Hook] = []
#: Whether the kernel that is obtained is only to be compiled, as `kernel.warmup` asks.
is_warmup: ContextVar[bool] = ContextVar("is_warmup", default=False)
#: Called with (src, metadata, metadata_group, times, cache_hit), all by name, for each kernel compiled or read.
compilation_listeners: list[Hook] = []
#: Called with (fn, key, best_config, configs_timings, cache_hit), all by name, after each tuning.
autotuning_listeners: list[Hook] = []


class _Watched:
    """Whether launches take the way that calls hooks; a plain attribute, as each launch reads it."""

    def __init__(self) -> None:
        self.launches = False
        self._reasons: list[Any] = []

    def keep(self, reason: Any) -> None:
        """Watch launches as long as a reason holds."""
        self._reasons.append(reason)
        _update()

    def release(self, reason: Any) -> None:
        """A reason holds no longer."""
        self._reasons.remove(reason)
        _update()

    def update(self) -> None:
        """Look whether there is anything to call."""
        self.launches = bool(launch_enter.calls or launch_exit.calls or before_compile or self._reasons)


watched = _Watched()


def _update() -> None:
    watched.update()


class LazyFacts:
    """Facts about a launch, those of the kernel's author computed when first asked for."""

    def __init__(self, facts: dict[str, Any], more: Callable[[], dict[str, Any] | None] | None = None) -> None:
        self.data = facts
        self.extras: list[Callable[[], dict[str, Any] | None]] = [] if more is None else [more]

    def add(self, function: Callable[..., dict[str, Any] | None], args: tuple) -> None:
        """Further facts: what a function of these arguments gives."""
        self.extras.append(lambda: function(*args))

    def get(self) -> dict[str, Any]:
        """All facts."""
        for extra in self.extras:
            self.data = {**self.data, **(extra() or {})}
        self.extras.clear()
        return self.data


def describe_launch(kernel: CompiledKernel, grid: Any, stream: Any, arguments: dict[str, Any]) -> LazyFacts:
    """What the hooks around a launch are given."""
    facts = {"name": kernel.name, "function": kernel.executable, "stream": stream}
    describe = getattr(kernel.fn, "launch_metadata", None)
    more = None if describe is None else lambda: describe(grid, kernel.metadata, arguments)
    return LazyFacts(facts, more)


# --- compilation ----------------------------------------------------------------------------------------
@dataclass
class CompileTimes:
    """How long the parts of a compilation took, in microseconds."""

    ir_initialization: int = 0
    lowering_stages: list[tuple[str, int]] = field(default_factory=list)
    store_results: int = 0

    @property
    def total_lowering(self) -> int:
        """Of all stages."""
        return sum(duration for _, duration in self.lowering_stages)

    @property
    def total(self) -> int:
        """Of everything."""
        return self.ir_initialization + self.total_lowering + self.store_results


class Stopwatch:
    """Measures the parts of one compilation.

    Args:
        times: Of its parts so far, for what is done later.
    """

    def __init__(self, times: CompileTimes | None = None) -> None:
        self.times = times or CompileTimes()
        self._last = time.perf_counter_ns()

    def lap(self, part: str) -> int:
        """The time since the last lap belongs to a part: a field of the times, or a stage; gives it."""
        now = time.perf_counter_ns()
        duration = (now - self._last) // 1000
        self._last = now
        if part in ("ir_initialization", "store_results"):
            setattr(self.times, part, duration)
        else:
            self.times.lowering_stages.append((part, duration))
        return duration


def print_times(what: str, parts: list[tuple[str, int]]) -> None:
    """Show durations in microseconds where `TILEWRIGHT_TIMES` asks for it."""
    if config.print_times():
        shown = ", ".join(f"{part} {duration / 1000:.1f}" for part, duration in parts)
        total = sum(duration for _, duration in parts) / 1000
        print(f"{what}: {shown}{f'; in all {total:.1f}' if len(parts) > 1 else ''} ms", file=sys.stderr)


def report_compilation(kernel: CompiledKernel, watch: Stopwatch, cache_hit: bool = False) -> None:
    """Tell the listeners of a kernel that was compiled, or read from the disk."""
    for listener in list(compilation_listeners):
        listener(src=kernel.src, metadata=kernel.metadata._asdict(), metadata_group={}, times=watch.times,
                 cache_hit=cache_hit)


class JitFunctionInfo(NamedTuple):
    """A function as hooks are told of it."""

    module: str
    name: str
    jit_function: JITFunction


def call_compile_hooks(hooks: list[Hook], source: Any, specialization: Any) -> bool:
    """Tell hooks of a specialization; whether one of them prevents its compilation."""
    if not hooks:
        return False
    from .options import CompileOptions

    options = CompileOptions.parse(specialization.options)
    key = repr(specialization.key)
    types = ", ".join(f"{name}: {kind}" for name, kind in specialization.signature.items())
    shown = {name: getattr(options, name) for name in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion",
                                                       "launch_cooperative_grid")}
    described = f"{source.fn.__qualname__}[{', '.join(f'{k}={v}' for k, v in shown.items())}]({types})"
    request = {"key": key, "signature": dict(specialization.signature), "constants": dict(specialization.constexprs),
               "configs": [dict(specialization.divisibility)], "device": specialization.target,
               "extern_libs": options.extern_libs, **shown,
               "specialization_data": serialize(source, specialization), "is_warmup": is_warmup.get()}
    info = JitFunctionInfo(source.fn.__module__, source.fn.__qualname__, source)
    results = [hook(key=key, repr=described, fn=info, compile=request, is_manual_warmup=is_warmup.get(),
                    already_compiled=False) for hook in list(hooks)]
    return any(result is True for result in results)


# --- specializations as text ----------------------------------------------------------------------------
def _encode(value: Any) -> Any:
    """A constant as JSON holds it."""
    from .language.types import dtype

    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dtype):
        return {"dtype": value.short}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_encode(item) for item in value]}
    if hasattr(value, "cache_key"):
        return {"function": f"{value.__module__}:{value.__qualname__}"}
    raise TypeError(f"the constant {value!r} cannot be written as text")


def _decode(value: Any, names: dict[str, Any]) -> Any:
    from .language.types import parse_type

    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "dtype":
        return parse_type(content)
    if kind == "function":
        name = content.rpartition(":")[2]
        if name not in names:
            raise ValueError(f"the function {content} is not a global variable of the kernel's module")
        return names[name]
    items = [_decode(item, names) for item in content]
    return tuple(items) if kind == "tuple" else items


def serialize(source: Any, specialization: Any) -> str | None:
    """A specialization as JSON, for `JITFunction.preload`; None if a constant of it has no text."""
    try:
        constants = [[list(path), _encode(value)] for path, value in specialization.constexprs.items()]
        options = {name: _encode(value) for name, value in specialization.options.items()}
    except TypeError:
        return None
    return json.dumps({
        "name": f"{source.fn.__module__}.{source.fn.__qualname__}", "cache_key": source.cache_key,
        "signature": list(specialization.signature.items()), "constants": constants,
        "divisibility": [[list(path), value] for path, value in specialization.divisibility.items()],
        "options": options, "target": specialization.target, "plain": not specialization.tuple_types})


def deserialize(source: Any, text: str) -> Any:
    """The specialization that `serialize` wrote for this function.

    Raises:
        ValueError: If it was written for another function, or another text of it.
    """
    from .runtime.launch import Specialization

    data = json.loads(text)
    name = f"{source.fn.__module__}.{source.fn.__qualname__}"
    if data["name"] != name:
        raise ValueError(f"the specialization is of {data['name']}, not of {name}")
    if data["cache_key"] != source.cache_key:
        raise ValueError(f"{name} has changed since the specialization was written")
    if not data["plain"]:
        raise ValueError(f"{name}: named tuples among the arguments cannot be preloaded")

    def kind(value: Any) -> Any:
        return tuple(map(kind, value)) if isinstance(value, list) else value

    names = source.fn.__globals__
    return Specialization({key: kind(value) for key, value in data["signature"]},
                          {tuple(path): _decode(value, names) for path, value in data["constants"]},
                          {tuple(path): value for path, value in data["divisibility"]},
                          {key: _decode(value, names) for key, value in data["options"].items()}, data["target"])
