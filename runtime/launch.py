"""From a specialization to a loaded kernel: what the C++ launcher calls for a new key."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter
from typing import Any, Protocol

from tilewright import _launcher, hooks, remarks
from tilewright.launching import CompilationPrevented
from tilewright.options import option_names
from tilewright.runtime import dtypes
from tilewright.runtime.errors import DeviceAssertionError, MissingDriverError
from tilewright.runtime.stored import keep_remarks, obtain

#: Device types, in DLPack's numbers.
_CPU, _CUDA, _ROCM = 1, 2, 10

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Specialization:
    """What a kernel is compiled for.

    Attributes:
        signature: Type of each parameter as text ("*fp32", "i32", "constexpr", "i64:1" where the value is known to be
            1, though it is passed); of a tuple, a tuple.
        constexprs: Values by path: the parameter's name, and positions inside tuples.
        divisibility: What is known to divide an address or an integer, by path; only where not 1.
        tuple_types: Classes of the tuples that are not plain ones, by path.
        options: Of the launch, only those that were given.
        target: "cpu", or a vendor and an architecture.
    """

    signature: Mapping[str, Any]
    constexprs: Mapping[Path, Any]
    divisibility: Mapping[Path, int]
    options: Mapping[str, Any]
    target: str
    tuple_types: Mapping[Path, type] = field(default_factory=dict)

    @property
    def key(self) -> tuple:
        """Equal for equal specializations, and hashable."""
        # True, 1 and 1.0 are equal in Python, but different constants.
        constants = tuple((path, type(value), _hashable(value)) for path, value in self.constexprs.items())
        return (tuple(self.signature.items()), constants, tuple(self.divisibility.items()),
                tuple(sorted((name, _hashable(value)) for name, value in self.options.items())), self.target,
                tuple(self.tuple_types.items()))


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return ("list", *map(_hashable, value))
    if isinstance(value, tuple):
        return (type(value), *((type(item), _hashable(item)) for item in value))
    if isinstance(value, dict):
        return ("dict", *((name, _hashable(item)) for name, item in value.items()))
    # Zeros of both signs are equal as well, and NaN is not equal to itself.
    return value.hex() if isinstance(value, float) else value


class CompiledKernel(Protocol):
    """What the runtime needs of a compiled kernel."""

    name: str
    target: str
    asm: Mapping[str, str | bytes]
    metadata: Mapping[str, Any]
    executable: Any


class KernelSource(Protocol):
    """What the runtime needs of a function; see the README."""

    __name__: str
    params: Sequence[Any]

    def compile_for(self, specialization: Specialization) -> CompiledKernel: ...


@cache
def register_language_types() -> None:
    """Tell the launcher which types of arguments are constants."""
    from tilewright.ast.constants import constexpr
    from tilewright.jit import ConstexprFunction, JITFunction
    from tilewright.tools.tensor_descriptor import TensorDescriptor

    _launcher.register_types(constexpr=(constexpr,), function=(JITFunction, ConstexprFunction),
                             descriptor=(TensorDescriptor,))


def make_launcher(source: KernelSource) -> _launcher.Launcher:
    """The launcher of a function: ``launcher[grid](*args, **kwargs)`` gives the compiled kernel."""
    return Resolver(source).launcher


def _describe_parameter(parameter: Any) -> tuple:
    default = () if parameter.default is Parameter.empty else (parameter.default,)
    scalar_type = parameter.annotation_type
    if scalar_type is not None and scalar_type.startswith("*"):
        scalar_type = None  # of a pointer: the array tells
    by_value = not parameter.do_not_specialize
    by_alignment = (not parameter.do_not_specialize and not parameter.do_not_specialize_on_alignment)
    return (parameter.name, default, bool(parameter.is_constexpr), bool(parameter.is_const), by_value,
            by_alignment, scalar_type)


class Resolver:
    """Compiles and loads on a new key; one for each function.

    Attributes:
        launcher: Which calls this.
        loaded: Executables and kernels by specialization and device.
    """

    def __init__(self, source: KernelSource) -> None:
        register_language_types()
        self.source = source
        self.names = [parameter.name for parameter in source.params]
        self.loaded: dict[tuple, tuple[_launcher.Executable, CompiledKernel]] = {}
        parameters = tuple(_describe_parameter(parameter) for parameter in source.params)
        self.launcher = _launcher.Launcher(source.__name__, parameters, option_names(), self)

    def __call__(self, descriptions: list, options: dict, device_type: int, device_index: int,
                 read_only: list[int]) -> tuple[_launcher.Executable, CompiledKernel]:
        specialization = make_specialization(self.names, descriptions, options, target_of(device_type, device_index))
        pair = self.obtain(specialization, device_index)
        if read_only:
            _refuse_stores(pair[1], specialization, read_only)
        return pair

    def obtain(self, specialization: Specialization, device_index: int) -> tuple[_launcher.Executable, CompiledKernel]:
        """The loaded kernel of a specialization on a device."""
        key = (specialization.key, device_index)
        pair = self.loaded.get(key)
        if pair is None:
            if hooks.call_compile_hooks(hooks.before_compile, self.source, specialization):
                raise CompilationPrevented
            kernel = obtain(self.source, specialization)
            self.launcher.watch(getattr(self.source, "watched_globals", list)())
            pair = (load(kernel, device_index), kernel)
            keep_remarks(kernel)
            remarks.show(kernel)
            self.loaded[key] = pair
            hooks.call_compile_hooks(hooks.after_compile, self.source, specialization)
        return pair

    def preload(self, specialization: Specialization) -> CompiledKernel:
        """Have a kernel ready for launches that ask for it.

        Raises:
            ValueError: If it was meant for another device than this process has.
        """
        vendor = specialization.target.partition(":")[0]
        if vendor != "cpu" and specialization.target != target_of(_CUDA, 0):
            raise ValueError(f"the kernel is for {specialization.target}, this device is {target_of(_CUDA, 0)}")
        return self.obtain(specialization, 0)[1]


class DeviceCaches:
    """`caches[device]`: the kernels of a function on a device by their keys, then what further is known
    of the device: an empty table of keys, its target, what compiles for it, and the launcher."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __getitem__(self, device: Any) -> tuple:
        index = getattr(device, "index", device) or 0
        loaded = {} if self.fn._resolver is None else self.fn._resolver.loaded
        kernels = {key: kernel for (key, place), (_, kernel) in loaded.items() if place == index}
        target = next(iter(kernels.values())).target if kernels else ""
        return kernels, {}, target, None, self.fn.launcher

    def __iter__(self) -> Iterator[int]:
        loaded = {} if self.fn._resolver is None else self.fn._resolver.loaded
        return iter(sorted({place for _, place in loaded}))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, device: Any) -> bool:
        return (getattr(device, "index", device) or 0) in list(self)

    def keys(self) -> list[int]:
        """Devices that have kernels."""
        return list(self)

    def values(self) -> list[tuple]:
        """What is known of each device."""
        return [self[device] for device in self]

    def items(self) -> list[tuple[int, tuple]]:
        """Devices with what is known of them."""
        return [(device, self[device]) for device in self]

    def clear(self) -> None:
        """Forget all kernels of the function."""
        self.fn.forget()


