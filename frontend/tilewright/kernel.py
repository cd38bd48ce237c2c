"""A compiled kernel: its stages, facts about it, and launching it again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from .errors import Note, list_names, suggest
from .hooks import CompileTimes, describe_launch, kernel_unload
from .remarks import Advice, add_advice

#: What the runtime assembles outside of the compiler: the artifact, and what it is made from.
ASSEMBLED = {"cubin": "ptx"}
#: Names under which programs written for another compiler know stages: the stages to take, the first that
#: a target has, or what makes the text from the other stages. The drop-in package registers them.
STAGE_ALIASES: dict[str, tuple[str, ...] | Callable[[Stages], str]] = {}
#: The same for facts: attributes of the metadata beside its items.
FACT_ALIASES: dict[str, Callable[[Metadata], Any]] = {}


class Metadata(dict[str, Any]):
    """Facts of a compiled kernel, as items and as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name in FACT_ALIASES:
            return FACT_ALIASES[name](self)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no '{name}' in the metadata{suggest(name, self)}") from None

    def _asdict(self) -> dict[str, Any]:
        """All facts under all their names, as a named tuple would give them."""
        return {**self, **{name: make(self) for name, make in FACT_ALIASES.items()}}


class Stages(Mapping[str, "str | bytes"]):
    """Every stage by its name, made when first asked for.

    Args:
        target: Whose stages these are.
        names: All stages and artifacts in order.
        make: Makes one of them; what it is made from is among the stages passed.
        locate: Makes the text of a stage with the user's line for every operation.
    """

    def __init__(self, target: str, names: Sequence[str], make: Callable[[str, Stages], str | bytes],
                 locate: Callable[[str], str | bytes]) -> None:
        self.target = target
        self.located = locate
        self._names = list(names)
        self._make = make
        self.made: dict[str, str | bytes] = {}

    def __getitem__(self, name: str) -> str | bytes:
        alias = None if name in self._names else STAGE_ALIASES.get(name)
        if callable(alias):
            if name not in self.made:
                self.made[name] = alias(self)
            return self.made[name]
        stage = self._find(alias or (name,))
        if stage is None:
            raise KeyError(f"'{self.target}' has no stage '{name}'{suggest(name, self._names)}; "
                           f"it has {list_names(self._names)}")
        if stage not in self.made:
            self.made[stage] = self._make(stage, self)
        return self.made[stage]

    def _find(self, candidates: Sequence[str]) -> str | None:
        return next((name for name in candidates if name in self._names), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        if name in self._names:
            return True
        alias = STAGE_ALIASES.get(str(name))
        return alias is not None and not callable(alias) and self._find(alias) is not None

    def __repr__(self) -> str:
        return f"<stages {', '.join(self._names)}>"


class CompiledKernel:
    """A kernel compiled for a target.

    Attributes:
        fn: The function it was compiled from.
        name: Its symbol.
        target: As in `compile`, with the architecture.
        asm: Every stage by its name: text, or bytes of a binary.
        metadata: `num_warps`, `shared_bytes`, `scratch_bytes`, `arguments` and others.
        remarks: What the passes had to say, with places in the source; and the assembler, once it has run: when the
            binary is asked for, or the kernel is loaded.
        times: How long the parts of its compilation took; the assembler's once it has run.
        n_regs: Registers of a thread, once the kernel is loaded; 0 where a target has no such figure.
        n_spills: Bytes of a thread that registers did not hold, once loaded.
        n_max_threads: Most threads that a program of the kernel may have, once loaded.
        arguments: What it was compiled for: constants, and descriptions of the arguments passed, by name.
        options: The options that were given.
    """

    n_regs = 0
    n_spills = 0
    n_max_threads = 0

    def __init__(self, fn: Any, name: str, target: str, asm: Stages, metadata: Metadata, *, binary_name: str,
                 arguments: Mapping[str, Any], options: Mapping[str, Any], remarks: list[Note] | None = None,
                 times: CompileTimes | None = None) -> None:
        self.fn = fn
        self.name = name
        self.target = target
        self.asm = asm
        self.metadata = metadata
        self.binary_name = binary_name
        self.arguments = arguments
        self.options = dict(options)
        self.remarks = [] if remarks is None else remarks
        self.times = times or CompileTimes()
        self.executable: Any = None
        #: Where the runtime keeps it for other processes.
        self.kept: Any = None

    @property
    def binary(self) -> str | bytes:
        """What is loaded to run the kernel."""
        return self.asm[self.binary_name]

    @property
    def kernel(self) -> str | bytes:
        """Another name of `binary`."""
        return self.binary

    def advise(self, advice: Iterable[Advice]) -> None:
        """Add what an assembler said to the remarks, at the places in the source that it is about."""
        add_advice(self.remarks, advice, self.fn, self.asm)

    @cached_property
    def hash(self) -> str:
        """A text that tells kernels apart: of the function, what it was compiled for, and how."""
        parts = (getattr(self.fn, "cache_key", ""), self.name, self.target, sorted(self.metadata.items(), key=str))
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def src(self) -> SimpleNamespace:
        """What it was compiled from: `fn`, `signature` by name, and `constants` by name."""
        signature = {name: getattr(value, "spelling", "constexpr") for name, value in self.arguments.items()}
        constants = {name: value for name, value in self.arguments.items() if signature[name] == "constexpr"}
        return SimpleNamespace(fn=self.fn, name=self.name, signature=signature, constants=constants)

    # --- running ---------------------------------------------------------------------------------------
    @property
    def function(self) -> Any:
        """The loaded kernel."""
        self._init_handles()
        return self.executable

    @property
    def module(self) -> Any:
        """What keeps the loaded kernel: the same object as `function`."""
        return self.function

    def _init_handles(self) -> None:
        """Load the kernel on the device it was compiled for, if it is not loaded yet."""
        if self.executable is None:
            from .runtime.launch import load

            load(self)

    @property
    def packed_metadata(self) -> tuple[int, int, int]:
        """Warps and blocks of a program, and bytes of its on-chip memory."""
        return (self.metadata["num_warps"], self.metadata["num_ctas"], self.metadata["shared_bytes"])

    def launch_metadata(self, grid: Any, stream: Any, *args: Any) -> Any:
        """What hooks around a launch are given; see `hooks.LazyFacts`."""
        return describe_launch(self, grid, stream, self._name_arguments(args))

    def run(self, grid_x: int, grid_y: int, grid_z: int, stream: Any, function: Any, packed_metadata: Any,
            launch_metadata: Any, enter_hook: Any, exit_hook: Any, *args: Any) -> CompiledKernel:
        """Launch with everything that a launcher is told; only the grid and the arguments decide."""
        if enter_hook is not None:
            enter_hook(launch_metadata)
        self[(grid_x, grid_y, grid_z)](*args, stream=stream)
        if exit_hook is not None:
            exit_hook(launch_metadata)
        return self

    def __getitem__(self, grid: Any) -> Callable[..., CompiledKernel]:
        """`kernel[grid](*args)` launches with its constants and options; arguments may include constants."""
        def launch(*args: Any, stream: Any = None) -> CompiledKernel:
            named = self._name_arguments(args)
            if stream:
                from .runtime import gpu

                with gpu.on_stream(stream):
                    return self.fn[grid](**named, **self.options)
            return self.fn[grid](**named, **self.options)

        return launch

    def _name_arguments(self, args: Sequence[Any]) -> dict[str, Any]:
        """Arguments by name: all of them, or without those of constexpr parameters, or without all constants."""
        names = list(self.arguments)
        if len(args) == len(names):
            return dict(zip(names, args, strict=True))
        constants = self.src.constants
        declared = {param.name for param in self.fn.params if param.is_constexpr}
        for left_out in (declared, constants):
            given = [name for name in names if name not in left_out]
            if len(args) == len(given):
                return {**constants, **dict(zip(given, args, strict=True))}
        raise TypeError(f"kernel '{self.name}' takes {len(names)} arguments, or the {len(given)} that are not "
                        f"constants, but {len(args)} are given")

    def __del__(self) -> None:
        executable = self.__dict__.get("executable")
        if executable is not None and kernel_unload.calls:
            kernel_unload(executable, executable, self.name, {}, self.hash)

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.target}>"