def make_specialization(names: Sequence[str], descriptions: Sequence[Any], options: Mapping[str, Any],
                        target: str) -> Specialization:
    """Give the launcher's descriptions, one a parameter, their names and paths."""
    constexprs: dict[Path, Any] = {}
    divisibility: dict[Path, int] = {}
    tuple_types: dict[Path, type] = {}

    def visit(path: Path, kind: Any, value: Any) -> Any:
        if isinstance(kind, type):
            if kind is not tuple:
                tuple_types[path] = kind
            return tuple(visit((*path, i), *entry) for i, entry in enumerate(value))
        if kind == "constexpr":
            constexprs[path] = value
        elif value != 1:
            divisibility[path] = value
        return kind

    signature = {name: visit((name,), *entry) for name, entry in zip(names, descriptions, strict=True)}
    return Specialization(signature, constexprs, divisibility, dict(options), target, tuple_types)


def target_of(device_type: int, device_index: int) -> str:
    """The compiler's target for a device; without arrays, the CPU."""
    if device_type == _CUDA:
        from tilewright.runtime import nvidia

        return nvidia.target_of(device_index)
    if device_type == _ROCM:
        raise MissingDriverError("arrays on an AMD GPU: kernels can be compiled for it (target='amd:gfx942'), but "
                                 "this version cannot launch them; move the arrays to the CPU")
    return "cpu"


def load(kernel: CompiledKernel, device_index: int = 0) -> _launcher.Executable:
    """Load a compiled kernel where it can be launched.

    Raises:
        OutOfResources: If the device cannot run it.
        MissingDriverError: If there is no device of its target, or nothing to launch on it with.
    """
    load_there = _loader_of(kernel)
    facts = (None, None, kernel.name, {}, getattr(kernel, "hash", ""))
    if hooks.kernel_load_start.calls:
        hooks.kernel_load_start(*facts)
    executable = load_there(kernel, device_index)
    kernel.executable = executable
    if hooks.kernel_load_end.calls:
        hooks.kernel_load_end(executable, executable, *facts[2:])
    return executable


def _loader_of(kernel: CompiledKernel) -> Callable[[CompiledKernel, int], _launcher.Executable]:
    vendor = kernel.target.partition(":")[0]
    if vendor == "cpu":
        from tilewright.runtime import cpu

        return cpu.load
    if vendor == "nvidia":
        from tilewright.runtime import nvidia

        return nvidia.load
    raise MissingDriverError(f"kernel '{kernel.name}': there is no launcher for target '{kernel.target}'")


def _refuse_stores(kernel: CompiledKernel, specialization: Specialization, read_only: list[int]) -> None:
    """Raise if the kernel stores to an array that must not be written."""
    from tilewright.runtime.stores import stored_arguments

    stored = stored_arguments(kernel)
    paths = list(_passed_paths(specialization))
    for number in read_only:
        if number in stored:
            raise ValueError(f"kernel '{kernel.name}': argument '{paths[number][0]}' is a read-only array, but the "
                             "kernel stores to it")


def _passed_paths(specialization: Specialization) -> Sequence[Path]:
    """Paths of the arguments that are passed, in order."""
    paths: list[Path] = []

    def visit(path: Path, kind: Any) -> None:
        if isinstance(kind, tuple):
            for i, inner in enumerate(kind):
                visit((*path, i), inner)
        elif kind != "constexpr":
            paths.append(path)

    for name, kind in specialization.signature.items():
        visit((name,), kind)
    return paths


def _describe_device(holder: Any) -> tuple[int, int]:
    """Where an object with ``data_ptr()`` is, by its ``device``; nowhere if it does not say."""
    device = getattr(holder, "device", None)
    if device is None:
        return 0, 0
    kind, _, index = str(device).partition(":")
    if kind == "cpu":
        return _CPU, 0
    if kind == "cuda":
        torch = sys.modules.get("torch")
        is_rocm = torch is not None and getattr(torch.version, "hip", None) is not None
        return (_ROCM if is_rocm else _CUDA), int(index or 0)
    raise TypeError(f"is on device {device}, where kernels cannot run")


def _missing_driver() -> Exception:
    from tilewright.runtime.nvidia import missing_driver

    return missing_driver()


def _describe_extent(array: Any) -> tuple[int, int]:
    """Where the memory that holds an array begins and ends."""
    from tilewright.interpreter.launch import find_buffer

    buffer = find_buffer(array, "")
    return buffer.start, buffer.end


_launcher.register_callbacks(classify_dtype=dtypes.classify, describe_device=_describe_device,
                             describe_extent=_describe_extent, device_failure=DeviceAssertionError,
                             missing_driver=_missing_driver)
